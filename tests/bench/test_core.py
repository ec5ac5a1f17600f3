import json

import pytest
from rich.console import Console

from fingal.bench import core, pgx_peer

OURS = ("core_games_per_s", "core_playouts_per_s", "env_steps_per_s", "push_pop_per_s")


@pytest.fixture
def without_pgx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its compilation takes longer than all the rest."""
    installed = core._installed
    monkeypatch.setattr(core, "_installed", lambda module: module != "pgx" and installed(module))


@pytest.mark.usefixtures("without_pgx")
def test_every_figure_is_there_and_ratios_follow() -> None:
    results = core.measure(seconds=0.01, rounds=2)
    assert list(results) == [*core.LABELS, *core.RATIOS]
    for name in (*OURS, "openspiel_games_per_s"):
        assert results[name] is not None
        assert results[name] > 0
    assert results["pgx_steps_per_s"] is None
    assert results["env_vs_pgx"] is None
    assert results["games_vs_openspiel"] == results["core_games_per_s"] / results["openspiel_games_per_s"]


@pytest.mark.usefixtures("without_pgx")
def test_results_are_one_json_object_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    results = core.measure(0.01)
    assert json.loads(json.dumps(results)) == results
    Console().print(core.table(results))
    printed = capsys.readouterr().out
    assert "HexVectorEnv" in printed
    assert "fingal[bench]" in printed


def test_peers_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "_installed", lambda module: False)
    results = core.measure(seconds=0.01, rounds=1)
    assert {name for name, value in results.items() if value is None} == set(results) - set(OURS) | {"env_steps_per_s"}
    assert core.table(results).row_count == len(core.LABELS)


def test_a_peer_that_fails_is_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    # A Python that cannot start stands for a pgx that does not go with its jax.
    monkeypatch.setattr(core, "_installed", lambda module: module == "pgx")
    monkeypatch.setattr(pgx_peer.sys, "executable", "false")
    assert core.measure(seconds=0.01, rounds=1)["pgx_steps_per_s"] is None
    assert "pgx is installed but failed, with exit status" in capsys.readouterr().err.replace("\n", " ")


def test_a_rate_is_work_per_cpu_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.5, 11.0, 12.0])
    monkeypatch.setattr(core.time, "process_time", lambda: next(clock))
    assert core.rate(lambda: 30, seconds=1.5) == 45


def test_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="seconds=0"):
        core.measure(seconds=0)
