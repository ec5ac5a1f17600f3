"""The league: its page and its ladders say the same of the same games."""

from pathlib import Path

from fingal.arena import league


def test_ladders_and_page(tmp_path: Path) -> None:
    store = tmp_path / "league.sqlite"
    league.play(store, sizes=(3,), games=2, players=("random", "shortest-path", "resistance"))
    said = league.ladders(store, sizes=(3, 5))
    assert list(said["sizes"]) == ["3"]
    board = said["sizes"]["3"]
    assert board["games"] == 6
    ladder = {row["player"]: row for row in board["ladder"]}
    assert set(ladder) == {"random", "shortest-path", "resistance"}
    assert ladder["random"]["elo"] == 0
    assert sum(row["wins"] for row in ladder.values()) == 6
    assert all(row["games"] == 4 and row["interval"][0] <= row["elo"] <= row["interval"][1] for row in ladder.values())
    page = league.page(store, sizes=(3, 5))
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| ") and "`" in line] == [
        row["player"] for row in board["ladder"]
    ]
