"""Levels: everyone plays everywhere, and what is said of their strength is what the league found."""

import json
from importlib import resources

import pytest

from fingal.arena import league, levels
from fingal.game import Record
from fingal.players import spec
from fingal.players.player import Limit, ask


@pytest.mark.parametrize("level", levels.LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize(("width", "height"), [(3, 3), (19, 19), (7, 11), (19, 3)])
def test_every_level_plays_on_every_board(level: levels.Level, width: int, height: int) -> None:
    player = spec.make(level.player)
    record = Record.of(["b2", "a1"], width, height)
    # A limit of its own counts more than this one, but the first move shows whether it plays there at all.
    if "sims=" in level.player:
        player = spec.make(level.player.partition("sims=")[0] + "sims=2")
    move = ask(player, record, record.board(), Limit(simulations=2))
    assert record.board().is_legal(move)
    player.close()


def test_levels_are_in_the_league() -> None:
    assert {level.player for level in levels.LEVELS} <= set(league.PLAYERS)
    assert len(set(league.PLAYERS)) == len(league.PLAYERS)
    assert league.PLAYERS[0] == "random"


def test_levels_are_known_by_name() -> None:
    assert levels.find("full") is levels.LEVELS[-1]
    assert len({level.name for level in levels.LEVELS}) == len(levels.LEVELS)
    with pytest.raises(ValueError, match="there is no level 'nobody'; there are first-steps"):
        levels.find("nobody")


def test_elo_is_the_leagues() -> None:
    file = resources.files("fingal.arena").joinpath("league.json")
    said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"sizes": {}}
    for about, level in zip(levels.about(), levels.LEVELS, strict=True):
        assert set(about) == {"name", "title", "text", "player", "elo"}
        for size, (elo, low, high) in about["elo"].items():
            (row,) = [row for row in said["sizes"][size]["ladder"] if row["player"] == level.player]
            assert [elo, low, high] == [row["elo"], *row["interval"]]
            assert low <= elo <= high


@pytest.mark.parametrize("size", ["9", "11"])
def test_each_level_is_stronger_than_the_one_before(size: str) -> None:
    elo = [level.elo[size][0] for level in levels.LEVELS]
    assert elo == sorted(elo)
    assert len(set(elo)) == len(elo)


def test_a_strong_level_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "torch" else found(name))
    monkeypatch.setattr("fingal.nets.inference._has_cuda", lambda: False)
    record = Record.of(["b1", "a2", "b2", "a3"], 3)
    assert record.name(spec.make(levels.find("full").player).choose(record)) == "b3"
