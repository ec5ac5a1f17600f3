"""Many games of one size at once, in which a learner meets an opponent who belongs to the environment.

A board is int8 [n, n]: 1 for the learner's stones, -1 for the opponent's, 0 for empty cells, seen by the learner, who
always joins top and bottom. The opponent is shown its own view, the transposed board with its signs changed, and its
answers are turned back. One step is the learner's move and the opponent's reply, so what follows a position is again
one in which the learner moves, and no value ever has to be negated. Games that end begin again at once.

``MirrorGames`` has the same steps for a learner who plays both sides: there what follows is seen by the other side.

On a GPU nothing here waits for the device and every tensor stays where it is, so that a CUDA graph can repeat a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from fingal.learn.parts.joined_stones import stones_on
from fingal.learn.parts.mirror import random_cell

FirstStone = Literal["random", "chosen"]

DRAWN = 2
"""Numbers in [0, 1) that a reply may use in each game."""

LOTS = 2 * DRAWN + 2
"""Numbers in [0, 1) that a step uses in each game."""

Reply = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(boards int8 [B, n, n] and legal bool [B, cells] as the opponent sees them, float [2, B] in [0, 1)) to cells
int64 [B], in the same view. It must not change what it is given. Where no cell is legal any answer will do."""

Choose = Callable[[Tensor, Tensor], Tensor]
"""(boards int8 [B, n, n], legal bool [B, cells]) to cells int64 [B]: a learner that draws nothing."""


class Step(NamedTuple):
    """What a step has done in B games."""

    boards: Tensor
    """int8 [B, n, n]: where the games stand now, for who moves next; begun again where ``done``. The next step changes
    them: copy what must stay."""
    reward: Tensor
    """float32 [B], for the learner who moved: 1 where the game is won, -1 where it is lost, 0 where it goes on."""
    done: Tensor
    """bool [B]: which games have ended."""


def random_reply(boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
    """The opponent that plays any empty cell, each as likely as the others."""
    return random_cell(legal, lots[0])


def mirrored(boards: Tensor) -> Tensor:
    """The boards [B, n, n] as the other side sees them: transposed, with the colours exchanged. Its own inverse."""
    return -boards.transpose(1, 2)


def legal_cells(boards: Tensor) -> Tensor:
    """The empty cells of boards [B, n, n], bool [B, cells]."""
    return boards.flatten(1) == 0


def drawn_lots(count: int, generator: torch.Generator) -> Tensor:
    """Numbers in [0, 1) for one step of so many games, float32 [LOTS, count], on the generator's device."""
    return torch.rand((LOTS, count), generator=generator, device=generator.device)


class OpponentGames:
    """Games of a learner against an opponent, as one environment for each game."""

    def __init__(
        self,
        size: int,
        count: int,
        reply: Reply,
        generator: torch.Generator,
        *,
        opponent_starts: float = 0.5,
        first_stone: FirstStone = "random",
    ) -> None:
        """Begin all games, on the generator's device.

        A game begins with a stone of the opponent's with the chance ``opponent_starts``, on a random cell or where
        ``reply`` puts it.
        """
        self.size, self.count, self.reply, self.generator = size, count, reply, generator
        self.device = generator.device
        self.opponent_starts, self.first_stone = opponent_starts, first_stone
        # A graph cannot look at which games have ended.
        self.looks = self.device.type == "cpu"
        """Whether nobody is asked for a first stone where no game begins; otherwise ``reply`` is asked in vain."""
        self._stones = stones_on(size, count, self.device)
        self._learner = torch.ones(count, dtype=torch.int8, device=self.device)
        everywhere = torch.ones(count, dtype=torch.bool, device=self.device)
        self._begin(everywhere, drawn_lots(count, generator)[DRAWN:])

    @property
    def boards(self) -> Tensor:
        """int8 [count, n, n]: where the games stand. A view, which changes with them."""
        return self._stones.boards()

    @property
    def legal(self) -> Tensor:
        """The empty cells, bool [count, cells]; every game has one."""
        return legal_cells(self.boards)

    @torch.no_grad()
    def step(self, cell: Tensor, lots: Tensor | None = None) -> Step:
        """Play an empty cell int64 [count] in every game, and let the opponent reply where that has not won.

        ``lots`` are numbers as ``drawn_lots`` gives them, for who wants to draw them elsewhere.
        """
        lots = drawn_lots(self.count, self.generator) if lots is None else lots
        stones = self._stones
        won = stones.place(cell, self._learner)
        lost = stones.place(stones.turned(self._answer(lots[:DRAWN])), -self._learner, ~won)
        done = won | lost
        self._begin(done, lots[DRAWN:])
        return Step(self.boards, won.float() - lost.float(), done)

    def _answer(self, lots: Tensor) -> Tensor:
        seen = mirrored(self.boards)
        return self.reply(seen, legal_cells(seen), lots).clamp(0, self._stones.cells - 1)

    def _begin(self, which: Tensor, lots: Tensor) -> None:
        """Begin the games ``which`` again."""
        stones = self._stones
        stones.clear(which)
        if self.opponent_starts == 0:
            return
        if self.first_stone == "chosen":
            if self.looks and not bool(which.any()):
                return
            empty = torch.zeros_like(self.boards)
            cell = stones.turned(self.reply(empty, legal_cells(empty), lots[2:]))
        else:
            cell = (lots[1] * stones.cells).long()
        stones.place(cell, -self._learner, which & (lots[0] < self.opponent_starts))

    def state(self) -> dict[str, Tensor]:
        """Everything that changes, beside the generator."""
        return self._stones.state()

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what ``state`` gave."""
        self._stones.restore(state)


class MirrorGames:
    """Games of a learner against itself: every step is one move, and what follows is seen by the other side."""

    def __init__(self, size: int, count: int, generator: torch.Generator, *, random_starts: float = 0.5) -> None:
        """Begin all games, on the generator's device; so many of them with a random stone."""
        self.size, self.count, self.generator, self.random_starts = size, count, generator, random_starts
        self.device = generator.device
        self._stones = stones_on(size, count, self.device)
        self._side = torch.ones(count, dtype=torch.int8, device=self.device)
        everywhere = torch.ones(count, dtype=torch.bool, device=self.device)
        self._begin(everywhere, drawn_lots(count, generator)[DRAWN:])

    @property
    def boards(self) -> Tensor:
        """int8 [count, n, n]: where the games stand, each for its side to move."""
        boards = self._stones.boards()
        return torch.where(self._side.view(-1, 1, 1) > 0, boards, mirrored(boards))

    @property
    def legal(self) -> Tensor:
        """The empty cells, bool [count, cells], each for its side to move."""
        return legal_cells(self.boards)

    @torch.no_grad()
    def step(self, cell: Tensor, lots: Tensor | None = None) -> Step:
        """Play an empty cell int64 [count] in every game, as its side to move sees it."""
        lots = drawn_lots(self.count, self.generator) if lots is None else lots
        stones = self._stones
        won = stones.place(torch.where(self._side > 0, cell, stones.turned(cell)), self._side)
        self._side.neg_()
        self._begin(won, lots[DRAWN:])
        return Step(self.boards, won.float(), won)

    def _begin(self, which: Tensor, lots: Tensor) -> None:
        # The opening stone is of who joins left and right, so the side to move is always the other one.
        self._stones.clear(which)
        self._side.copy_(torch.where(which, 1, self._side))
        stone = (lots[1] * self._stones.cells).long()
        self._stones.place(stone, -self._side, which & (lots[0] < self.random_starts))

    def state(self) -> dict[str, Tensor]:
        """Everything that changes, beside the generator."""
        return self._stones.state() | {"mover": self._side}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what ``state`` gave."""
        self._stones.restore(state)
        self._side.copy_(state["mover"])


@torch.no_grad()
def wins(
    choose: Choose, reply: Reply, size: int, games: int, generator: torch.Generator, *, second: bool = False
) -> int:
    """How many of so many games a player wins as the first or as the second, when nothing else is left to chance.

    The opponent's first stone is where ``reply`` puts it.
    """
    table = OpponentGames(size, games, reply, generator, opponent_starts=float(second), first_stone="chosen")
    going = torch.ones(games, dtype=torch.bool, device=table.device)
    won = torch.zeros((), device=table.device)
    for _ in range(size * size // 2 + 1):
        step = table.step(choose(table.boards, table.legal))
        won += ((step.reward > 0) & going).sum()
        going &= ~step.done
    return int(won)
