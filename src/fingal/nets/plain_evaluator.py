"""Evaluation by torch, in float32, of nets as they are: all heads, ``policy_value`` of ``Signed`` nets alone.

A recurrent net's judgement depends on the game so far, and positions do not tell it. ``GameEvaluator`` is told it by
who knows it: ``net:FILE`` hands it the record's positions (``along``). Asked for positions alone, as a tree search and
the exam of all positions do, it judges each as the first that it sees.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fingal.nets.card import Card
from fingal.nets.heads import as_value, check_size, encode, evaluation, head_of, view_of
from fingal.nets.outputs import checked
from fingal.nets.planes import check, split, take, to_board
from fingal.nets.recurrent import Recurrent
from fingal.nets.signed_net import Signed
from fingal.nets.torch_evaluator import DeviceError
from fingal.search.evaluator import Evaluation, Positions

OFTEN = 50
"""How often a shape is asked for on a GPU before it is captured as a graph: most nets of a tournament come seldom."""

FEW = 64
"""The largest batch that is captured: the time of larger ones is the kernels' own, and not their start's."""


class PlainEvaluator:
    """A net on the CPU or on a GPU. It plays the boards that its config says, and refuses others with a sentence."""

    def __init__(
        self, net: nn.Module, card: Card | None = None, device: str = "cpu", threads: int | None = None
    ) -> None:
        """Take a net; DeviceError when there is no such device.

        ``threads`` is for all of torch in this process: it has no finer setting.
        """
        if threads is not None:
            if threads < 1:
                raise ValueError(f"threads must be at least 1, not {threads}")
            torch.set_num_threads(threads)
        self.device = torch.device(device)
        if self.device.type == "cuda" and not torch.cuda.is_available():
            raise DeviceError("CUDA is not available: there is no GPU, no driver, or this torch was built without CUDA")
        self.card = card
        self.config: Any = net.config
        self.head = head_of(self.config)
        self._net = net.to(self.device).eval()
        self._name = "this net" if card is None else card.name
        self._asked: Counter[tuple[int, ...]] = Counter()
        self._graphs: dict[tuple[int, ...], _Graph] = {}

    def __call__(self, positions: Positions) -> Evaluation:
        """Judge the positions; ValueError on a board that the net does not play, EvaluationError as every evaluator."""
        check(positions)
        self.check_size(positions.width, positions.height)
        if self.head == "policy_value":
            return self._policy_and_value(positions)
        cells = () if self.head == "value" else (positions.width * positions.height,)
        said = np.empty((len(positions.white_to_move), *cells), np.float32)
        if len(said) and view_of(self.config) == "absolute":
            said[:] = self.run(encode(self.config, positions))
        elif len(said):
            for index, part in split(positions):
                numbers = self.run(encode(self.config, part))
                if cells:
                    numbers = to_board(numbers, part.white_to_move, part.width, part.height)
                said[slice(None) if index is None else index] = numbers
        judged = evaluation(self.head, said, positions)
        if self.head == "q":
            judged = judged._replace(value=as_value(self.config, judged.value))
        return checked(judged, positions, self._name)

    def check_size(self, width: int, height: int) -> None:
        """Raise ValueError for a board that the net does not play."""
        check_size(self.config, width, height, self._name)

    def _policy_and_value(self, positions: Positions) -> Evaluation:
        assert isinstance(self._net, Signed)
        count = len(positions.white_to_move)
        said = Evaluation(
            np.empty((count, positions.width * positions.height), np.float32), np.empty(count, np.float32)
        )
        for index, part in split(positions) if count else ():
            with torch.inference_mode():
                boards = torch.from_numpy(encode(self.config, part)).to(self.device)
                logits, value = (numbers.cpu().numpy() for numbers in self._net.both(boards))
            where = slice(None) if index is None else index
            said.logits[where] = to_board(logits, part.white_to_move, part.width, part.height)
            said.value[where] = value
        return checked(said, positions, self._name)

    @torch.inference_mode()
    def run(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """The bare net: what ``heads.encode`` gives to its numbers, [B, cells] or [B], both in the net's own view."""
        if self.device.type == "cuda" and len(planes) <= FEW:
            shape = planes.shape
            self._asked[shape] += 1
            if self._asked[shape] == OFTEN:
                self._graphs[shape] = _Graph(self._net, torch.from_numpy(planes), self.device)
            if shape in self._graphs:
                return self._graphs[shape](planes)
        numbers: NDArray[np.float32] = self._net(torch.from_numpy(planes).to(self.device)).cpu().numpy()
        return numbers


class _Graph:
    """A net's forward pass on a GPU for planes of one shape, captured: its kernels start all at once."""

    def __init__(self, net: nn.Module, planes: Tensor, device: torch.device) -> None:
        self._planes = planes.pin_memory()
        self._there = self._planes.to(device)
        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            # Tuning and lazy set-up must be over before the capture.
            for _ in range(3):
                said = net(self._there)
        stream.synchronize()
        self._said = torch.empty(said.shape, dtype=said.dtype, pin_memory=True)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=stream):
            self._there.copy_(self._planes, non_blocking=True)
            self._said.copy_(net(self._there), non_blocking=True)
        self._done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        self._planes.numpy()[:] = planes
        self._graph.replay()
        self._done.record()
        self._done.synchronize()
        numbers: NDArray[np.float32] = self._said.numpy().copy()
        return numbers


class GameEvaluator(PlainEvaluator):
    """A recurrent net, which remembers the game so far where it is told of it."""

    def __init__(
        self, net: Recurrent, card: Card | None = None, device: str = "cpu", threads: int | None = None
    ) -> None:
        """Take a net."""
        super().__init__(net, card, device, threads)
        self._recurrent = net

    @torch.inference_mode()
    def along(self, positions: Positions) -> Evaluation:
        """Judge the last position of one game, B = 1, given all of the game's positions in order."""
        check(positions)
        count = len(positions.white_to_move)
        if count == 0:
            raise ValueError("a game has at least one position")
        self.check_size(positions.width, positions.height)
        last = take(positions, slice(count - 1, count))
        piece = take(positions, slice(self._recurrent.config.piece(count - 1), count))
        boards = torch.from_numpy(encode(self.config, piece)).to(self.device)
        hidden = None
        for board in boards:
            said, hidden = self._recurrent.step(board.unsqueeze(0), hidden)
        numbers = to_board(said.cpu().numpy(), last.white_to_move, last.width, last.height)
        return checked(evaluation(self.head, numbers, last), last, self._name)
