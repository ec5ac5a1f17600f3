"""Arguments for calls into the compiled core: plausible ones by their names, and hostile ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal import _core

POOL = 4
"""Objects of a class that are kept."""
LIMITS = {
    *("count", "fills", "simulations", "depth", "most_positions", "threads", "seconds", "memory_mb", "nodes"),
    *("full_simulations", "cheap_simulations"),
}
"""What sets how much work a call does: of these, hostile values that are large numbers would only take their time."""
HOSTILE_NUMBERS = [-1, -2, 0, 7, 61, 62, 63, 128, 255, 256, 361, 362, 32767, 32768, 65536, 2**31 - 1, 2**31, -(2**31)]
HOSTILE_NUMBERS += [2**32, 2**32 + 1, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**30]
HOSTILE_LIMITS = [-1, -7, 0, 2**63, 2**64, -(2**31), -(2**63), 10**30]
HOSTILE_FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, -0.0, 0.0, 1e-300, 1e30, -1e30, 1e308, 2.5]
HOSTILE_TEXTS = [
    "",
    "a",
    "a0",
    "t20",
    "zz9",
    "\0",
    "é",
    "\ud800",
    "O",
    "O/",
    "OO/*",
    "O/*/",
    "/",
    "P/*",
    "a1" * 999,
    "swap",
]
WRONG_TYPES: list[Any] = [None, "x", 1.5, [], {}, object(), (1, 2), b"x", True, [None], np.zeros(3), _core.Board(2, 2)]
PICTURES = ["O/*.", ".O/**", "O*/**", ".O./***", "SO/**", "O.P/***", "..O/.**/***", "*O/**", "O/././.", ".*/*O/../.."]
SETTINGS: dict[str, tuple[float, float]] = {
    **{"c_init": (0.5, 2), "c_base": (100, 20000), "fpu_reduction": (0, 0.5), "c_visit": (10, 60), "c_scale": (0.1, 1)},
    **{
        "gumbel_scale": (0, 1),
        "noise_share": (0, 1),
        "noise_total": (1, 10),
        "cheap_noise": (0, 1),
        "full_share": (0, 1),
    },
    **{
        "resign_below": (-1, -0.2),
        "play_on_share": (0, 1),
        "memory_mb": (1, 2),
        "wide_factor": (0, 1),
        "epsilon": (0, 1),
    },
    **{
        "rave_initial": (0.1, 2),
        "rave_final": (1, 900),
        "even": (1, 9),
        "bias": (0, 9),
        "c": (0, 1),
        "least_reply": (0, 9),
    },
}
"""Settings that are real numbers, with plausible ranges."""
COUNTS = {
    **{"considered": (1, 16), "connections": (0, 8), "full_simulations": (1, 12), "cheap_simulations": (1, 6)},
    **{"cheap_considered": (1, 4), "resign_moves": (1, 3), "threads": (1, 2), "wide_base": (1, 3), "expand": (1, 3)},
    **{
        "knowledge": (0, 12),
        "net": (0, 3),
        "in_flight": (1, 4),
        "simulations": (0, 30),
        "count": (0, 6),
        "fills": (1, 4),
    },
    **{"nodes": (0, 120), "depth": (1, 2), "most": (0, 4), "batch": (0, 2), "seed": (0, 2**64 - 1), "highest": (1, 4)},
    **{"most_cells": (1, 14), "most_positions": (1, 300), "fulls": (1, 30), "semis": (1, 90), "proof": (-1, 1)},
}
"""Whole numbers, by what they are called."""


class PolicyFailure(RuntimeError):
    """What a policy raises here."""


@dataclass
class Live:
    """An object of the core, and what is needed to call it plausibly."""

    object: Any
    width: int = 0
    height: int = 0
    batches: dict[int, int] = field(default_factory=dict)
    """Positions that a tree search has handed out, by batch."""
    states: list[bytes] = field(default_factory=list)
    """What a pool has saved."""

    @property
    def cells(self) -> int:
        return self.width * self.height

    @property
    def words(self) -> int:
        return (self.cells + 63) // 64


@cache
def scores(seed: int) -> _core.PatternScores:
    """Scores of patterns; they are large, so that a few serve all."""
    rng = np.random.default_rng(seed)
    shapes = (3**12, 12 * 3**6, 144)
    return _core.PatternScores(*(rng.normal(0, 0.3, size).astype(np.float32) for size in shapes))


@cache
def model(seed: int) -> _core.PatternModel:
    return _core.PatternModel(scores(seed), scores(seed), 1.0)


Plan = Callable[["Arguments", Live], list[Any]]
"""Makes the arguments of a call of an object, if it has one."""


class Arguments:
    """Makes arguments, and keeps objects for them."""

    def __init__(self, rng: random.Random, folder: Path, plans: Mapping[str, Plan], *, sanitized: bool) -> None:
        """``sanitized``: the memory that a call asks for must be there, or the process ends."""
        self.rng, self._folder, self._plans, self._sanitized = rng, folder, plans, sanitized
        self._pools: dict[str, list[Live]] = {}

    def live(self, owner: str) -> Live:
        """An object of a class, mostly one that was used before."""
        rng = self.rng
        if owner == "SearchedTree":
            owner = rng.choice(["TreeSearch", "UctSearch"])
        pool = self._pools.setdefault(owner, [])
        renewed = {"Board": 0.3, "PatternScores": 0.0, "PatternModel": 0.0}.get(owner, 0.03)
        if len(pool) >= 2 and rng.random() >= renewed:
            return rng.choice(pool)
        return self._store(owner, self._new(owner))

    def _store(self, owner: str, live: Live) -> Live:
        pool = self._pools.setdefault(owner, [])
        if len(pool) >= POOL:
            pool.pop(self.rng.randrange(len(pool)))
        pool.append(live)
        return live

    def keep(self, key: str, live: Live | None, arguments: list[Any], result: Any) -> None:
        """Remember what a call that returned has made or changed."""
        if isinstance(result, _core.Board):
            self._store("Board", Live(result, result.width, result.height))
        elif isinstance(result, _core.Finding):
            self._store("Finding", Live(result))
        elif key == "TreeSearch.select" and live is not None:
            live.batches[arguments[5] if len(arguments) > 5 else 0] = result
        elif key == "SelfplayPool.save" and live is not None:
            live.states = [*live.states[-3:], result]
        elif type(result).__module__ == "fingal._core":
            self._store(type(result).__name__, _sized(result, arguments))

    def plausible(self, key: str, parameters: Sequence[str], live: Live | None) -> list[Any]:
        """Arguments of a call that should succeed, as a rule."""
        plan = self._plans.get(key) or self._plans.get(key.partition("/")[0])
        if plan is not None:
            return list(plan(self, live or Live(None)))
        if key.endswith("="):
            return [self.named(key.rpartition(".")[2][:-1], live or Live(None))]
        return [self.named(parameter, live or Live(None)) for parameter in parameters]

    def _new(self, owner: str) -> Live:
        if owner == "Board":
            return self._new_board(*self.size())
        if owner == "Finding":
            solver = self.live("Solver")
            return Live(solver.object.look_up(self._new_board(solver.width, solver.height).object))
        if owner in ("PatternScores", "PatternModel"):
            return Live((scores if owner == "PatternScores" else model)(self.rng.randrange(2)))
        for _ in range(100):
            arguments = self.plausible(f"{owner}.__init__", (), None)
            try:
                return _sized(getattr(_core, owner)(*arguments), arguments)
            except ValueError:  # a board that is won, or settings that were spoiled
                continue
        raise AssertionError(f"no plausible arguments make a {owner}")

    def size(self, most: int = 5) -> tuple[int, int]:
        """Width and height of a board, mostly a small one."""
        if self.rng.random() < 0.02:
            return self.rng.choice([(9, 9), (1, 19), (11, 7), (8, 8)])
        return self.rng.randint(1, most), self.rng.randint(1, most)

    def _new_board(self, width: int, height: int, *, is_open: bool = False) -> Live:
        board = _core.Board(width, height, width == height and self.rng.random() < 0.3)
        for cell in self.rng.sample(range(width * height), self.rng.randint(0, width * height)):
            if board._winner() < 0:
                board.push(cell)
        if is_open and board._winner() >= 0:
            board.pop()
        return Live(board, width, height)

    def board(self, live: Live | None = None, *, is_open: bool = True) -> Any:
        """A board of an object's size, or of any."""
        width, height = (live.width, live.height) if live is not None and live.width else self.size()
        return self._new_board(width, height, is_open=is_open).object

    def settings(self, owner: str) -> Any:
        """Settings with plausible values, or those of the pool, which may be spoiled."""
        if self.rng.random() < 0.2:
            return self.live(owner).object
        made = getattr(_core, owner)()
        for name in self.rng.sample([name for name in dir(made) if not name.startswith("_")], 4):
            setattr(made, name, self.named(name, Live(None)))
        if owner == "SelfplaySettings":
            made.full_simulations, made.cheap_simulations = self.rng.randint(1, 9), self.rng.randint(1, 4)
        if owner == "SolverSettings":
            made.memory_mb = self.rng.uniform(1, 2)
        return made

    def named(self, name: str, live: Live) -> Any:
        """A value for a parameter or a property, by its name."""
        rng = self.rng
        if name in SETTINGS:
            return rng.uniform(*SETTINGS[name])
        if name in COUNTS:
            return rng.randint(*COUNTS[name])
        if name in ("seconds", "left"):
            return rng.choice([0.0, 0.001, 0.005])
        if name in ("width", "height"):
            return rng.randint(1, 5)
        if name in ("cell", "end", "a", "b", "move", "winning"):
            return rng.randrange(max(1, live.cells + (2 if name in ("end", "a", "b") else 0)))
        if name in ("colour", "to_move"):
            return rng.randint(0, 1)
        if name in ("line", "own", "opponent", "carrier", "order"):
            return rng.sample(range(max(1, live.cells)), rng.randint(0, min(3, max(1, live.cells))))
        if name in ("board", "other"):
            return self.board(live)
        if name == "picture":
            return rng.choice(PICTURES)
        if name == "search":
            return self.settings("SearchSettings")
        if name == "settings":
            return self.settings("SearchSettings")
        if name in ("prior", "playout"):
            return scores(rng.randrange(2))
        if name == "model":
            return model(rng.randrange(2))
        return rng.random() < 0.5  # everything else is a flag

    def positions(self, count: int, width: int, height: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Packed positions with few stones: stones, white_to_move and last."""
        cells, words = width * height, (width * height + 63) // 64
        stones = np.zeros((2, count, words), np.uint64)
        last = np.full(count, -1, np.int32)
        for index in range(count):
            for colour, cell in enumerate(self.rng.sample(range(cells), self.rng.randint(0, cells // 3))):
                stones[colour % 2, index, cell // 64] |= np.uint64(1 << cell % 64)
                last[index] = cell
        return stones, np.array([self.rng.random() < 0.5 for _ in range(count)], np.bool_), last

    def rows(self, live: Live) -> NDArray[np.int32]:
        """Different games of an object that has several."""
        count = live.object.count
        return np.array(self.rng.sample(range(count), self.rng.randint(0, min(count, 5))), np.int32)

    def logits(self, count: int, cells: int) -> NDArray[np.float32]:
        return np.array([self.rng.gauss(0, 1) for _ in range(count * cells)], np.float32).reshape(count, cells)

    def values(self, count: int) -> NDArray[np.float32]:
        return np.array([self.rng.uniform(-1, 1) for _ in range(count)], np.float32)

    def policy(self, live: Live) -> Callable[..., Any] | None:
        """A policy for a solver: good ones, and those that fail."""

        def fails(stones: object, to_move: int) -> list[float]:
            raise PolicyFailure("this policy fails")

        cells = live.cells
        kinds: list[Callable[..., Any] | None] = [None, lambda stones, to_move: [0.5] * cells, lambda *_: [], fails]
        kinds += [lambda *_: [float("nan")] * cells, lambda *_: [1.0] * (cells + 1), lambda *_: "no", lambda: []]
        return self.rng.choice(kinds[:2] if self.rng.random() < 0.6 else kinds)

    def path(self, live: Live, *, reading: bool) -> str:
        """A file in the fuzzer's folder; one to be read has a solver's table in it, mostly whole."""
        path = self._folder / f"{self.rng.randrange(3)}.table"
        if reading:
            live.object.save(str(path))
            if self.rng.random() < 0.5:
                path.write_bytes(self._broken_table(path.read_bytes()))
        return str(path)

    def _broken_table(self, table: bytes) -> bytes:
        """A table with some bytes changed, and mostly with a sum that says it is whole."""
        broken = bytearray(self.mutated(table))
        if len(broken) < 48 or self.rng.random() < 0.2:
            return bytes(broken)
        total = 0
        for byte in broken[32:-8]:
            total = (total ^ byte) * 0x100000001B3 % 2**64
        broken[-8:] = total.to_bytes(8, "little")
        return bytes(broken)

    def mutated(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.rng.randint(1, 4)):
            if changed:
                changed[self.rng.randrange(len(changed))] = self.rng.choice([0, 1, 2, 127, 128, 255])
        if self.rng.random() < 0.1:
            del changed[self.rng.randrange(len(changed) + 1) :]
        return bytes(changed)

    def state(self, live: Live) -> bytes:
        """What a pool saved, mostly broken."""
        state = self.rng.choice(live.states or [live.object.save()])
        return state if self.rng.random() < 0.3 else self.mutated(state)

    def spoil(self, parameters: Sequence[str], arguments: list[Any]) -> None:
        """Make one argument hostile, or two."""
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            index = self.rng.randrange(len(arguments))
            name = parameters[index] if index < len(parameters) else ""
            arguments[index] = self._hostile(name, arguments[index], arguments)

    def _hostile(self, name: str, value: Any, others: list[Any]) -> Any:
        rng = self.rng
        if name == "path":
            texts = [str(self._folder), str(self._folder / "none" / "x"), str(self._folder / ("x" * 300)), "\0", ""]
            return rng.choice([*texts, None, 7, b"x"])
        if rng.random() < 0.1:
            return rng.choice(WRONG_TYPES)
        if isinstance(value, bool):
            return rng.choice([2, None, "yes", -1])
        if isinstance(value, np.ndarray):
            return self._hostile_array(value, others)
        if isinstance(value, int | float) and name in LIMITS:
            numbers = [*HOSTILE_LIMITS, float("nan"), -float("inf"), -1.5]
            if not self._sanitized and name == "memory_mb":
                numbers += [1e6, 1e7, 1e9]
            return rng.choice(numbers)
        if isinstance(value, int):
            return rng.choice([*HOSTILE_NUMBERS, 1.5, float("nan")])
        if isinstance(value, float):
            return rng.choice([*HOSTILE_FLOATS, 7, -7])
        if isinstance(value, str):
            return rng.choice(HOSTILE_TEXTS)
        if isinstance(value, list):
            lines = [
                value * 2,
                [*value, rng.choice(HOSTILE_NUMBERS)],
                [rng.randint(-3, 400) for _ in range(rng.randint(0, 9))],
            ]
            return rng.choice([*lines, [[9, 9]], ["a1"], 5, [0] * 1000, [1.5]])
        if isinstance(value, bytes):
            return rng.choice([self.mutated(value), b"", value[: len(value) // 2], value + b"\0", "text"])
        if isinstance(value, _core.Board):
            return self.board(is_open=False)
        return rng.choice(WRONG_TYPES)

    def _hostile_array(self, value: NDArray[Any], others: list[Any]) -> Any:
        rng = self.rng
        flat = value.ravel()
        kind = rng.randrange(11)
        if kind == 0:
            return np.zeros(rng.choice([0, 1, max(0, flat.size - 1), flat.size + 1, 2 * flat.size]), value.dtype)
        if kind == 1:
            return value.astype(rng.choice([np.int8, np.int64, np.float64, np.uint16, np.complex64, np.bool_, object]))
        if kind == 2:
            value.flags.writeable = False
            return value
        if kind == 3:
            return np.zeros(2 * flat.size, value.dtype)[::2]
        if kind == 4:
            return np.broadcast_to(np.zeros(1, value.dtype), flat.shape)
        arrays = [other for other in others if isinstance(other, np.ndarray)]
        if kind == 5:
            return rng.choice(arrays)
        if kind == 6 and flat.size and not value.dtype.hasobject:  # an array that lies on another one, as bytes
            other = rng.choice([other for other in arrays if not other.dtype.hasobject])
            room = np.zeros(other.nbytes + value.nbytes + 8, np.uint8)
            for index, argument in enumerate(others):
                if argument is other:
                    others[index] = room[: other.nbytes].view(other.dtype).reshape(other.shape)
                    others[index][...] = other
            start = value.dtype.itemsize * rng.randint(0, 1)
            return room[start : start + value.nbytes].view(value.dtype)
        if kind == 7:
            return np.asfortranarray(value[None].repeat(2, axis=0))
        if value.dtype.kind in "Oc":
            return value[:0]
        filled = np.frombuffer(rng.randbytes(value.nbytes), value.dtype).reshape(value.shape).copy()
        if kind == 8 and value.dtype.kind == "f":
            filled = rng.choice([np.nan, np.inf, -np.inf, 3e38]) * np.ones_like(value)
        if kind == 9 and value.dtype.kind in "iu" and flat.size:
            filled = value.copy()
            filled.ravel()[rng.randrange(flat.size)] = min(
                int(np.iinfo(value.dtype).max), rng.choice([2**31 - 1, 400, 64, 25, 9])
            )
        return filled


def _sized(made: Any, arguments: Sequence[Any]) -> Live:
    """A new object with the size of its boards, from what it was made with."""
    if arguments and isinstance(arguments[0], _core.Board):
        return Live(made, arguments[0].width, arguments[0].height)
    if len(arguments) > 1 and all(isinstance(argument, int) for argument in arguments[:2]):
        return Live(made, int(arguments[0]), int(arguments[1]))
    return Live(made)
