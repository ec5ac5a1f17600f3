"""A net whose numbers are one vector, so that steps, copies and crowds of nets are a few operations on rows."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.func import functional_call

from fingal.nets.signed_net import Signed


class FlatNet:
    """The shape of a net; its numbers, float32 [width], are given to it."""

    def __init__(self, net: Signed, device: torch.device) -> None:
        """Take a net's shape. It has no state beside its parameters."""
        self.device = device
        self._net = copy.deepcopy(net).to(device).requires_grad_(False)
        self._shapes = {name: parameter.shape for name, parameter in net.named_parameters()}
        self._sizes = [shape.numel() for shape in self._shapes.values()]
        self.width = sum(self._sizes)
        """How many numbers there are."""

    def vector(self, net: nn.Module) -> Tensor:
        """The numbers of a net of this shape, on the device."""
        return torch.cat([parameter.detach().flatten() for parameter in net.parameters()]).to(self.device)

    def views(self, numbers: Tensor) -> dict[str, Tensor]:
        """The parameters that numbers [width] hold, by name: views, which change with them."""
        parts = zip(self._shapes.items(), torch.split(numbers, self._sizes), strict=True)
        return {name: part.view(shape) for (name, shape), part in parts}

    def say(self, views: dict[str, Tensor], boards: Tensor) -> Tensor:
        """What the net with these parameters says of boards int8 [B, n, n]: float32 [B, cells], nothing squashed.

        A GPU multiplies in bfloat16 where the net bears it.
        """
        rounded = self.device.type == "cuda" and self._net.rounds
        with torch.autocast(self.device.type, torch.bfloat16, enabled=rounded):
            said: Tensor = functional_call(self._net, views, (boards.float(),))
        return said.float()

    def net(self, numbers: Tensor) -> Signed:
        """The net with these numbers, on the CPU."""
        made = copy.deepcopy(self._net).cpu()
        made.load_state_dict({name: view.detach().cpu().clone() for name, view in self.views(numbers).items()})
        return made
