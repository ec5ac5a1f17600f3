"""The games of an apprentice, all of one size at once, and what a teacher says of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.learn.parts import game_lines
from fingal.learn.parts.apprentice_settings import Apprentice
from fingal.learn.parts.lines import Coming, Lines, sent
from fingal.learn.parts.openings import Openings
from fingal.nets.judge import Judge
from fingal.nets.planes_torch import encode, layout

SAME_OPENINGS = 4
"""How many games begin from an opening: to draw one takes eight judgements, and sorting besides."""


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
    stubborn: Tensor
    """bool [B, 1]: whether the game goes on when the teacher is sure who wins."""


def improved(lesson: Lesson, seen: Tensor, wins: Tensor, trust: float) -> Lesson:
    """A lesson after a look at what some moves are worth: ``seen`` [B, cells], side to move's view, NaN for the others.

    Those count as the mean of what was seen, by the policy (after Danihelka et al. 2022, completed values), or as the
    position where nothing was; moves that win at once, ``wins`` bool [B, cells], are known to be worth 1. The value
    becomes the mean of what it was and of what the improved policy expects: each foresees results, and both do better.
    """
    chances = lesson.policy.masked_fill(lesson.taken, -torch.inf).softmax(1)
    looked = ~(seen.isnan() | lesson.taken)
    known = (chances * looked).sum(1, keepdim=True)
    mean = (chances * torch.where(looked, seen, 0.0)).sum(1, keepdim=True) / known
    others = torch.where(known > 0, mean, lesson.value.unsqueeze(1))
    worth = torch.where(looked, seen, others).masked_fill(wins, 1.0)
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
        self._moves = min(config.ahead, size * size)
        self.lines = Lines(size, max(1, round(count * config.looked * self._moves)), teacher)
        """What the teacher looks at."""
        self._random = torch.Generator().manual_seed(config.seed)
        file = config.record_files().get(size)
        self._records = game_lines.read(file, size) if file else []
        if file and not self._records:
            raise ValueError(f"{file} has no game to begin in the middle of")
        self._draw_openings()
        self._begin(self._rows)
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
        return Players(heat, stray, taught, self._lots(count, 1) < config.stubborn_share)

    def _draw_openings(self) -> None:
        """As many positions to begin from as there are games, in random order."""
        config, self._drawn_from = self.config, self._random.get_state()
        kinds = Openings(
            config.opening_stones, config.opening_spread, config.wild_share, recorded_share=config.recorded_share
        )
        lines = kinds.lines(self.teacher, self.size, self.count, self._random, self._records)
        order = torch.randperm(len(lines), generator=self._random).tolist()
        games = _core.PolicyGames(self.size, self.size, len(lines))
        for ply in range(max(map(len, lines))):
            rows = [row for row, line in enumerate(order) if len(lines[line]) > ply]
            cells = [lines[order[row]][ply] for row in rows]
            games.play(np.array(rows, dtype=np.int32), np.array(cells, dtype=np.int32))
        self._openings, self._begun = games, 0

    def _begin(self, rows: NDArray[np.int32]) -> None:
        """Let games begin anew, with the next openings."""
        while len(rows):
            if self._begun == SAME_OPENINGS * self._openings.count:
                self._draw_openings()
            first = self._begun % self._openings.count
            some, rows = np.split(rows, [self._openings.count - first])
            self._core.copy(np.arange(first, first + len(some), dtype=np.int32), some, self._openings)
            self._begun += len(some)

    def _judged(self) -> Judged:
        packed, turns, _ = self._core.pack(self._rows)
        arrays = (packed.view(np.int64), turns, self._core.winning(self._rows))
        stones, white, wins = (sent(array, self.teacher.device) for array in arrays)
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
        """Every game's next move, int64 [count], on the boards as they are; the apprentice's logits are given.

        -1 where the teacher is so sure who wins that the game is given up.
        """
        side = self.now.white.long().unsqueeze(1)
        heat, stray, taught = (each.gather(1, side) for each in self.players[:3])
        # To add Gumbel's noise times the temperature and take the best is to draw.
        noise = -(-self._lots(*policy.shape).clamp(1e-9, 1 - 1e-6).log()).log()
        scores = torch.where(taught, lesson.policy, policy.float()) + heat * noise
        random = self._lots(self.count, 1) < stray
        best = torch.where(random, noise, scores).masked_fill(lesson.taken, -torch.inf).argmax(1, keepdim=True)
        given_up = (self.now.value.abs() > self.config.sure).unsqueeze(1) & ~self.players.stubborn
        return lesson.cell.gather(1, best).masked_fill(given_up, -1).squeeze(1)

    @torch.no_grad()
    def look(self, lesson: Lesson, policy: Tensor) -> None:
        """Choose what the teacher looks at; the apprentice's logits are given.

        These are the positions whose choice is the least clear and that are not lost: where the teacher's second best
        move has almost the chance of its best, times how likely it wins. Of each its best moves are followed, of which
        the last gives way to the apprentice's best where that is not among them.
        """
        closed = [logits.masked_fill(lesson.taken, -torch.inf) for logits in (lesson.policy, policy.float())]
        top = closed[0].topk(max(2, self._moves), 1)
        best, own = top.indices[:, : self._moves], closed[1].argmax(1, keepdim=True)
        moves = torch.where(top.values[:, : self._moves].isinf(), best[:, :1], best)  # where few cells are empty
        last = torch.where((moves == own).any(1, keepdim=True), moves[:, -1:], own)
        moves = torch.cat((moves[:, :-1], last), 1)
        unclear = top.values[:, 1] - top.values[:, 0] + (1.001 + lesson.value).log()
        unclear = unclear.masked_fill(self.now.wins.any(1), -torch.inf)
        rows = unclear.topk(-(-self.lines.count // self._moves)).indices
        cells = lesson.cell[rows].gather(1, moves[rows])
        self._looked = torch.stack((rows.unsqueeze(1).expand_as(cells), moves[rows])).flatten(1)[:, : self.lines.count]
        self._followed = Coming(torch.stack((self._looked[0], cells.flatten()[: self.lines.count])).int())

    def begin_lines(self) -> None:
        """Make the moves that ``look`` chose in lines of their own, before any game has moved on."""
        self.lines.begin(self._core, *self._followed.array())

    def move(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Make these moves, [count]; gives which games have ended, [count]. Others begin in their places."""
        over = cells < 0
        going = self._rows[~over]
        over[going] = self._core.play(going, cells[going].astype(np.int32))
        self._begin(self._rows[over])
        return over

    @torch.no_grad()
    def seen(self, lesson: Lesson) -> Lesson:
        """The lesson after the teacher's look, when the lines have been followed as far as they should be."""
        seen = torch.full_like(lesson.policy, torch.nan)
        seen[self._looked[0], self._looked[1]] = self.lines.worth()
        return improved(lesson, seen, self.now.wins.gather(1, lesson.cell), self.config.trust)

    def go_on(self, over: NDArray[np.bool_]) -> None:
        """From now on the positions after the moves that ``move`` made are due; ``over`` is what it gave."""
        ended, self.now = sent(over, self.teacher.device), self._judged()
        others = zip(self._drawn(), self.players, strict=True)
        self.players = Players(*(torch.where(ended.unsqueeze(1), new, old) for new, old in others))

    def kept(self) -> dict[str, Tensor]:
        """What has to be kept to go on."""
        stones, white, last = self._core.pack(self._rows)
        core = {"stones": stones.view(np.int64), "white": white, "last": last, "begun": np.array(self._begun)}
        tensors = {name: torch.from_numpy(array) for name, array in core.items()}
        return tensors | {"drawn_from": self._drawn_from} | self.players._asdict()

    def restore(self, kept: dict[str, Tensor]) -> None:
        """Go on with what ``kept`` gave."""
        stones = kept["stones"].numpy().view(np.uint64)
        self._core.set(self._rows, stones, kept["white"].numpy(), kept["last"].numpy())
        self._random.set_state(kept["drawn_from"])
        self._draw_openings()
        self._begun = int(kept["begun"])
        self.players = Players(*(kept[name].to(self.teacher.device) for name in Players._fields))
        self.now = self._judged()
