"""The games of an apprentice, all of one size at once, and what a teacher says of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.learn.parts.apprentice_settings import Apprentice
from fingal.nets.judge import Judge
from fingal.nets.planes_torch import encode, layout


class Judged(NamedTuple):
    """B positions of one size as they are, and what the teacher says of them."""

    stones: Tensor
    """int64 [2, B, words]"""
    white: Tensor
    """bool [B]: whether White is to move."""
    wins: Tensor
    """bool [B, cells]: where the side to move wins at once."""
    policy: Tensor
    """[B, cells]: logits of the move."""
    value: Tensor
    """[B]: in [-1, 1], side to move's view."""


class Lesson(NamedTuple):
    """The same as the side to move sees them, half of them turned."""

    planes: Tensor
    """[B, 5, size + 2, size + 2]"""
    cell: Tensor
    """int64 [B, cells]: where each cell is on the board as it is."""
    taken: Tensor
    """bool [B, cells]: where a stone is."""
    policy: Tensor
    """[B, cells]: the teacher's logits."""
    value: Tensor
    """[B]: the teacher's."""


class Players(NamedTuple):
    """Who plays B games: Black's and White's column, except for the last."""

    heat: Tensor
    """[B, 2]: the temperature at which moves are drawn."""
    stray: Tensor
    """[B, 2]: how often a random move is made instead."""
    taught: Tensor
    """bool [B, 2]: whether the moves are the teacher's."""
    opening: Tensor
    """[B, 1]: how many random moves are left that the game begins with."""


def improved(lesson: Lesson, seen: Tensor, trust: float) -> Lesson:
    """A lesson after a look at what some moves are worth: ``seen`` [B, cells], side to move's view, NaN for the others.

    Those count as the mean of the others, by the policy (after Danihelka et al. 2022, completed values). The value
    becomes the mean of what it was and of what the improved policy expects: each foresees results, and both do better.
    """
    chances = lesson.policy.masked_fill(lesson.taken, -torch.inf).softmax(1)
    looked = ~(seen.isnan() | lesson.taken)
    known = (chances * looked).sum(1, keepdim=True)
    mean = (chances * torch.where(looked, seen, 0.0)).sum(1, keepdim=True) / known
    worth = torch.where(looked, seen, mean)
    policy = lesson.policy + trust * worth
    expected = (policy.masked_fill(lesson.taken, -torch.inf).softmax(1) * worth).sum(1)
    # Chances that add up to a little more than 1 must not make a value of it: its entropy would be infinite.
    return lesson._replace(policy=policy, value=((lesson.value + expected) / 2).clamp(-1, 1))


class Games:
    """Games of one size that never stop: one that ends begins anew, with other players."""

    def __init__(self, size: int, count: int, config: Apprentice, teacher: Judge, generator: torch.Generator) -> None:
        """Begin; ``generator`` is on the teacher's device."""
        self.size, self.count, self.config, self.teacher, self.generator = size, count, config, teacher, generator
        self._core = _core.PolicyGames(size, size, count)
        self._rows = np.arange(count, dtype=np.int32)
        self.players = self._drawn()
        self.now = self._judged()
        """The games as they stand."""

    def _lots(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.generator, device=self.generator.device)

    def _drawn(self) -> Players:
        config, count = self.config, self.count
        heat = config.heat * (1.5 * self._lots(count, 2) - 0.5).clamp(min=0)
        stray = config.stray * (2 * self._lots(count, 2) - 1).clamp(min=0)
        taught = self._lots(count, 2) < config.teacher_share
        # With fewer than 2 (size - 1) stones nobody has won.
        many = 1 + (self._lots(count, 1) * (2 * self.size - 3)).floor()
        opening = torch.where(self._lots(count, 1) < config.wild_share, many, 1.0)
        return Players(heat, stray, taught, opening)

    def _sent(self, array: NDArray[Any]) -> Tensor:
        """An array on the device, which is not waited for."""
        return torch.from_numpy(array).to(self.teacher.device, non_blocking=True)

    def _judged(self) -> Judged:
        packed, turns, _ = self._core.pack(self._rows)
        stones, white = self._sent(packed.view(np.int64)), self._sent(turns)
        wins = self._sent(self._core.winning(self._rows))
        return Judged(stones, white, wins, *self.teacher(stones, white, self.size, self.size))

    def lesson(self, dtype: torch.dtype) -> Lesson:
        """What there is to learn from the games as they stand."""
        now, frame = self.now, (self.size, self.size)
        where = layout(now.white, *frame, frame, self._lots(self.count) < 0.5)
        planes = encode(now.stones, now.white, where, frame, dtype)
        taken = planes[:, :2, 1:-1, 1:-1].flatten(2).any(1)
        return Lesson(planes, where.cell, taken, now.policy.gather(1, where.cell), now.value)

    @torch.no_grad()
    def choose(self, lesson: Lesson, policy: Tensor) -> Tensor:
        """Every game's next move, int64 [count], on the boards as they are; the apprentice's logits are given."""
        side = self.now.white.long().unsqueeze(1)
        heat, stray, taught = (each.gather(1, side) for each in self.players[:3])
        # To add Gumbel's noise times the temperature and take the best is to draw.
        noise = -(-self._lots(*policy.shape).clamp(1e-9, 1 - 1e-6).log()).log()
        scores = torch.where(taught, lesson.policy, policy.float()) + heat * noise
        random = (self.players.opening > 0) | (self._lots(self.count, 1) < stray)
        best = torch.where(random, noise, scores).masked_fill(lesson.taken, -torch.inf).argmax(1, keepdim=True)
        return lesson.cell.gather(1, best).squeeze(1)

    def move(self, cells: Tensor) -> NDArray[np.bool_]:
        """Make these moves, for which the device is waited for; gives which games have ended, [count]."""
        over = self._core.play(self._rows, cells.to("cpu", torch.int32).numpy())
        self._core.reset(self._rows[over])
        return over

    @torch.no_grad()
    def ahead(self, lesson: Lesson, policy: Tensor) -> Lesson:
        """The lesson after the teacher's look a move ahead; the apprentice's logits are given.

        A move that wins at once is known to be worth 1, whether it is looked at or not.
        """
        if not self.config.ahead:
            return lesson
        closed = [logits.masked_fill(lesson.taken, -torch.inf) for logits in (lesson.policy, policy.float())]
        best = closed[0].topk(min(self.config.ahead, self.size**2), 1).indices
        seen = torch.full_like(lesson.policy, torch.nan)
        # One after the other, so that all are of the shape that the judge is compiled for.
        for move in (*best.unbind(1), closed[1].argmax(1)):
            stones = self._with_stones(lesson.cell.gather(1, move.unsqueeze(1)))
            _, value = self.teacher(stones, ~self.now.white, self.size, self.size)
            seen.scatter_(1, move.unsqueeze(1), -value.unsqueeze(1))
        wins = self.now.wins.gather(1, lesson.cell)
        return improved(lesson, seen.masked_fill(wins, 1.0), self.config.trust)

    def _with_stones(self, cells: Tensor) -> Tensor:
        """The boards with one stone more of the side to move, on cells [count, 1]: int64 [2, count, words]."""
        stones, white = self.now.stones, self.now.white.unsqueeze(1)
        words = torch.arange(stones.shape[2], device=stones.device)
        bits = torch.where(words == cells >> 6, 1 << (cells & 63), 0)
        return stones | torch.stack((bits.masked_fill(white, 0), bits.masked_fill(~white, 0)))

    def go_on(self, over: NDArray[np.bool_]) -> None:
        """From now on the positions after the moves that ``move`` made are due; ``over`` is what it gave."""
        ended, self.now = self._sent(over), self._judged()
        going = self.players._replace(opening=self.players.opening - 1)
        others = zip(self._drawn(), going, strict=True)
        self.players = Players(*(torch.where(ended.unsqueeze(1), new, old) for new, old in others))

    def kept(self) -> dict[str, Tensor]:
        """What has to be kept to go on."""
        stones, white, last = self._core.pack(self._rows)
        core = {"stones": stones.view(np.int64), "white": white, "last": last}
        return {name: torch.from_numpy(array) for name, array in core.items()} | self.players._asdict()

    def restore(self, kept: dict[str, Tensor]) -> None:
        """Go on with what ``kept`` gave."""
        stones = kept["stones"].numpy().view(np.uint64)
        self._core.set(self._rows, stones, kept["white"].numpy(), kept["last"].numpy())
        self.players = Players(*(kept[name].to(self.teacher.device) for name in Players._fields))
        self.now = self._judged()
