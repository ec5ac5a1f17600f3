"""A step of learning from searched games: the loss in its parts, the gradient, the optimiser."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.learn.parts.delivery import Net
from fingal.learn.parts.replay import Batch, make_batch
from fingal.nets.residual import Output
from fingal.nets.ringed import precision

Summed = Callable[[Tensor], Tensor]
"""Gives the sum of a tensor over all processes that share a batch."""


def alone(tensor: Tensor) -> Tensor:
    """The sum over one process."""
    return tensor


def losses(said: Output, batch: Batch, stakes_weight: float = 0.0, summed: Summed = alone) -> dict[str, Tensor]:
    """The parts of the loss, each a mean over what it applies to: the policy's weighs positions by what is at stake.

    Where several processes share a batch, each gets its part of the mean: their sum is the mean over all.
    """
    closed = said.policy.new_full((), -1e4, dtype=torch.float32)
    log_policy = F.log_softmax(torch.where(batch.occupied, closed, said.policy.float()), 1)
    weight = (batch.policy.sum(1) > 0).float() * (1 + stakes_weight * batch.stakes)
    policy = -(batch.policy * log_policy).sum(1)
    # The entropy of the target is no fault of the net's: without it 0 is perfect.
    policy = policy + torch.special.xlogy(batch.policy, batch.policy).sum(1)
    log_reply = F.log_softmax(torch.where(batch.occupied, closed, said.reply.float()), 1)
    has_reply = (batch.reply >= 0).float()
    reply = -log_reply.gather(1, batch.reply.clamp(min=0).unsqueeze(1)).squeeze(1)
    value = F.binary_cross_entropy_with_logits(said.value_logit.float(), (batch.value + 1) / 2)
    owner = F.binary_cross_entropy_with_logits(said.owner.float(), batch.owner, reduction="none") * batch.owner_known
    here = batch.value.new_full((), len(batch.value), dtype=torch.float32)
    return {
        "policy": (policy * weight).sum() / summed(weight.sum()).clamp(min=1),
        "value": value * (here / summed(here)),
        "reply": (reply * has_reply).sum() / summed(has_reply.sum()).clamp(min=1),
        "owner": owner.sum() / summed(batch.owner_known.sum()).clamp(min=1),
    }


def pace(level: float, steps: int, warm_up: int, done: float, decay_from: float) -> float:
    """The learning rate: up over the warm-up's steps, level, then down along a cosine to a twentieth.

    ``done`` is the share of the run that is behind it, ``decay_from`` the share after which the rate falls.
    """
    rate = level * min(1.0, (steps + 1) / max(1, warm_up))
    late = (done - decay_from) / max(1e-9, 1 - decay_from)
    return rate * (1.0 if late <= 0 else 0.05 + 0.95 * (1 + math.cos(math.pi * min(1.0, late))) / 2)


@torch.no_grad()
def follow(average: Net, net: Net, keep: float, steps: int) -> None:
    """Move averaged weights towards a net's after so many steps; at first they forget faster than ``keep`` says."""
    keep = min(keep, 1 - 1 / (steps + 1))
    torch._foreach_lerp_(list(average.state_dict().values()), list(net.state_dict().values()), 1 - keep)


def adamw(net: nn.Module, weight_decay: float, device: torch.device) -> torch.optim.AdamW:
    """AdamW for a net on a device; only matrices and kernels decay."""
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, fused=device.type == "cuda")


@dataclass(frozen=True)
class Settings:
    """How to descend."""

    side: int
    """The largest board's: the frame of all positions."""
    weight_decay: float
    """AdamW's, on matrices and kernels."""
    reply_weight: float
    owner_weight: float
    stakes_weight: float = 0.0


class Descent:
    """A net that learns and its optimiser."""

    def __init__(self, net: Net, device: torch.device, settings: Settings) -> None:
        """Begin with a net that lies on the device, channels last."""
        self.net, self.device, self.settings = net, device, settings
        self._dtype = precision(net, device)
        self.optimiser = adamw(net, settings.weight_decay, device)
        self._forward: Callable[..., Output] = torch.compile(net, dynamic=False) if device.type == "cuda" else net
        self._processes = 1
        self._summed: Summed = alone

    def share(self, forward: nn.Module, processes: int, summed: Summed) -> None:
        """From now on every batch is one of several processes' parts; ``forward`` averages their gradients."""
        self._forward, self._processes, self._summed = forward, processes, summed

    def step(self, rows: dict[str, Tensor], rotated: Tensor, rate: float) -> dict[str, Tensor]:
        """Descend once along the gradient of rows of a replay; gives the parts of the loss and the gradient's norm."""
        batch = make_batch(rows, rotated, self.settings.side, self._dtype)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._dtype == torch.bfloat16):
            said = self._forward(batch.planes.contiguous(memory_format=torch.channels_last), batch.mask)
        parts = losses(said, batch, self.settings.stakes_weight, self._summed)
        total = parts["policy"] + parts["value"]
        total = total + self.settings.reply_weight * parts["reply"] + self.settings.owner_weight * parts["owner"]
        self.optimiser.zero_grad(set_to_none=True)
        # Every process has its part of the mean, and the average of the parts would be too small by their number.
        (self._processes * total).backward()  # type: ignore[no-untyped-call]
        parts = {name: self._summed(part.detach()) for name, part in parts.items()}
        parts["gradient"] = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        return parts
