"""One update of deep Q-learning for a hexagonal net; docs/neurohex.md has the equations by number.

An update is a function of tensors that stay where they are, so that on a GPU many of them can be one graph: see
``repeated``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fingal.learn.parts.descent import rmsprop
from fingal.learn.parts.transitions import Transitions
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

    def __init__(self, net: Hexagonal, device: torch.device, rate: float, clip: float = 0.0) -> None:
        """Begin with a net; 0 does not clip. On a GPU its layers are worked out in bfloat16."""
        cuda = device.type == "cuda"
        self.squared = Squared(net, device, torch.bfloat16 if cuda else torch.float32)
        self.numbers = self.squared.vector(net)
        """float32 [width]"""
        self.mean_square = torch.zeros_like(self.numbers)
        self.early = self.numbers[: self.squared.early].to(self.squared.dtype)
        """The numbers up to the dense layer's in the layers' own type: a view where that is float32."""
        self._rate, self._clip = torch.tensor([rate], device=device), clip

    def weights(self) -> list[Tensor]:
        """Views of the numbers, as ``outputs`` takes them."""
        return self.squared.weights(self.numbers, self.early)

    def values(self, planes: Tensor) -> Tensor:
        """What the net says of boards now, float32 [B, cells]."""
        with torch.no_grad():
            return self.squared.outputs(self.weights(), planes)

    def trace(self, planes: Tensor) -> tuple[Tensor, list[Tensor]]:
        """``Squared.trace`` with the numbers as they are now."""
        return self.squared.trace(self.weights(), planes)

    def descend(self, seen: list[Tensor], said: Tensor, pull: Tensor) -> None:
        """One step of RMSProp down a loss with the derivative ``pull`` [B, cells] with regard to what is said.

        ``seen`` and what is said, of which the first B count, come from ``trace``.
        """
        gradient = self.squared.gradient(self.weights(), seen, said, pull)
        if self._clip:
            gradient = clipped(gradient, self._clip)
        numbers, mean_square = self.numbers.unsqueeze(0), self.mean_square.unsqueeze(0)
        rmsprop(numbers, mean_square, gradient.unsqueeze(0), self._rate, DECAY, FLOOR)
        if self.early.dtype != self.numbers.dtype:
            self.early.copy_(self.numbers[: self.squared.early])

    def take(self, numbers: Tensor) -> None:
        """Go on with other numbers, float32 [width]."""
        self.numbers.copy_(numbers)
        self.early.copy_(self.numbers[: self.squared.early])

    def net(self) -> Hexagonal:
        """The net as it is now, on the CPU."""
        return self.squared.net(self.numbers)

    def state(self) -> list[Tensor]:
        """Everything that changes."""
        return [self.numbers, self.mean_square, self.early]


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
        if self.still is None:
            # One pass for both boards of every move.
            both, seen = critic.trace(torch.cat((moves.planes, moves.following)))
            said, later = both.chunk(2)
        else:
            said, seen = critic.trace(moves.planes)
            later = critic.squared.outputs(critic.squared.weights(self.still), moves.following)
        aim = target(moves.won, best_reply(later, moves.following), self._sign)
        cell = moves.cell.unsqueeze(1)
        wrong = said.gather(1, cell) - aim.unsqueeze(1)
        self.cost += wrong.square().mean()
        if self.actor is not None:
            logits, looked = self.actor.trace(moves.planes)
            stones = moves.planes[:, :2].any(1).flatten(1)
            self.actor.descend(looked, logits, policy_pull(logits, said, stones, self._entropy))
        critic.descend(seen, said, torch.zeros_like(said).scatter_(1, cell, 2 / len(pick) * wrong))


def policy_pull(logits: Tensor, values: Tensor, stones: Tensor, entropy: float) -> Tensor:
    """The derivative of equation (9), negated and averaged over positions, with regard to the logits: [B, cells].

    ``values`` [B, cells] are the critic's, and ``stones`` bool [B, cells] are cells that cannot be played.
    """
    logits = logits.masked_fill(stones, -torch.inf)
    chance, log = logits.softmax(1), logits.log_softmax(1).masked_fill(stones, 0.0)
    gain = values - entropy * log
    return chance * ((chance * gain).sum(1, keepdim=True) - gain) / len(logits)
