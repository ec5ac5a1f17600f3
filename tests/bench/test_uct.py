import sys
from pathlib import Path

import pytest

from fingal.bench import uct


def test_every_figure_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uct, "SIMULATIONS", 20)
    monkeypatch.setattr(uct, "PRIOR_SIMULATIONS", 5)
    monkeypatch.delenv(uct.VARIABLE, raising=False)
    results = uct.measure(0.01)
    assert results["uct_sims_per_s_11"] > 0
    assert results["uct_sims_per_s_13"] > 0
    assert results["uct_prior_sims_per_s_11"] > 0
    assert results["uct_prior_sims_per_s_13"] > 0
    assert results["mohex_games_per_s_11"] is results["mohex_games_per_s_13"] is None
    assert uct.table(results).row_count == 2


def test_the_peer_is_measured_by_what_more_games_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """500 games in 0.5 seconds and 8,500, fewer than allowed, in 2.5: 8,000 more in 2 seconds."""
    monkeypatch.setattr(uct, "mohex_games", lambda command, size, most: (500, 0.5) if most == 500 else (8_500, 2.5))
    assert uct.mohex_rate("mohex", 11) == pytest.approx(4_000)


def test_what_the_peer_is_told_and_says(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\n"
        "told = open(sys.argv[1], 'w')\n"
        "for line in sys.stdin:\n"
        "    told.write(line)\n"
        "    print('= \\n')\n"
        "    if line.startswith('genmove'): print('Count   3\\nGamesPlayed    61', file=sys.stderr)\n",
        encoding="utf-8",
    )
    found = uct.mohex_games(f"{sys.executable} -I {engine} {tmp_path / 'told'}", 13, 77)
    assert found is not None
    assert found[0] == 61
    told = (tmp_path / "told").read_text(encoding="utf-8").split("\n")
    assert {"param_mohex max_games 77", "boardsize 13 13", "play b c2", "genmove w"} <= set(told)


@pytest.mark.parametrize("command", ["no-such-engine", f"{sys.executable} -c 'print(\"? no\")'"])
def test_an_engine_that_fails(command: str) -> None:
    assert uct.mohex_rate(command, 11) is None


def test_no_time() -> None:
    with pytest.raises(ValueError, match="seconds=0 is not possible"):
        uct.measure(0)
