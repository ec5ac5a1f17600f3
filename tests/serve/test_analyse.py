"""``fingal analyse``: what it finds, draws and prints, beside boards worked by hand."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from fingal.game import Board, draw
from fingal.serve import analyse, panels


def board_of(text: str) -> Board:
    size, *moves = text.split()
    board = Board(int(size))
    for move in moves:
        board.push(move)
    return board


def shown(board: Board, topics: tuple[str, ...], **console: object) -> str:
    out = io.StringIO()
    panels.show(analyse.Analyst(topics).analyse(board), Console(file=out, width=120, **console))  # type: ignore[arg-type]
    return out.getvalue()


def test_two_by_two_by_hand() -> None:
    """Black on a1: resistances 5/8 and 5/4, see ``tests/analysis/test_resistance.py``; one stone or two are needed."""
    said = analyse.Analyst(("resistance", "distance")).analyse(board_of("2 a1")).as_dict()
    assert said["size"] == [2, 2]
    assert (said["black"], said["white"], said["turn"], said["winner"]) == (["a1"], [], "white", None)
    assert said["resistance"]["black"] == pytest.approx(5 / 8)
    assert said["resistance"]["white"] == pytest.approx(5 / 4)
    assert said["resistance"]["black_value"] == pytest.approx(1 / 3)
    assert set(said["resistance"]["energy"]["black"]) == {"a2", "b1", "b2"}
    assert said["distance"]["shortest_path"] == {"black": 1, "white": 2}
    assert "inferior" not in said


def test_captured_corner() -> None:
    """Black's b2 on 3x3 has won: each side's pair of cells is captured, and the rest is dead."""
    said = analyse.Analyst().analyse(board_of("3 b2")).as_dict()
    assert sorted(said["inferior"]["fill"]["black"]) == ["a1", "a2", "a3", "b1", "b3", "c1", "c2", "c3"]
    assert said["inferior"]["fill"]["white"] == []


def test_finished_game() -> None:
    board = board_of("3 a1 b1 a2 b2 a3")
    said = analyse.Analyst(seconds=0.2).analyse(board).as_dict()
    assert said["winner"] == "black"
    assert (said["resistance"]["black"], said["resistance"]["white"]) == (0, None)
    assert said["distance"]["shortest_path"] == {"black": 0, "white": None}
    text = shown(board, analyse.TOPICS)
    assert "black 0.000, white infinite" in text
    assert "black joined, white none" in text


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_every_size_is_drawn(width: int, height: int) -> None:
    board = Board(width, height)
    found = analyse.Analyst(seconds=0.2).analyse(board)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["size"] == [width, height]
    for colours in (None, "truecolor"):
        out = io.StringIO()
        panels.show(found, Console(file=out, color_system=colours, force_terminal=True, width=120))  # type: ignore[arg-type]
        assert out.getvalue().count("Black to move") == len(panels.panels(found))
    picture = panels.picture(found)
    assert draw.svg(picture).count('class="cell"') == board.cells * len(panels.panels(found))


def test_text_of_the_energy() -> None:
    """a2 takes 0.65 of Black's energy and 0.6 of White's, b1 and b2 0.175 and 0.2: nine tenths of it make 2.7."""
    text = shown(board_of("2 a1"), ("resistance",))
    assert text.splitlines()[:4] == [
        "Resistance: each cell's share of the energy",
        " a b",
        "1(B)3 1",
        " 2 9 3 2",
    ]
    assert "resistance: black 0.625, white 1.250; value for white: -0.33" in text


def test_reading_a_file(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text('5 c3\n\n#5,a1b2\n{"position": "3 b2", "note": 1}\n', encoding="utf-8")
    boards = analyse.read_boards(str(file))
    assert [(board.width, board.ply) for board in boards] == [(5, 1), (5, 2), (3, 1)]
    assert analyse.read_boards("-", io.StringIO("3 a1\n"))[0] == board_of("3 a1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no positions: one a line is expected"),
        ("5 c3\n5 z9\n", "line 2: "),
        ("5 c3 c3\n", "line 1: "),
        ("{}\n", 'line 1: a line of JSON needs a text called "position"'),
        ("{\n", 'line 1: a line of JSON needs a text called "position"'),
        ('{"position": 5}\n', 'line 1: a line of JSON needs a text called "position"'),
        ('{"position": "hello"}\n', "line 1: 'hello' is not a position"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"positions\.txt") as error:
        analyse.read_boards(str(file))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
