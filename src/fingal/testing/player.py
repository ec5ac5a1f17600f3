"""What every player must get right, as one call: ``check_player("my-kind:depth=2")``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fingal.game import RESIGN, SWAP, Board, Colour, Node, Record
from fingal.players import spec
from fingal.players.player import Interruptible, Limit, Player, judgement

SIZES: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (3, 5), (11, 11), (19, 19))
LIMIT = Limit(simulations=16, seconds=1.0, nodes=1000)
"""Small: it is the rules that are checked, not the strength."""
_ASKED = 24
"""About how often a player is asked in one game; the other moves are drawn at random."""


def check_player(
    player: str | Player | Callable[[], Player],
    sizes: Sequence[tuple[int, int]] = SIZES,
    games: int = 1,
    limit: Limit = LIMIT,
    seed: int = 1,
) -> None:
    """Ask a player for moves in all kinds of positions; AssertionError, in one sentence, when it breaks its contract.

    The player is given by text, as an object, or as a function that makes one, and is closed in the end. On every size
    and with each colour it plays ``games`` games of each sort: plain, with a swap, from a set-up position. Whether the
    same seed gives the same moves is checked for texts whose kind has a seed of its own, unless they set a time or
    several threads.
    """
    text = player if isinstance(player, str) else None
    subject = _made(player)
    try:
        name = getattr(subject, "name", None)
        has_name = isinstance(name, str) and bool(name.strip())
        assert has_name, f"a player needs a name that is a text and not empty, not {name!r}"
        for width, height in sizes:
            for record, what in _positions(width, height, seed):
                _ask(subject, record, limit, what)
            if isinstance(subject, Interruptible):
                subject.interrupt()
                _ask(subject, Record(width, height), limit, "after an interrupt")
            for game in range(games):
                for colour in Colour:
                    for record, what in _starts(width, height, random.Random(f"{seed} {width}x{height} {game}")):
                        _play(subject, record, colour, limit, f"{what} as {colour}", random.Random(seed + game))
            for record, what in _finished(width, height, random.Random(seed)):
                _check_refusal(subject, record, limit, what)
        if text is not None and _is_repeatable(text):
            _check_repeats(text, sizes, limit, seed)
    finally:
        subject.close()
    try:
        subject.close()
    except Exception as error:
        raise AssertionError(f"{subject.name} must bear to be closed twice, but raised {error!r}") from error


def _ask(player: Player, record: Record, limit: Limit, what: str) -> int:
    """A player's move, which must be legal, in a record that it must not change."""
    where = f"on {record.width}x{record.height}, {what} (moves: {_moves(record) or 'none'})"
    before = _contents(record)
    try:
        move = player.choose(record, limit)
    except Exception as error:
        raise AssertionError(f"{player.name} raised {error!r} {where}") from error
    assert _contents(record) == before, f"{player.name} changed the record {where}"
    is_int = isinstance(move, int) and not isinstance(move, bool)
    assert is_int, f"{player.name} answered {move!r}, which is no int but {type(move).__name__}, {where}"
    board = record.board()
    if move == SWAP and not board.can_swap:
        raise AssertionError(f"{player.name} answered swap-pieces where there is no swap {where}")
    if move != RESIGN and not board.is_legal(move):
        raise AssertionError(f"{player.name} answered {_name(board, move)}, which is not legal, {where}")
    value = judgement(player)
    assert value is None or -1 <= value <= 1, f"{player.name} values a position {value!r}, not from -1 to 1, {where}"
    return move


def _check_refusal(player: Player, record: Record, limit: Limit, what: str) -> None:
    try:
        move = player.choose(record, limit)
    except ValueError:
        return
    except Exception as error:
        raise AssertionError(f"{player.name} must raise ValueError {what}, but raised {error!r}") from error
    raise AssertionError(f"{player.name} must raise ValueError {what}, but answered {move!r}")


def _play(player: Player, record: Record, colour: Colour, limit: Limit, what: str, rng: random.Random) -> None:
    """Play on: the player moves for one colour, against random moves; a resignation ends it."""
    often = min(1.0, _ASKED / max(1, record.width * record.height // 2))
    while not (board := record.board()).is_over():
        # The first two moves are always asked for: there the swap is decided.
        if board.turn is colour and (board.ply < 2 or rng.random() < often):
            move = _ask(player, record, limit, what)
        else:
            move = rng.choice(board.legal_moves)
        if move == RESIGN:
            return
        record.push(board.turn, move)


def _starts(width: int, height: int, rng: random.Random) -> Iterator[tuple[Record, str]]:
    """Records to play on from. A player that overlooks a swap or set-up stones is caught as the board fills."""
    yield Record(width, height, swap=width == height), "in a game"
    if width == height > 1:
        first = rng.choice([cell for cell in range(width * height) if cell // width != cell % width])
        yield Record.of([first, SWAP], width, height, swap=True), "in a game with a swap"
    record = Record(width, height)
    record.root.setup = dict(_some_stones(width, height, rng))
    record.root.turn = rng.choice(list(Colour))
    yield record, "in a game from a set-up position"


def _positions(width: int, height: int, seed: int) -> list[tuple[Record, str]]:
    """Records that a game does not lead to, or rarely, each with a few words about it; in none the game is over."""
    found = _rare_records(width, height, random.Random(f"{seed} {width}x{height}"))
    # On a board with one row or column a single stone may win.
    return [(record, what) for record, what in found if not record.board().is_over()]


def _rare_records(width: int, height: int, rng: random.Random) -> Iterator[tuple[Record, str]]:
    square = width == height
    yield Record(width, height), "at the start"
    if square:
        yield Record(width, height, swap=True), "at the start of a game with swap"
    if width * height == 1:
        return
    first = rng.randrange(width * height)
    yield Record.of([first], width, height), "after one move of a game without swap"
    if square:
        yield Record.of([first], width, height, swap=True), "where a swap is possible"
        yield Record.of([first, SWAP], width, height, swap=True), "after a swap"

    record = Record(width, height)
    record.root.turn = Colour.WHITE
    yield record, "where White moves first"

    for turn in Colour:
        stones = _some_stones(width, height, rng)
        record = Record(width, height, swap=square)
        record.root.setup = dict(stones)
        record.root.turn = turn
        yield record, f"after set-up, with {turn} to move"
        record = Record(width, height, swap=square)
        for cell, colour in stones.items():
            record.push(colour, cell)
        record.end.turn = turn
        yield record, f"after moves that do not alternate, with {turn} to move"

    record = Record.of([first], width, height)
    record.end.children.append(Node(parent=record.end, setup={first: None}, turn=Colour.WHITE))
    yield record, "after a stone was taken off the board"

    # The same length as a position asked about just now, but with other stones: a board remembered is a wrong one.
    other = (first + 1) % (width * height)
    yield Record.of([first], width, height), "in one position"
    yield Record.of([other], width, height), "in another position right after it"
    record = Record.of([first], width, height)
    record.root.add(Colour.BLACK, other)
    yield record, "in a record with variations"


def _some_stones(width: int, height: int, rng: random.Random) -> dict[int, Colour]:
    """Stones on up to half of the cells, more of White's, and nobody has won."""
    board = Board(width, height)
    stones: dict[int, Colour] = {}
    for index, cell in enumerate(rng.sample(range(board.cells), k=board.cells // 2)):
        colour = Colour.WHITE if index % 3 else Colour.BLACK
        board.set_stone(cell, colour)
        if board.is_over():
            break
        stones[cell] = colour
    return stones


def _finished(width: int, height: int, rng: random.Random) -> Iterator[tuple[Record, str]]:
    """Records in which the game is over."""
    for colour in Colour:
        record = Record(width, height)
        board = record.board()
        while board.winner is not colour:
            if board.is_over():
                record, board = Record(width, height), Record(width, height).board()
            # The loser wastes every other turn, so that this ends soon on boards of any shape.
            mover = colour if rng.random() < 0.9 else colour.other
            board.turn = mover
            cell = rng.choice(board.empty_cells)
            board.push(cell)
            record.push(mover, cell)
        yield record, f"after {colour} has won on {width}x{height}"
    record = Record(width, height)
    record.push(Colour.BLACK, RESIGN)
    yield record, f"after a resignation on {width}x{height}"


def _check_repeats(text: str, sizes: Sequence[tuple[int, int]], limit: Limit, seed: int) -> None:
    """Two players of one text and seed answer alike."""
    parsed = spec.parse(text)
    seeded = str(spec.Spec(parsed.kind, parsed.argument, {"seed": str(seed), **parsed.settings}))
    answers: list[list[int]] = []
    for _ in range(2):
        player = spec.make(seeded)
        try:
            answers.append(
                [
                    player.choose(record, Limit(limit.simulations, None, limit.nodes))
                    for width, height in sizes
                    for record, _ in _positions(width, height, seed)
                ]
            )
        finally:
            player.close()
    assert answers[0] == answers[1], f"{seeded} must answer the same whenever it is asked the same, but does not"


def _is_repeatable(text: str) -> bool:
    parsed = spec.parse(text)
    has_seed = any(name == "seed" for name in spec.find(parsed.kind).module.Settings.__dataclass_fields__)
    return has_seed and "time" not in parsed.settings and parsed.settings.get("threads", "1") == "1"


def _made(player: str | Player | Callable[[], Player]) -> Player:
    if isinstance(player, str):
        return spec.make(player)
    return player() if callable(player) else player


def _contents(record: Record) -> tuple[Any, ...]:
    """All that a record holds, its tree included, in a form that compares."""
    nodes = [
        (
            node.colour,
            node.move,
            tuple(node.setup.items()),
            node.turn,
            node.comment,
            tuple(node.marks),
            repr(node.extra),
            len(node.children),
        )
        for node in record.root.walk()
    ]
    header = (record.width, record.height, record.swap, tuple(record.players.items()), record.result)
    return (*header, tuple(record.tags.items()), nodes)


def _moves(record: Record) -> str:
    names = [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]
    return ", ".join(names if len(names) <= 8 else ["...", *names[-8:]])


def _name(board: Board, move: int) -> str:
    return board.name(move) if move == SWAP or 0 <= move < board.cells else repr(move)
