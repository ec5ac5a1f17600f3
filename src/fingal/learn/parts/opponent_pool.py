"""A pool of past selves, and the random player before them, as one opponent: another of them answers at every move."""

from __future__ import annotations

import itertools
from typing import Literal

import torch
from torch import Tensor

from fingal.learn.parts.flat_net import FlatNet
from fingal.learn.parts.mirror import best_cell, random_cell

Likeliest = Literal["newest", "oldest"]


def chances(members: int, decay: float, likeliest: Likeliest = "newest") -> list[float]:
    """Equation (2): how likely each of so many members answers, the oldest first.

    The newest has weight 1 and each older one ``decay`` times that of the next. ``oldest`` gives the weights as the
    public program has them by mistake: 1 to the oldest, ``decay`` to the newest, and so on down from there.
    """
    weights = [decay ** (members - 1 - number) for number in range(members)]
    if likeliest == "oldest":
        weights = [decay ** ((members - number) % members) for number in range(members)]
    return [weight / sum(weights) for weight in weights]


class Pool:
    """The members. The first is the random player; the others are nets of one shape, which play their best cells."""

    def __init__(
        self,
        flat: FlatNet,
        most: int,
        count: int,
        groups: int,
        decay: float = 0.9,
        likeliest: Likeliest = "newest",
    ) -> None:
        """Room for ``most`` nets, who answer in ``count`` games.

        The games are in so many groups of neighbours, and at every move each group draws a member, so that it is enough
        to ask ``groups`` nets. Every game meets each member as often as its chance says, at every move anew; only the
        games of one group meet the same one at the same time.
        """
        self._flat, self._decay, self._likeliest = flat, decay, likeliest
        # A graph cannot look at who was drawn.
        self.looks = flat.device.type == "cpu"
        """Whether only those who were drawn are asked; otherwise the random player's groups ask a net in vain."""
        groups = min(groups, count)
        edges = [number * count // groups for number in range(groups + 1)]
        self._groups = [slice(*pair) for pair in itertools.pairwise(edges)]
        self._first = torch.tensor(edges[:-1], device=flat.device)
        self.nets = torch.zeros((most, flat.width), device=flat.device)
        """float32 [most, width]: the nets, the oldest first."""
        self._views = [flat.views(net) for net in self.nets]
        self.members = 0
        """How many there are, with the random player."""
        self._reached = torch.ones(most + 1, device=flat.device)
        """[most + 1]: the sum of the chances up to each member."""
        self._grow()

    def _grow(self) -> None:
        self.members += 1
        reached = torch.tensor(chances(self.members, self._decay, self._likeliest), dtype=torch.float64).cumsum(0)
        self._reached[: self.members - 1] = reached[:-1].float().to(self._reached.device)

    def add(self, numbers: Tensor) -> None:
        """A net [width] is the newest member from now on."""
        self.nets[self.members - 1] = numbers
        self._grow()

    @torch.no_grad()
    def reply(self, boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
        """The answers of the members that are drawn: see ``opponent_games.Reply``; B is always ``count``."""
        who = torch.searchsorted(self._reached, lots[1, self._first], right=True)
        answers = random_cell(legal, lots[0])
        if self.looks:
            for rows, member in zip(self._groups, who.tolist(), strict=True):
                if member:
                    said = self._flat.say(self._views[member - 1], boards[rows])
                    answers[rows] = best_cell(said, legal[rows])[1]
            return answers
        for rows, member in zip(self._groups, who, strict=True):
            numbers = self.nets.index_select(0, (member - 1).clamp(min=0).unsqueeze(0))[0]
            best = best_cell(self._flat.say(self._flat.views(numbers), boards[rows]), legal[rows])[1]
            answers[rows] = torch.where(member > 0, best, answers[rows])
        return answers
