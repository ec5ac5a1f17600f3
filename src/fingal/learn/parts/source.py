"""Where games to learn from come from. ``Local`` plays them here; ``ray_source`` has them played on other machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from torch import Tensor

from fingal.learn.parts.actor import Actor
from fingal.learn.parts.delivery import Delivery, Net, Newest
from fingal.learn.parts.versus import raw_match


class Match(NamedTuple):
    """Two nets to play each other without search."""

    version: int
    """The first's."""
    first: Net
    second: Net
    size: int
    games: int


class SourceError(ValueError):
    """Those who play fail again and again. The message is one sentence for a person."""


class Source(Protocol):
    """Who plays, seen by who learns. A source asks for the newest weights when it wants them."""

    def deliveries(self) -> list[Delivery]:
        """Some more games, or none yet. One may come again, and in any order: the learner sorts that out.

        SourceError when there is no hope that more will come; nothing is lost then.
        """

    def renew(self) -> None:
        """Let games begin from openings that the newest weights think even."""

    def begin_match(self, match: Match) -> None:
        """Have a match played."""

    def scores(self, wait: bool = False) -> list[tuple[int, float]]:
        """Matches that have ended since the last call: the first net's version, and how often it won.

        With ``wait`` all that have begun.
        """

    def figures(self) -> dict[str, float]:
        """What there is to tell of those who play."""

    def rest(self) -> None:
        """Do nothing until the next call, so that ``kept`` may be asked."""

    def kept(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What has to be kept to go on exactly here: tensors by name, and what JSON can hold."""

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Go on with what ``kept`` gave."""

    def close(self) -> None:
        """Play no more."""


class Local:
    """One actor in this process, which plays a round whenever it is asked. With it a run of steps is reproducible."""

    def __init__(self, actor: Actor, newest: Newest) -> None:
        """Begin; ``renew`` comes before the first round."""
        self.actor, self._newest = actor, newest
        self._scores: list[tuple[int, float]] = []

    def deliveries(self) -> list[Delivery]:
        """One round; at the end of a turn of all pools, what has finished."""
        if not self.actor.play():
            return []
        found = self.actor.deliver()
        self.actor.take(*self._newest())
        return found

    def renew(self) -> None:
        """Draw openings anew."""
        self.actor.take(*self._newest())
        self.actor.draw_openings()

    def begin_match(self, match: Match) -> None:
        """Play the match."""
        self._scores.append((match.version, raw_match(match.first, match.second, match.size, match.games)))

    def scores(self, wait: bool = False) -> list[tuple[int, float]]:
        """The scores of matches since the last call."""
        ended, self._scores = self._scores, []
        return ended

    def figures(self) -> dict[str, float]:
        """Nothing that the learner does not know."""
        return {}

    def rest(self) -> None:
        """Let go of judgements under way."""
        self.actor.rest()

    def kept(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The actor's games."""
        return self.actor.kept()

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """The actor's games. A run that was elsewhere has none to go on with: new ones begin."""
        if about:
            self.actor.restore(tensors, about)

    def close(self) -> None:
        """There is nothing to end."""
