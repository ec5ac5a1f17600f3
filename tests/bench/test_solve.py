import pytest

from fingal.bench import solve


def test_every_figure_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "WHOLE", ("4x4", "5x5"))
    monkeypatch.setattr(solve, "SINGLE", {"5x5": ("", "a1")})
    results = solve.measure()
    assert {"solve_4x4_all_s", "solve_5x5_all_s", "solve_5x5_empty_s", "nodes_5x5_a1", "nodes"} <= set(results)
    assert results["nodes"] == results["nodes_4x4_all"] + results["nodes_5x5_all"] > 0
    assert solve.table(results).row_count == 4
