"""A line of moves as a review sees it: positions with what is known of them, and what follows for each move.

Values here are those of the side to move. A position is worth the best of its moves; the one that was played is worth
what the position after it is worth, which was looked at for longer. So the values along a line agree with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fingal.game import SWAP, Board, Colour, Record, Special
from fingal.players.searching import may_be_swapped
from fingal.solve import tables

FEW = 0.3
"""A move with less than this share of the best one's visits was not looked at enough to be called better."""


@dataclass(frozen=True, slots=True)
class Way:
    """A move that could be made."""

    move: int
    value: float
    visits: int
    variation: tuple[int, ...]


@dataclass(eq=False)
class Position:
    """A position of the line."""

    board: Board
    proof: int = 0
    """1: the side to move wins, -1: it loses, 0: not known."""
    winning: int | None = None
    """A move that is proved to win."""
    variation: tuple[int, ...] = ()
    """With a proof: how it goes on."""
    ways: list[Way] = field(default_factory=list)
    """What a search thinks of the moves, the best first, without the swap."""
    worth: float | None = None
    """As settled; None where nothing is known yet."""

    @property
    def is_opening(self) -> bool:
        """Whether the next move is the first one, and may be swapped."""
        return may_be_swapped(self.board)

    def prove(self, proof: int, winning: int | None = None, variation: Sequence[int] = ()) -> None:
        """Write down who wins when nobody swaps; where the side to move may swap, it wins in any case."""
        if proof == 0 or self.is_opening:
            return
        if self.board.can_swap and proof < 0:
            proof, winning, variation = 1, SWAP, (SWAP,)
        self.proof = proof
        if proof > 0 and winning is not None:
            self.winning, self.variation = winning, tuple(variation) or (winning,)

    def hopes(self, played: int | None) -> list[Way]:
        """Ways other than the one played that were looked at enough, the swap among them."""
        most = max((way.visits for way in self.ways), default=0)
        known = [way for way in self.ways if way.visits >= FEW * most]
        if self.board.can_swap and known:
            best = max(way.value for way in known)
            known.append(Way(SWAP, -best, most, (SWAP,)))
        return [way for way in known if way.move != played]


@dataclass(frozen=True, slots=True)
class Step:
    """A move of the line, from a position to the next one."""

    node: int
    """Its node's number."""
    colour: Colour
    move: int
    before: int
    after: int | None
    """None after a resignation."""


@dataclass(eq=False)
class Line:
    """Positions and the moves between them."""

    positions: list[Position]
    steps: list[Step]

    @classmethod
    def of(cls, record: Record, ids: Sequence[int]) -> Line:
        """A record's main line; ``ids`` are the numbers of its nodes, the root first. ValueError when one is illegal.

        Set-up, passes and exchanged sides are no moves to judge: after them the line begins anew.
        """
        line = cls([], [])
        board = record.board(record.root)
        for number, node in zip(ids, record.main_line, strict=True):
            if node.parent is None:
                continue
            after = record.board(node)
            is_move = node.move is not None and (node.move >= 0 or node.move in (SWAP, Special.RESIGN))
            if is_move and node.colour is not None and node.move is not None and not node.setup:
                board.turn = node.colour
                before = line._index(board)
                resigns = node.move == Special.RESIGN
                line.steps.append(Step(number, node.colour, node.move, before, None if resigns else line._index(after)))
            board = after
        for position in line.positions:
            if position.board.winner is not None:
                position.proof = 1 if position.board.winner is position.board.turn else -1
        return line

    def _index(self, board: Board) -> int:
        """The last position if it is this one, or a new one."""
        if not self.positions or self.positions[-1].board != board or self.positions[-1].board.turn != board.turn:
            self.positions.append(Position(board.copy()))
        return len(self.positions) - 1

    def last(self) -> Line | None:
        """The last move alone, with what is known of the positions before and after it; None when there is none."""
        if not self.steps:
            return None
        step = self.steps[-1]
        positions = [self.positions[step.before]]
        if step.after is not None:
            positions.append(self.positions[step.after])
        return Line(positions, [replace(step, before=0, after=None if step.after is None else 1)])

    def spread(self) -> None:
        """Let proofs decide their neighbours: before a lost position a won one, after a lost position too."""
        for position in self.positions:
            board = position.board
            if position.is_opening and len(tables.openings(board.width, board.height)) == board.cells:
                # Every opening is decided: the opponent takes the side that wins.
                position.proof = -1
        for step in reversed(self.steps):
            if step.after is not None and self.positions[step.after].proof < 0:
                before, after = self.positions[step.before], self.positions[step.after]
                if before.proof == 0 and not before.is_opening:
                    before.proof, before.winning, before.variation = 1, step.move, (step.move, *after.variation)
        for step in self.steps:
            if step.after is not None and self.positions[step.before].proof < 0:
                after = self.positions[step.after]
                after.proof = after.proof or 1

    def settle(self) -> None:
        """Find what every position is worth, from the end of the line to its beginning."""
        played = {step.before: step for step in self.steps}
        for index in reversed(range(len(self.positions))):
            position = self.positions[index]
            if position.proof:
                position.worth = float(position.proof)
                continue
            step = played.get(index)
            known = [way.value for way in position.hopes(None if step is None else step.move)]
            # Who resigns has thrown away what the position was worth: that says nothing of it.
            if step is not None and step.after is not None and (worth := self.positions[step.after].worth) is not None:
                known.append(-worth)
            else:
                known += [way.value for way in position.ways if step is not None and way.move == step.move]
            position.worth = max(known, default=None)

    def outcome(self, step: Step) -> float | None:
        """What a move left to who made it."""
        if step.after is None:
            return -1.0
        worth = self.positions[step.after].worth
        return None if worth is None else -worth

    def better(self, step: Step) -> Way | None:
        """What was better than the move played; None when nothing was."""
        position, outcome = self.positions[step.before], self.outcome(step)
        if outcome is None or position.worth is None or position.worth <= outcome:
            return None
        if position.proof > 0 and position.winning is not None:
            return Way(position.winning, 1.0, 0, position.variation)
        return max(position.hopes(step.move), key=lambda way: way.value, default=None)

    def expected(self, step: Step) -> tuple[int, ...]:
        """The move played and what then follows."""
        if step.after is None:
            return (step.move,)
        after = self.positions[step.after]
        follows = after.variation or (after.ways[0].variation if after.ways else ())
        return (step.move, *follows)
