"""Games of minimax over nets' values, as EZO-CNN plays them: with noise, a random opening and a random move.

The games of a group go on together; where there are two groups, the core finds connections for one of them while the
device judges the other's moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from fingal.learn.parts import lockstep
from fingal.learn.parts.lockstep import Chance, Games, Known


class Style(NamedTuple):
    """How the games are played."""

    latest_turn: int
    """A random move is made at a random turn, at the latest this one."""
    noise: float
    """How much is added to or taken from every value, at most."""
    depth: int
    """Moves that are looked ahead: 1 or 2."""


class Played(NamedTuple):
    """The positions of some games, from the one after the random move on."""

    boards: Tensor
    """bool [N, 2, n, n], each seen by its side to move; those of one game one after the other."""
    over: Tensor
    """bool [N]: the last of each game, lost for the side to move. Every other one is followed by the next."""
    known: Tensor
    """int8 [N]: 1 where connections say that the side to move wins, -1 where they say that it loses, else 0."""
    games: int
    """How many there were, without those that ended before their random move."""
    first_wins: int
    """How many of them the side that moved first has won."""
    against: list[int]
    """In how many of all games each net was the present one's opponent; the first is the present one itself."""


def opening_cells(size: int) -> Tensor:
    """The cells within two rows of a side, int64."""
    at = torch.arange(size)
    near = torch.minimum(at, size - 1 - at) < 2
    return (near[:, None] | near[None]).flatten().nonzero(as_tuple=True)[0]


class _Group:
    """Some of the games and what has been seen of them."""

    def __init__(self, games: Games, nets: int, style: Style, generator: torch.Generator) -> None:
        self.games, self._style, self._generator = games, style, generator
        games.begin()
        count = games.count
        self.turn = 1 + (self.random(count) * style.latest_turn).long()
        self.opponent = (self.random(count) * nets).long()
        self._present_first = self.random(count) < 0.5
        self.seen: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor]] = []

    def random(self, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self._generator, device=self.games.device)

    def play(self, judges: Sequence[Chance], openings: Tensor) -> None:
        """One move in every game."""
        games = self.games
        going, boards, ply = games.going, games.boards, games.ply
        known = games.known()
        if known is None:
            cell = openings[(self.random(len(going)) * len(openings)).long()]
        else:
            present = self._present_first[going] == (ply % 2 == 0)
            which = torch.where(present, 0, self.opponent[going])
            cell = self._choose(boards, known, judges, which, self.turn[going] - 1 == ply)
            self._note(going, boards, known.proof, ply, over=False)
        after, ended = games.play(cell)
        self._note(going[ended], after[ended], torch.full_like(going[ended], -1), ply + 1, over=True)
        if len(games.going):
            games.ask()

    def _note(self, game: Tensor, boards: Tensor, proof: Tensor, ply: int, over: bool) -> None:
        wanted = ply > self.turn[game] if over else ply >= self.turn[game]
        self.seen.append((game, boards, torch.full_like(wanted, over), proof.to(torch.int8), wanted))

    def _choose(self, boards: Tensor, known: Known, judges: Sequence[Chance], which: Tensor, chance: Tensor) -> Tensor:
        """A move for each board: random where ``chance`` says so, else by the judge with the number in ``which``."""
        empty = lockstep.empty_cells(boards)
        cell = self.random(*empty.shape).masked_fill(~empty, -1).argmax(1)
        cell = torch.where((known.proof > 0) & ~chance, known.winning, cell)
        noise = self._style.noise * (2 * self.random(*empty.shape) - 1)
        for number, judge in enumerate(judges):
            rows = ((which == number) & (known.proof <= 0) & ~chance).nonzero(as_tuple=True)[0]
            if len(rows):
                moves = known.moves[rows]
                # Who could win at once is known to win.
                none = torch.zeros_like(moves)
                opponents = lockstep.worth(boards[rows], moves, judge, self._style.depth, none)
                cell[rows] = (opponents + noise[rows]).argmin(1)
        return cell


@torch.no_grad()
def play(groups: Sequence[Games], judges: Sequence[Chance], style: Style, generator: torch.Generator) -> Played:
    """Play all games to their end. The first judge is the present net, the others past ones.

    In each game one side is the present net and the other a net drawn from all; who moves first is drawn too.
    """
    openings = opening_cells(groups[0].size).to(groups[0].device)
    parts = [_Group(games, len(judges), style, generator) for games in groups]
    while any(len(part.games.going) for part in parts):
        for part in parts:
            if len(part.games.going):
                part.play(judges, openings)
    boards, over, known = [], [], []
    for part in parts:
        game, seen, ends, proof, wanted = (torch.cat(column) for column in zip(*part.seen, strict=True))
        keep = wanted.nonzero(as_tuple=True)[0]
        order = keep[torch.argsort(game[keep], stable=True)]
        boards.append(seen[order])
        over.append(ends[order])
        known.append(proof[order])
    found, ended = torch.cat(boards), torch.cat(over)
    stones = found[ended].flatten(1).sum(1)
    opponents = torch.cat([part.opponent for part in parts]).bincount(minlength=len(judges)).tolist()
    return Played(found, ended, torch.cat(known), int(ended.sum()), int((stones % 2 == 1).sum()), opponents)


@torch.no_grad()
def match(first: Chance, second: Chance, size: int, device: torch.device) -> float:
    """How often the first wins by its values alone, one move deep; every opening is played once with each colour."""
    openings = opening_cells(size).to(device)
    games = Games(size, 2 * len(openings), False, 1, device)
    games.play(openings.repeat(2))
    first_next = torch.arange(games.count, device=device) < len(openings)
    won = 0
    while len(games.going):
        games.ask()
        known = games.known()
        assert known is not None
        mine = first_next[games.going] == (games.ply % 2 == 1)
        cell = known.winning.clone()
        for judge, turn in ((first, mine), (second, ~mine)):
            rows = (turn & (known.proof == 0)).nonzero(as_tuple=True)[0]
            if len(rows):
                moves = known.moves[rows]
                cell[rows] = lockstep.worth(games.boards[rows], moves, judge, 1, torch.zeros_like(moves)).argmin(1)
        _, ended = games.play(cell)
        won += int((ended & mine).sum())
    return won / games.count
