"""A net of signed boards where a residual net is expected: it takes the same planes and gives the same output.

So a learner with search can train any net of ``choice``. Such a net has no opinion of replies and owners: it says 0 of
them, which no loss can change. All boards of a batch must have one size, since nothing is masked.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fingal.nets import choice
from fingal.nets.residual import Output, Residual
from fingal.nets.signed_net import Signed


class Ringed(nn.Module):
    """A ``policy_value`` net behind the planes ``canonical-ring-1``."""

    def __init__(self, inner: Signed) -> None:
        """Wrap a net."""
        super().__init__()
        if inner.config.head != "policy_value":
            raise ValueError(f"head must be policy_value for a net that a search asks, not {inner.config.head}")
        self.inner = inner
        self.config = inner.config

    def forward(self, planes: Tensor, mask: Tensor | None = None) -> Output:
        """Judge planes [B, 5, rows + 2, columns + 2] of boards that fill the frame; the mask tells nothing more."""
        stones = planes[:, :2, 1:-1, 1:-1]
        logits, value = self.inner.say(stones[:, 0] - stones[:, 1])
        assert value is not None
        # The value is the tangent of the number, and an output's is that of half its logit.
        return Output(logits, 2 * value, torch.zeros_like(logits), torch.zeros_like(logits))


def precision(net: Residual | Ringed, device: torch.device) -> torch.dtype:
    """What a net should compute in on a device: on a GPU bfloat16, unless the net does not learn so."""
    rounded = device.type == "cuda" and (isinstance(net, Residual) or net.inner.rounds)
    return torch.bfloat16 if rounded else torch.float32


def named(name: str, size: int, width: int) -> Ringed:
    """An untrained net by its name, as ``choice.build`` has it."""
    return Ringed(choice.build(name, size, width=width, head="policy_value"))


def plain(net: nn.Module) -> nn.Module:
    """A net as a file has it."""
    return net.inner if isinstance(net, Ringed) else net
