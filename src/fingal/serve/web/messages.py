"""What the page and the server say to each other over the socket: one JSON object a message, with a ``type``.

Cells are named as everywhere (``a1``), colours are ``black`` and ``white``, values are Black's, from -1 to 1. A game is
a tree of nodes with numbers of their own, the root is 0. A request carries a number; its answer, or the error, carries
the same one. What others do to a game comes as ``change``, with no request.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from fingal.game import Colour

VERSION = 1
"""Of this protocol: a page that speaks another one is told to load itself anew."""

MOST_BYTES = 64 * 1024
"""The longest message that is read."""

ColourName = Literal["black", "white"]
GameId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,32}$")]
LAST_NODE = 1_000_000
"""The largest number of a node; those of removed nodes are not given again."""
NodeId = Annotated[int, Field(ge=0, le=LAST_NODE)]
Move = Annotated[str, Field(pattern=r"^([a-z]{1,2}[0-9]{1,2}|swap-pieces|resign)$")]
Cell = Annotated[str, Field(pattern=r"^[a-z]{1,2}[0-9]{1,2}$")]
Seat = Annotated[str, Field(max_length=200)]
"""Who plays a colour: ``person``, ``level:NAME``, or a player's text."""
Topic = Literal["connections", "inferior", "resistance", "solver", "policy", "ownership"]
Slot = Annotated[int, Field(ge=0, le=1)]
"""Two players analyse side by side, at most."""


def colour_name(colour: Colour) -> ColourName:
    """As messages say it."""
    return "black" if colour is Colour.BLACK else "white"


class Said(BaseModel):
    """A part of a message: nothing unknown, nothing of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# --- what a game is -------------------------------------------------------------------------------------------------


class Mark(Said):
    """A mark on a cell."""

    kind: Literal["triangle", "square", "circle", "cross", "selected", "label"]
    cell: Cell
    text: Annotated[str, Field(max_length=8)] = ""


class Node(Said):
    """One point of a game's tree."""

    id: NodeId
    parent: NodeId | None
    colour: ColourName | None = None
    move: str | None = None
    setup: dict[str, ColourName | None] = {}
    """Stones put down or taken away before the move."""
    turn: ColourName | None = None
    """Who moves next, where the game says so; otherwise they alternate."""
    comment: str = ""
    marks: list[Mark] = []
    seconds: float | None = None
    """How long the move took."""
    value: float | None = None
    """What the player that made the move, or the last review, thinks of the position after it."""


class Clock(Said):
    """Time for a whole game and what every move adds, in seconds."""

    seconds: Annotated[float, Field(ge=5, le=86_400)]
    increment: Annotated[float, Field(ge=0, le=600)] = 0.0


class Clocks(Said):
    """Where the clocks stand: at the moment of the message the running one has what is given."""

    black: float
    white: float
    running: ColourName | None


class Status(Said):
    """How a game stands at its current node."""

    turn: ColourName
    can_swap: bool
    winner: ColourName | None = None
    how: Literal["", "connection", "resign", "time"] = ""
    chain: list[Cell] = []
    """The winner's shortest chain from edge to edge."""
    thinking: bool = False
    """Whether an engine is to move and at work."""
    clocks: Clocks | None = None


class Settings(Said):
    """What is agreed on before a game."""

    width: Annotated[int, Field(ge=3, le=19)] = 11
    height: Annotated[int, Field(ge=3, le=19)] = 11
    swap: bool = False
    black: Seat = "person"
    white: Seat = "person"
    clock: Clock | None = None
    teaching: bool = False
    """Whether losing moves are pointed out and may be taken back."""
    thinking: bool = False
    """Whether the engine's thinking is shown."""
    title: Annotated[str, Field(max_length=120)] = ""


class Game(Said):
    """A game as a whole."""

    id: GameId
    revision: int
    """One more with every change."""
    settings: Settings
    names: dict[ColourName, str]
    """Of the players, as people read them."""
    created: float
    """Seconds since 1970."""
    nodes: list[Node]
    """Parents before children, the main line's child first among its siblings."""
    current: NodeId
    """Where the game stands; everyone may look elsewhere."""
    status: Status


class Summary(Said):
    """A game in a list."""

    id: GameId
    title: str
    names: dict[ColourName, str]
    width: int
    height: int
    moves: int
    winner: ColourName | None
    changed: float
    stones: dict[ColourName, list[Cell]]
    """For a thumbnail."""


# --- what the page asks ---------------------------------------------------------------------------------------------


class Request(Said):
    """Something that is asked."""

    request: Annotated[int, Field(ge=0, le=2**31)]


class Hello(Request):
    """The first message of a page."""

    type: Literal["hello"]
    version: int


class Follow(Request):
    """Tell me of everything that happens in a game, and of the game first; instead of the one followed before."""

    type: Literal["follow"]
    game: GameId


class InGame(Request):
    """Something about a game."""

    game: GameId


class Play(InGame):
    """A move after a node. At the current node the game goes there; elsewhere it is a variation.

    A move that is there already is gone to and not made again.
    """

    type: Literal["play"]
    parent: NodeId
    move: Move


class TakeBack(InGame):
    """Let the game stand before the last move of a person; what was played stays as a variation."""

    type: Literal["take_back"]


class GoTo(InGame):
    """Let the game stand at another node, for a game that nobody plays against the clock."""

    type: Literal["go_to"]
    node: NodeId


class Annotate(InGame):
    """Write a comment or marks at a node, instead of those there; None leaves them."""

    type: Literal["annotate"]
    node: NodeId
    comment: Annotated[str, Field(max_length=4000)] | None = None
    marks: Annotated[list[Mark], Field(max_length=400)] | None = None


class Remove(InGame):
    """Remove a node and all below it."""

    type: Literal["remove"]
    node: NodeId


class Promote(InGame):
    """Make a node the first among its siblings."""

    type: Literal["promote"]
    node: NodeId


class Change(InGame):
    """Other players, a title, teaching or thinking from now on; None leaves them."""

    type: Literal["change"]
    black: Seat | None = None
    white: Seat | None = None
    teaching: bool | None = None
    thinking: bool | None = None
    title: Annotated[str, Field(max_length=120)] | None = None


class Hint(InGame):
    """What would a strong player do at the current node?"""

    type: Literal["hint"]


class Analyse(InGame):
    """Stream what a player thinks of a node, until it is stopped, another node is asked about, or nobody listens."""

    type: Literal["analyse"]
    node: NodeId
    slot: Slot = 0
    player: Seat | None = None
    """The strongest that there is, if not given."""
    lines: Annotated[int, Field(ge=1, le=400)] = 20


class Stop(Request):
    """Stop analysing in a slot."""

    type: Literal["stop"]
    slot: Slot = 0


class Ask(InGame):
    """What is known of the position at a node."""

    type: Literal["ask"]
    node: NodeId
    topics: Annotated[list[Topic], Field(min_length=1, max_length=6)]


class Review(InGame):
    """Look at every move of the line that leads to a node: what it lost, and what was better."""

    type: Literal["review"]
    node: NodeId
    player: Seat | None = None


Edits = Play | TakeBack | GoTo | Annotate | Remove | Promote | Change
"""What changes a game."""
Asked = Annotated[
    Hello | Follow | Edits | Hint | Analyse | Stop | Ask | Review,
    Field(discriminator="type"),
]
ASKED: TypeAdapter[Asked] = TypeAdapter(Asked)
"""Reads what the page sends: ``ASKED.validate_json(text)``."""


# --- what the server says -------------------------------------------------------------------------------------------


class Done(Said):
    """A request was carried out; nothing more comes of it."""

    type: Literal["done"] = "done"
    request: int
    node: NodeId | None = None
    """Of ``play``: where the move is."""


class Failed(Said):
    """A request, or a message that was none, was refused: one sentence for a person."""

    type: Literal["error"] = "error"
    request: int | None = None
    code: Literal["version", "bad_message", "too_long", "too_many", "not_found", "illegal", "refused", "busy", "failed"]
    message: str


class Whole(Said):
    """The answer to ``follow``, and sent again where a change is too large to be told."""

    type: Literal["game"] = "game"
    request: int | None = None
    game: Game


class Changed(Said):
    """What has happened to the game that is followed."""

    type: Literal["change"] = "change"
    game: GameId
    revision: int
    nodes: list[Node] = []
    """New ones, and those with other comments, marks or values."""
    removed: list[NodeId] = []
    """Each with all below it."""
    first: NodeId | None = None
    """Which node became the first among its siblings."""
    current: NodeId
    status: Status
    settings: Settings | None = None
    names: dict[ColourName, str] | None = None
    """Both where they are others than before."""


class Candidate(Said):
    """A move that an analysis has looked at."""

    move: Cell
    visits: int
    value: float
    """Black's, from -1 to 1."""
    loss: float
    """How much less it is worth than the best, for the side to move, from 0 to 2."""
    prior: float
    proof: Literal[-1, 0, 1]
    """1: proven to win for the side to move, -1: to lose."""
    variation: list[Move]


class Analysis(Said):
    """What a player thinks of a node so far."""

    type: Literal["analysis"] = "analysis"
    game: GameId
    node: NodeId
    slot: Slot
    player: str
    visits: int
    value: float
    proof: Literal[-1, 0, 1]
    candidates: list[Candidate]
    """The best first."""
    seconds: float
    done: bool
    """Whether nothing more comes."""


class Thought(Said):
    """What an engine that plays thinks at its move, where it is shown."""

    type: Literal["thought"] = "thought"
    analysis: Analysis


class Advice(Said):
    """The answer to ``hint``."""

    type: Literal["hint"] = "hint"
    request: int
    node: NodeId
    move: Move
    value: float
    reason: str
    """A sentence."""


class Warned(Said):
    """The teacher's: the person's last move loses what was won, or loses most of it."""

    type: Literal["warning"] = "warning"
    game: GameId
    node: NodeId
    """Of the move."""
    loss: float
    better: Move
    reason: str
    carrier: list[Cell] = []
    """Cells that show it: what the opponent's connection needs."""


class Link(Said):
    """A full connection: two ends, a stone's or an edge's (top, bottom, left, right), and the cells it needs."""

    ends: tuple[str, str]
    carrier: list[Cell]


class Connections(Said):
    """One colour's connections."""

    winning_carrier: list[Cell] | None
    """The cells that a connection of both its edges needs; None where there is none."""
    links: list[Link]


class Inferior(Said):
    """Cells that need not be thought of."""

    fill: dict[ColourName, list[Cell]]
    """Dead and captured cells, by whose they are."""
    dead: list[Cell]
    pruned: dict[Cell, str]
    """Moves that need not be tried, and why: 'dominated by b4'."""


class Resistance(Said):
    """The board as a circuit."""

    black: float | None
    """Ohms between Black's edges; None where they are cut off."""
    white: float | None
    black_value: float
    energy: dict[Cell, float]
    """Each cell's share of the heat, of both colours together, from 0 to 1."""


class Verdict(Said):
    """What the solver says."""

    winner: ColourName | None
    """None where it could not tell in its time."""
    winning: list[Cell]
    losing: list[Cell]
    variation: list[Cell]
    text: str


class Knowledge(Said):
    """The answer to ``ask``: the topics asked for."""

    type: Literal["knowledge"] = "knowledge"
    request: int
    game: GameId
    node: NodeId
    connections: dict[ColourName, Connections] | None = None
    must_play: list[Cell] | None = None
    """With ``connections``: where the side to move has to play; empty when it has lost."""
    inferior: Inferior | None = None
    resistance: Resistance | None = None
    solver: Verdict | None = None
    policy: dict[Cell, float] | None = None
    """The net's, without search."""
    ownership: dict[Cell, float] | None = None
    """How often a cell is Black's when the game is played on by the net, from 0 to 1."""


class Reviewed(Said):
    """One move of a review."""

    node: NodeId
    before: float
    """What the position before the move is worth, Black's view."""
    after: float
    loss: float
    """What the move lost for who made it, from 0 to 2."""
    best: Move
    variation: list[Move]
    proven: bool
    """Whether both values are proven."""


class Swap(Said):
    """What the review says of the swap."""

    opening: Cell
    value: float
    """Of the first stone alone, Black's view."""
    should: bool
    did: bool
    text: str


class Found(Said):
    """How far a review has come; the answer to ``review`` comes several times, the last one ``done``."""

    type: Literal["review"] = "review"
    request: int
    game: GameId
    done: bool
    share: float
    moves: list[Reviewed]
    mistakes: list[NodeId]
    """The largest three at most, the worst first."""
    swap: Swap | None = None
