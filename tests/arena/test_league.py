"""The league: its page and its ladders say the same of the same games."""

import itertools
from pathlib import Path

import pytest

from fingal.arena import league


def test_ladders_and_page(tmp_path: Path) -> None:
    store = tmp_path / "league.sqlite"
    players, guest = ("random", "shortest-path", "resistance"), "uct:sims=20,name=Visitor"
    league.play(store, sizes=(3,), games=2, players=players, guests=[guest])  # so few that everyone meets everyone
    said = league.ladders(store, sizes=(3, 5))
    assert list(said["sizes"]) == ["3"]
    board = said["sizes"]["3"]
    assert board["games"] == 12
    ladder = {row["player"]: row for row in board["ladder"]}
    assert set(ladder) == {*players, "Visitor"}
    assert ladder["random"]["elo"] == 0
    assert sum(row["wins"] for row in ladder.values()) == 12
    assert all(row["games"] == 6 and row["interval"][0] <= row["elo"] <= row["interval"][1] for row in ladder.values())
    page = league.page(store, sizes=(3, 5))
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| ") and "`" in line] == [
        row["player"] for row in board["ladder"]
    ]
    assert f"Visitor is `{guest}`." in page


def test_games_between_neighbouring_levels_count_on_the_same_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "league.sqlite"
    players = ("random", "shortest-path", "resistance", "uct:sims=20")
    league.play(store, sizes=(3,), games=2, players=players)
    monkeypatch.setattr(league, "RUNGS", tuple(itertools.pairwise(players)))
    league.play_rungs(store, sizes=(3,), games=4, quick_games=2)
    league.play_rungs(store, sizes=(3,), games=4, quick_games=2)  # nothing is left
    board = league.ladders(store, sizes=(3,))["sizes"]["3"]
    assert board["games"] == 22
    assert {row["player"]: row["games"] for row in board["ladder"]} == {
        "random": 8,
        "shortest-path": 12,
        "resistance": 14,
        "uct:sims=20": 10,
    }
