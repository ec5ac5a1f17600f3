"""Which first moves win: against what others have published, and honest where it is an estimate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fingal.game import Board
from fingal.serve.web.app import Options, create
from fingal.serve.web.openings import openings
from tests.solve.truth import OPENINGS


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("data")
    with TestClient(create(Options(data=folder)), base_url="http://127.0.0.1:8000") as client:
        yield client


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_small_boards_are_proven_and_true(client: TestClient, size: int) -> None:
    said = client.get(f"/api/openings/{size}").json()
    assert said["proven"]
    assert len(said["cells"]) == size * size
    assert {cell for cell, opening in said["cells"].items() if opening["wins"]} == set(OPENINGS[f"{size}x{size}"])
    assert all(opening["value"] == (1 if opening["wins"] else -1) for opening in said["cells"].values())
    assert "truth" in said["text"]


def test_what_is_proven_on_8x8_is_true_and_the_rest_is_called_an_estimate(client: TestClient) -> None:
    said = client.get("/api/openings/8").json()
    proven = {cell: opening for cell, opening in said["cells"].items() if opening["proven"]}
    assert len(proven) >= 50
    assert all(opening["wins"] == (cell in OPENINGS["8x8"]) for cell, opening in proven.items())
    assert said["proven"] == (len(proven) == 64)
    assert said["proven"] or "estimate" in said["text"]


def test_larger_boards_are_an_estimate_and_say_so(client: TestClient) -> None:
    said = client.get("/api/openings/11").json()
    assert not said["proven"]
    assert "estimate" in said["text"]
    cells = said["cells"]
    assert len(cells) == 121
    assert all(-1 <= opening["value"] <= 1 and not opening["proven"] for opening in cells.values())
    assert all(opening["wins"] == (opening["value"] > 0) for opening in cells.values())
    # What no player doubts: the middle is to be swapped, the far corner of the edge is not.
    assert cells["f6"]["wins"]
    assert not cells["a1"]["wins"]


@pytest.mark.parametrize("size", [8, 9, 11, 13])
def test_a_first_move_is_worth_the_same_turned_around(size: int) -> None:
    board, cells = Board(size), openings(size).cells
    for cell in range(board.cells):
        assert cells[board.name(cell)] == cells[board.name(board.cells - 1 - cell)]


@pytest.mark.parametrize("size", ["0", "2", "14", "19", "-3", "7x7", "1e3"])
def test_other_sizes_are_refused_in_a_sentence(client: TestClient, size: str) -> None:
    answer = client.get(f"/api/openings/{size}")
    assert answer.status_code == 400
    assert answer.json()["message"]
