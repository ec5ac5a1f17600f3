"""Templates that people know, found again; and what is no template."""

from pathlib import Path

import pytest

from fingal import _core
from fingal.analysis import templates
from fingal.analysis.connections import Connections, Limits
from fingal.game import Board, Colour
from tests.analysis.plain_connections import holds

ZIGGURAT = "..O*/.***/****"


def on_board(picture: str) -> tuple[Board, int, int, frozenset[int]]:
    """A picture at the bottom of a board with one more row, by hand: board, ends, carrier."""
    rows = picture.split("/")
    board = Board(max(2, len(rows[0])), len(rows) + 1)
    at = {(i + 1) * board.width + j: mark for i, row in enumerate(rows) for j, mark in enumerate(row)}
    for cell, mark in at.items():
        if mark == "S":
            board.set_stone(cell, Colour.BLACK)
    by = {mark: cell for cell, mark in at.items()}
    carrier = frozenset(cell for cell, mark in at.items() if mark == "*")
    return board, by["O"], by.get("P", board.cells + 1), carrier


def test_the_ziggurat_holds_and_needs_every_cell() -> None:
    finder = _core.TemplateFinder()
    assert finder.holds(ZIGGURAT)
    assert finder.is_minimal(ZIGGURAT)
    assert not finder.holds(ZIGGURAT.replace("*", ".", 1))
    assert not finder.is_minimal("..O**/.****/*****")


def test_the_rules_find_the_ziggurat_but_not_every_ladder() -> None:
    finder = _core.TemplateFinder()
    ladder = "..........*S./..*O*...*****/.************/**..*********"
    assert finder.is_found(ZIGGURAT)
    assert not finder.is_found(ladder)
    finder.add(ladder)
    assert finder.is_found(ladder)
    assert finder.known == [ladder]


def test_a_region_shrinks_to_the_template_that_people_know() -> None:
    region = "..O***/.*****/******"
    found = {_core.TemplateFinder().shrunk(region, order) for order in templates.orders(region)}
    assert found == {min(ZIGGURAT, "..*O/.***/****")}
    assert _core.TemplateFinder().shrunk("O./.*", []) is None


def test_two_stones_on_the_second_row_are_joined_over_the_edge() -> None:
    """One cell lies between them; without it they are joined when both reach the edge."""
    finder = _core.TemplateFinder()
    region = templates.Region(dict(templates.read(".O*P/****").marks))
    found = templates.carriers(finder, region, depth=2)
    pairs = {frozenset(at for at, mark in templates.read(one).marks.items() if mark == "*") for one in found}
    assert frozenset({(0, 0), (0, 1), (0, 2), (0, 3)}) in pairs
    assert min(len(pair) for pair in pairs) == 4
    for picture in found:
        board, a, b, carrier = on_board(picture)
        assert holds(board, Colour.BLACK, a, b, carrier, owner_first=False)


@pytest.mark.parametrize("picture", ["..O*/.**S/.***/****", "..SO/.***/.***/****", "..OS/.***/.***/****"])
def test_a_template_is_found_in_a_position_that_has_room_for_nothing_else(picture: str) -> None:
    board, end, edge, carrier = on_board(picture)
    for cell in set(board.empty_cells) - carrier - {end}:
        board.set_stone(cell, Colour.WHITE)
    finder = _core.TemplateFinder()
    assert holds(board, Colour.BLACK, end, edge, carrier, owner_first=False)
    (found,) = set(finder.find(board, int(Colour.BLACK)))
    assert found in (picture, templates.read(picture, mirrored=True).picture())
    finder.add(found)
    assert finder.find(board, int(Colour.BLACK)) == []


def test_the_small_templates_that_ship_hold_by_plain_search() -> None:
    small = [picture for picture in _core.edge_templates() if picture.count("*") <= 8]
    for picture in small:
        board, a, b, carrier = on_board(picture)
        assert holds(board, Colour.BLACK, a, b, carrier, owner_first=False), picture


def test_some_of_the_large_templates_that_ship_hold() -> None:
    quick = [picture for picture in _core.edge_templates() if picture.count("*") <= 34]
    for picture in quick[::25]:
        board, a, b, carrier = on_board(picture)
        view = Connections(board, Colour.BLACK, limits=Limits(templates=False))
        assert view.holds(a, b, sorted(carrier), False), picture


def test_a_picture_and_its_mirror_image() -> None:
    region = templates.read("..O*/.***/****")
    assert region.cells == 8
    assert templates.read("..O*/.***/****", mirrored=True).picture() == "..*O/.***/****"


def test_what_a_smaller_template_covers_is_not_kept() -> None:
    wider = "..O**/.****/*****"
    assert templates.select({wider: 1, ZIGGURAT: 1}, 40) == [ZIGGURAT]
    assert templates.select({wider: 1, ZIGGURAT: 1}, 7) == []


def test_bad_pictures_are_refused() -> None:
    finder = _core.TemplateFinder()
    for picture, message in (("**/**", "one O"), ("OO/**", "one O"), ("OX/**", "rows of"), ("O/***", "one length")):
        with pytest.raises(ValueError, match=message):
            finder.add(picture)
    with pytest.raises(ValueError, match="no mark 9"):
        finder.shrunk("O./**", [9])


def test_the_program_goes_on_and_writes_what_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, state, output = tmp_path / "games.txt", tmp_path / "state.json", tmp_path / "list.cpp"
    games.write_text("# a comment\n6 c3 d4 b5\n", encoding="ascii")
    wide = templates.around({(2, 0): "O"}, 1, 0)
    monkeypatch.setattr(templates, "regions", lambda: [wide])
    monkeypatch.setattr(templates, "STRIPS", ((templates.Strip(2, 3, 6), 0),))
    arguments = [str(games), "--state", str(state), "--write", str(output)]
    state.write_text('{"found": {"..O**/.****/*****": 1}, "regions": 0, "positions": 0}', encoding="ascii")
    assert templates.main(arguments) == 0
    first = output.read_text(encoding="ascii")
    assert f'      "{min(ZIGGURAT, "..*O/.***/****")}",' in first
    assert "O**/" not in first
    assert '"strips": 1, "regions": 1, "positions": 1' in state.read_text(encoding="ascii")
    monkeypatch.setattr(templates, "carriers", None)  # nothing is left to do
    monkeypatch.setattr(templates, "LoneStone", None)
    assert templates.main(arguments) == 0
    assert output.read_text(encoding="ascii") == first


def test_stones_alone_are_kept_as_one_with_their_image_unless_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    search = templates.Search(None, {})
    search.try_strips([(templates.Strip(2, 4, 8), 1)])
    assert "..*O/.***/****" in search.found
    assert ZIGGURAT not in search.found
    monkeypatch.setattr(templates, "LARGEST_ALONE", 7)
    none = templates.Search(None, {})
    none.try_strips([(templates.Strip(2, 4, 8), 1)])
    assert none.found == {}


def test_files_that_the_program_cannot_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games.txt"
    assert templates.main([str(games)]) == 2
    assert "games.txt cannot be used" in capsys.readouterr().err
    games.write_text("eleven a1 a2\n", encoding="ascii")
    assert templates.main([str(games)]) == 2
    assert "cannot be used" in capsys.readouterr().err
