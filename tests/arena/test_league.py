"""The league: its page and its ladders say the same of the same games."""

import itertools
import json
from functools import partial
from pathlib import Path

import pytest
import tyro

from fingal.arena import league
from fingal.arena.store import Store, distinct


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
    page = league.page(said)
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


def test_some_players_play_anew_and_the_others_keep_their_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = ("random", "shortest-path", "resistance", "uct:sims=20")
    monkeypatch.setattr(league, "PLAYERS", players)
    monkeypatch.setattr(league, "RUNGS", (("resistance", "uct:sims=20"),))
    monkeypatch.setattr(league, "ROUNDS", 2)
    league.play(tmp_path / "first.sqlite", sizes=(3,), games=2, players=players)
    said = json.loads(json.dumps(league.ladders(tmp_path / "first.sqlite", sizes=(3,))))
    again = league.renew(tmp_path / "second.sqlite", said, ["uct:sims=20"], games=4, rung_games=6)
    # The two who were nearest meet it four times, but its neighbour among the levels six times.
    elo = {row["player"]: row["elo"] for row in said["sizes"]["3"]["ladder"]}
    near = sorted(players[:3], key=lambda player: abs(elo[player] - elo["uct:sims=20"]))[:2]
    played = {row["player"]: row["games"] for row in again["sizes"]["3"]["ladder"]}
    assert played["uct:sims=20"] == sum(6 if rival == "resistance" else 4 for rival in {*near, "resistance"})
    with Store(tmp_path / "first.sqlite") as kept:
        others = [game for game in kept.games() if "uct:sims=20" not in (game.black, game.white)]
    with Store(tmp_path / "second.sqlite") as kept:
        new = kept.games()
    assert again["sizes"]["3"]["games"] == len(others) + len(new)
    for text in players:
        won = sum(game.won_by == text for game in [*others, *new])
        assert {row["player"]: row["wins"] for row in again["sizes"]["3"]["ladder"]}[text] == won
    assert again["renewed"][0]["players"] == ["uct:sims=20"]
    page = league.page(again)
    assert "Played anew at commit" in page
    assert f"{len(others) + len(new)} games, {distinct(others) + distinct(new)} distinct" in page
    # A player that is replaced once more plays once more, into the same store too.
    more = league.renew(tmp_path / "second.sqlite", again, ["uct:sims=20"], games=4, rung_games=6)
    assert more["sizes"]["3"]["games"] == again["sizes"]["3"]["games"]
    with Store(tmp_path / "second.sqlite") as kept:
        assert len(kept.games()) == 2 * len(new)
    with pytest.raises(ValueError, match="human is not in the league: random, resistance, shortest-path"):
        league.renew(tmp_path / "third.sqlite", said, ["human"])
    assert not (tmp_path / "third.sqlite").exists()


def test_a_guest_with_a_long_text_is_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players, guest = ("random", "shortest-path"), f"uct:sims=5,name={'long ' * 20}/ visitor"
    monkeypatch.setattr(league, "RUNGS", ())
    league.play(tmp_path / "games.sqlite", sizes=(3,), games=2, players=players, guests=[guest])
    said = league.ladders(tmp_path / "games.sqlite", sizes=(3,))
    for guests, met in (([guest], 8), ([], 4)):
        again = league.renew(tmp_path / f"{met}.sqlite", said, ["random"], guests, games=4)
        assert next(row["games"] for row in again["sizes"]["3"]["ladder"] if row["player"] == "random") == met


def test_whoever_stops_the_league_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, ladders = tmp_path / "page.md", tmp_path / "ladders.json"
    monkeypatch.setattr(league.command, "tournament", lambda *_: league.command.Ended(False, False))
    with pytest.raises(KeyboardInterrupt):
        tyro.cli(league.main, args=[str(tmp_path / "games.sqlite"), str(page), str(ladders)])
    assert not page.exists()
    assert not ladders.exists()


def test_ladders_without_their_games_cannot_be_renewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.json").write_text('{"anchor": "random", "sizes": {"5": {"games": 2, "ladder": []}}}')
    words = [str(tmp_path / name) for name in ("games.sqlite", "page.md", "old.json")]
    with pytest.raises(SystemExit) as ended:
        tyro.cli(league.main, args=[*words, "--anew", "random"])
    assert ended.value.code == 2
    assert "play the whole league once, without --anew" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()


def test_the_command_writes_what_it_has_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players, page, ladders = ("random", "shortest-path"), tmp_path / "league.md", tmp_path / "league.json"
    monkeypatch.setattr(league, "RUNGS", ())
    monkeypatch.setattr(league, "play", partial(league.play, sizes=(5,), players=players))
    for words in ([], ["--anew", "shortest-path"]):
        store = tmp_path / f"games{len(words)}.sqlite"
        tyro.cli(league.main, args=[str(store), str(page), str(ladders), *words])
        assert json.loads(ladders.read_text())["sizes"]["5"]["games"] == league.GAMES
        assert f"{league.GAMES} games" in page.read_text()
    assert "Played anew" in page.read_text()
