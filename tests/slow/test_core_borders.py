"""A million random calls into the compiled core: under a sanitizer, too, nothing but documented exceptions."""

from tests.core_fuzzing import entries, run_batch
from tests.slow.spread import spread

CALLS = 1_000_000
THREADED = 100_000
BATCH = 4_000


def _batch(seed: int, calls: int) -> None:
    run_batch(seed, calls)


def _threaded_batch(seed: int, calls: int) -> None:
    run_batch(seed, calls, threads=True)


def test_random_calls_raise_nothing_but_documented_exceptions() -> None:
    print()
    spread(f"calls of {len(entries())} entries", _batch, CALLS, BATCH)


def test_two_threads_on_one_object_raise_nothing_but_documented_exceptions() -> None:
    print()
    spread("calls by two threads", _threaded_batch, THREADED, BATCH)
