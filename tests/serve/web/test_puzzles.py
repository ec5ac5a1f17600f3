"""Puzzles: that there is one answer, that it is told to nobody who has not tried, and what is said of other moves."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fingal.analysis.distance import shortest_path
from fingal.arena.exam.oracle import Solved, oracle
from fingal.game import Board, Colour, formats
from fingal.serve.web import puzzle_build
from fingal.serve.web.app import Options, create
from fingal.serve.web.puzzles import Puzzle, explain, load

PUZZLES = list(load().values())
SAMPLE = random.Random(7).sample(PUZZLES, 24)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create(Options(data=tmp_path)), base_url="http://127.0.0.1:8000") as client:
        yield client


def board_of(puzzle: Puzzle) -> Board:
    """The position, read the long way round: its text is a size and moves."""
    size, *moves = puzzle.position.split()
    board = Board(int(size))
    for move in moves:
        board.push(move)
    return board


def shapes(puzzle: Puzzle) -> set[str]:
    """The four images of a position, each as rows of stones seen from the side to move, by coordinates alone."""
    board = board_of(puzzle)
    stones = {
        divmod(cell, board.width): int(colour)
        for cell in range(board.cells)
        if (colour := board.colour_at(cell)) is not None
    }
    last = board.width - 1
    found = set()
    for turned in (False, True):
        for mirrored in (False, True):
            image = {}
            for (row, column), colour in stones.items():
                place = (last - row, last - column) if turned else (row, column)
                image[place[::-1] if mirrored else place] = 1 - colour if mirrored else colour
            turn = 1 - int(board.turn) if mirrored else int(board.turn)
            found.add(f"{board.width} {turn} {sorted(image.items())}")
    return found


def test_there_are_puzzles_of_every_grade_and_several_sizes() -> None:
    grades, sizes = Counter(puzzle.grade for puzzle in PUZZLES), Counter(puzzle.size for puzzle in PUZZLES)
    assert len(PUZZLES) >= 200
    assert set(grades) == {1, 2, 3, 4, 5}
    assert all(count >= 20 for count in grades.values())
    assert len(sizes) >= 5


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in SAMPLE if puzzle.size > 4], ids=lambda puzzle: puzzle.id)
def test_exactly_one_move_wins(puzzle: Puzzle) -> None:
    board = board_of(puzzle)
    fresh = Solved(board.width, board.height)
    winning = []
    for move in board.empty_cells:
        after = board.copy()
        after.push(move)
        if after.winner is board.turn or (after.winner is None and not fresh.wins(after)):
            winning.append(board.name(move))
    assert winning == [puzzle.answer]


def test_exactly_one_move_wins_by_the_list_of_all_positions() -> None:
    listed = oracle(4, 4)
    small = [puzzle for puzzle in PUZZLES if puzzle.size == 4]
    assert small
    for puzzle in small:
        board = board_of(puzzle)
        assert listed.winning(board) == (board.cell(puzzle.answer),)


def test_no_two_are_equal_however_the_board_is_turned() -> None:
    seen: set[str] = set()
    for puzzle in PUZZLES:
        images = shapes(puzzle)
        assert not images & seen, puzzle.id
        seen |= images
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES)


def test_none_is_to_be_seen_at_once() -> None:
    for puzzle in PUZZLES:
        board = board_of(puzzle)
        ways = shortest_path(board).least
        assert min(ways) >= 2, puzzle.id
        if puzzle.grade > 1:
            assert ways[board.turn] > 2, puzzle.id


def test_a_puzzle_says_what_its_position_says() -> None:
    for puzzle in PUZZLES:
        board = board_of(puzzle)
        assert formats.position(puzzle.position).board() == board
        assert puzzle.turn == str(board.turn)
        assert board.is_legal(board.cell(puzzle.answer))
        assert 0 <= puzzle.missed <= puzzle.asked
        assert puzzle.asked > 10


def test_grades_follow_what_was_missed() -> None:
    by_grade = [[puzzle.missed / puzzle.asked for puzzle in PUZZLES if puzzle.grade == grade] for grade in range(2, 6)]
    assert all(max(lower) < min(higher) for lower, higher in itertools.pairwise(by_grade))


def values(said: Any) -> Iterator[Any]:
    if isinstance(said, dict):
        for value in said.values():
            yield from values(value)
    elif isinstance(said, list):
        for value in said:
            yield from values(value)
    else:
        yield said


def test_nothing_tells_the_answer_before_a_try(client: TestClient) -> None:
    listed = client.get("/api/puzzles").json()["puzzles"]
    assert len(listed) == len(PUZZLES)
    assert all(set(entry) == {"id", "width", "height", "grade"} for entry in listed)
    for puzzle in SAMPLE:
        said = client.get(f"/api/puzzles/{puzzle.id}").json()
        words = {word for value in values(said) for word in str(value).split()}
        assert puzzle.answer not in words
        board = board_of(puzzle)
        assert said["turn"] == str(board.turn)
        black = [cell for cell in range(board.cells) if board.colour_at(cell) is Colour.BLACK]
        assert said["stones"]["black"] == [board.name(cell) for cell in black]
        assert said["last"] == board.name(board.moves[-1])


def assert_holds(board: Board, carrier: list[str], winner: Colour) -> None:
    """The carrier is enough: though every other cell is the loser's, and the loser plays first, the winner wins."""
    assert carrier
    filled = board.copy()
    for cell in board.empty_cells:
        if board.name(cell) not in carrier:
            filled.set_stone(cell, winner.other)
    filled.turn = winner.other
    assert filled.winner is None
    assert not Solved(board.width, board.height).wins(filled)


def test_the_right_move_is_explained(client: TestClient) -> None:
    for puzzle in SAMPLE:
        said = client.post(f"/api/puzzles/{puzzle.id}", json={"move": puzzle.answer}).json()
        assert said["right"]
        assert said["only"] == puzzle.answer
        assert puzzle.answer in said["text"]
        assert said["winner"] == puzzle.turn
        board = board_of(puzzle)
        winner = board.turn
        board.push(puzzle.answer)
        assert_holds(board, said["carrier"], winner)


def test_a_wrong_move_is_refuted_and_the_answer_kept_back(client: TestClient) -> None:
    for puzzle in SAMPLE:
        board = board_of(puzzle)
        loser = board.turn
        wrong = next(cell for cell in board.empty_cells if board.name(cell) != puzzle.answer)
        said = client.post(f"/api/puzzles/{puzzle.id}", json={"move": board.name(wrong)}).json()
        assert not said["right"]
        assert said["only"] is None
        assert said["winner"] == str(loser.other)
        board.push(wrong)
        if said["reply"] is not None:
            board.push(said["reply"])
            # A fresh solver agrees that the reply wins.
            assert board.winner is loser.other or not Solved(board.width, board.height).wins(board)
        if board.winner is None:
            assert_holds(board, said["carrier"], loser.other)


def test_the_answer_is_shown_to_who_asks(client: TestClient) -> None:
    puzzle = PUZZLES[0]
    said = client.post(f"/api/puzzles/{puzzle.id}", json={"move": None}).json()
    assert not said["right"]
    assert said["only"] == puzzle.answer


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("nothing", {"move": "a1"}, 404),
        ("ID", {"move": "z9"}, 409),
        ("ID", {"move": "TAKEN"}, 409),
        ("ID", {"move": 3}, 400),
        ("ID", {"move": "a1", "more": 1}, 400),
        ("ID", {}, 400),
        ("ID", {"move": "../../etc"}, 400),
    ],
)
def test_nonsense_is_refused_in_a_sentence(client: TestClient, path: str, body: dict[str, Any], status: int) -> None:
    puzzle = PUZZLES[0]
    taken = puzzle.position.split()[1]
    body = {key: taken if value == "TAKEN" else value for key, value in body.items()}
    answer = client.post(f"/api/puzzles/{path.replace('ID', puzzle.id)}", json=body)
    assert answer.status_code == status
    assert set(answer.json()) == {"code", "message"}
    assert answer.json()["message"]


def test_every_move_of_a_puzzle_can_be_tried() -> None:
    puzzle = min(PUZZLES, key=lambda puzzle: puzzle.size)
    board = board_of(puzzle)
    right = [move for move in board.empty_cells if explain(puzzle, move).right]
    assert [board.name(move) for move in right] == [puzzle.answer]


def test_building_goes_on_where_it_was_and_drops_half_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_build, "SIZES", {4: 1.0})
    work, file = tmp_path / "work.jsonl", tmp_path / "puzzles.jsonl"
    found = {"position": "4 b2 c3 d2", "answer": "b3", "missed": 3, "asked": 20, "easy": False}
    turned = {"position": "4 c3 b2 a3", "answer": "c2", "missed": 9, "asked": 20, "easy": False}
    line = json.dumps({"size": 4, "seconds": 1.0, "found": [found, turned]})
    work.write_text(line + "\n" + line[:20], encoding="utf-8")
    puzzle_build.build(0.0, work, file)
    assert work.read_text(encoding="utf-8") == line + "\n"
    # Of two positions that are the same turned around, one is left.
    (puzzle,) = load(file).values()
    assert (puzzle.position, puzzle.answer, puzzle.grade) == ("4 b2 c3 d2", "b3", 2)
