"""Players that have moved and may move again: kept with their trees for a while, within bounds."""

from __future__ import annotations

import threading
from collections import OrderedDict

from fingal.players.adjusted import Adjusted
from fingal.players.player import Player
from fingal.players.searching import searching
from fingal.players.solver import SolverPlayer

MOST = 16
"""So many players are kept: an engine of one's own is a process."""

EDGE = 31
"""Bytes of a tree's edge, at most."""


class Kept:
    """Players by key; who was kept longest ago goes first. It may be called from any thread."""

    def __init__(self, room: int) -> None:
        """Keep trees and tables of ``room`` bytes in all, at most."""
        self._room = room
        self._lock = threading.Lock()
        self._players: OrderedDict[str, tuple[str, Player, int]] = OrderedDict()

    def take(self, key: str, text: str) -> Player | None:
        """The player that was kept for a key, if it is the one of that text; another one there is closed."""
        with self._lock:
            known = self._players.pop(key, None)
        if known is None:
            return None
        if known[0] == text:
            return known[1]
        known[1].close()
        return None

    def keep(self, key: str, text: str, player: Player) -> None:
        """Keep a player for a key, instead of the one there; it may be closed at any time from now on."""
        size = _size(player)
        if size > self._room:
            # A tree that has grown large costs more than it saves.
            player.close()
            size = 0
        out: list[Player] = []
        with self._lock:
            if (known := self._players.pop(key, None)) is not None:
                out.append(known[1])
            self._players[key] = text, player, size
            while len(self._players) > MOST or sum(kept[2] for kept in self._players.values()) > self._room:
                out.append(self._players.popitem(last=False)[1][1])
        for old in out:
            old.close()

    def forget(self, key: str) -> None:
        """Close the player that is kept for a key."""
        with self._lock:
            known = self._players.pop(key, None)
        if known is not None:
            known[1].close()

    def close(self) -> None:
        """Close all."""
        with self._lock:
            out = [player for _, player, _ in self._players.values()]
            self._players.clear()
        for player in out:
            player.close()

    def __len__(self) -> int:
        return len(self._players)


def _size(player: Player) -> int:
    """The bytes of a player's tree, or of its table of solved positions."""
    if (found := searching(player)) is not None:
        return int(found.search.edges * EDGE)
    while isinstance(player, Adjusted):
        player = player.player
    return player.megabytes * 1_000_000 if isinstance(player, SolverPlayer) else 0
