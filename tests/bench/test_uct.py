import sys
from pathlib import Path

import pytest

from fingal.bench import uct


def test_every_figure_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uct, "SIMULATIONS", 20)
    monkeypatch.delenv(uct.VARIABLE, raising=False)
    results = uct.measure(0.01)
    assert results["uct_sims_per_s_11"] > 0
    assert results["uct_sims_per_s_13"] > 0
    assert results["mohex_games_per_s_11"] is results["mohex_games_per_s_13"] is None
    assert uct.table(results).row_count == 2


def test_what_the_peer_is_told_and_says(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\n"
        "told = open(sys.argv[1], 'w')\n"
        "for line in sys.stdin:\n"
        "    told.write(line)\n"
        "    print('= \\n')\n"
        "    if line.startswith('genmove'): print('Elapsed Time   2.5s\\nGames/s        5329.0', file=sys.stderr)\n",
        encoding="utf-8",
    )
    assert uct.mohex_rate(f"{sys.executable} -I {engine} {tmp_path / 'told'}", 13) == 5329
    told = (tmp_path / "told").read_text(encoding="utf-8").split("\n")
    assert {"param_mohex max_games 10000", "boardsize 13 13", "play b c2", "genmove w"} <= set(told)


@pytest.mark.parametrize("command", ["no-such-engine", f"{sys.executable} -c 'print(\"? no\")'"])
def test_an_engine_that_fails(command: str) -> None:
    assert uct.mohex_rate(command, 11) is None


def test_no_time() -> None:
    with pytest.raises(ValueError, match="seconds=0 is not possible"):
        uct.measure(0)
