"""Online runs in a stack: who has played how many games, rows of figures, runs that end or diverge, stops and resumes.

A learner updates all its runs at once, one move each. What a run does depends on its own settings and seed alone, so it
does not matter which runs stand beside it, when those leave the stack, or whether the process was killed in between.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.history import History

SAVE_SECONDS = 20.0
"""How often a stack is written to its folder."""

MEASURED = 64
"""How many nets are measured at once."""

CHECKED = 32
"""Every so many steps the size of the parameters is looked at."""


class Moved(NamedTuple):
    """What one step did in R runs: a move was played, and learned from."""

    value: Tensor
    """[R]: the value of that move for who played it, before the update."""
    first: Tensor
    """bool [R]: whether the first player of the game played it."""
    over: Tensor
    """bool [R]: whether it ended the game."""
    sound: Tensor
    """bool [R]: whether the update is made of finite numbers."""
    more: dict[str, Tensor]
    """Other figures [R], averaged over the moves of a row."""


class Learner(Protocol):
    """R runs that learn together."""

    state: dict[str, Tensor]
    """Everything that changes, each [R, ...]: saved, restored, and cut down when runs leave."""

    def step(self) -> Moved:
        """One move and one update in every run."""
        ...

    def refresh(self) -> None:
        """Work out what is kept beside ``state``, after it was replaced."""
        ...

    def parameters(self) -> Tensor:
        """What is learned, [R, W]; its size is watched, and it is kept at every row."""
        ...


class Plan(NamedTuple):
    """What runs of one stack have in common."""

    games: int
    """How many games each run plays."""
    rows: int
    """How many rows of figures, evenly spread over the games."""
    bound: float
    """A parameter beyond it means that the run has diverged."""


Measure = Callable[[Tensor], dict[str, NDArray[np.float64]]]
"""Parameters [N, W] to figures [N] each."""

Told = Callable[[float, Sequence[History]], None]
"""Is told, now and then, the share of the work that is done and the histories so far."""

GAME = ("value", "moves", "first", "first_moves", "second", "second_moves")
ROW = ("games", "value", "first", "first_games", "second", "second_games", "moves", "absolute", "saturated")


class Runs:
    """The runs of one stack and what they leave behind."""

    def __init__(self, learner: Learner, plan: Plan, settings: Sequence[dict[str, Any]], measure: Measure) -> None:
        """Begin; ``settings`` are those of the learner's R runs, in order."""
        self.learner, self.plan, self.measure = learner, plan, measure
        count = len(settings)
        self.settings = list(settings)
        self.rows: list[list[dict[str, float]]] = [[] for _ in settings]
        self.diverged = [""] * count
        self.updates = np.zeros(count, np.int64)
        self.seconds = 0.0
        self.latest = learner.parameters().clone()
        """[count, W]: each run's parameters at its last row, those it began with before that."""
        self.active = np.arange(count)
        """[R]: which runs the learner's are."""
        self.game = np.zeros((count, len(GAME)))
        self.row = np.zeros((count, len(ROW)))
        self.played = np.zeros(count, np.int64)
        self.more: dict[str, NDArray[np.float64]] = {}
        self.steps = 0
        self._waiting: list[tuple[int, dict[str, float], Tensor]] = []

    def histories(self) -> list[History]:
        """All runs so far, in order."""
        seconds = self.seconds * self.updates / max(1, int(self.updates.sum()))
        return [
            History(self.settings[run], list(self.rows[run]), self.diverged[run], int(count), float(seconds[run]))
            for run, count in enumerate(self.updates)
        ]

    def share(self) -> float:
        """How much of the work is done, 0 to 1."""
        left = self.plan.games - self.played
        return 1 - float(left.clip(min=0).sum()) / max(1, self.plan.games * len(self.settings))

    def advance(self, seconds: float) -> bool:
        """Go on for about so long; gives False when no run is left."""
        begin = time.perf_counter()
        with torch.no_grad():
            while len(self.active) and time.perf_counter() - begin < seconds:
                self._step()
            if not len(self.active):
                self._measure_waiting()
        self.seconds += time.perf_counter() - begin
        return len(self.active) > 0

    def _step(self) -> None:
        moved = self.learner.step()
        self.steps += 1
        self.updates[self.active] += 1
        self._count(moved)
        bad = ~moved.sound
        if self.steps % CHECKED == 0:
            bad |= ~(self.learner.parameters().abs().amax(1) <= self.plan.bound)
        done, lost = np.zeros(len(self.active), bool), bad.numpy()
        over = moved.over.numpy()
        if over.any():
            self.played[self.active[over]] += 1
            due = self.played[self.active] * self.plan.rows // self.plan.games
            before = (self.played[self.active] - 1) * self.plan.rows // self.plan.games
            for at in np.flatnonzero(over & (due > before) & ~lost):
                self._close_row(int(at))
            done = self.played[self.active] >= self.plan.games
        for at in np.flatnonzero(lost):
            self._diverge(int(at))
        if lost.any() or done.any():
            self._drop(~(lost | done))

    def _count(self, moved: Moved) -> None:
        value = moved.value.double().numpy()
        first, over = moved.first.numpy(), moved.over.numpy()
        one = np.ones_like(value)
        self.game += np.stack((value, one, value * first, first, value * ~first, ~first), 1)
        self.row[:, 6:] += np.stack((one, abs(value), abs(value) > 0.99), 1)
        for name, figure in moved.more.items():
            self.more.setdefault(name, np.zeros(len(value)))
            self.more[name] += figure.double().numpy()
        if over.any():
            total, moves, mine, my, other, others = (self.game[over, i] for i in range(len(GAME)))
            ended = np.stack(
                (
                    np.ones_like(total),
                    total / moves,
                    mine / my.clip(min=1),
                    my > 0,
                    other / others.clip(min=1),
                    others > 0,
                ),
                1,
            )
            self.row[over, :6] += ended
            self.game[over] = 0

    def _close_row(self, at: int) -> None:
        run = int(self.active[at])
        had = dict(zip(ROW, self.row[at].tolist(), strict=True))
        figures = {
            "games": float(self.played[run]),
            "updates": float(self.updates[run]),
            "value": had["value"] / had["games"],
            "first_value": had["first"] / max(1, had["first_games"]),
            "second_value": had["second"] / max(1, had["second_games"]),
            "absolute_value": had["absolute"] / had["moves"],
            "saturation": had["saturated"] / had["moves"],
        }
        for name, sums in self.more.items():
            figures[name] = float(sums[at]) / had["moves"]
            sums[at] = 0
        self.row[at] = 0
        self.latest[run] = self.learner.parameters()[at]
        self._waiting.append((run, figures, self.latest[run].clone()))
        if len(self._waiting) >= MEASURED:
            self._measure_waiting()

    def _measure_waiting(self) -> None:
        if not self._waiting:
            return
        found = self.measure(torch.stack([parameters for _, _, parameters in self._waiting]))
        for index, (run, figures, _) in enumerate(self._waiting):
            self.rows[run].append(figures | {name: float(values[index]) for name, values in found.items()})
        self._waiting = []

    def _diverge(self, at: int) -> None:
        run = int(self.active[at])
        size = float(self.learner.parameters()[at].abs().max())
        why = f"a parameter reached {size:.3g}" if np.isfinite(size) else "its numbers are not finite any more"
        self.diverged[run] = (
            f"diverged at update {self.updates[run]} (game {self.played[run] + 1}): {why}, with "
            + ", ".join(f"{name}={value}" for name, value in self.settings[run].items())
        )
        self.played[run] = self.plan.games

    def _drop(self, keep: NDArray[np.bool_]) -> None:
        index = torch.from_numpy(np.flatnonzero(keep))
        for name, tensor in self.learner.state.items():
            self.learner.state[name] = tensor.index_select(0, index)
        self.learner.refresh()
        self.active, self.game, self.row = self.active[keep], self.game[keep], self.row[keep]
        self.more = {name: sums[keep] for name, sums in self.more.items()}

    def save(self, path: Path) -> None:
        """Write everything, whole or not at all."""
        self._measure_waiting()
        kept = {
            "rows": self.rows,
            "diverged": self.diverged,
            "seconds": self.seconds,
            "steps": self.steps,
            "settings": self.settings,
        }
        arrays = {"active": self.active, "game": self.game, "row": self.row, "played": self.played}
        arrays["updates"] = self.updates
        arrays |= {f"more.{name}": sums for name, sums in self.more.items()}
        tensors = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
        tensors |= state.named("state", self.learner.state) | {"latest": self.latest}
        state.save(path, tensors, kept)

    def load(self, path: Path) -> None:
        """Resume from what ``save`` wrote; StateError when it is damaged or belongs to other settings."""
        found = state.load(path)
        assert found is not None
        tensors, about = found
        if about.get("settings") != json.loads(json.dumps(self.settings)):
            raise state.StateError(f"{path} holds runs with other settings: choose another folder")
        counts: dict[str, Any] = {name: about[name] for name in ("seconds", "steps") if name in about}
        state.check_about(path, counts, {"seconds": 0.0, "steps": 0})
        state.check_finite(path, {name: tensor for name, tensor in tensors.items() if name == "latest"})
        try:
            self._take(tensors, about)
        except (LookupError, TypeError, ValueError, RuntimeError, AttributeError):
            raise state.StateError(f"{path} is damaged, or holds runs of another kind: choose another folder") from None

    def _take(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """Resume from tensors and what stands beside them; an exception where they do not belong together."""
        # A copy lies in memory as new tensors do: matrix products round by how their factors are aligned.
        tensors = {name: tensor.clone() for name, tensor in tensors.items()}
        count = len(self.settings)
        for name in ("active", "game", "row", "played", "updates"):
            before, array = getattr(self, name), tensors.pop(name).numpy()
            if array.dtype != before.dtype or array.shape[1:] != before.shape[1:]:
                raise ValueError(name)
            setattr(self, name, array)
        there = len(self.active)
        if not len(self.played) == len(self.updates) == count or not len(self.game) == len(self.row) == there:
            raise ValueError("another number of runs")
        if there and (np.diff(self.active).min(initial=1) < 1 or self.active[0] < 0 or self.active[-1] >= count):
            raise ValueError("runs that are none")
        self.more = {name: sums.numpy() for name, sums in state.under(tensors, "more").items()}
        kept, fresh = state.under(tensors, "state"), self.learner.state
        if kept.keys() != fresh.keys() or any(sums.shape != (there,) for sums in self.more.values()):
            raise ValueError("another kind")
        for name, tensor in (*kept.items(), ("latest", tensors["latest"])):
            like, size = (self.latest, count) if name == "latest" else (fresh[name], there)
            if tensor.dtype != like.dtype or tensor.shape != (size, *like.shape[1:]):
                raise ValueError(name)
        rows, diverged = about["rows"], about["diverged"]
        numbers = [value for run in rows for row in run for value in (row["games"], *row.values())]
        if len(rows) != count or not all(isinstance(number, int | float) for number in numbers):
            raise ValueError("other rows")
        if len(diverged) != count or not all(isinstance(why, str) for why in diverged):
            raise ValueError("other sentences")
        self.rows, self.diverged, self.latest = rows, diverged, tensors["latest"]
        self.seconds, self.steps = about["seconds"], about["steps"]
        self.learner.state.update(kept)
        self.learner.refresh()
