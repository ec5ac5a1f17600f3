"""Claimed connections of positions of real games, attacked by plain search of their carriers."""

import random
from collections.abc import Iterator
from pathlib import Path

from fingal.analysis.connections import Connection, Connections
from fingal.game import Board, Colour

GAMES = Path(__file__).parents[1] / "data" / "connections" / "games.txt"


def games() -> Iterator[tuple[int, list[str]]]:
    for line in GAMES.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            size, *moves = line.split()
            yield int(size), moves


def claims(view: Connections) -> list[Connection]:
    return [*view.fulls(), *view.semis()]


def attack(size: int, moves: list[str], each: int, largest: int, seed: int) -> int:
    """Some of the claims in two positions of a game, as found from scratch and after further moves; how many."""
    rng, attacked = random.Random(f"{size} {moves} {seed}"), 0
    for colour in Colour:
        board = Board(size)
        ply = rng.randrange(max(1, len(moves) - 5))
        for move in moves[:ply]:
            board.push(move)
        view = Connections(board, colour)
        for further in ([], moves[ply : ply + 3]):
            for move in further:
                own = board.turn is colour
                cell = board.cell(move)
                board.push(cell)
                view.add([cell] if own else [], [] if own else [cell])
            found = [c for c in claims(view) if 2 <= len(c.carrier) <= largest]
            # Large carriers are rare, and where mistakes would hide: as many of the largest as of all.
            found.sort(key=lambda c: -len(c.carrier))
            for claim in found[: each // 4] + rng.sample(found, min(len(found), each)):
                held = view.holds(claim.a, claim.b, sorted(claim.carrier), claim.semi)
                assert held, f"{size} {moves[: board.ply]} {colour} {claim}"
                attacked += 1
    return attacked
