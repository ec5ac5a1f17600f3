"""The stones of many boards of one size and who has joined his walls: by the core on a CPU, by tensors on a GPU.

Boards are seen as they are: 1 for who joins top and bottom, -1 for who joins left and right.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from fingal import _core
from fingal.nets.planes import pack
from fingal.nets.walls import NEIGHBOURS


class Stones(Protocol):
    """The stones of ``count`` boards."""

    cells: int

    def boards(self) -> Tensor:
        """int8 [count, n, n]: a view, which changes with the games."""

    def turned(self, cell: Tensor) -> Tensor:
        """Cells int64 [B] of boards, on the transposed boards."""

    def place(self, cell: Tensor, side: Tensor, which: Tensor | None = None) -> Tensor:
        """Put a stone of a side, int8 [count], on an empty cell int64 [count] of every board, or of those ``which``.

        Gives whether that joins the side's walls, bool [count]. Sides take turns; either may begin.
        """

    def clear(self, which: Tensor) -> None:
        """Take all stones off the boards ``which``, bool [count]."""

    def state(self) -> dict[str, Tensor]:
        """Everything that is needed to go on."""

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what ``state`` gave, on either kind of device."""


def stones_on(size: int, count: int, device: torch.device) -> Stones:
    """Empty boards on a device."""
    return CoreStones(size, count) if device.type == "cpu" else TensorStones(size, count, device)


def _transposed(size: int) -> Tensor:
    return torch.arange(size * size).view(size, size).T.flatten()


class CoreStones:
    """``Stones`` whose games are the core's."""

    def __init__(self, size: int, count: int) -> None:
        """Empty boards."""
        self.size, self.cells, self.count = size, size * size, count
        self._games = _core.PolicyGames(size, size, count, 1)
        self._rows = np.arange(count, dtype=np.int32)
        self._side = np.ones(count, np.int8)
        """[count]: whose turn it is in the core."""
        self._turned = _transposed(size)
        self._colour = np.zeros((count, self.cells), np.int8)
        self._boards = torch.from_numpy(self._colour).view(count, size, size)

    def boards(self) -> Tensor:
        """As ``Stones`` has it."""
        return self._boards

    def turned(self, cell: Tensor) -> Tensor:
        """As ``Stones`` has it."""
        return self._turned[cell]

    def place(self, cell: Tensor, side: Tensor, which: Tensor | None = None) -> Tensor:
        """As ``Stones`` has it."""
        rows = self._rows if which is None else self._rows[which.numpy()]
        won = np.zeros(self.count, np.bool_)
        if len(rows):
            cells, mover = cell.numpy()[rows], side.numpy()[rows]
            begins = rows[mover != self._side[rows]]
            if len(begins):
                self._set(begins, -self._side[begins])
            self._colour[rows, cells] = mover
            self._side[rows] = -mover
            won[rows] = self._games.play(rows, cells.astype(np.int32))
        return torch.from_numpy(won)

    def clear(self, which: Tensor) -> None:
        """As ``Stones`` has it."""
        rows = self._rows[which.numpy()]
        if len(rows):
            self._games.reset(rows)
            self._colour[rows], self._side[rows] = 0, 1

    def _set(
        self, rows: np.ndarray[tuple[int], np.dtype[np.int32]], side: np.ndarray[tuple[int], np.dtype[np.int8]]
    ) -> None:
        """Tell the core of the boards with these numbers, whose turn is now that of a side each."""
        colour = self._colour[rows]
        stones = pack(np.stack((colour == 1, colour == -1)).astype(np.uint8))
        self._games.set(rows, stones, side < 0, np.full(len(rows), -1, np.int32))
        self._side[rows] = side

    def state(self) -> dict[str, Tensor]:
        """As ``Stones`` has it."""
        return {"colour": torch.from_numpy(self._colour)}

    def restore(self, state: dict[str, Tensor]) -> None:
        """As ``Stones`` has it."""
        self._colour[:] = state["colour"][:, : self.cells].numpy()
        # Whose turn it is is told with the next stone.
        self._set(self._rows, np.ones(self.count, np.int8))


class TensorStones:
    """``Stones`` by tensors alone, so that a GPU need not be waited for.

    Beside its cells a board has five places: its four walls, which hold stones of their colours, and one that holds
    none. Every place has the number of its group; a new stone gives its own number to all groups that it touches.
    """

    def __init__(self, size: int, count: int, device: torch.device) -> None:
        """Empty boards."""
        self.size, self.cells, self.device = size, size * size, device
        top, bottom, left, right, nowhere = range(self.cells, self.cells + 5)
        table = torch.full((self.cells, len(NEIGHBOURS)), nowhere)
        for cell in range(self.cells):
            for number, (down, along) in enumerate(NEIGHBOURS):
                row, column = cell // size + down, cell % size + along
                if 0 <= row < size and 0 <= column < size:
                    table[cell, number] = row * size + column
                elif 0 <= column < size:
                    table[cell, number] = top if row < 0 else bottom
                elif 0 <= row < size:
                    table[cell, number] = left if column < 0 else right
        self._beside = table.to(device)
        colour = torch.zeros(self.cells + 5, dtype=torch.int8)
        colour[[top, bottom]], colour[[left, right]] = 1, -1
        self._bare = colour.to(device)
        self._alone = torch.arange(self.cells + 5, dtype=torch.int16, device=device)
        self._turned = _transposed(size).to(device)
        self.colour = self._bare.repeat(count, 1)
        """int8 [count, cells + 5]: 1 for who joins top and bottom, -1 for who joins left and right."""
        self.group = self._alone.repeat(count, 1)
        """int16 [count, cells + 5]: places with the same number are joined."""

    def boards(self) -> Tensor:
        """As ``Stones`` has it."""
        return self.colour[:, : self.cells].view(-1, self.size, self.size)

    def turned(self, cell: Tensor) -> Tensor:
        """As ``Stones`` has it."""
        return self._turned[cell]

    def place(self, cell: Tensor, side: Tensor, which: Tensor | None = None) -> Tensor:
        """As ``Stones`` has it."""
        side, place = side.unsqueeze(1), cell.unsqueeze(1)
        beside = self._beside[cell]
        own = self.colour.gather(1, beside) == side
        stone = side
        if which is not None:
            own &= which.unsqueeze(1)
            stone = torch.where(which.unsqueeze(1), side, self.colour.gather(1, place))
        met = torch.where(own, self.group.gather(1, beside), -1)
        joined = (self.group.unsqueeze(2) == met.unsqueeze(1)).any(2)
        self.group.copy_(torch.where(joined, place.to(torch.int16), self.group))
        self.colour.scatter_(1, place, stone)
        walls = self.group[:, self.cells : self.cells + 4]
        upright, across = walls[:, 0] == walls[:, 1], walls[:, 2] == walls[:, 3]
        won = torch.where(side.squeeze(1) > 0, upright, across)
        return won if which is None else won & which

    def clear(self, which: Tensor) -> None:
        """As ``Stones`` has it."""
        which = which.unsqueeze(1)
        self.colour.copy_(torch.where(which, self._bare, self.colour))
        self.group.copy_(torch.where(which, self._alone, self.group))

    def state(self) -> dict[str, Tensor]:
        """As ``Stones`` has it."""
        return {"colour": self.colour, "group": self.group}

    def restore(self, state: dict[str, Tensor]) -> None:
        """As ``Stones`` has it."""
        self.clear(torch.ones(len(self.colour), dtype=torch.bool, device=self.device))
        stones = state["colour"][:, : self.cells].to(self.device)
        for cell in range(self.cells):
            here = stones[:, cell]
            self.place(torch.full_like(here, cell, dtype=torch.int64), here, here != 0)
