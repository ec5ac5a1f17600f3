"""Several processes on one machine, one a GPU, take every step of learning together (DDP).

The first draws the batch and hands out equal parts. Statistics of the batch, means of the loss and gradients are taken
over all parts, so the step is the one that a single process would take with the whole batch. Only the first knows of
games, files and averages; the others hold a net and an optimiser, which stay equal to its own. Between steps they wait
at a pipe, for as long as games take, and they end when the first has gone.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from fingal.learn.parts.search_descent import Descent, Settings
from fingal.nets.blocks import Norm
from fingal.nets.residual import Config, Residual

Layout = list[tuple[str, torch.dtype, tuple[int, ...]]]
"""What a part of a batch consists of: names, types and shapes."""


class _Sum(torch.autograd.Function):
    """The sum over all processes; so is its gradient."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        return _total(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return _total(gradient)


def _total(tensor: Tensor) -> Tensor:
    total = tensor.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total)
    return total


def _summed(tensor: Tensor) -> Tensor:
    found: Tensor = _Sum.apply(tensor)  # type: ignore[no-untyped-call]
    return found


def _join(descent: Descent, rank: int, processes: int, meeting: str) -> None:
    """Meet the others; the first one's weights and optimiser are everybody's."""
    cuda = descent.device.type == "cuda"
    dist.init_process_group(
        "nccl" if cuda else "gloo", init_method=f"file://{meeting}", rank=rank, world_size=processes
    )
    kept = [descent.optimiser.state_dict()]
    dist.broadcast_object_list(kept, 0, device=descent.device)
    if rank > 0:
        descent.optimiser.load_state_dict(kept[0])
    for module in descent.net.modules():
        if isinstance(module, Norm):
            module.summed = _summed
    devices = [descent.device] if cuda else None
    forward = DistributedDataParallel(descent.net, device_ids=devices)
    descent.share(forward, processes, _summed)


def _hand_out(arrays: dict[str, Tensor] | None, layout: Layout, device: torch.device) -> dict[str, Tensor]:
    """This process's part of arrays that the first one has."""
    parts = {}
    for name, dtype, shape in layout:
        part = torch.empty(shape, dtype=dtype, device=device)
        given = None
        if arrays is not None:
            given = [piece.contiguous().view(torch.uint8) for piece in torch.split(arrays[name], shape[0])]
        dist.scatter(part.view(torch.uint8), given)
        parts[name] = part
    return parts


def _follow(
    orders: Connection, rank: int, processes: int, meeting: str, config: Config, device: str, settings: Settings
) -> None:
    """What every process but the first does: a step with every order."""
    here = torch.device(device)
    if here.type == "cuda":
        torch.cuda.set_device(here)
    torch.set_num_threads(1)
    net = Residual(config).train().to(here, memory_format=torch.channels_last)  # type: ignore[call-overload]
    descent = Descent(net, here, settings)
    _join(descent, rank, processes, meeting)
    with contextlib.suppress(EOFError):
        while True:
            layout, rate = orders.recv()
            rows = _hand_out(None, layout, here)
            descent.step(rows, rows.pop("rotated"), rate)
    dist.destroy_process_group()


class Together:
    """The first of several processes: it steps as a ``Descent`` does."""

    def __init__(self, descent: Descent, processes: int) -> None:
        """Start the others and meet them; the net is a residual one."""
        assert isinstance(descent.net, Residual)
        self._descent, self._processes = descent, processes
        cuda = descent.device.type == "cuda"
        with tempfile.TemporaryDirectory() as folder:
            meeting = str(Path(folder) / "meeting")
            context = multiprocessing.get_context("spawn")
            self._others, self._orders = [], []
            for rank in range(1, processes):
                place = f"cuda:{rank}" if cuda else "cpu"
                theirs, mine = context.Pipe(duplex=False)
                arguments = theirs, rank, processes, meeting, descent.net.config, place, descent.settings
                self._others.append(context.Process(target=_follow, args=arguments, daemon=True))
                self._others[-1].start()
                theirs.close()
                self._orders.append(mine)
            _join(descent, 0, processes, meeting)

    def step(self, rows: dict[str, Tensor], rotated: Tensor, rate: float) -> dict[str, Tensor]:
        """One step with the whole batch, whose number of rows is a multiple of the processes'."""
        arrays = rows | {"rotated": rotated}
        layout: Layout = [
            (name, array.dtype, (len(array) // self._processes, *array.shape[1:])) for name, array in arrays.items()
        ]
        for other in self._orders:
            other.send((layout, rate))
        mine = _hand_out(arrays, layout, self._descent.device)
        return self._descent.step(mine, mine.pop("rotated"), rate)

    def close(self) -> None:
        """Let the others go."""
        for orders in self._orders:
            orders.close()
        for other in self._others:
            other.join(30)
        dist.destroy_process_group()
