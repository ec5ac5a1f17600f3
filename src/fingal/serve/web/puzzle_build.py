"""Make puzzles: ``python -m fingal.serve.web.puzzle_build [MINUTES]`` writes ``puzzles.jsonl`` anew.

Players of different strengths play games. Every position of them in which exactly one move wins, as the solver proves,
may become a puzzle, unless the move is to be seen at once. A panel of shipped nets and players is asked for its move;
the more of them miss it, the higher the grade.

Games are numbered, and a number's game is always the same. What was found is kept in ``build/puzzles.jsonl`` game by
game, so that to stop costs nothing: the next call goes on, and writes the selection from all that is there.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingal.analysis.connections import Connections
from fingal.analysis.distance import shortest_path
from fingal.arena.play import play_game
from fingal.game import Board, Colour, Record, formats
from fingal.nets.agreement import legal_logits
from fingal.nets.inference import open_evaluator
from fingal.nets.planes import positions_of
from fingal.players import spec
from fingal.players.net import NetPlayer
from fingal.players.player import Player
from fingal.search.evaluator import Evaluator
from fingal.serve.web.puzzles import FILE, Puzzle
from fingal.solve.dfpn import Settings, Solver

SIZES = {4: 1.0, 5: 1.5, 6: 2.0, 7: 3.0, 8: 3.0, 9: 2.0}
"""The boards, and how the time is shared: the larger ones take longer, and have the puzzles that are hard."""

MINUTES = 14.0
"""How long games are played for, if not said."""

WORK = Path("build") / "puzzles.jsonl"

PLAYERS = (
    "net:fingal-small,temperature=0.5",
    "net:fingal-small,temperature=1.5",
    "net:policy-9,temperature=0.7",
    "uct:sims=400",
    "uct:sims=60",
    "resistance:depth=2",
    "resistance:depth=1,epsilon=0.1",
    "shortest-path:epsilon=0.1",
)
"""Who plays the games: two of these, whose mistakes are of different kinds."""

PANEL = (
    ("net:fingal-small", 1),
    ("net:fingal-large", 1),
    ("net:policy-9", 1),
    ("net:fingal-small,temperature=0.5", 1),
    ("net:fingal-small,temperature=1", 3),
    ("net:policy-9,temperature=1", 2),
    ("shortest-path", 3),
    ("resistance:depth=1", 1),
    ("resistance:depth=2", 1),
    ("characteristics", 1),
    ("uct:sims=50", 2),
    ("uct:sims=200", 2),
    ("uct:sims=1000", 1),
)
"""Who is asked, and how often: with other random numbers each time."""

GRADES = (0.05, 0.2, 0.35, 0.5)
"""A puzzle that a larger share of the panel misses than the first of these has grade 2 at least, and so on."""

QUOTA = 16
"""At most so many puzzles of one size and grade."""

NODES = 400
"""What to prove all moves of a position may cost; a puzzle is explained anew whenever somebody answers it."""

BESIDE = 5
"""So many other moves of a position, those that a net likes best, are looked at for mistakes and for defences that a
single reply answers."""

MOST = 3
"""Puzzles of one game, those that a net finds hardest."""

APART = 4
"""Two puzzles of one game are at least so many moves apart."""

MEMORY = 64
"""Megabytes for the solver's table."""


class Found(NamedTuple):
    """A position with one winning move."""

    board: Board
    answer: int
    easy: bool
    """Whether the winner needs two stones only, this one and another."""
    liked: float
    """How probable the answer is by a net's policy, from 0 to 1."""


def candidates(board: Board, moves: list[int], solver: Solver) -> Iterator[Found]:
    """Positions with one winning move, in a game or one move beside it, from its end to its beginning.

    It goes back until a position takes too long to solve: those before it take longer still.
    """
    for count in range(len(moves) - 1, 1, -1):
        at = board.copy()
        for move in moves[:count]:
            at.push(move)
        if not _is_open(at):
            continue
        solution = solver.solve(at, find_all=True, nodes=NODES)
        if solution.open:
            return
        if len(solution.winning) == 1:
            yield _found(at, solution.winning[0])
        for move in _liked(at)[:BESIDE]:
            if move not in solution.winning and (found := _answered(at, move, solver)) is not None:
                yield found


def hardest(found: Iterable[Found]) -> list[Found]:
    """A few of a game's positions, far enough from each other, those first whose answer the net likes least."""
    chosen: list[Found] = []
    for each in sorted(found, key=lambda each: each.liked):
        if len(chosen) < MOST and all(abs(each.board.ply - other.board.ply) >= APART for other in chosen):
            chosen.append(each)
    return chosen


def _is_open(board: Board) -> bool:
    """Whether there is something to look for: nobody wins with the next stone, nor by a connection that is there."""
    if board.is_over() or min(shortest_path(board).least) < 2:
        return False
    return not any(Connections(board, colour).won for colour in Colour)


def _answered(board: Board, move: int, solver: Solver) -> Found | None:
    """The position after a losing move, where a single reply wins."""
    after = board.copy()
    after.push(move)
    if not _is_open(after):
        return None
    solution = solver.solve(after, find_all=True, nodes=NODES)
    return _found(after, solution.winning[0]) if not solution.open and len(solution.winning) == 1 else None


def _found(board: Board, answer: int) -> Found:
    easy = shortest_path(board).least[board.turn] == 2
    return Found(board, answer, easy, float(_policy(board)[answer]))


def _liked(board: Board) -> list[int]:
    """The empty cells, those that a net likes best first."""
    policy = _policy(board)
    return sorted(board.empty_cells, key=lambda cell: -policy[cell])


def _policy(board: Board) -> NDArray[np.float64]:
    """The small net's, [cells]."""
    positions = positions_of([board])
    logits = legal_logits(_net("fingal-small")(positions), positions)[0].astype(np.float64)
    weights: NDArray[np.float64] = np.exp(logits - logits.max())
    weights /= weights.sum()
    return weights


def canonical(board: Board) -> str:
    """A text that is the same for a position, turned by 180 degrees, mirrored with colours exchanged, or both.

    >>> one, other = Board(3), Board(3)
    >>> one.push("a1"); other.push("c3")
    >>> canonical(one) == canonical(other)
    True
    """
    images = [board, board.rotated()]
    if board.width == board.height:
        images += [board.mirrored(), board.rotated().mirrored()]
    return min(f"{image.width}x{image.height} {image.turn.letter} {_stones(image)}" for image in images)


def grade(missed: int, asked: int) -> int:
    """From 1 to 5."""
    return 1 + sum(missed / asked > share for share in GRADES)


def play(size: int, number: int, solver: Solver) -> list[dict[str, Any]]:
    """What a game leaves for puzzles."""
    rng = random.Random(f"puzzles {size} {number}")
    opening = Record.of(rng.sample(range(size * size), rng.randint(1, 2)), size)
    pair = [_player(text, rng.randrange(2**31)) for text in rng.sample(PLAYERS, 2)]
    game, _ = play_game(pair, opening)
    found = []
    moves = [move for _, move in game.moves if move >= 0]
    for board, answer, easy, _ in hardest(candidates(Board(size), moves, solver)):
        missed, asked = examine(board, answer)
        found.append(
            {
                "position": " ".join((str(size), *map(board.name, board.moves))),
                "answer": board.name(answer),
                "missed": missed,
                "asked": asked,
                "easy": easy,
            }
        )
    return found


def examine(board: Board, answer: int) -> tuple[int, int]:
    """How many of the panel miss the answer, of how many that were asked."""
    record = Record.of(list(board.moves), board.width)
    rng = random.Random(canonical(board))
    chosen = [_player(text, rng.randrange(2**31)).choose(record) for text, times in PANEL for _ in range(times)]
    return sum(move != answer for move in chosen), len(chosen)


def select(found: Iterable[dict[str, Any]]) -> list[Puzzle]:
    """The puzzles of all that was found: no two alike, not too many of one size and grade, the easy ones first."""
    seen: set[str] = set()
    counts: Counter[tuple[int, int]] = Counter()
    chosen: list[Puzzle] = []
    # Of the last grade there are more than are wanted where the board is large: the hardest are taken.
    for item in sorted(found, key=lambda item: -max(GRADES[-1], item["missed"] / item["asked"])):
        board = formats.position(item["position"]).board()
        image = canonical(board)
        marked = 1 if item["easy"] else grade(item["missed"], item["asked"])
        if image in seen or counts[board.width, marked] == QUOTA:
            continue
        seen.add(image)
        counts[board.width, marked] += 1
        name = hashlib.sha256(image.encode()).hexdigest()[:10]
        chosen.append(
            Puzzle(name, item["position"], str(board.turn), item["answer"], marked, item["missed"], item["asked"])
        )
    return sorted(chosen, key=lambda puzzle: (puzzle.grade, puzzle.size, puzzle.missed, puzzle.id))


def build(minutes: float, work: Path = WORK, file: Path = FILE) -> None:
    """Play on for some minutes, of which every size has its share, and write the selection."""
    work.parent.mkdir(parents=True, exist_ok=True)
    played = _read(work)
    solvers = {size: Solver(size, size, Settings(memory=MEMORY)) for size in SIZES}
    spent = {size: sum(game["seconds"] for game in played if game["size"] == size) for size in SIZES}
    end = time.monotonic() + 60 * minutes
    with work.open("a", encoding="utf-8") as out:
        while (begun := time.monotonic()) < end:
            size = min(SIZES, key=lambda each: spent[each] / SIZES[each])
            number = sum(game["size"] == size for game in played)
            found = play(size, number, solvers[size])
            took = time.monotonic() - begun
            spent[size] += took
            played.append({"size": size, "seconds": round(took, 3), "found": found})
            out.write(json.dumps(played[-1]) + "\n")
            out.flush()
            if len(played) % 50 == 0:
                left = max(0.0, end - time.monotonic()) / 60
                positions = sum(len(game["found"]) for game in played)
                told = f"{len(played)} games, {positions} positions, {left:.1f} minutes left"
                print(told, file=sys.stderr, flush=True)
    puzzles = select(item for game in played for item in game["found"])
    file.write_text("".join(puzzle.line() + "\n" for puzzle in puzzles), encoding="utf-8")
    for size in SIZES:
        counts = Counter(puzzle.grade for puzzle in puzzles if puzzle.size == size)
        print(f"{size}x{size}: {[counts[number] for number in range(1, 6)]} by grade", file=sys.stderr)


def _read(work: Path) -> list[dict[str, Any]]:
    """What earlier calls have found, game by game; a line that a kill cut short is dropped from the file."""
    if not work.exists():
        return []
    text = work.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        work.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def _player(text: str, seed: int) -> Player:
    """A player with random numbers of its own; nets are read once."""
    told = spec.parse(text)
    if told.kind == "net" and told.argument is not None:
        return NetPlayer(_net(told.argument), float(told.settings.get("temperature", 0)), seed)
    return spec.make(str(spec.Spec(told.kind, told.argument, {**told.settings, "seed": str(seed)})))


@functools.cache
def _net(name: str) -> Evaluator:
    return open_evaluator(name, "cpu")


def _stones(board: Board) -> str:
    colours = (board.colour_at(cell) for cell in range(board.cells))
    return "".join("." if colour is None else colour.letter for colour in colours)


if __name__ == "__main__":
    build(float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES)
