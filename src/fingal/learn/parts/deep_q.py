"""One update of deep Q-learning for a hexagonal net, and many of them at once; docs/neurohex.md has the equations.

An update is a function of tensors that stay where they are, so that on a GPU a number of them can be captured in one
CUDA graph and replayed: there the time goes to starting kernels, not to their work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from fingal.learn.parts.descent import rmsprop
from fingal.learn.parts.transitions import Moves, Transitions
from fingal.nets.hexagonal import Hexagonal
from fingal.nets.squared import Squared

DECAY, FLOOR = 0.9, 1e-6
"""RMSProp's; the floor stands inside the root."""

NEVER = -2.0
"""What a cell with a stone is worth where the best cell is looked for: less than any value."""


def best_reply(values: Tensor, planes: Tensor) -> Tensor:
    """The highest value [B, cells] of an empty cell, [B]; planes [B, planes, n, n] show where stones are."""
    return values.masked_fill(planes[:, :2].any(1).flatten(1), NEVER).amax(1)


def target(won: Tensor, reply: Tensor, sign: float) -> Tensor:
    """Equation (6): 1 where the move has won, and elsewhere ``sign`` times the opponent's best value, [B].

    The sign is -1; with 1 the opponent's gain counts as the mover's own.
    """
    return (sign * reply).masked_fill(won, 1.0)


def clipped(gradient: Tensor, most: float) -> Tensor:
    """A gradient no longer than ``most``."""
    length: Tensor = torch.linalg.vector_norm(gradient)
    return gradient * (most / length.clamp(min=most))


class Descent:
    """A net's numbers and RMSProp's, on the device."""

    def __init__(
        self, net: Hexagonal, device: torch.device, rate: float, clip: float = 0.0, *, compiled: bool = False
    ) -> None:
        """Begin with a net; 0 does not clip. On a GPU the net is asked in bfloat16.

        ``compiled`` lets torch fuse what stands between the convolutions: a minute at first, and faster from then on.
        """
        cuda = device.type == "cuda"
        self.squared = Squared(net, device, torch.bfloat16 if cuda else torch.float32)
        self.numbers = self.squared.vector(net)
        """float32 [width]"""
        self.mean_square = torch.zeros_like(self.numbers)
        self.short = self.numbers.to(self.squared.dtype)
        """The numbers in the net's own type: the same tensor where that is float32."""
        self._rate, self._clip = torch.tensor([rate], device=device), clip
        self.outputs: Callable[[list[Tensor], Tensor], Tensor] = self.squared.outputs
        """``Squared.outputs``"""
        self._step: Callable[[Tensor], None] = self._take_step
        if compiled:
            self.outputs = torch.compile(self.outputs, dynamic=False)
            self._step = torch.compile(self._step, dynamic=False)

    def weights(self) -> list[Tensor]:
        """Views of the numbers, as ``outputs`` takes them."""
        return self.squared.weights(self.short)

    def values(self, planes: Tensor) -> Tensor:
        """What the net says of boards now, float32 [B, cells]."""
        with torch.no_grad():
            return self.squared.outputs(self.weights(), planes)

    def descend(self, loss: Callable[[list[Tensor]], Tensor]) -> Tensor:
        """One step of RMSProp down a loss, which is given weights; gives the loss."""
        leaves = [weight.detach().requires_grad_() for weight in self.weights()]
        with torch.enable_grad():
            lost = loss(leaves)
            gradients = torch.autograd.grad(lost, leaves)
        self._step(self.squared.flat(gradients))
        return lost.detach()

    def _take_step(self, flat: Tensor) -> None:
        gradient = flat.float() * self.squared.mask
        if self._clip:
            gradient = clipped(gradient, self._clip)
        numbers, mean_square = self.numbers.unsqueeze(0), self.mean_square.unsqueeze(0)
        rmsprop(numbers, mean_square, gradient.unsqueeze(0), self._rate, DECAY, FLOOR)
        if self.short is not self.numbers:
            self.short.copy_(self.numbers)

    def take(self, numbers: Tensor) -> None:
        """Go on with other numbers, float32 [width]."""
        self.numbers.copy_(numbers)
        self.short.copy_(self.numbers)

    def net(self) -> Hexagonal:
        """The net as it is now, on the CPU."""
        return self.squared.net(self.numbers)

    def state(self) -> list[Tensor]:
        """Everything that changes."""
        own = [self.numbers, self.mean_square]
        return own if self.short is self.numbers else [*own, self.short]


class QLearning:
    """Q-learning from a ring of moves, and a policy beside it if there is one."""

    def __init__(
        self,
        critic: Descent,
        transitions: Transitions,
        *,
        sign: float = -1.0,
        actor: Descent | None = None,
        entropy: float = 0.0,
        held_still: bool = False,
    ) -> None:
        """Learn a critic. With ``held_still``, targets come from numbers that ``follow`` alone brings up to date."""
        self.critic, self.actor, self.transitions = critic, actor, transitions
        self.still = critic.numbers.clone() if held_still else None
        """float32 [width]: the numbers that targets come from; None for the net's own."""
        self.cost = torch.zeros((), device=critic.numbers.device)
        """The sum of all updates' losses since it was last set to 0."""
        self._sign, self._entropy = sign, entropy

    def state(self) -> list[Tensor]:
        """Everything that an update changes."""
        actor = [] if self.actor is None else self.actor.state()
        return [self.cost, *self.critic.state(), *actor]

    def follow(self) -> None:
        """Take the targets from the net as it is now."""
        if self.still is not None:
            self.still.copy_(self.critic.numbers)

    @torch.no_grad()
    def update(self, pick: Tensor) -> None:
        """Equations (6) and (7): learn once from the moves with numbers int64 [batch]."""
        moves, critic = self.transitions.at(pick), self.critic
        judge = critic.short if self.still is None else self.still.to(critic.short.dtype)
        reply = best_reply(critic.outputs(critic.squared.weights(judge), moves.following), moves.following)
        aim = target(moves.won, reply, self._sign)

        def loss(leaves: list[Tensor]) -> Tensor:
            said = critic.outputs(leaves, moves.planes).gather(1, moves.cell.unsqueeze(1)).squeeze(1)
            return (said - aim).square().mean()

        if self.actor is not None:
            self._improve(self.actor, moves, critic.outputs(critic.weights(), moves.planes))
        self.cost += critic.descend(loss)

    def _improve(self, actor: Descent, moves: Moves, values: Tensor) -> None:
        """Equation (9): the policy moves towards what has more value than its own mean."""
        stones = moves.planes[:, :2].any(1).flatten(1)

        def loss(leaves: list[Tensor]) -> Tensor:
            logits = actor.outputs(leaves, moves.planes).masked_fill(stones, -torch.inf)
            chance, log = logits.softmax(1), logits.log_softmax(1).masked_fill(stones, 0.0)
            advantage = values - (chance.detach() * values).sum(1, keepdim=True)
            gain = chance * (advantage - self._entropy * log)
            return -gain.sum(1).mean()

        actor.descend(loss)


class Repeated:
    """A function of numbers int64 [batch], called for each row of int64 [times, batch]; on a GPU as one graph."""

    def __init__(
        self, function: Callable[[Tensor], None], times: int, batch: int, kept: list[Tensor], graph: bool
    ) -> None:
        """Capture, if ``graph``; ``kept`` is all that the function changes, and the trial runs leave it as it was."""
        self._function, self.times = function, times
        self._graph: Any = None
        if graph:
            self._picks = torch.zeros((times, batch), dtype=torch.int64, device=kept[0].device)
            self._capture(kept)

    def __call__(self, picks: Tensor) -> None:
        """Call the function with every row."""
        if self._graph is None:
            for pick in picks:
                self._function(pick)
        else:
            self._picks.copy_(picks)
            self._graph.replay()

    def _capture(self, kept: list[Tensor]) -> None:
        before = [tensor.clone() for tensor in kept]
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=True):
            with torch.cuda.stream(stream):
                # Tuning and lazy set-up must be over before the capture.
                for _ in range(3):
                    self._function(self._picks[0])
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                for pick in self._picks:
                    self._function(pick)
        for tensor, was in zip(kept, before, strict=True):
            tensor.copy_(was)
