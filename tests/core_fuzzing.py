"""Random calls of everything in the compiled core's stub, mostly plausible, sometimes hostile.

``python -m tests.core_fuzzing SEED CALLS`` is one batch of calls, the same every time; ``--trace`` prints each call
before it is made, and ``--threads`` has two threads use each object at once.
"""

from __future__ import annotations

import argparse
import ast
import faulthandler
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fingal import _core
from tests.core_arguments import Arguments, Live
from tests.core_plans import PLANS

ROOT = Path(__file__).parent.parent
STUB = ROOT / "src" / "fingal" / "_core.pyi"
DOCUMENTED = (ValueError, TypeError, IndexError, RuntimeError, MemoryError)
"""What a call may raise: what was wrong with it, an object that is busy, or a machine that has no more memory."""
HOSTILE = 0.2
"""The share of calls with at least one hostile argument."""
MEMORY = 6 << 30
"""Bytes of address space that a batch may take; a sanitizer's shadow has no such limit."""
SECONDS = 300
"""A batch that lasts longer hangs: the slowest takes a tenth of this."""


@dataclass(frozen=True)
class Entry:
    """One thing to call: a function, a method, one of its overloads, or a property to read or to set."""

    key: str
    owner: str
    """The class, or '' for a function."""
    name: str
    kind: str
    """function, init, method, get or set."""
    parameters: tuple[str, ...] = ()
    defaults: int = 0
    """How many of the last parameters may be left out."""


def entries(stub: Path = STUB) -> list[Entry]:
    """Everything in the stub that can be called, read or set."""
    found: list[Entry] = []
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.append(_entry("", node))
        elif isinstance(node, ast.ClassDef):
            found += [_entry(node.name, below) for below in node.body if isinstance(below, ast.FunctionDef)]
    named: Counter[str] = Counter()
    result = []
    for entry in found:
        named[entry.key] += 1
        overload = "" if named[entry.key] == 1 else f"/{named[entry.key]}"
        result.append(Entry(entry.key + overload, *list(vars(entry).values())[1:]))
    return result


def _entry(owner: str, node: ast.FunctionDef) -> Entry:
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    every = [*node.args.posonlyargs, *node.args.args]
    parameters = tuple(argument.arg for argument in every if argument.arg != "self")
    kind = "function" if not owner else "init" if node.name == "__init__" else "method"
    if "property" in marks:
        kind = "get"
    elif any(mark.endswith(".setter") for mark in marks):
        kind = "set"
    key = f"{owner}.{node.name}" if owner else node.name
    return Entry(key + ("=" if kind == "set" else ""), owner, node.name, kind, parameters, len(node.args.defaults))


class Fuzzer:
    """Calls entries at random, and keeps the objects that they make."""

    def __init__(self, seed: int, folder: Path, *, sanitized: bool, trace: bool) -> None:
        self._rng = random.Random(seed)
        self._entries = entries()
        rare = ("get", "set")  # they are many, and quick
        self._weights = [1 if entry.kind in rare or "Pattern" in entry.owner else 4 for entry in self._entries]
        self._trace = trace
        self._arguments = Arguments(self._rng, folder, PLANS, sanitized=sanitized)
        self.reached: Counter[str] = Counter()
        """Calls that returned, by entry."""
        self.raised: Counter[str] = Counter()
        """Calls that raised a documented exception, by its name."""

    def one(self) -> None:
        """Make one call; AssertionError when it does something that is not documented."""
        (entry,) = self._rng.choices(self._entries, self._weights)
        live = self._arguments.live(entry.owner) if entry.owner and entry.kind != "init" else None
        arguments = self._arguments.plausible(entry.key, entry.parameters, live)
        if entry.defaults and self._rng.random() < 0.3:
            arguments = arguments[: len(arguments) - self._rng.randint(0, entry.defaults)]
        hostile = bool(arguments) and self._rng.random() < HOSTILE
        if hostile:
            self._arguments.spoil(entry.parameters, arguments)
        shown = f"{entry.key}({', '.join(_shown(argument) for argument in arguments)})"
        if self._trace:
            print(shown, flush=True)
        if entry.kind == "init" and self._rng.random() < 0.1:  # an object that is one already
            live = self._arguments.live(entry.owner)
        before = fingerprint(live) if hostile else None
        refused: Exception | None = None
        try:
            result = call(entry, live, arguments)
        except Exception as error:
            refused = error
        if refused is not None:
            if not isinstance(refused, DOCUMENTED):
                raise AssertionError(f"{shown} raised {refused!r}") from refused
            self.raised[type(refused).__name__] += 1
            assert str(refused), f"{shown} raised {type(refused).__name__} without a word"
            if before is not None and not isinstance(refused, MemoryError):
                assert fingerprint(live) == before, f"{shown} raised {refused!r} and changed something before"
            return
        self.reached[entry.key] += 1
        check_result(entry.key, result)
        self._arguments.keep(entry.key, live, arguments, result)

    def both(self) -> None:
        """Have two threads use one object, a dozen calls each."""
        owner = self._rng.choice([entry.owner for entry in self._entries if entry.kind == "method"])
        mine = [entry for entry in self._entries if entry.owner == owner and entry.kind != "init"]
        live = self._arguments.live(owner)
        failures: list[BaseException] = []

        def work(calls: list[tuple[Entry, list[Any]]]) -> None:
            for entry, arguments in calls:
                try:
                    call(entry, live, arguments)
                    self.reached[entry.key] += 1
                except DOCUMENTED as error:
                    self.raised[type(error).__name__] += 1
                except BaseException as error:
                    failures.append(error)

        threads = []
        for _ in range(2):
            chosen = self._rng.choices(mine, k=12)
            calls = [(entry, self._arguments.plausible(entry.key, entry.parameters, live)) for entry in chosen]
            if self._trace:
                print(f"{owner}: " + "; ".join(entry.key for entry in chosen), flush=True)
            threads.append(threading.Thread(target=work, args=(calls,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise AssertionError(f"{owner} raised {failures[0]!r}") from failures[0]


def call(entry: Entry, live: Live | None, arguments: list[Any]) -> Any:
    """Make the call that an entry stands for."""
    if entry.kind == "function":
        return getattr(_core, entry.name)(*arguments)
    if entry.kind == "init":
        return live.object.__init__(*arguments) if live else getattr(_core, entry.owner)(*arguments)
    assert live is not None
    if entry.kind == "get":
        return getattr(live.object, entry.name)
    if entry.kind == "set":
        return setattr(live.object, entry.name, *arguments)
    return getattr(live.object, entry.name)(*arguments)


def fingerprint(live: Live | None) -> Any:
    """What an object shows of its state, as far as that is cheap."""
    if live is None:
        return None
    it = live.object
    if isinstance(it, _core.Board):
        return it._moves(), it.zobrist, it._winner(), it._turn(), it.can_swap
    if isinstance(it, _core.Batch):
        stones, white = np.zeros((2, it.count, it.words), np.uint64), np.zeros(it.count, np.bool_)
        last = np.zeros(it.count, np.int32)
        it.pack(stones, white, last)
        return stones.tobytes(), white.tobytes(), last.tobytes()
    if isinstance(it, _core.PolicyGames):
        return [array.tobytes() for array in it.pack(np.arange(it.count, dtype=np.int32))]
    if isinstance(it, _core.SearchedTree):
        rows = it.candidates()
        return it.visits, it.nodes, it.value, it.proof, rows
    if isinstance(it, _core.Connections):
        return it.won, *(array.tobytes() for array in it.listing(False))
    if isinstance(it, _core.Solver):
        return it.table_used, it.nodes
    return None


def check_result(key: str, result: Any) -> None:
    """AssertionError when a result is none that anybody could use."""
    if key == "SearchedTree.value":
        assert -1.01 <= result <= 1.01, f"a tree has the value {result}"
    if key == "SearchedTree.candidates":
        for move, visits, value, prior, proof in result:
            assert move >= 0, f"candidate {move}"
            assert visits >= 0, f"{visits} visits"
            assert math.isfinite(value), f"a candidate has value {value}"
            assert 0 <= prior <= 1.001, f"a candidate has prior {prior}"
            assert proof in (-1, 0, 1), f"a candidate has proof {proof}"


def _shown(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        values = argument.ravel()[:8].tolist()
        return f"array({values}, {argument.dtype}, {argument.shape}, writeable={argument.flags.writeable})"
    return repr(argument)[:200]


def run_batches(seeds: Iterable[int], calls: int, *, threads: bool = False) -> Counter[str]:
    """Make a batch of calls for each seed, on all cores; how often each entry of the stub was reached."""
    reached: Counter[str] = Counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda seed: run_batch(seed, calls, threads=threads), seeds):
            reached += found
    return reached


def run_batch(seed: int, calls: int, *, threads: bool = False) -> Counter[str]:
    """Make a batch of calls in a process of its own; AssertionError with the way to repeat it when that goes wrong."""
    arguments = [str(seed), str(calls), *(["--threads"] if threads else [])]
    command = [sys.executable, "-m", "tests.core_fuzzing", *arguments]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"it hangs: python -m tests.core_fuzzing {' '.join(arguments)} --trace") from None
    if ran.returncode != 0:
        end = "\n".join(ran.stderr.splitlines()[-60:])
        again = f"python -m tests.core_fuzzing {' '.join(arguments)} --trace"
        raise AssertionError(f"status {ran.returncode}: {again}\n{end}")
    return Counter(json.loads(ran.stdout.splitlines()[-1])["reached"])


def main() -> None:
    """Make one batch of calls in this process, and print what was reached."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("calls", type=int)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--threads", action="store_true")
    given = parser.parse_args()
    faulthandler.enable()
    warnings.filterwarnings("ignore", "nanobind: attempted to initialize an already-initialized instance")
    sanitized = "libasan" in os.environ.get("LD_PRELOAD", "")
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if given.threads:
        sys.setswitchinterval(1e-5)
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(given.seed, Path(folder), sanitized=sanitized, trace=given.trace)
        for _ in range(given.calls // 24 if given.threads else given.calls):
            (fuzzer.both if given.threads else fuzzer.one)()
    print(json.dumps({"reached": fuzzer.reached, "raised": fuzzer.raised}))


if __name__ == "__main__":
    main()
