"""Arguments for calls into the compiled core: plausible ones for what the stub names, and hostile ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
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


class Arguments:
    """Makes arguments, and keeps objects for them."""

    def __init__(self, rng: random.Random, folder: Path, *, sanitized: bool) -> None:
        """``sanitized``: the memory that a call asks for must be there, or the process ends."""
        self._rng, self._folder, self._sanitized = rng, folder, sanitized
        self._pools: dict[str, list[Live]] = {}

    def live(self, owner: str) -> Live:
        """An object of a class, mostly one that was used before."""
        rng = self._rng
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
            pool.pop(self._rng.randrange(len(pool)))
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
        plan = PLANS.get(key) or PLANS.get(key.partition("/")[0])
        if plan is not None:
            return list(plan(self, live or Live(None)))
        if key.endswith("="):
            return [self._named(key.rpartition(".")[2][:-1], live or Live(None))]
        return [self._named(parameter, live or Live(None)) for parameter in parameters]

    def _new(self, owner: str) -> Live:
        if owner == "Board":
            return self._new_board(*self.size())
        if owner == "Finding":
            solver = self.live("Solver")
            return Live(solver.object.look_up(self._new_board(solver.width, solver.height).object))
        if owner in ("PatternScores", "PatternModel"):
            return Live((scores if owner == "PatternScores" else model)(self._rng.randrange(2)))
        for _ in range(100):
            arguments = self.plausible(f"{owner}.__init__", (), None)
            try:
                return _sized(getattr(_core, owner)(*arguments), arguments)
            except ValueError:  # a board that is won, or settings that were spoiled
                continue
        raise AssertionError(f"no plausible arguments make a {owner}")

    def size(self, most: int = 5) -> tuple[int, int]:
        """Width and height of a board, mostly a small one."""
        if self._rng.random() < 0.02:
            return self._rng.choice([(9, 9), (1, 19), (11, 7), (8, 8)])
        return self._rng.randint(1, most), self._rng.randint(1, most)

    def _new_board(self, width: int, height: int, *, is_open: bool = False) -> Live:
        board = _core.Board(width, height, width == height and self._rng.random() < 0.3)
        for cell in self._rng.sample(range(width * height), self._rng.randint(0, width * height)):
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
        if self._rng.random() < 0.2:
            return self.live(owner).object
        made = getattr(_core, owner)()
        for name in self._rng.sample([name for name in dir(made) if not name.startswith("_")], 4):
            setattr(made, name, self._named(name, Live(None)))
        if owner == "SelfplaySettings":
            made.full_simulations, made.cheap_simulations = self._rng.randint(1, 9), self._rng.randint(1, 4)
        return made

    def _named(self, name: str, live: Live) -> Any:
        """A value for a parameter or a property, by its name."""
        rng = self._rng
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
            return self.settings({_core.TreeSearch: "SearchSettings"}.get(type(live.object), "SearchSettings"))
        if name in ("prior", "playout"):
            return scores(rng.randrange(2))
        if name == "model":
            return model(rng.randrange(2))
        if name in ("own_", "sharpness"):
            return rng.uniform(0.1, 3)
        if name == "arg":
            return self.board(live)
        return rng.random() < 0.5  # everything else is a flag

    def positions(self, count: int, width: int, height: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Packed positions with few stones: stones, white_to_move and last."""
        cells, words = width * height, (width * height + 63) // 64
        stones = np.zeros((2, count, words), np.uint64)
        last = np.full(count, -1, np.int32)
        for index in range(count):
            for colour, cell in enumerate(self._rng.sample(range(cells), self._rng.randint(0, cells // 3))):
                stones[colour % 2, index, cell // 64] |= np.uint64(1 << cell % 64)
                last[index] = cell
        return stones, np.array([self._rng.random() < 0.5 for _ in range(count)], np.bool_), last

    def rows(self, live: Live) -> NDArray[np.int32]:
        """Different games of an object that has several."""
        count = live.object.count
        return np.array(self._rng.sample(range(count), self._rng.randint(0, min(count, 5))), np.int32)

    def logits(self, count: int, cells: int) -> NDArray[np.float32]:
        return np.array([self._rng.gauss(0, 1) for _ in range(count * cells)], np.float32).reshape(count, cells)

    def values(self, count: int) -> NDArray[np.float32]:
        return np.array([self._rng.uniform(-1, 1) for _ in range(count)], np.float32)

    def policy(self, live: Live) -> Callable[..., Any] | None:
        """A policy for a solver: good ones, and those that fail."""

        def fails(stones: object, to_move: int) -> list[float]:
            raise PolicyFailure("this policy fails")

        cells = live.cells
        kinds: list[Callable[..., Any] | None] = [None, lambda stones, to_move: [0.5] * cells, lambda *_: [], fails]
        kinds += [lambda *_: [float("nan")] * cells, lambda *_: [1.0] * (cells + 1), lambda *_: "no", lambda: []]
        return self._rng.choice(kinds[:2] if self._rng.random() < 0.6 else kinds)

    def path(self, live: Live, *, reading: bool) -> str:
        """A file in the fuzzer's folder; one to be read has a solver's table in it, mostly whole."""
        path = self._folder / f"{self._rng.randrange(3)}.table"
        if reading:
            live.object.save(str(path))
            if self._rng.random() < 0.5:
                path.write_bytes(self._broken_table(path.read_bytes()))
        return str(path)

    def _broken_table(self, table: bytes) -> bytes:
        """A table with some bytes changed, and mostly with a sum that says it is whole."""
        broken = bytearray(self.mutated(table))
        if len(broken) < 48 or self._rng.random() < 0.2:
            return bytes(broken)
        total = 0
        for byte in broken[32:-8]:
            total = (total ^ byte) * 0x100000001B3 % 2**64
        broken[-8:] = total.to_bytes(8, "little")
        return bytes(broken)

    def mutated(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self._rng.randint(1, 4)):
            if changed:
                changed[self._rng.randrange(len(changed))] = self._rng.choice([0, 1, 2, 127, 128, 255])
        if self._rng.random() < 0.1:
            del changed[self._rng.randrange(len(changed) + 1) :]
        return bytes(changed)

    def state(self, live: Live) -> bytes:
        """What a pool saved, mostly broken."""
        state = self._rng.choice(live.states or [live.object.save()])
        return state if self._rng.random() < 0.3 else self.mutated(state)

    def spoil(self, parameters: Sequence[str], arguments: list[Any]) -> None:
        """Make one argument hostile, or two."""
        for _ in range(self._rng.choice([1, 1, 1, 2])):
            index = self._rng.randrange(len(arguments))
            name = parameters[index] if index < len(parameters) else ""
            arguments[index] = self._hostile(name, arguments[index], arguments)

    def _hostile(self, name: str, value: Any, others: list[Any]) -> Any:
        rng = self._rng
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
        rng = self._rng
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
        if kind == 5:
            arrays = [other for other in others if isinstance(other, np.ndarray)]
            return rng.choice(arrays)
        if kind == 6 and flat.size:  # an array that lies on another one, as bytes
            other = rng.choice([other for other in others if isinstance(other, np.ndarray)])
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
        return Live(made, *map(int, arguments[:2]))
    return Live(made)


def _out(*shape: int, dtype: Any) -> NDArray[Any]:
    return np.zeros(shape, dtype)


def _handed_out(most: int, words: int) -> list[NDArray[Any]]:
    return [_out(2, most, words, dtype=np.uint64), _out(most, dtype=np.bool_), _out(most, dtype=np.int32)]


def _sized_positions(a: Arguments, *, last: bool) -> list[Any]:
    width, height = a.size()
    found = a.positions(a._rng.randint(0, 3), width, height)
    return [*(found if last else found[:2]), width, height]


def _judged(a: Arguments) -> list[Any]:
    stones, white, width, height = _sized_positions(a, last=False)
    outs = [
        _out(len(white), dtype=np.int8),
        _out(len(white), dtype=np.int32),
        _out(len(white), width * height, dtype=np.bool_),
    ]
    return [stones, white, width, height, *outs, a._rng.randint(1, 2)]


def _bridged(a: Arguments) -> list[Any]:
    stones, white, last, width, height = _sized_positions(a, last=True)
    out = _out(len(last), 12, height + 2, width + 2, dtype=np.uint8)
    return [stones, white, last, width, height, a._rng.choice([None, out])]


def _stepped(a: Arguments, live: Live) -> list[Any]:
    action = _out(live.object.count, dtype=np.int32)
    live.object.random_actions(a._rng.randrange(2**32), action)
    return [action, _out(len(action), dtype=np.float32), _out(len(action), dtype=np.bool_)]


def _played(a: Arguments, live: Live) -> list[Any]:
    rows = a.rows(live)
    going = rows[live.object.winner(rows) < 0]
    return [going, np.array([a._rng.choice(np.flatnonzero(row)) for row in live.object.empty(going)], np.int32)]


def _updated(a: Arguments, live: Live) -> list[Any]:
    batch, count = a._rng.choice([*live.batches.items()] or [(0, 0)])
    live.batches.pop(batch, None)
    return [a.logits(count, live.cells), a.values(count), batch]


def _claimed(a: Arguments, live: Live) -> list[Any]:
    """Two ends and a carrier, where there is one of the connection's own."""
    ends = [a._rng.randrange(live.cells + 2) for _ in range(2)]
    try:
        carriers = live.object.between(*ends, a._rng.random() < 0.5)
    except ValueError:  # an end that is the opponent's
        carriers = []
    return [*ends, a._rng.choice(carriers) if carriers else a._named("carrier", live)]


def _copied(a: Arguments, live: Live) -> list[Any]:
    rows = a.rows(live)
    return [
        rows,
        np.array(a._rng.sample(range(live.object.count), len(rows)), np.int32),
        a._rng.choice([None, live.object]),
    ]


def _mostly_open(a: Arguments, live: Live) -> list[Any]:
    return [a._rng.choice(live.object.empty_cells or [0])]


def _cases(a: Arguments, live: Live) -> list[Any]:
    stones, white, last = a.positions(len(rows := a.rows(live)), live.width, live.height)
    return [rows, stones, white, last]


def _small(a: Arguments, most: int = 4) -> Any:
    return a.board(Live(None, *a.size(most)))


PLANS: dict[str, Callable[[Arguments, Live], list[Any]]] = {
    "cell_name": lambda a, _: [a._rng.randrange(9), a._rng.randint(3, 6), a._rng.randint(3, 6)],
    "parse_cell": lambda a, _: [a._rng.choice(["a1", "B2", "c3", "a10"]), a._rng.randint(3, 6), a._rng.randint(3, 19)],
    "Board.__init__": lambda a, _: [*a.size(), a._rng.random() < 0.1],
    "Board.__init__/2": lambda a, _: [a.live("Board").object],
    "Board.push": _mostly_open,
    "Board.push/2": lambda a, live: [_core.cell_name(*_mostly_open(a, live), live.width, live.height)],
    "Board.__eq__": lambda a, live: [a._rng.choice([live.object, a.board(live), 5])],
    "Board._set_stone": lambda a, live: [a._rng.randrange(live.cells), a._rng.randint(-1, 1)],
    "random_games": lambda a, _: [*a.size(), a._rng.randint(0, 5), a._rng.randrange(2**64), a._rng.randint(1, 2)],
    "random_fills": lambda a, _: [*a.size(), a._rng.randint(0, 5), a._rng.randrange(2**64), a._rng.randint(1, 2)],
    "fill_values": lambda a, _: [*_sized_positions(a, last=False), a._rng.randint(1, 4), a._rng.randrange(2**64)],
    "bridge_planes": lambda a, _: _bridged(a),
    "pattern_features": lambda a, _: _sized_positions(a, last=True),
    "pattern_playouts": lambda a, _: [a.board(), model(0), a._rng.randint(0, 4), a._rng.randrange(2**64)],
    "judge_by_connections": lambda a, _: _judged(a),
    "measure_resistance": lambda a, _: [*_sized_positions(a, last=False)[::1][:1], 0, 0, False],
    "resistance_value": lambda a, _: [a._rng.uniform(0, 3), a._rng.uniform(0.1, 3)],
    "search_alphabeta": lambda a, _: [_small(a), a._rng.randint(1, 2), a._rng.randint(1, 4), a._rng.random() < 0.5],
    "fewest_moves": lambda a, _: [a.board(), a._rng.randint(0, 100)],
    "longest_defence": lambda a, _: [a.board(), a._rng.randint(0, 100)],
    "considered_visits": lambda a, _: [a._rng.randint(1, 32), a._rng.randint(0, 100)],
    "Batch.__init__": lambda a, _: [*a.size(), a._rng.randint(1, 5), False, a._rng.randint(1, 2)],
    "Batch.step": _stepped,
    "Batch.observe": lambda a, live: [
        _out(live.object.count, live.height, live.width, 4, dtype=np.bool_),
        _out(live.object.count, live.cells + 1, dtype=np.bool_),
    ],
    "Batch.random_actions": lambda a, live: [a._rng.randrange(2**64), _out(live.object.count, dtype=np.int32)],
    "Batch.pack": lambda a, live: _handed_out(live.object.count, live.words),
    "Batch.unpack": lambda a, live: list(a.positions(live.object.count, live.width, live.height)[:2]),
    "PolicyGames.__init__": lambda a, _: [*a.size(), a._rng.randint(1, 6), a._rng.randint(1, 2)],
    "PolicyGames.reset": lambda a, live: [a._rng.choice([None, a.rows(live)])],
    "PolicyGames.set": _cases,
    "PolicyGames.copy": _copied,
    "PolicyGames.play": _played,
    "PolicyGames.planes": lambda a, live: [
        rows := a.rows(live),
        a._rng.choice([None, _out(len(rows), 12, live.height + 2, live.width + 2, dtype=np.uint8)]),
    ],
    "PolicyGames.empty": lambda a, live: [
        rows := a.rows(live),
        a._rng.choice([None, _out(len(rows), live.cells, dtype=np.bool_)]),
    ],
    "PolicyGames.pack": lambda a, live: [a.rows(live)],
    "PolicyGames.winning": lambda a, live: [a.rows(live)],
    "PolicyGames.winner": lambda a, live: [a.rows(live)],
    "JudgedGames.__init__": lambda a, _: [*a.size(), a._rng.randint(1, 4), a._rng.random() < 0.8, a._rng.randint(1, 2)],
    "JudgedGames.play": lambda a, live: [
        rows := a.rows(live),
        np.array([a._rng.randrange(live.cells) for _ in rows], np.int32),
        _out(len(rows), dtype=np.bool_),
    ],
    "JudgedGames.judge": lambda a, live: [
        rows := a.rows(live),
        *(_out(len(rows), dtype=np.int8), _out(len(rows), dtype=np.int32), _out(len(rows), live.cells, dtype=np.bool_)),
    ],
    "TreeSearch.__init__": lambda a, _: [a.board(), a.settings("SearchSettings"), a._rng.randrange(2**64)],
    "TreeSearch.select": lambda a, live: [
        most := a._rng.randint(0, 4),
        a._rng.randint(0, 200),
        *_handed_out(most, live.words),
        a._rng.randint(0, 2),
    ],
    "TreeSearch.update": _updated,
    "TreeSearch.run_constant": lambda a, live: [a._rng.randint(0, 100)],
    "SelfplayPool.__init__": lambda a, _: [
        *(a._rng.randint(2, 4), a._rng.randint(2, 4), a._rng.randint(1, 3), a.settings("SelfplaySettings")),
        *(a._rng.randrange(2**64), a._rng.randint(1, 2)),
    ],
    "SelfplayPool.set_openings": lambda a, live: [[[], [a._rng.randrange(live.cells)]][: a._rng.randint(1, 2)]],
    "SelfplayPool.select": lambda a, live: _handed_out(live.object.count, live.words),
    "SelfplayPool.update": lambda a, live: [a.logits(live.object.count, live.cells), a.values(live.object.count)],
    "SelfplayPool.restore": lambda a, live: [a.state(live)],
    "TemplateFinder.find": lambda a, _: [_small(a), a._rng.randint(0, 1)],
    "TemplateFinder.shrunk": lambda a, _: [".O/**", a._rng.sample([0, 1, 3, 4], a._rng.randint(0, 4))],
    "TemplateFinder.__init__": lambda a, _: [
        a._named(name, Live(None)) for name in ("highest", "most_cells", "most_positions")
    ],
    "Connections.__init__": lambda a, _: [
        *(a.board(is_open=False), a._rng.randint(0, 1), [], [], a._rng.randint(1, 30), a._rng.randint(1, 90)),
        *(a._rng.random() < 0.7, a._rng.random() < 0.5),
    ],
    "Connections.build": lambda a, live: [a.board(live, is_open=False), [], []],
    "Connections._derivation": _claimed,
    "Connections.holds": lambda a, live: [*_claimed(a, live), a._rng.random() < 0.5],
    "Solver.__init__": lambda a, _: [*a.size(4), a.settings("SolverSettings")],
    "Solver.run": lambda a, live: [
        *(a.board(live, is_open=False), a._rng.randint(0, 60), a._rng.choice([0.0, 0.02])),
        a._rng.choice([None, live.object.stops]),
    ],
    "Solver.look_up": lambda a, live: [a.board(live, is_open=False)],
    "Solver.set_policy": lambda a, live: [a.policy(live)],
    "Solver.save": lambda a, live: [a.path(live, reading=False)],
    "Solver.load": lambda a, live: [a.path(live, reading=True)],
    "PatternScores.__init__": lambda a, _: [
        np.full(size, a._rng.uniform(-1, 1), np.float32) for size in (3**12, 12 * 3**6, 144)
    ],
    "PatternModel.__init__": lambda a, _: [scores(0), scores(1), a._rng.uniform(0.1, 2)],
    "UctSearch.__init__": lambda a, _: [
        *(a.board(), model(0), a.settings("UctSettings"), a._rng.randrange(2**64), a._rng.randint(1, 2)),
    ],
    "UctSearch.run": lambda a, _: [
        *(a._rng.randint(0, 40), a._rng.choice([0.0, 0.005, 0.01]), a._rng.randint(0, 400)),
        a._rng.choice([0.01, float("inf")]),
    ],
    "UctSearch.answer": lambda a, live: [a.logits(len(live.object.waiting()[2]), live.cells)],
    "UctSearch.prove": lambda a, _: [a._rng.choice([-1, 1]), -1],
}
"""How calls are made whose arguments belong together."""
PLANS["measure_resistance"] = lambda a, _: _measured(a)
PLANS["measure_distance"] = lambda a, _: _measured(a)


def _measured(a: Arguments) -> list[Any]:
    stones, _, width, height = _sized_positions(a, last=False)
    return [stones, width, height, a._rng.random() < 0.3]
