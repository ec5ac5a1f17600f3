import json

import pytest
from rich.console import Console

from fingal.bench import connections


def test_every_figure_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    results = connections.measure(0.01)
    assert list(results) == ["build_ms_11", "build_ms_13", "incremental_ms_11", "full_found_11"]
    assert all(value > 0 for value in results.values())
    assert json.loads(json.dumps(results)) == results
    Console().print(connections.table(results))
    assert "11x11 after a move" in capsys.readouterr().out


@pytest.mark.parametrize("size", [11, 13])
def test_positions_are_of_games_in_progress(size: int) -> None:
    positions = list(connections.read(size))
    assert len(positions) >= 20
    for position in positions:
        assert not position.board.is_over()
        assert set(position.further) <= set(position.board.empty_cells)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="seconds=0"):
        connections.measure(0)
