"""Adam's steps for one net, in a way that a CUDA graph can repeat."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from fingal.learn.parts import state


class Adam:
    """The parameters of a net, their gradients and Adam's memory, all of which stay where they are."""

    def __init__(self, net: nn.Module, rate: float, device: torch.device) -> None:
        """Begin with a net that is on the device already."""
        cuda = device.type == "cuda"
        self.parameters = list(net.parameters())
        # A graph reads the rate from where it is; elsewhere it is a plain number.
        held = torch.tensor(rate, device=device) if cuda else rate
        self.optimiser = torch.optim.Adam(self.parameters, lr=held, fused=cuda, capturable=cuda)
        self._gradients = [torch.zeros_like(parameter) for parameter in self.parameters]
        # A graph must find Adam's memory there: a step with no gradient moves nothing.
        for parameter, gradient in zip(self.parameters, self._gradients, strict=True):
            parameter.grad = gradient
        self.optimiser.step()
        for kept in self.optimiser.state.values():
            kept["step"].zero_()

    def step(self, loss: Tensor, longest: float = 0.0) -> None:
        """One step down a loss; the gradient's length is at most ``longest``, if that is not 0."""
        # Into gradients that lie in memory as the weights do, which fused Adam wants, and stay there for the graph.
        torch._foreach_copy_(self._gradients, torch.autograd.grad(loss, self.parameters))
        if longest:
            length = torch.nn.utils.get_total_norm(self._gradients)
            torch._foreach_mul_(self._gradients, longest / length.clamp(min=longest))
        self.optimiser.step()

    def set_rate(self, rate: float) -> None:
        """The learning rate from now on."""
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def changing(self) -> list[Tensor]:
        """All that a step changes."""
        kept = [tensors[name] for tensors in self.optimiser.state.values() for name in sorted(tensors)]
        return [*self.parameters, *kept]

    def state(self) -> dict[str, Tensor]:
        """What is needed to go on."""
        return state.of_optimiser(self.optimiser)

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go on from what ``state`` gave."""
        state.into_optimiser(self.optimiser, tensors)


def levelled(rate: float, share: float, decay_from: float) -> float:
    """A rate that is level, then falls along a line from ``decay_from`` of the run on, to a twentieth at its end."""
    late = (share - decay_from) / max(1e-9, 1 - decay_from)
    return rate * (1 - 0.95 * max(0.0, late))
