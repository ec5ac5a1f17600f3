"""Who plays whom, from which opening and with which colours.

Every pairing plays two games from each opening, one with each colour. A game's number says all of that, whatever has
been played: so a tournament can be stopped and resumed anywhere, and more games can be asked for later. Games are
computed from their numbers when they are due, so that a schedule of any length begins at once.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fingal.arena.number_set import NumberSet

KINDS = ("match", "round-robin", "gauntlet", "swiss")


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game of a schedule; players by number."""

    number: int
    """From 1."""
    black: int
    white: int
    opening: int
    """Which one, counted from 0; there may be fewer, and then they are used again."""


@dataclass(frozen=True, slots=True)
class DoubleGames:
    """So many games for each pair, an opening at a time; of the two from an opening each player has Black once."""

    met: Sequence[tuple[int, int]]
    """The pairs."""
    games: int
    """For each pair; where they are odd, the last opening is played once."""
    first: int = field(default=1, kw_only=True)
    """The number of the first game."""
    opening: int = field(default=0, kw_only=True)
    """The first opening."""

    @property
    def stop(self) -> int:
        """All numbers are smaller than this."""
        return self.first + 2 * len(self.met) * ((self.games + 1) // 2)

    def __contains__(self, number: int) -> bool:
        if not self.first <= number < self.stop:
            return False
        turn, is_second = (number - self.first) // 2 // len(self.met), (number - self.first) % 2
        return 2 * turn + is_second < self.games

    def __getitem__(self, number: int) -> Pairing:
        """The game of a number; KeyError when there is none."""
        if number not in self:
            raise KeyError(number)
        double, is_second = divmod(number - self.first, 2)
        turn, index = divmod(double, len(self.met))
        one, two = self.met[index]
        return Pairing(number, two if is_second else one, one if is_second else two, self.opening + turn)

    def __iter__(self) -> Iterator[Pairing]:
        return self.without(NumberSet())

    def without(self, played: NumberSet) -> Iterator[Pairing]:
        """The games in order but for those in ``played``, to which numbers may be added meanwhile."""
        number = played.first_missing(self.first)
        while number < self.stop:
            if number in self:
                yield self[number]
            number = played.first_missing(number + 1)


def pairs(kind: str, players: int, heads: int = 1) -> list[tuple[int, int]]:
    """Who meets whom: everyone everyone else, or in a gauntlet the first ``heads`` players everyone after them."""
    if kind == "gauntlet":
        return [(head, other) for head in range(heads) for other in range(heads, players)]
    return list(itertools.combinations(range(players), 2))


def rounds(
    kind: str, players: int, games: int, won: Mapping[int, int], *, heads: int = 1, swiss_rounds: int = 0
) -> Iterator[DoubleGames]:
    """The games, a round at a time: all of a round have to be over before the next is asked for.

    ``games`` are those of each pairing. ``won`` says who has won which game, by number; it is looked at anew for every
    round. Only a Swiss tournament has more than one.
    """
    if kind != "swiss":
        yield DoubleGames(pairs(kind, players, heads), games)
        return
    met: list[list[tuple[int, int]]] = []
    score: dict[int, float] = dict.fromkeys(range(players), 0.0)
    for number in range(swiss_rounds):
        paired, bye = swiss_pairs(score, met)
        met.append(paired)
        # Every round has the same number of games, whatever its pairs are.
        first = 1 + number * 2 * len(paired) * ((games + 1) // 2)
        due = DoubleGames(paired, games, first=first, opening=number * ((games + 1) // 2))
        yield due
        for pairing in due:
            score[won[pairing.number]] += 1
        if bye is not None:
            score[bye] += games / 2


def swiss_pairs(
    score: Mapping[int, float], met: Sequence[Sequence[tuple[int, int]]]
) -> tuple[list[tuple[int, int]], int | None]:
    """The pairs of the next round, and who sits it out when the number of players is odd.

    Players of like scores meet, the best first, and nobody meets a rival twice while that can be avoided; the first
    round pairs the upper half with the lower half. The bye goes to the last player who has had the fewest.
    """
    order = sorted(score, key=lambda player: (-score[player], player))
    bye = None
    if len(order) % 2:
        played = defaultdict(int, {player: sum(player in pair for pair in itertools.chain(*met)) for player in order})
        bye = max(order, key=lambda player: (played[player], order.index(player)))
        order.remove(bye)
    if not met:
        half = len(order) // 2
        return list(zip(order[:half], order[half:], strict=True)), bye
    rivals = {frozenset(pair) for pair in itertools.chain(*met)}
    return _paired(order, rivals) or list(zip(order[::2], order[1::2], strict=True)), bye


def _paired(order: list[int], rivals: set[frozenset[int]], budget: int = 100_000) -> list[tuple[int, int]] | None:
    """Pair the first player with the nearest it has not met, and so on, going back where the rest has no way out."""
    left = [budget]

    def pair(rest: list[int]) -> list[tuple[int, int]] | None:
        if not rest:
            return []
        first, *others = rest
        for second in others:
            left[0] -= 1
            if left[0] < 0:
                return None
            if frozenset((first, second)) not in rivals:
                found = pair([player for player in others if player != second])
                if found is not None:
                    return [(first, second), *found]
        return None

    return pair(order)
