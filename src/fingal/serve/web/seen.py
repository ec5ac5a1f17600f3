"""What a player that thinks is seen to think: its move, its candidates, ready to be told to a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from fingal.game import SWAP, Board, Colour
from fingal.search.growing import Candidate, Search
from fingal.serve.web import messages

Proof = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a player thinks of a position so far. Values are Black's."""

    player: str
    """Its name."""
    visits: int
    value: float
    proof: Proof
    """1: the side to move is proven to win, -1: to lose."""
    candidates: tuple[messages.Candidate, ...]
    """The best first."""
    seconds: float
    done: bool
    """Whether nothing more comes."""

    def message(self, game: str, node: int, slot: int = 0) -> messages.Analysis:
        """The same as a page is told it."""
        return messages.Analysis(
            game=game,
            node=node,
            slot=slot,
            player=self.player,
            visits=self.visits,
            value=self.value,
            proof=self.proof,
            candidates=list(self.candidates),
            seconds=self.seconds,
            done=self.done,
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """A player's move."""

    move: int
    """A cell, ``SWAP`` or ``RESIGN``."""
    name: str
    """The player's."""
    value: float | None
    """What it thinks of the position after the move, Black's view; None where the move rests on no judgement."""
    remark: str
    """What the move rests on, in a sentence; often empty."""
    seconds: float
    seen: Seen | None
    """What its search found; None where it did not search."""


def seen_in(search: Search, player: str, board: Board, lines: int, seconds: float, *, done: bool) -> Seen:
    """What a search that stands at a board has found so far, ``lines`` candidates at most."""
    found = search.analysis(seconds, lines)
    best = max((_worth(candidate) for candidate in found.candidates[:1]), default=0.0)
    return Seen(
        player,
        found.visits,
        black_value(float(found.proof or found.value), found.turn),
        cast(Proof, found.proof),
        tuple(_told(candidate, best, board) for candidate in found.candidates),
        round(seconds, 3),
        done,
    )


def single(board: Board, move: int, value: float | None, player: str, seconds: float) -> Seen:
    """What a player that does not search has to say: one move, and what it thinks of the position if anything."""
    worth = black_value(value or 0.0, board.turn)
    name = board.name(move)
    candidate = messages.Candidate(move=name, visits=1, value=worth, loss=0.0, prior=1.0, proof=0, variation=[name])
    return Seen(player, 1, worth, 0, (candidate,), round(seconds, 3), True)


def black_value(value: float, turn: Colour) -> float:
    """A value of the side to move as Black's, inside [-1, 1]."""
    inside = min(1.0, max(-1.0, value))
    return inside if turn is Colour.BLACK else -inside


def value_after(value: float | None, turn: Colour, move: int) -> float | None:
    """Black's view of what a player thinks of the position after its move, given what it thought of the one before."""
    if value is None:
        return None
    # After a swap the board is mirrored: what was White's to move is Black's.
    return black_value(value, turn.other if move == SWAP else turn)


def _worth(candidate: Candidate) -> float:
    return float(candidate.proof or candidate.value)


def _told(candidate: Candidate, best: float, board: Board) -> messages.Candidate:
    worth = min(1.0, max(-1.0, _worth(candidate)))
    return messages.Candidate(
        move=board.name(candidate.move),
        visits=candidate.visits,
        value=black_value(worth, board.turn),
        loss=min(2.0, max(0.0, best - worth)),
        prior=candidate.prior,
        proof=cast(Proof, candidate.proof),
        variation=[board.name(move) for move in candidate.variation],
    )
