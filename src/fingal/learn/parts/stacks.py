"""A sweep is cut into stacks: runs that compute the same things stand together, so many at a time."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts import state
from fingal.learn.parts.history import History
from fingal.learn.parts.online import SAVE_SECONDS, Measure, Runs, Told
from fingal.learn.parts.truth import Truth
from fingal.nets import walls
from fingal.nets.stacked import Stack

STACK = 128
"""The most runs in a stack: more gain nothing, and their numbers leave the processor's caches."""


TOLD_SECONDS = 2.0
"""How often it is told how far a sweep is."""


def stacks(families: Sequence[Hashable], most: int = STACK) -> list[list[int]]:
    """Indices of runs with equal families, in stacks of at most ``most``, as equal as possible."""
    groups: dict[Hashable, list[int]] = {}
    for index, family in enumerate(families):
        groups.setdefault(family, []).append(index)
    found = []
    for group in groups.values():
        count = -(-len(group) // most)
        found += [group[part * len(group) // count : (part + 1) * len(group) // count] for part in range(count)]
    return found


def run_stacks(
    families: Sequence[Hashable],
    begin: Callable[[list[int]], Runs],
    folder: str | Path | None,
    told: Told | None,
) -> tuple[list[History], dict[int, Tensor]]:
    """Run every stack to its end; gives the histories and each run's parameters [1, W], by index.

    With a folder each stack has a file there, written every few seconds, from which it goes on.
    """
    histories: dict[int, History] = {}
    parameters: dict[int, Tensor] = {}
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        state.remove_parts(Path(folder))
    for number, chosen in enumerate(stacks(families)):
        runs = begin(chosen)
        path = None if folder is None else Path(folder) / f"stack-{number}.safetensors"
        if path is not None and path.exists():
            runs.load(path)
        going, saved = True, time.monotonic()
        finished = len(histories)
        while going:
            going = runs.advance(min(TOLD_SECONDS, SAVE_SECONDS))
            if path is not None and (not going or time.monotonic() - saved >= SAVE_SECONDS):
                runs.save(path)
                saved = time.monotonic()
            histories |= zip(chosen, runs.histories(), strict=True)
            if told is not None:
                share = (finished + runs.share() * len(chosen)) / len(families)
                told(share, [histories[index] for index in sorted(histories)])
        parameters |= {index: runs.latest[at : at + 1] for at, index in enumerate(chosen)}
    return [histories[index] for index in range(len(families))], parameters


@functools.cache
def known(size: int) -> Truth:
    """The truth about a board, worked out once; ValueError where it is not known."""
    return Truth(size)


def truth_measure(stack: Stack) -> Measure:
    """What greedy players with stacked nets [N, width] are worth against the truth, where it is known."""
    try:
        truth = known(stack.config.size)
    except ValueError:
        return lambda parameters: {}
    planes = torch.from_numpy(walls.encode(truth.positions, stack.config.padding))

    def measure(parameters: Tensor) -> dict[str, NDArray[np.float64]]:
        return truth.measure(stack.same_values(parameters, planes).numpy(), canonical=True)

    return measure
