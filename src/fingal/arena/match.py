"""Two players, many games: who wins how often, as Black and as White."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from fingal.arena.results import Tally
from fingal.arena.sprt import Sprt
from fingal.arena.standings import labels
from fingal.arena.statistics import Rate
from fingal.arena.store import GameResult, StoredGame
from fingal.game import BLACK, WHITE, Colour


class Match:
    """The games played so far between two players. The first has Black in the games with odd numbers."""

    def __init__(
        self, names: tuple[str, str], games: Iterable[StoredGame | GameResult] = (), sprt: Sprt | None = None
    ) -> None:
        """Count some games, and test them one after the other where there is a sequential test."""
        self.names = names
        self.tally = Tally()
        self.trial = None if sprt is None else Trial(sprt)
        tested: dict[int, StoredGame | GameResult] = {}
        for game in games:
            self.tally.add(game)
            if self.trial is not None:
                tested[game.number] = game
        if self.trial is not None:
            self.trial.update(tested)

    def rate(self, player: int, colour: Colour | None = None) -> Rate:
        """How often a player (0 or 1) won, in all games or in those in which it had a colour."""
        wins = games = 0
        for (_, _, is_odd, winner), count in list(self.tally.scores.items()):  # a live table is drawn beside the games
            own = BLACK if is_odd == (player == 0) else WHITE
            if colour in (None, own):
                games += count
                wins += count if winner is own else 0
        return Rate(wins, games)

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
        failures = [{"game": one.number, "reason": one.reason} for one in self.tally.failures]
        return {
            "games": rate.games,
            "distinct_games": self.tally.distinct,
            "win_rate": rate.value,
            "interval": rate.interval,
            "sides": sides,
            "failures": failures,
            **({} if self.trial is None else {"sprt": self.trial.sprt.as_dict(self.trial.pairs)}),
        }

    def table(self) -> Table:
        """The score by player and colour, with 95% intervals; it fits on 80 columns."""
        title = f"{self.tally.games} games, {self.tally.distinct} distinct"
        table = Table(title=title, caption="95% intervals")
        table.add_column("player", overflow="fold", min_width=12)
        for heading in ("all games", "as Black", "as White"):
            table.add_column(heading, no_wrap=True)
        shown = labels(self.names)
        for player, name in enumerate(self.names):
            rates = (self.rate(player, colour) for colour in (None, *Colour))
            table.add_row(Text(shown[name]), *(_two_lines(rate) for rate in rates))
        return table


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

    def update(self, games: Mapping[int, StoredGame | GameResult]) -> None:
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


def _winner(game: StoredGame | GameResult) -> int:
    black = (game.number - 1) % 2
    return black if game.winner is BLACK else 1 - black


def _two_lines(rate: Rate) -> Text:
    low, high = rate.interval
    return Text(f"{100 * rate.value:5.1f}%  {rate.wins}/{rate.games}\n[{100 * low:.1f}, {100 * high:.1f}]")
