"""Positions to begin games from: any moment of a game from a list, with a side to move by lot.

The list is a file of games, as ``game_lines`` reads them; or games that the mentor's circuit plays
against itself with some random moves. A game's last move is never made, so no position is over.

NeuroHex lets chance decide who is to move, so the numbers of stones may be such as real play never has.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from fingal.learn.parts import game_lines, mentor
from fingal.learn.parts.lockstep import after_moves, empty_cells, winning_cells
from fingal.learn.parts.mirror import random_cell
from fingal.nets.walls_torch import chained


class Starts:
    """Games of one board size, from which positions are drawn."""

    def __init__(self, moves: Tensor, size: int) -> None:
        """Take games int64 [G, plies], Black's move first, -1 after the last; there is at least one.

        ValueError when a game is over before its last move.
        """
        if len(moves) == 0:
            raise ValueError("there is no game to begin from")
        self.size, self.moves = size, moves
        self.lengths = (moves >= 0).sum(1)
        """int64 [G]: how many moves each game has."""
        number = torch.arange(len(moves), device=moves.device)
        for some in torch.split(number, 1 << 12):
            over = self.after(some, (self.lengths[some] - 1).clamp(min=0))
            chains = chained(over)
            done = chains[:, 0, -1].any(1) | chains[:, 2, :, -1].any(1)
            if bool(done.any()):
                raise ValueError(f"game {int(some[done][0]) + 1} is over before its last move")

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.moves)

    def part(self, begin: int, end: int) -> Starts:
        """Some of the games."""
        part = object.__new__(Starts)
        part.size, part.moves, part.lengths = self.size, self.moves[begin:end], self.lengths[begin:end]
        return part

    def after(self, game: Tensor, plies: Tensor) -> Tensor:
        """Black's and White's stones after so many moves of games, both int64 [B]: bool [B, 2, n, n]."""
        moves = self.moves[game]
        ply = torch.arange(moves.shape[1], device=moves.device)
        made = (ply < plies.unsqueeze(1)) & (moves >= 0)
        # One more cell takes the moves that are not made.
        place = torch.where(made, moves, self.size**2) + ply % 2 * (self.size**2 + 1)
        stones = torch.zeros((len(moves), 2 * (self.size**2 + 1)), dtype=torch.bool, device=moves.device)
        stones.scatter_(1, place, True)
        return stones.view(-1, 2, self.size**2 + 1)[:, :, :-1].reshape(-1, 2, self.size, self.size)

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Boards bool [count, 2, n, n] as the side to move sees them; ``generator`` is on the games' device.

        Every game is as likely as the others, then every ply of it, either side to move, and the board as it is or
        turned by 180 degrees.
        """
        lots = torch.rand((4, count), generator=generator, device=self.moves.device)
        game = (lots[0] * len(self)).long().clamp(max=len(self) - 1)
        plies = (lots[1] * self.lengths[game]).long()
        boards = self.after(game, plies)
        boards = torch.where((lots[2] < 0.5).view(-1, 1, 1, 1), boards, boards.flip(1).transpose(2, 3))
        return torch.where((lots[3] < 0.5).view(-1, 1, 1, 1), boards, boards.flip(2, 3))


def from_file(path: Path, size: int, device: torch.device) -> Starts:
    """Games from a file; ValueError, with the file and its line, for what is none on this board."""
    games = [list(game.moves) for game in game_lines.read(path, size)]
    longest = max((len(game) for game in games), default=0)
    moves = torch.tensor([game + [-1] * (longest - len(game)) for game in games], dtype=torch.int64)
    try:
        return Starts(moves.view(len(games), longest).to(device), size)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def by_mentor(size: int, games: int, random_share: float, generator: torch.Generator) -> Starts:
    """Games that the mentor's circuit plays against itself on the generator's device, all at once.

    The first move is random, and later ones with the chance ``random_share``; a win at hand is taken.
    """
    device = generator.device
    boards = torch.zeros((games, 2, size, size), dtype=torch.bool, device=device)
    moves = torch.full((games, size * size), -1, device=device)
    number = torch.arange(games, device=device)
    for ply in range(size * size):
        legal, wins = empty_cells(boards), winning_cells(boards)
        lots = torch.rand((2, len(boards)), generator=generator, device=device)
        liked = (mentor.scores(boards) + 4 * wins).masked_fill(~legal, -torch.inf).argmax(1)
        random = lots[0] < (random_share if ply else 1.0)
        cell = torch.where(random, random_cell(legal, lots[1]), liked)
        # White sees the board transposed.
        moves[number, ply] = cell % size * size + cell // size if ply % 2 else cell
        going = ~wins.gather(1, cell.unsqueeze(1)).squeeze(1)
        boards = after_moves(boards, going.nonzero(as_tuple=True)[0], cell[going])
        number = number[going]
        if len(number) == 0:
            break
    return Starts(moves, size)
