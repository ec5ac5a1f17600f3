"""Games as a store keeps them, for tests."""

from fingal.arena.store import StoredGame
from fingal.game import BLACK, WHITE, Colour


def game(number: int, black: str, white: str, winner: Colour, failure: str = "", key: str | None = None) -> StoredGame:
    """A game on 3x3 in the event 'match-1'; without a key it is like no other."""
    how = "forfeit" if failure else ""
    key = str(number) if key is None else key
    return StoredGame("match-1", number, black, white, 3, 3, "", winner, how, failure, 5, (1.0, 2.0), "(;)", key)


def results(*scores: tuple[str, str, int, int]) -> list[StoredGame]:
    """Games from lines of Black, White, how often Black won and how often White did."""
    found: list[StoredGame] = []
    for black, white, won, lost in scores:
        for winner in [BLACK] * won + [WHITE] * lost:
            found.append(game(len(found) + 1, black, white, winner))
    return found
