"""Openings: which there are, which are fair, and files of them."""

import json
from pathlib import Path

import pytest

from fingal.arena import fair
from fingal.arena.openings import edge_cells, fair_cells, openings
from fingal.game import BLACK, Board, Record
from fingal.solve import tables


def moves(record: Record) -> list[str]:
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


@pytest.mark.parametrize(("width", "height"), [(1, 2), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_every_cell_once(width: int, height: int) -> None:
    every = openings("all", width, height)
    assert [record.moves for record in every] == [[(BLACK, cell)] for cell in range(width * height)]
    (none,) = openings("none", width, height)
    assert none.moves == []


@pytest.mark.parametrize(("side", "count"), [(1, 1), (2, 4), (4, 16), (5, 24), (7, 40), (9, 56), (11, 72)])
def test_edge_openings_are_as_many_as_the_paper_says(side: int, count: int) -> None:
    """n² - (n - 4)²: 40, 56 and 72 for 7, 9 and 11."""
    assert len(openings("edge", side, side)) == count


def test_edge_openings_are_within_two_rows() -> None:
    board = Board(5, 7)
    centre = [board.cell(name) for name in ("c3", "c4", "c5")]
    assert edge_cells(5, 7) == [cell for cell in range(35) if cell not in centre]


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 5), (7, 7), (11, 11)])
def test_fair_openings_are_a_quarter_and_no_two_the_same_up_to_a_half_turn(width: int, height: int) -> None:
    cells = fair_cells(width, height)
    last = width * height - 1
    assert len(cells) == max(1, round((width * height + 1) // 2 / 4))
    assert len({min(cell, last - cell) for cell in cells}) == len(cells)
    assert cells == fair_cells(width, height)


def test_fair_openings_leave_out_what_everyone_knows() -> None:
    """On 11x11 neither the centre, which wins, nor a corner, which loses, is fair; on the border of the two it is."""
    names = {Board(11).name(cell) for cell in fair_cells(11, 11)}
    assert not names & {"f6", "e6", "f5", "g5", "a1", "b1", "c1", "e1"}
    assert names & {"a4", "a5", "k4", "b4", "k5"}


def test_fair_openings_on_a_solved_board_are_mostly_next_to_the_other_outcome() -> None:
    """On 7x7 it is known which openings win: the hard ones touch a cell that has the other outcome."""
    board, wins = Board(7), tables.openings(7, 7)
    hard = [any(wins[at] != wins[cell] for at in board.neighbours(cell)) for cell in range(49)]
    chosen = [hard[cell] for cell in fair_cells(7, 7)]
    assert sum(chosen) / len(chosen) > sum(hard) / len(hard)


def test_as_many_fair_openings_as_are_asked_for() -> None:
    assert [opening.moves[0][1] for opening in openings("fair:9", 5, 5)][:3] == fair_cells(5, 5)
    assert len(openings("fair:13", 5, 5)) == 13
    for text in ("fair:0", "fair:14", "fair:1000", "fair:123456789"):
        with pytest.raises(ValueError, match=r"^there are not \d+ fair openings on 5x5: from 1 to 13$"):
            openings(text, 5, 5)


def test_fair_openings_of_square_boards_need_no_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever net ships: of every board from 2x2 to 19x19 one of every two cells that a half turn joins."""
    monkeypatch.setattr("fingal.nets.card.WEIGHTS", tmp_path)
    with pytest.raises(ValueError, match="there is no net 'fingal-small'"):
        openings("fair", 3, 5)
    for side in range(2, 20):
        half = (side * side + 1) // 2
        cells = [opening.moves[0][1] for opening in openings(f"fair:{half}", side, side)]
        assert sorted(min(cell, side * side - 1 - cell) for cell in cells) == list(range(half))
        assert [opening.moves[0][1] for opening in openings("fair", side, side)] == cells[: max(1, round(half / 4))]


@pytest.mark.parametrize(
    ("side", "names"), [(5, "a2 a3 c1"), (9, "b2 a2 i3 b4 a3 i4 i1 a4 c2 g2"), (11, "c2 b4 a2 b2"), (13, "c2 b4 g3 h3")]
)
def test_fair_openings_are_those_of_the_matches_already_played(side: int, names: str) -> None:
    """As ``fingal match`` chose them when the ``fingal-small`` of 54.6 minutes was asked at every call."""
    first = openings("fair", side, side)[: len(names.split())]
    assert [moves(opening) for opening in first] == [[f"B {name}"] for name in names.split()]


def test_the_table_of_fair_openings_is_written_anew(tmp_path: Path) -> None:
    """On 2x2 and 3x3 by whichever net ships: a board a line, with a cell and its image only once."""
    file = tmp_path / "fair.json"
    fair.build(file, (2, 3))
    table = json.loads(file.read_text())
    assert {size: sorted(names.split()) for size, names in table.items()} == {
        "2x2": ["a1", "b1"],
        "3x3": ["a1", "a2", "b1", "b2", "c1"],
    }


@pytest.mark.parametrize(("width", "height"), [(1, 1), (4, 1)])
def test_where_the_first_move_wins_the_board_is_empty(width: int, height: int) -> None:
    assert fair_cells(width, height) == []
    for source in ("all", "edge", "fair"):
        assert [record.moves for record in openings(source, width, height)] == [[]]
    with pytest.raises(ValueError, match=rf"^there are no fair openings on {width}x{height}: every first move wins"):
        openings("fair:3", width, height)


def test_openings_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;FF[4]GM[11]SZ[5]AB[c3];W[b2];B[a1])")
    file = tmp_path / "openings.txt"
    file.write_text(f"\ufeffa1 b2\r\n\n#5,c3,d4\n  5: e5\n{tmp_path}/game.sgf@1\n", encoding="utf-8")
    starts = openings(str(file), 5, 5)
    assert [moves(start) for start in starts] == [["B a1", "W b2"], ["B c3"], ["B e5"], ["W b2"]]
    assert starts[3].board().colour_at("c3") is BLACK


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a1\nz9\n", "line 2: move 1: 'z9' is off the board"),
        (b"a1 a1", "line 1: move 2, W a1: cell a1 is occupied"),
        (b"#4,a1", "line 1: a board of 4x4, but the match is on 3x3"),
        (b"a1 c1 a2 c2 a3", "line 1: the game is over: black has won"),
        (b"a1 resign", "line 1: the game is over: white has given up"),
        (b"a1 swap-sides", "line 1: swap-sides has no place in an opening"),
        (b"a1\na1 pass", "line 2: a pass has no place in an opening"),
        (b"#3,a1:pb2", "line 1: a pass has no place in an opening"),
        (b"\n  \n", "holds no openings: one a line is expected"),
        (b"", "holds no openings"),
        (b"\xff\xfe", "cannot read openings: none, all, edge, fair or a text file is expected"),
        (b"a1\0", "line 1: "),
    ],
)
def test_openings_that_are_none(tmp_path: Path, text: bytes, sentence: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=sentence) as caught:
        openings(str(file), 3, 3)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["missing.txt", "", ".", "/dev/zero", "a\0b"])
def test_openings_from_what_is_no_file(source: str) -> None:
    with pytest.raises(ValueError, match=r"^cannot read openings: none, all, edge, fair or a text file is expected \("):
        openings(source, 3, 3)
