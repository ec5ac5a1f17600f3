"""Two players, many games: who wins how often, as Black and as White."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from rich.text import Text

from fingal.arena.sprt import Sprt
from fingal.arena.standings import labels
from fingal.arena.statistics import Rate
from fingal.arena.store import StoredGame, distinct
from fingal.game import BLACK, Colour


@dataclass(slots=True)
class Match:
    """The games played so far between two players. The first has Black in the games with odd numbers."""

    names: tuple[str, str]
    games: list[StoredGame] = field(default_factory=list)
    sprt: Sprt | None = None

    def rate(self, player: int, colour: Colour | None = None) -> Rate:
        """How often a player (0 or 1) won, in all games or in those in which it had a colour."""
        games = [g for g in self.games if colour is None or (_black(g) == player) == (colour is Colour.BLACK)]
        return Rate(sum(_winner(g) == player for g in games), len(games))

    def summary(self) -> dict[str, Any]:
        """What ``--json`` prints; ``win_rate``, ``interval`` and ``sprt`` are the first player's."""
        rate = self.rate(0)
        sides = [
            {
                "player": self.names[player],
                "wins": self.rate(player).wins,
                **{str(colour): self.rate(player, colour).as_dict() for colour in Colour},
            }
            for player in (0, 1)
        ]
        failures = [{"game": g.number, "reason": g.failure} for g in self.games if g.failure]
        return {
            "games": rate.games,
            "distinct_games": distinct(self.games),
            "win_rate": rate.value,
            "interval": rate.interval,
            "sides": sides,
            "failures": failures,
            **({} if (trial := self.trial()) is None else {"sprt": trial.sprt.as_dict(trial.pairs)}),
        }

    def table(self) -> Table:
        """The score by player and colour, with 95% intervals; it fits on 80 columns."""
        title = f"{len(self.games)} games, {distinct(self.games)} distinct"
        table = Table(title=title, caption="95% intervals")
        table.add_column("player", overflow="fold", min_width=12)
        for heading in ("all games", "as Black", "as White"):
            table.add_column(heading, no_wrap=True)
        shown = labels(self.names)
        for player, name in enumerate(self.names):
            rates = (self.rate(player, colour) for colour in (None, *Colour))
            table.add_row(Text(shown[name]), *(_two_lines(rate) for rate in rates))
        return table

    def trial(self) -> Trial | None:
        """The sequential test, if there is one."""
        if self.sprt is None:
            return None
        trial = Trial(self.sprt)
        trial.update({game.number: game for game in self.games})
        return trial


class Trial:
    """A sequential test under way: pairs of games, both from one opening, in the order of their numbers.

    Only the pairs before the first gap count. With several games at once they end out of order, and those that end
    early must not count before the others: quick games may be won more often. What comes after the verdict is not
    looked at.
    """

    def __init__(self, sprt: Sprt) -> None:
        """With no games yet."""
        self.sprt = sprt
        self.pairs = [0, 0, 0]
        """How many the first player scored 0, 1/2 and 1 in."""
        self.verdict: float | None = None
        """The Elo that is accepted; None while neither is."""
        self._next = 1

    def update(self, games: Mapping[int, StoredGame]) -> None:
        """Take in the pairs that have become whole; games by number."""
        while self.verdict is None and self._next in games and self._next + 1 in games:
            pair = games[self._next], games[self._next + 1]
            self.pairs[sum(_winner(game) == 0 for game in pair)] += 1
            self._next += 2
            self.verdict = self.sprt.verdict(self.pairs)

    def line(self, name: str) -> str:
        """What the test says of the player of that name, in one line."""
        (low, high), sprt = self.sprt.bounds, self.sprt
        said = "not decided" if self.verdict is None else f"{self.verdict:+g} Elo is accepted"
        return (
            f"{said}: {name} is {sprt.elo0:+g} or {sprt.elo1:+g} Elo better; log-likelihood ratio "
            f"{sprt.llr(self.pairs):.2f} in ({low:.2f}, {high:.2f}) after {sum(self.pairs)} pairs of games"
        )


def _black(game: StoredGame) -> int:
    return (game.number - 1) % 2


def _winner(game: StoredGame) -> int:
    return _black(game) if game.winner is BLACK else 1 - _black(game)


def _two_lines(rate: Rate) -> Text:
    low, high = rate.interval
    return Text(f"{100 * rate.value:5.1f}%  {rate.wins}/{rate.games}\n[{100 * low:.1f}, {100 * high:.1f}]")
