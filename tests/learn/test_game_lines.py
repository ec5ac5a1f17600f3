"""Games from files: lines with and without their head, SGF with a swap, and what is refused."""

from pathlib import Path

import pytest

from fingal.game import Board, Colour, Record, Special, formats
from fingal.learn.parts import game_lines
from fingal.learn.parts.game_lines import Game

WON = "b2 a1 b1 c1 b3"
"""Black wins on 3x3 with its last move."""


def cells(text: str, size: int = 3) -> tuple[int, ...]:
    board = Board(size)
    return tuple(board.cell(name) for name in text.split())


def test_lines_with_and_without_a_head(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(f"B 2 {WON}\n\na1 c3\nW 0 c2 a2\n")
    assert game_lines.read(file, 3) == [Game(cells(WON), 2), Game(cells("a1 c3")), Game(cells("c2 a2"))]


def test_a_line_reads_back(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(game_lines.line(cells(WON), 1, 3, Colour.BLACK) + "\n")
    assert file.read_text() == f"B 1 {WON}\n"
    assert game_lines.read(file, 3) == [Game(cells(WON), 1)]


def test_a_collection_and_a_folder_of_sgf(tmp_path: Path) -> None:
    first, second = Record.of(list(WON.split()), 3), Record.of(["a3", "b2"], 3)
    second.push(Colour.BLACK, Special.RESIGN)
    (tmp_path / "one.sgf").write_text(formats.write(first) + "\n" + formats.write(second))
    (tmp_path / "two.sgf").write_text(formats.write(second))
    both = [Game(cells(WON)), Game(cells("a3 b2"))]
    assert game_lines.read(tmp_path / "one.sgf", 3) == both
    assert game_lines.read(tmp_path, 3) == [*both, both[1]]


def test_after_a_swap_the_game_is_the_mirrored_one() -> None:
    record = Record.of(["a2", "swap-pieces", "c1", "b3"], 3, swap=True)
    read = game_lines.of_record(record)
    assert read == Game(cells("a2 a3 c2"), 1)
    # The oracle: the board with the swap and the board without are the same, mirrored with the colours exchanged.
    swapped, plain = record.board(), Record.of(list(read.moves), 3).board()
    for cell in range(9):
        there = swapped.colour_at(cell)
        assert plain.colour_at(cell % 3 * 3 + cell // 3) == (None if there is None else there.other)
    assert swapped.turn == plain.turn.other


def test_a_first_move_that_could_have_been_swapped_is_given() -> None:
    assert game_lines.of_record(Record.of(["a2", "b2"], 3, swap=True)).given == 1
    assert game_lines.of_record(Record.of(["a2", "b2"], 3)).given == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1 d1", "line 1: 'd1' is no empty cell of 3x3"),
        ("B 1 a1\nB 1 a1 b2 a1", "line 2: 'a1' is no empty cell"),
        ("B x a1", "'B' is no empty cell"),
        (f"{WON} c3", "line 1: the game is over before its last move"),
        ("(;FF[4]SZ[4];B[a1])", "game 1 is on 4x4, not on 3x3"),
        ("(;FF[4]SZ[3]AB[a1];W[b2])", "set up"),
        ("(;FF[4]SZ[3];W[a1];B[b2])", "game 1 has a move out of turn"),
        ("(;FF[4]SZ[3];B[a1];B[b2];W[c3])", "game 1 has a move out of turn"),
    ],
)
def test_what_is_no_game_is_refused_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        game_lines.read(file, 3)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.txt cannot be read: No such file"):
        game_lines.read(tmp_path / "none.txt", 3)
    (tmp_path / "noise.txt").write_bytes(b"a1 \xff\xfe\x00")
    with pytest.raises(ValueError, match=r"noise\.txt cannot be read: it is not text"):
        game_lines.read(tmp_path / "noise.txt", 3)
