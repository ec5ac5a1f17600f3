import json
from pathlib import Path

import pytest

from fingal.game import Board
from fingal.solve import tables
from fingal.solve.tables import build
from tests.solve.truth import OPENINGS


def test_the_tables_are_as_published() -> None:
    assert {(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (6, 7), (7, 7), (7, 8)} <= set(tables.sizes())
    for width, height in tables.sizes():
        board = Board(width, height)
        published = OPENINGS.get(f"{width}x{height}", ["a1"] if width == height == 1 else None)
        assert published is not None
        for cell, wins in tables.openings(width, height).items():
            assert wins is (board.name(cell) in published)


def test_what_is_not_in_the_tables_is_not_known() -> None:
    assert tables.openings(19, 19) == {}
    assert tables.picture(3, 2) == ["???", "???"]


def test_an_opening_that_is_not_solved_in_its_turn_is_solved_in_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "openings.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(build, "FILE", tmp_path / "openings.json")
    monkeypatch.setattr(build, "FIRST_TURN", 1e-4)
    monkeypatch.setattr(build, "MEMORY", 16)
    monkeypatch.setattr(tables, "picture", lambda width, height: ["?" * width] * height)

    build.build(5, 5, 60)

    assert "not solved" in capsys.readouterr().out
    board = Board(5)
    marks = "".join(json.loads(build.FILE.read_text(encoding="utf-8"))["5x5"])
    assert [board.name(cell) for cell, mark in enumerate(marks) if mark == "W"] == sorted(
        OPENINGS["5x5"], key=board.cell
    )
