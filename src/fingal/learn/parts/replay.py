"""The positions to learn from, packed, on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal.nets.planes_torch import encode, layout, mask


class Batch(NamedTuple):
    """B positions in the canonical view, in a frame of N = side * side cells."""

    planes: Tensor
    """[B, 5, side + 2, side + 2]"""
    mask: Tensor
    """[B, 1, side + 2, side + 2]"""
    occupied: Tensor
    """bool [B, N]: cells that hold a stone or are off the board."""
    policy: Tensor
    """[B, N]: the move's target; all 0 where there is none."""
    stakes: Tensor
    """[B]: how much the choice of the move matters, from 0 to 2: the best move's value less that of the mean one."""
    reply: Tensor
    """int64 [B]: the opponent's next move as a cell of the frame, -1 where there is none."""
    value: Tensor
    """[B]: in [-1, 1], side to move's view."""
    owner: Tensor
    """[B, N]: 1 where the side to move's stone stands at the end, 0 where the opponent's does."""
    owner_known: Tensor
    """[B, N]: 1 where ``owner`` is known."""


class Replay:
    """A ring of positions from square boards of up to ``side``."""

    def __init__(self, capacity: int, side: int, device: torch.device) -> None:
        """Make room for ``capacity`` positions."""
        words = (side * side + 63) // 64
        self.capacity, self.side, self.device = capacity, side, device
        self.seen = 0
        """How many positions have ever been added."""

        def room(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros((capacity, *shape), dtype=dtype, device=device)

        self.arrays = {
            "stones": room(2, words, dtype=torch.int64),
            "final": room(2, words, dtype=torch.int64),
            "policy": room(side * side, dtype=torch.float16),
            "white_to_move": room(dtype=torch.bool),
            "size": room(dtype=torch.uint8),
            "reply": room(dtype=torch.int16),
            "value": room(dtype=torch.float32),
            "stakes": room(dtype=torch.float16),
        }

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, samples: dict[str, NDArray[Any]], size: int, search_share: float) -> int:
        """Add what a pool's ``drain`` gave; the value target has ``search_share`` of the search's opinion in it.

        Positions that were searched cheaply or are proven lost have no policy target; they teach the value alone. Gives
        the number of all.
        """
        count = min(len(samples["value"]), self.capacity)
        if count == 0:
            return 0
        words, cells = samples["black"].shape[1], samples["policy"].shape[1]

        def tensor(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array[-count:])).to(self.device, non_blocking=True)

        value = (1 - search_share) * samples["value"] + search_share * samples["search_value"]
        at = (self.seen + torch.arange(count, device=self.device)) % self.capacity
        arrays = self.arrays
        for name, black, white in (("stones", "black", "white"), ("final", "final_black", "final_white")):
            pair = np.stack((samples[black], samples[white]), 1).view(np.int64)
            wide = torch.zeros((count, *arrays[name].shape[1:]), dtype=torch.int64, device=self.device)
            wide[:, :, :words] = tensor(pair)
            arrays[name][at] = wide
        policy = torch.zeros((count, arrays["policy"].shape[1]), dtype=torch.float16, device=self.device)
        policy[:, :cells] = tensor(samples["policy"]).half()
        arrays["policy"][at] = policy
        arrays["white_to_move"][at] = tensor(samples["white_to_move"]).bool()
        arrays["size"][at] = torch.full((count,), size, dtype=torch.uint8, device=self.device)
        arrays["reply"][at] = tensor(samples["reply"]).to(torch.int16)
        arrays["value"][at] = tensor(value.astype(np.float32))
        arrays["stakes"][at] = tensor(samples["stakes"]).half()
        self.seen += count
        return count

    def kept(self) -> dict[str, Tensor]:
        """The rows that are filled, by name."""
        return {name: array[: len(self)] for name, array in self.arrays.items()}

    def restore(self, rows: Mapping[str, Tensor], seen: int) -> None:
        """Go on with what ``kept`` gave, and with how many positions there had been by then."""
        for name, tensor in rows.items():
            self.arrays[name][: len(tensor)] = tensor.to(self.device)
        self.seen = seen

    def put(self, name: str, rows: Tensor) -> None:
        """Put rows of one name, that another replay has kept, after the ``seen`` positions; its side may be smaller."""
        room = self.arrays[name][self.seen : self.seen + len(rows)]
        room[..., : rows.shape[-1]] = rows.to(self.device)

    def sample(
        self, count: int, generator: torch.Generator, dtype: torch.dtype = torch.float32, newest: int | None = None
    ) -> Batch:
        """What ``draw`` gives, unpacked."""
        return make_batch(*self.draw(count, generator, newest), self.side, dtype)

    def draw(
        self, count: int, generator: torch.Generator, newest: int | None = None
    ) -> tuple[dict[str, Tensor], Tensor]:
        """Rows drawn uniformly, and which of them to turn by 180 degrees: half. ``generator`` lives on the device.

        They are drawn from the ``newest`` that were added, or from all.
        """
        among = len(self) if newest is None else max(1, min(newest, len(self)))
        back = torch.randint(among, (count,), generator=generator, device=self.device)
        pick = (self.seen - 1 - back) % self.capacity
        rotated = torch.rand(count, generator=generator, device=self.device) < 0.5
        return {name: array[pick] for name, array in self.arrays.items()}, rotated


def make_batch(rows: dict[str, Tensor], rotated: Tensor, side: int, dtype: torch.dtype) -> Batch:
    """Unpack rows of a replay [B, ...] into what a net sees and should say."""
    frame = (side, side)
    white, size = rows["white_to_move"], rows["size"].long()
    where = layout(white, size, size, frame, rotated)
    planes = encode(rows["stones"].transpose(0, 1), white, where, frame, dtype)
    inside = planes[:, :3, 1:-1, 1:-1].flatten(2)
    occupied = (inside[:, 0] + inside[:, 1] > 0) | (inside[:, 2] == 0)
    ends = encode(rows["final"].transpose(0, 1), white, where, frame, dtype)[:, :2, 1:-1, 1:-1].flatten(2)
    policy = torch.where(where.on_board, rows["policy"].gather(1, where.cell).float(), 0.0)
    hit = (where.cell == rows["reply"].long().unsqueeze(1)) & where.on_board
    reply = torch.where(hit.any(1), hit.float().argmax(1), -1)
    return Batch(
        planes=planes,
        mask=mask(where, frame, dtype),
        occupied=occupied,
        policy=policy,
        stakes=rows["stakes"].float(),
        reply=reply,
        value=rows["value"],
        owner=ends[:, 0].float(),
        owner_known=(ends[:, 0] + ends[:, 1]).float(),
    )
