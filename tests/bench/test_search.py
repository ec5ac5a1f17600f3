import json
from pathlib import Path

import pytest
from rich.console import Console

from fingal.bench import search
from fingal.nets import card, checkpoint
from fingal.nets.residual import Config, Residual


@pytest.fixture
def no_nets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No net is shipped, and the untrained one is tiny."""
    tiny = Config(3, 8, pool_every=1, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)
    monkeypatch.setattr(card, "WEIGHTS", tmp_path)
    monkeypatch.setattr(search, "_save_untrained", lambda path: checkpoint.save(Residual(tiny), path))


@pytest.mark.usefixtures("no_nets")
def test_every_figure_is_there() -> None:
    results = search.measure(seconds=0.01, rounds=2, positions=64)
    assert set(results) == {*search.LABELS, "net", "threads"}
    assert results["threads"] == []
    assert results["net"].startswith("untrained")
    for name in ("sims_per_s_constant", "ort_fp32_per_s", "ort_int8_per_s"):
        assert results[name] > 0
    assert 0 <= results["int8_top1_agreement"] <= 1
    assert search.table(results).row_count == len(search.LABELS)


def test_a_shipped_net_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(card, "WEIGHTS", tmp_path)
    for ending in (".onnx", ".int8.onnx"):
        (tmp_path / f"{search.NET}{ending}").touch()
    name, files = search.net_files(tmp_path)
    assert name == search.NET
    assert files == (tmp_path / f"{search.NET}.onnx", tmp_path / f"{search.NET}.int8.onnx")


@pytest.mark.usefixtures("no_nets")
def test_without_torch_the_tree_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(search.importlib.util, "find_spec", lambda module: None)
    results = search.measure(0.01)
    assert json.loads(json.dumps(results)) == results
    assert results["sims_per_s_constant"] > 0
    assert results["ort_fp32_per_s"] is results["net"] is None
    Console().print(search.table(results))
    assert "not measured" in capsys.readouterr().out


def test_threads_are_measured_in_turn() -> None:
    row = search.scaling("fingal-small", 5, seconds=0.2, rounds=2)
    assert row["net"] == "fingal-small"
    assert row["one"] > 0
    assert row["ratio"] == row["two"] / row["one"]


def test_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="is not possible"):
        search.measure(seconds=0)
