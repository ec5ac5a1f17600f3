"""The standing league: every pair meets on every board, once, and the page says who is best."""

from pathlib import Path

import pytest

from fingal.arena import league
from fingal.arena.store import Store


def test_the_league_is_played_once_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league, "PLAYERS", ("random", "shortest-path", "resistance:depth=1"))
    monkeypatch.setattr(league, "SPECIALISTS", {4: ("resistance:depth=2",)})
    store = tmp_path / "league.sqlite"
    for _ in range(2):
        league.play(store, sizes=(3, 4), games=2)
    with Store(store) as kept:
        assert [len(kept.games(f"league {size}x{size}")) for size in (3, 4)] == [6, 12]
        # Half of a pair's games with each colour.
        assert {(game.black, game.white) for game in kept.games("league 3x3")} == {
            (one, two) for one in league.PLAYERS for two in league.PLAYERS if one != two
        }
    page = league.page(store, sizes=(3, 4, 5))
    assert "## 3x3" in page
    assert "## 5x5" not in page
    rows = [line for line in page.partition("## 4x4")[2].splitlines() if line.startswith(("| 1 ", "| 4 "))]
    assert "`random` | +0" in rows[1]
    assert rows[1].count("0/2") == 3  # Against players that look ahead, random loses on 4x4.
