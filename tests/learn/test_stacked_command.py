"""``fingal train`` for the learners that train several seeds at once."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from fingal import cli
from fingal.game import Record
from fingal.learn import command
from fingal.learn.parts.history import History
from fingal.learn.stacked_command import LEARNERS, best_of
from fingal.nets import checkpoint
from fingal.players import spec


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


SHORT = ["--games", "16", "--rows", "2", "--size", "2"]


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_every_learner_leaves_a_net_that_plays(
    algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    command.main([algorithm, *SHORT, "--run", str(run), "--seeds", "2"])
    written = Path(capsys.readouterr().out.strip())
    assert written == run / "checkpoints" / "latest.safetensors"
    net, card = checkpoint.load_any(written)
    assert card.head == ("policy" if algorithm == "actor-critic" else "q")
    assert card.sizes == ("2x2",)
    assert card.cost["games"] >= 16
    player = spec.make(f"net:{written},device=cpu")
    assert player.choose(Record(2, 2)) in range(4)
    assert len(list((run / "checkpoints").glob("seed-*.safetensors"))) == 2
    histories = json.loads((run / "histories.json").read_text())
    assert [history["settings"]["seed"] for history in histories] == [1, 2]
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert len(rows) == 2
    means = [sum(history["rows"][-1]["value"] for history in histories) / 2]
    assert rows[-1]["value"] == pytest.approx(means[0])
    # The same folder again: nothing is trained anew, and nothing is lost or written twice.
    before = written.read_bytes()
    command.main([algorithm, *SHORT, "--run", str(run), "--seeds", "2"])
    assert len((run / "metrics.jsonl").read_text().splitlines()) == 2
    again, _ = checkpoint.load_any(written)
    assert all(torch.equal(tensor, again.state_dict()[name]) for name, tensor in net.state_dict().items())
    assert len(before) == written.stat().st_size
    with pytest.raises(ValueError, match="another games"):
        command.main([algorithm, "--games", "17", *SHORT[2:], "--run", str(run), "--seeds", "2"])


def test_a_recurrent_net_and_pre_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nets = []
    for more in ([], ["--pretrained"]):
        run = tmp_path / f"run{len(more)}"
        command.main(
            ["batch", "--net", "rnn", "--objective", "pbe", "--games", "1", "--rows", "1", *more, "--run", str(run)]
        )
        nets.append(checkpoint.load_any(capsys.readouterr().out.strip())[0])
    assert [type(net).__name__ for net in nets] == ["Recurrent", "Recurrent"]
    one, other = (torch.cat([tensor.flatten() for tensor in net.state_dict().values()]) for net in nets)
    assert (one - other).abs().max() > 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sars"], "'sars' is not an algorithm: one of alphazero, distil, apprentice, ezo, imitate, neurohex"),
        (["sarsa", "--rule", "q"], "rule is sarsa in 'fingal train sarsa', not q"),
        (["batch", "--seeds", "0"], "seeds must be at least 1, not 0"),
        (["batch", "--threads", "0"], "threads must be at least 1, not 0"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fingal", "train", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert message in " ".join(told.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["batch", "--epsilon", "2"], ["batch", "--net", "mlp"], ["tdc", "--alpha", "x"]])
def test_settings_that_cannot_be(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fingal", "train", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert arguments[1].removeprefix("--") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_runs_that_all_diverge_are_told_of_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    wild = ["batch", "--games", "4000", "--rows", "2", "--size", "2", "--batch", "8", "--learning-rate", "1e7"]
    with pytest.raises(SystemExit) as left:
        command.main([*wild, "--bound", "1e3", "--run", str(run)])
    assert left.value.code == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "diverged at update" in told
    assert "learning_rate=10000000.0" in told
    (history,) = json.loads((run / "histories.json").read_text())
    assert history["diverged"].startswith("diverged at update")
    checkpoint.load_any(run / "checkpoints" / "latest.safetensors")


def test_the_best_run_is_the_one_that_keeps_most_wins() -> None:
    def history(kept: float | None, diverged: str = "") -> History:
        return History({}, [] if kept is None else [{"keeps_win": kept}], diverged)

    assert best_of([history(0.5), history(0.9), history(0.7)]) == 1
    assert best_of([history(0.9, "diverged"), history(0.7), history(0.7)]) == 1
    assert best_of([history(None, "diverged"), history(0.1, "diverged")]) == 1


def test_help_lists_the_algorithms(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--help"])
    told = capsys.readouterr().out
    assert all(name in told for name in ("alphazero", "sarsa", "gtd2", "actor-critic", "batch"))


@pytest.mark.parametrize("net", ["cnn", "rnn"])
def test_the_net_plays_as_its_history_says(net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last row's exact share against random moves, from all games that the player of the file can play."""
    command.main(["batch", "--net", net, "--games", "40", "--rows", "1", "--run", str(tmp_path / "run")])
    player = spec.make(f"net:{capsys.readouterr().out.strip()},device=cpu")

    def share(moves: list[int | str]) -> float:
        record = Record.of(moves, 3)
        board = record.board()
        if board.is_over():
            return float(board.winner == 0)
        if board.ply % 2 == 0:
            return share([*moves, player.choose(record)])
        return sum(share([*moves, move]) for move in board.legal_moves) / len(board.legal_moves)

    (history,) = json.loads((tmp_path / "run" / "histories.json").read_text())
    assert share([]) == pytest.approx(history["rows"][-1]["first_vs_random"], abs=1e-6)
