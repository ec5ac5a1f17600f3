"""The clocks of one game: plain figures, told the time by whoever asks.

``now`` is always a monotonic time in seconds. Only one side's clock runs, and only while the game is open: once it is
decided the clocks stand for good, whatever is tried on the board afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fingal.game import BLACK, WHITE, Colour
from fingal.serve.web import messages

MOVES_LEFT = 25
"""An engine's move may take this part of its time: a game on 11x11 has about so many more moves of one side."""

RESERVE = 0.2
"""Seconds of a move that an engine leaves for everything but thinking."""


@dataclass(slots=True)
class GameClock:
    """What both sides have left, and who is thinking since when."""

    left: dict[Colour, float]
    increment: float
    running: Colour | None = None
    since: float = 0.0
    over: bool = False
    """Whether the game has ended: nothing runs any more."""

    @classmethod
    def of(cls, said: messages.Clock) -> GameClock:
        """Full clocks, standing until the first move."""
        return cls({BLACK: said.seconds, WHITE: said.seconds}, said.increment)

    @classmethod
    def restored(cls, data: dict[str, Any]) -> GameClock:
        """What ``data`` has written. The clock stands until it is started: nobody pays for a stopped server."""
        return cls({BLACK: data["black"], WHITE: data["white"]}, data["increment"], None, 0.0, data["over"])

    def data(self, now: float) -> dict[str, Any]:
        """As it is stored."""
        black, white = self.remaining(BLACK, now), self.remaining(WHITE, now)
        return {"black": black, "white": white, "increment": self.increment, "over": self.over}

    def remaining(self, side: Colour, now: float) -> float:
        """What a side has left, at least 0."""
        spent = now - self.since if side is self.running else 0.0
        return max(0.0, self.left[side] - spent)

    def start(self, side: Colour, now: float) -> None:
        """Let a side's clock run, and no other; nothing once the game is over."""
        self.stop(now)
        if not self.over:
            self.running, self.since = side, now

    def moved(self, side: Colour, now: float) -> None:
        """A side has moved: its clock stops and gets the increment."""
        self.stop(now)
        if not self.over:
            self.left[side] += self.increment

    def stop(self, now: float) -> None:
        """Stop the clock that runs."""
        if self.running is not None:
            self.left[self.running] = self.remaining(self.running, now)
            self.running = None

    def finish(self, now: float) -> None:
        """The game is decided."""
        self.stop(now)
        self.over = True

    def fallen(self, now: float) -> Colour | None:
        """The side whose time is up, if its is."""
        side = self.running
        return side if side is not None and self.remaining(side, now) <= 0 else None

    def allowance(self, side: Colour, now: float) -> float:
        """Seconds that an engine may think about its next move."""
        left = self.remaining(side, now)
        return max(0.05, min(left / MOVES_LEFT + self.increment, left / 2) - RESERVE)

    def said(self, now: float) -> messages.Clocks:
        """As the page is told."""
        black, white = (round(self.remaining(side, now), 3) for side in (BLACK, WHITE))
        running = None if self.running is None else messages.colour_name(self.running)
        return messages.Clocks(black=black, white=white, running=running)
