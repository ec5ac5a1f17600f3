"""Deep Q-learning with a target net that follows softly; docs/dqn.md has the equations by number.

An update is a function of tensors that stay where they are, so that on a GPU many of them can be one graph.
"""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from fingal.learn.parts.flat_net import FlatNet
from fingal.learn.parts.mirror import best_cell
from fingal.learn.parts.opponent_games import legal_cells
from fingal.learn.parts.time_ring import TimeRing

Squash = Literal["sigmoid", "tanh"]

FIRST, SECOND, EPSILON, DECAY = 0.9, 0.999, 1e-8, 0.01
"""AdamW's, as torch has them."""

CLIP = 100.0
"""No number of a gradient is larger."""

WARM_UP, COOLING = 10, 0.995
"""The published rate's: episodes in which it rises, and what it is multiplied by after each later one."""


def exploration(move: Tensor, first: float, last: float, scale: float) -> Tensor:
    """Equation (1): how often a move is random, last + (first - last) exp(-move / scale)."""
    return last + (first - last) * torch.exp(-move / scale)


def published_rate(rate: float, episode: int) -> float:
    """Equation (7): the learning rate of an episode, counted from 0: it rises along a line, then falls by 0.995."""
    return rate * min(1.0, (episode + 1) / WARM_UP) * COOLING ** max(0, episode - WARM_UP)


def target(gained: Tensor, carried: Tensor, value: Tensor) -> Tensor:
    """Equation (3) or (4): y = the rewards + what is carried of the value of what follows, all [B]."""
    return gained + carried * value


def costs(said: Tensor, aim: Tensor, squash: Squash) -> Tensor:
    """Equation (5): what each move's number costs, before its squash, [B]: cross-entropy, or the squared error."""
    if squash == "sigmoid":
        return F.binary_cross_entropy_with_logits(said, aim, reduction="none")
    return (said.tanh() - aim).square()


def squashed(said: Tensor, squash: Squash) -> Tensor:
    """Values of numbers."""
    return said.sigmoid() if squash == "sigmoid" else said.tanh()


class AmsGrad:
    """AdamW with AMSGrad for one vector: what torch's own does, on tensors that stay where they are."""

    def __init__(self, numbers: Tensor, rate: float) -> None:
        """Begin with numbers [width], which it changes in place."""
        self.numbers = numbers
        self.rate = torch.tensor(rate, device=numbers.device)
        self.mean, self.square, self.largest = (torch.zeros_like(numbers) for _ in range(3))
        self.steps = torch.zeros((), device=numbers.device)

    def step(self, gradient: Tensor) -> None:
        """Equation (6): one step down a gradient [width]."""
        self.steps += 1
        self.mean.lerp_(gradient, 1 - FIRST)
        self.square.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
        torch.maximum(self.largest, self.square, out=self.largest)
        below = (self.largest / (1 - SECOND**self.steps)).sqrt_().add_(EPSILON)
        step = self.rate / (1 - FIRST**self.steps)
        self.numbers.mul_(1 - self.rate * DECAY).sub_(step * self.mean / below)

    def begin(self) -> None:
        """Forget everything but the numbers."""
        for tensor in (self.mean, self.square, self.largest, self.steps):
            tensor.zero_()

    def state(self) -> dict[str, Tensor]:
        """Everything that changes."""
        names = ("numbers", "mean", "square", "largest", "steps")
        return {name: getattr(self, name) for name in names}


class SoftQ:
    """A net's numbers, those of its target net, and how they change."""

    def __init__(
        self,
        flat: FlatNet,
        numbers: Tensor,
        ring: TimeRing,
        *,
        rate: float,
        softness: float,
        squash: Squash,
        double: bool,
        compiled: bool = False,
    ) -> None:
        """Begin with numbers [width]; ``compiled`` takes half a minute at the first update, and less at each."""
        self.flat, self.ring, self.squash = flat, ring, squash
        self.numbers, self.still = numbers.clone(), numbers.clone()
        self.optimiser = AmsGrad(self.numbers, rate)
        self.cost = torch.zeros((), device=numbers.device)
        """The sum of all updates' costs since it was last set to 0."""
        self._softness, self._double = softness, double
        self._say = torch.compile(flat.say, dynamic=False) if compiled else flat.say
        self._views, self._still = flat.views(self.numbers), flat.views(self.still)
        # Leaves that share the vector's memory: a gradient for each, and none for how they were cut out of it.
        self._learned = {name: view.detach().requires_grad_() for name, view in self._views.items()}

    @torch.no_grad()
    def values(self, boards: Tensor) -> Tensor:
        """What the net says of boards now, [B, cells], before the squash."""
        return self.flat.say(self._views, boards)

    def best(self, boards: Tensor, legal: Tensor) -> Tensor:
        """The best cells, int64 [B]."""
        return best_cell(self.values(boards), legal)[1]

    def update(self, lots: Tensor) -> None:
        """Learn once from the moves that numbers float64 [batch] in [0, 1) draw."""
        with torch.no_grad():
            lesson = self.ring.draw(lots)
            legal = legal_cells(lesson.following)
            later = self._say(self._still, lesson.following)
            chosen = self._say(self._views, lesson.following) if self._double else later
            best = best_cell(chosen, legal)[1].unsqueeze(1)
            aim = target(lesson.gained, lesson.carried, squashed(later.gather(1, best).squeeze(1), self.squash))
        with torch.enable_grad():
            said = self._say(self._learned, lesson.boards).gather(1, lesson.cell.unsqueeze(1)).squeeze(1)
            cost = (lesson.weight * costs(said, aim, self.squash)).mean()
            parts = torch.autograd.grad(cost, list(self._learned.values()))
        with torch.no_grad():
            self.cost += cost
            self.ring.judge(lesson.at, squashed(said, self.squash) - aim)
            self.optimiser.step(torch.cat([part.flatten() for part in parts]).clamp_(-CLIP, CLIP))
            self.still.lerp_(self.numbers, self._softness)

    def begin(self, numbers: Tensor | None = None) -> None:
        """A new generation: a new optimiser and, where there are, other numbers [width]."""
        self.optimiser.begin()
        if numbers is not None:
            self.numbers.copy_(numbers)
            self.still.copy_(numbers)

    def state(self) -> dict[str, Tensor]:
        """Everything that changes beside the ring and the cost."""
        return self.optimiser.state() | {"still": self.still}
