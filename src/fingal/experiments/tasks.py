"""Short tasks, several at a time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import torch

from fingal.learn.parts import parent

T = TypeVar("T")
R = TypeVar("R")


def results(one: Callable[[T], R], tasks: Sequence[T], processes: int) -> Iterator[R]:
    """What comes of every task, in their order; with more than one process in processes of their own."""
    if processes == 1 or len(tasks) < 2:
        yield from map(one, tasks)
    else:
        # Not forked: torch's threads would be missing in the copy.
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_begin) as pool:
            yield from pool.map(one, tasks)


def _begin() -> None:
    parent.end_with_it()
    torch.set_num_threads(1)  # with more, processes beside each other wait for each other's
