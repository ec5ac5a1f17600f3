"""Positions and the moves that were made in them, packed on a device, as ``fingal.nets.bridges`` shows them.

A pair is seen in up to four ways that are the same to Hex: as it is, turned by 180 degrees, mirrored in the long
diagonal with the colours exchanged, and both. Planes turned by 180 degrees are the planes of the turned position; the
mirrored ones have to be worked out anew, for the corners of the border are black either way.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.game_lines import Game
from fingal.learn.parts.policy import legal_in_planes
from fingal.nets import bridges
from fingal.search.evaluator import Positions

AT_ONCE = 1 << 14
"""Positions that are encoded in one go."""


class Seen(NamedTuple):
    """Pairs as a net takes them."""

    planes: Tensor
    """float32 [B, planes, n + 2, n + 2]"""
    legal: Tensor
    """bool [B, cells]"""
    cell: Tensor
    """int64 [B]: the move."""


class Pairs:
    """All choices in some games."""

    def __init__(self, games: Sequence[Game], size: int, device: torch.device, mirror: bool, turn: bool) -> None:
        """Take every move but the given ones; ``mirror`` and ``turn`` say which other ways to see them there are."""
        self.size, self._mirror = size, mirror
        self.ways = (1 + mirror) * (1 + turn)
        """In how many ways a pair is seen."""
        positions, chosen = choices(games, size)
        cell = torch.from_numpy(chosen).to(device)
        mirrored = torch.from_numpy(chosen % size * size + chosen // size).to(device)
        views = [(_packed(positions), cell)]
        if mirror:
            views.append((_packed(choices(games, size, mirrored=True)[0]), mirrored))
        self._bits = torch.stack([torch.from_numpy(bits) for bits, _ in views]).to(device)
        self._cell = torch.stack([cells for _, cells in views])
        self._octet = torch.arange(8, device=device, dtype=torch.uint8)

    def __len__(self) -> int:
        """How many there are, each counted once."""
        return self._cell.shape[1]

    def at(self, pick: Tensor) -> Seen:
        """Pairs by number, int64 [B]: from 0 to ``len`` as they are, and so on for every other way to see them."""
        number, way = pick % len(self), pick // len(self)
        view, turned = (way % 2, way // 2) if self._mirror else (torch.zeros_like(way), way)
        side = self.size + 2
        bits = self._bits[view, number].unsqueeze(2) >> self._octet & 1
        planes = bits.flatten(1)[:, : bridges.PLANES * side * side].view(-1, bridges.PLANES, side, side)
        around = turned == 1
        planes = torch.where(around.view(-1, 1, 1, 1), planes.flip(2, 3), planes)
        cell = self._cell[view, number]
        cell = torch.where(around, self.size**2 - 1 - cell, cell)
        return Seen(planes.float(), legal_in_planes(planes), cell)


def choices(games: Sequence[Game], size: int, *, mirrored: bool = False) -> tuple[Positions, NDArray[np.int64]]:
    """The positions in which players chose, game after game, and the cells [P] that they took.

    ``mirrored`` gives the same in the long diagonal's mirror with the colours exchanged.
    """
    longest = max((len(game.moves) for game in games), default=0)
    moves = np.array([(*game.moves, *(-1,) * (longest - len(game.moves))) for game in games], np.int64)
    moves = moves.reshape(len(games), longest)
    made, cells = moves >= 0, np.maximum(moves, 0)
    if mirrored:
        cells = cells % size * size + cells // size
    words = (size * size + 63) // 64
    bit = np.where(made, np.uint64(1) << (cells & 63).astype(np.uint64), np.uint64(0))
    stones = np.zeros((2, len(games), longest + 1, words), np.uint64)
    ply = np.arange(longest)
    for colour in (0, 1):
        for word in range(words):
            own = np.where((ply % 2 == colour) & (cells >> 6 == word), bit, np.uint64(0))
            stones[colour, :, 1:, word] = np.cumsum(own, axis=1)
    asked = made & (ply >= np.array([game.given for game in games], np.int64)[:, None])
    last = np.concatenate([np.full((len(games), 1), -1), cells[:, :-1]], 1)[:, :longest]
    white = np.broadcast_to(ply % 2 == 1, moves.shape)[asked]
    held = stones[:, :, :-1][:, asked]
    if mirrored:
        held, white = held[::-1], ~white
    packed = Positions(
        size, size, np.ascontiguousarray(held), np.ascontiguousarray(white), last[asked].astype(np.int32)
    )
    return packed, cells[asked]


def fingerprint(games: Sequence[Game]) -> int:
    """A number that other games would hardly have."""
    return zlib.crc32(repr([tuple(game) for game in games]).encode())


def _packed(positions: Positions) -> NDArray[np.uint8]:
    """The planes' bits, [P, bytes]."""
    parts = []
    for begin in range(0, len(positions.last), AT_ONCE):
        some = slice(begin, begin + AT_ONCE)
        part = positions._replace(
            stones=np.ascontiguousarray(positions.stones[:, some]),
            white_to_move=positions.white_to_move[some],
            last=positions.last[some],
        )
        planes = bridges.encode(part)
        parts.append(np.packbits(planes.reshape(len(planes), -1) > 0, axis=1, bitorder="little"))
    size = bridges.PLANES * (positions.width + 2) * (positions.height + 2)
    return np.concatenate(parts) if parts else np.zeros((0, (size + 7) // 8), np.uint8)
