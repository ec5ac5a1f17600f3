"""A search that goes on in a thread of its own while the opponent thinks."""

from __future__ import annotations

import contextlib

from fingal.background import BackgroundCall
from fingal.game import Board
from fingal.search.growing import Search

EDGES = 1 << 24
"""Pondering ends when the tree has grown by about so many edges: some 320 MB."""


class Ponderer:
    """Keeps a search at work on a position until it is told to stop. Nobody else may use the search meanwhile."""

    def __init__(self, search: Search) -> None:
        """For this search."""
        self._search = search
        self._call: BackgroundCall[None] | None = None

    def start(self, board: Board) -> None:
        """Search this position from now on; what the search knows of it is kept."""
        self.stop()
        self._search.set_position(board)
        nodes = EDGES // board.cells
        self._call = BackgroundCall(lambda: self._work(nodes), self._search.interrupt)
        self._call.start()

    def stop(self) -> None:
        """End it, and wait until it has ended: as long as the net takes for a batch."""
        if self._call is not None:
            self._call.end()
            self._call = None
            self._search.take_back_interrupt()

    def _work(self, nodes: int) -> None:
        with contextlib.suppress(Exception):  # whatever is wrong, the search for the next move says it
            for _ in self._search.run(nodes=nodes):
                pass
