"""One game that people look at: its tree, where it stands, who plays, its clocks, and what may be done to it.

Nothing here is stored or told: every change returns an ``Edit``, which ``games.Games`` stores and then tells. ``now``
is a monotonic time in seconds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from fingal.game import BLACK, RESIGN, SWAP, WHITE, Board, Colour, Record, Result
from fingal.game.record import Mark, Node
from fingal.serve.web import messages
from fingal.serve.web.clock import GameClock
from fingal.serve.web.messages import ColourName
from fingal.serve.web.refusal import Refusal
from fingal.serve.web.seats import PERSON
from fingal.serve.web.store import Stored
from fingal.serve.web.tree import Tree, colour, winner_by_move

How = Literal["", "connection", "resign", "time"]


class Follower(Protocol):
    """Whoever is told of a game: a page."""

    def tell(self, message: messages.Said) -> None:
        """Take a message to be sent; never waits."""
        ...


@dataclass(frozen=True, slots=True)
class Edit:
    """What has changed, by the numbers of nodes."""

    nodes: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    first: int | None = None
    settings: bool = False
    """Whether settings or names have."""
    node: int | None = None
    """What a move is answered with."""


@dataclass(eq=False, slots=True)
class LiveGame:
    """A game in memory."""

    id: str
    settings: messages.Settings
    names: dict[ColourName, str]
    tree: Tree
    current: int
    created: float
    changed: float
    revision: int = 0
    clock: GameClock | None = None
    ended: tuple[int, Colour, How] | None = None
    """At which node who has won, and how, where the board and the moves do not say it: a flag fell, a file says so."""
    arrived: float = 0.0
    """When the game came to the node where it stands."""
    followers: set[Follower] = field(default_factory=set)
    thinking: tuple[int, str] | None = None
    """At which node which player is at work."""
    failed: tuple[int, str] | None = None
    """At which node which player could not move: it is not asked there again."""
    stored: float = 0.0
    """When the game was stored last, or loaded."""
    stale: bool = False
    """Whether it holds a change that could not be stored, and must be read anew before it is used."""

    # --- what is so -------------------------------------------------------------------------------------------------

    def decided(self, node: int, board: Board | None = None) -> tuple[Colour | None, How]:
        """Who has won at a node, and how."""
        if (winner := winner_by_move(self.tree.node(node))) is not None:
            return winner, "resign"
        board = self.tree.board(node) if board is None else board
        if board.winner is not None:
            return board.winner, "connection"
        return self.ended[1:] if self.ended is not None and self.ended[0] == node else (None, "")

    def seat(self, side: Colour) -> str:
        """Who plays a colour, as the settings say it."""
        return self.settings.black if side is BLACK else self.settings.white

    def stands_after(self, node: int) -> bool:
        """Whether a node is on the line that leads to where the game stands: it has not been taken back."""
        return node in self.tree.nodes and self.tree.nodes[node] in self.tree.node(self.current).line()

    @property
    def end(self) -> Node:
        """The last node of the game itself, on the main line; what was taken back there or tried later is below it."""
        line = self.tree.record.main_line
        if self.ended is not None and (node := self.tree.node(self.ended[0])) in line:
            return node
        return line[-1]

    @property
    def on_the_clock(self) -> bool:
        """Whether it is played against the clock and still open."""
        return self.clock is not None and not self.clock.over

    def status(self, now: float) -> messages.Status:
        """How the game stands where it stands."""
        board = self.tree.board(self.current)
        winner, how = self.decided(self.current, board)
        return messages.Status(
            turn=messages.colour_name(board.turn),
            can_swap=board.can_swap and winner is None,
            winner=None if winner is None else messages.colour_name(winner),
            how=how,
            chain=[board.name(cell) for cell in board.winning_chain()],
            thinking=self.thinking is not None,
            clocks=None if self.clock is None else self.clock.said(now),
        )

    def whole(self, now: float) -> messages.Game:
        """All of it, for a page."""
        return messages.Game(
            id=self.id,
            revision=self.revision,
            settings=self.settings,
            names=self.names,
            created=self.created,
            nodes=self.tree.all(),
            current=self.current,
            status=self.status(now),
        )

    def change(self, edit: Edit, now: float) -> messages.Changed:
        """What a page that knows the game is told of an edit."""
        return messages.Changed(
            game=self.id,
            revision=self.revision,
            nodes=[self.tree.said(number) for number in edit.nodes],
            removed=list(edit.removed[:1]),
            first=edit.first,
            current=self.current,
            status=self.status(now),
            settings=self.settings if edit.settings else None,
            names=self.names if edit.settings else None,
        )

    def summary(self) -> messages.Summary:
        """A line of the list of games."""
        board = self.tree.board(self.current)
        winner = self.decided(self.current, board)[0]
        stones: dict[ColourName, list[str]] = {"black": [], "white": []}
        for cell in range(board.cells):
            if (stone := board.colour_at(cell)) is not None:
                stones[messages.colour_name(stone)].append(board.name(cell))
        return messages.Summary(
            id=self.id,
            title=self.settings.title,
            names=self.names,
            width=self.settings.width,
            height=self.settings.height,
            moves=sum(step.move is not None for step in self.tree.node(self.current).line()),
            winner=None if winner is None else messages.colour_name(winner),
            changed=self.changed,
            stones=stones,
        )

    def exported(self) -> Record:
        """The record with names and result as they stand, for a file."""
        record = self.tree.record
        winner, how = self.decided(self.tree.ids[self.end])
        return replace(
            record,
            players={BLACK: self.names["black"], WHITE: self.names["white"]},
            result=None if winner is None else Result(winner, "" if how == "connection" else how),
            tags=record.tags | ({"name": self.settings.title} if self.settings.title else {}),
        )

    # --- what is stored ---------------------------------------------------------------------------------------------

    def head(self, now: float) -> dict[str, Any]:
        """All but the nodes, as it is stored."""
        return {
            "settings": self.settings.model_dump(),
            "names": self.names,
            "current": self.current,
            "created": self.created,
            "changed": self.changed,
            "revision": self.revision,
            "next": self.tree.next,
            "tags": self.tree.record.tags,
            "clock": None if self.clock is None else self.clock.data(now),
            "ended": None if self.ended is None else [self.ended[0], str(self.ended[1]), self.ended[2]],
        }

    @classmethod
    def restored(cls, stored: Stored) -> LiveGame:
        """What ``head`` and the tree's rows have written."""
        head = stored.head
        settings = messages.Settings.model_validate(head["settings"])
        record = Record(settings.width, settings.height, settings.swap, tags=head["tags"])
        ended = head["ended"]
        return cls(
            stored.id,
            settings,
            head["names"],
            Tree.restored(record, stored.rows, head["next"]),
            head["current"],
            head["created"],
            head["changed"],
            head["revision"],
            None if head["clock"] is None else GameClock.restored(head["clock"]),
            None if ended is None else (ended[0], colour(ended[1]), ended[2]),
        )

    # --- what may be done -------------------------------------------------------------------------------------------

    def play(self, parent: int, text: str, now: float, *, engine: bool = False) -> Edit:
        """A move after a node: the game's own where it stands, a variation elsewhere."""
        board = self.tree.board(parent)
        # Where a flag has fallen, what is tried on the board is no part of the game any more.
        here = parent == self.current and (self.ended is None or self.ended[0] != parent)
        if (winner := winner_by_move(self.tree.node(parent))) is not None:
            raise Refusal("illegal", f"the game is over there: {winner.other} has resigned")
        mover, move = board.turn, _read(text, board)
        if here and not engine and self.seat(mover) != PERSON:
            if move != RESIGN or self.seat(mover.other) != PERSON:
                raise Refusal(
                    "refused", f"it is {mover}'s turn, and {self.names[messages.colour_name(mover)]} plays {mover}"
                )
            mover = mover.other  # a person may give up while the engine thinks
        number = self.tree.child(parent, mover, move)
        known = number is not None
        if number is None:
            number = self.tree.add(parent, mover, move)
        if not here:
            return Edit(() if known else (number,), node=number)
        facts = self.tree.facts
        if facts[number].seconds is None:
            facts[number].seconds = round(now - self.arrived, 3)
        eldest = self.tree.ids[self.tree.node(parent).children[0]]
        # A move of the game that was taken back gives way to the one made in its stead. One from a file, or one that
        # was only tried, has no seconds, and keeps its place, but where nobody merely analyses: against the clock, and
        # where somebody gives up.
        gives_way = facts[eldest].seconds is not None or self.on_the_clock or move == RESIGN
        first = number if eldest != number and gives_way else None
        if first is not None:
            self.tree.promote(first)
        if self.clock is not None:
            self.clock.moved(mover, now)
        self._stand(number, now)
        return Edit((number,), first=first, node=number)

    def take_back(self, now: float) -> Edit:
        """Let the game stand before the last move of a person."""
        node = self.tree.node(self.current)
        people = [side for side in Colour if self.seat(side) == PERSON]
        if self.decided(self.current)[1] == "time":
            raise Refusal("refused", "the time is up: there is nothing to take back")
        while node.colour not in people or node.move is None:
            if node.parent is None:
                raise Refusal("refused", "there is no move of a person to take back")
            node = node.parent
        self._stand(self.tree.ids[node.parent] if node.parent is not None else 0, now)
        return Edit()

    def go_to(self, node: int, now: float) -> Edit:
        """Let the game stand elsewhere."""
        self.tree.node(node)
        if self.on_the_clock:
            raise Refusal("refused", "the game is played against the clock: it goes on where it stands")
        self._stand(node, now)
        return Edit()

    def annotate(self, node: int, comment: str | None, marks: list[messages.Mark] | None) -> Edit:
        """Write beside a node."""
        board, found = Board(self.settings.width, self.settings.height), self.tree.node(node)
        try:
            cells = [Mark(mark.kind, board.cell(mark.cell), mark.text) for mark in marks or []]
        except ValueError as error:
            raise Refusal("illegal", str(error)) from None
        self.tree.annotate(node, found.comment if comment is None else comment, found.marks if marks is None else cells)
        return Edit((node,))

    def remove(self, node: int, now: float) -> Edit:
        """Remove a node and all below it; a game that stood there stands before it."""
        line = {self.tree.ids[step] for step in self.tree.node(self.current).line()}
        if node in line and self.on_the_clock:
            raise Refusal("refused", "the game is played against the clock: its moves cannot be removed")
        parent = self.tree.parent(node) if node in self.tree.nodes else None
        removed = self.tree.remove(node)
        if self.ended is not None and self.ended[0] in removed:
            self.ended = None
        if node in line and parent is not None:
            self._stand(parent, now)
        return Edit(removed=tuple(removed))

    def promote(self, node: int) -> Edit:
        """Make a node the first among its siblings."""
        self.tree.promote(node)
        return Edit(first=node)

    def value(self, values: dict[int, float]) -> Edit:
        """Note what nodes are worth, Black's view; those that are gone are left out."""
        known = {node: value for node, value in values.items() if node in self.tree.facts}
        for node, value in known.items():
            self.tree.facts[node].value = value
        return Edit(tuple(known))

    def agree(self, settings: messages.Settings, names: dict[ColourName, str], now: float) -> Edit:
        """Other settings from now on."""
        self.settings, self.names, self.failed = settings, names, None
        self._stand(self.current, now)
        return Edit(settings=True)

    def flag(self, now: float) -> Edit | None:
        """Note that the running clock has run out, if it has."""
        if self.clock is None or (side := self.clock.fallen(now)) is None:
            return None
        self.ended = self.current, side.other, "time"
        self.clock.finish(now)
        return Edit()

    def start(self, now: float) -> None:
        """Let the clock of a game that was under way run again, after it was loaded."""
        self._stand(self.current, now)

    def _stand(self, node: int, now: float) -> None:
        self.current, self.arrived, self.failed = node, now, None
        if self.clock is None or self.clock.over:
            return
        board = self.tree.board(node)
        if self.decided(node, board)[0] is not None:
            self.clock.finish(now)
        elif any(step.move is not None for step in self.tree.node(node).line()):
            self.clock.start(board.turn, now)
        else:
            self.clock.stop(now)


def begun(id: str, settings: messages.Settings, names: dict[ColourName, str], record: Record | None) -> LiveGame:
    """A new game, from a record where one is given; its size and rule are then the record's."""
    if record is None:
        try:
            record = Record(settings.width, settings.height, settings.swap)
        except ValueError as error:
            raise Refusal("illegal", str(error)) from None
    sides = {"width": record.width, "height": record.height, "swap": record.swap}
    if min(record.width, record.height) < 3:
        raise Refusal("illegal", f"the board is {record.width}x{record.height}: games here are on 3x3 to 19x19")
    tree, now = Tree.of(record), time.time()
    clock = None if settings.clock is None else GameClock.of(settings.clock)
    current, ended = tree.ids[record.current], None
    if record.result is not None:
        how: How = "time" if record.result.how == "time" else "resign" if record.result.how else ""
        ended = tree.ids[record.end], record.result.winner, how
    return LiveGame(id, settings.model_copy(update=sides), names, tree, current, now, now, 0, clock, ended)


def _read(text: str, board: Board) -> int:
    """A move's number; ``Refusal`` when it is illegal on the board."""
    if board.winner is not None:
        raise Refusal("illegal", f"the game is over there: {board.winner} has won")
    if text == "resign":
        return RESIGN
    try:
        move = SWAP if text == "swap-pieces" else board.cell(text)
        if not board.is_legal(move):
            board.push(move)  # says why it is not
        return move
    except ValueError as error:
        raise Refusal("illegal", str(error)) from None
