"""Evaluators around an evaluator: a cache, a batcher for several threads, averaging over the rotation."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from fingal.nets.planes import joined, rotated, take
from fingal.search.evaluator import Evaluation, Evaluator, Positions, is_concurrent


class Averaged:
    """The mean of what an evaluator says of a position and of the same position turned by 180 degrees.

    The game is the same both ways, a net's opinion is not quite: the mean is a little better and costs double.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        """Wrap an evaluator."""
        self.evaluator = evaluator
        self.concurrent = is_concurrent(evaluator)

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions: mean logits, mean value."""
        said = self.evaluator(joined((positions, rotated(positions))))
        count = len(positions.white_to_move)
        logits = (said.logits[:count] + said.logits[count:, ::-1]) * np.float32(0.5)
        return Evaluation(logits, (said.value[:count] + said.value[count:]) * np.float32(0.5))


class Cached:
    """Remembers what an evaluator said; what was asked for longest ago is forgotten first.

    A position is known again by its stones and side to move, exactly. The last move counts only with ``last=True``,
    for nets that see it.
    """

    def __init__(self, evaluator: Evaluator, size: int = 1 << 15, *, last: bool = False) -> None:
        """Wrap an evaluator; ``size`` is how many positions are remembered."""
        if size < 1:
            raise ValueError(f"a cache holds at least one position, not {size}")
        self.evaluator = evaluator
        self.size = size
        self.last = last
        self.hits = 0
        self.misses = 0
        self._known: OrderedDict[bytes, tuple[NDArray[np.float32], np.float32]] = OrderedDict()

    def clear(self) -> None:
        """Forget everything: the net has changed."""
        self._known.clear()

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions, asking only for those that are not known."""
        keys = self._keys(positions)
        wanted = {key: i for i, key in enumerate(keys) if key not in self._known}
        found = {key: self._known[key] for key in keys if key not in wanted}
        self.misses += len(wanted)
        self.hits += len(keys) - len(wanted)
        if wanted:
            said = self.evaluator(take(positions, np.fromiter(wanted.values(), np.intp, len(wanted))))
            for i, key in enumerate(wanted):
                # A copy: a view would keep the whole batch alive for as long as one position is remembered.
                found[key] = said.logits[i].copy(), said.value[i]
        for key, answer in found.items():
            self._known[key] = answer
            self._known.move_to_end(key)
        while len(self._known) > self.size:
            self._known.popitem(last=False)
        logits = np.empty((len(keys), positions.width * positions.height), np.float32)
        value = np.empty(len(keys), np.float32)
        for i, key in enumerate(keys):
            logits[i], value[i] = found[key]
        return Evaluation(logits, value)

    def _keys(self, positions: Positions) -> list[bytes]:
        size = positions.width << 8 | positions.height
        columns = [np.full(len(positions.white_to_move), size, np.uint64), positions.white_to_move.astype(np.uint64)]
        if self.last:
            columns.append(positions.last.astype(np.int64).view(np.uint64))
        table = np.concatenate((np.stack(columns, 1), *positions.stones), 1)
        return [row.tobytes() for row in table]


class Batcher:
    """Joins the requests of several threads into batches. It may be called from any number of threads at once.

    Nobody waits for a clock: whoever finds the evaluator free takes it, with everything that has queued up since;
    whoever comes while it is busy goes into the next batch.
    """

    def __init__(self, evaluator: Evaluator, max_batch: int = 256) -> None:
        """Wrap an evaluator; a batch ends before it would pass ``max_batch`` positions."""
        self.evaluator = evaluator
        self.max_batch = max_batch
        self._lock = threading.Lock()
        self._queue: list[_Request] = []
        self._busy = False

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions, together with those of other threads; blocks until it is done."""
        mine = _Request(positions)
        with self._lock:
            self._queue.append(mine)
            leads = not self._busy
            self._busy = True
        if not leads:
            mine.ready.wait()
        if mine.answer is None and mine.error is None:
            # Nobody has judged it, so it is this thread's turn to lead.
            self._lead()
        if mine.error is not None:
            raise mine.error
        assert mine.answer is not None
        return mine.answer

    def _lead(self) -> None:
        with self._lock:
            batch = self._next_batch()
        try:
            said = self.evaluator(joined([request.positions for request in batch]))
            start = 0
            for request in batch:
                part = slice(start, start + len(request.positions.white_to_move))
                request.answer = Evaluation(said.logits[part], said.value[part])
                start = part.stop
        except BaseException as error:
            for request in batch:
                request.error = error
        with self._lock:
            for request in batch:
                request.ready.set()
            if self._queue:
                self._queue[0].ready.set()
            else:
                self._busy = False

    def _next_batch(self) -> list[_Request]:
        """Take the first request and those after it that fit: one board size, not too many positions."""
        first = self._queue[0].positions
        batch: list[_Request] = []
        rest: list[_Request] = []
        count = 0
        for request in self._queue:
            asked = request.positions
            fits = not batch or count + len(asked.white_to_move) <= self.max_batch
            if fits and (asked.width, asked.height) == (first.width, first.height):
                batch.append(request)
                count += len(asked.white_to_move)
            else:
                rest.append(request)
        self._queue = rest
        return batch


class _Request:
    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.ready = threading.Event()
        self.answer: Evaluation | None = None
        self.error: BaseException | None = None
