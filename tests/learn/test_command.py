"""``fingal train`` for the learners that train one net: each leaves a run, a picture and a net that plays."""

import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import torch

from fingal import cli
from fingal.game import Record
from fingal.learn import command
from fingal.learn.alphazero import AlphaZero
from fingal.learn.apprentice import Apprentice
from fingal.learn.parts.run import Run
from fingal.nets import checkpoint
from fingal.nets.card import find
from fingal.players import spec


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


SHORT = {
    "alphazero": (
        "--blocks 1 --channels 8 --pool-channels 4 --policy-channels 4 --value-channels 4 "
        "--value-hidden 8 --sizes 3 --games 8 --replay-start 20 --replay 500 --batch 16 --steps 3"
    ),
    "ezo": "--size 3 --channels 4 --dense 4 --games 6 --epochs 2 --latest-turn 3 --keep-epochs 1",
    "neurohex": (
        "--size 3 --layers 0 4 4 0 8 0 --mentoring 4 --mentor-positions 50 --own-games 8 --games 8 --capacity 200 "
        "--batch 16 --transitions 32 --row-transitions 16 --keep-rows 1"
    ),
    "dqn": "--size 3 --width 4 --generations 1 --episodes 8 --more-episodes 2 --games 4 --batch 8 --capacity 40",
    "reinforce": "--variant a --size 3 --layers 2 --channels 4 --games 6 --iterations 2",
    "amcpg": "--variant b --k 2 --size 3 --layers 2 --channels 4 --games 6 --iterations 2",
    "adversarial": "--size 3 --layers 2 --channels 4 --games 6 --iterations 2",
    "ppo": "--size 3 --net convolutional --width 4 --games 8 --steps 4 --batch 16 --iterations 2",
    "sac": "--size 3 --net feed-forward --width 8 --games 8 --capacity 64 --warm-up 8 --batch 8 --moves 32",
}
"""Settings with which a run takes a second."""

OTHER_SHAPE = {"neurohex": "--border kept", "dqn": "--width 8", "ppo": "--width 8", "sac": "--width 4"}
"""What makes another net of these; ``--channels 12`` for those that are not here."""


def present() -> list[str]:
    return [name for name in command.LEARNERS if importlib.util.find_spec(f"fingal.learn.{name}")]


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_run_leaves_figures_a_picture_and_a_net_that_plays(
    algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    arguments = [algorithm, *SHORT[algorithm].split(), "--run", str(run), "--device", "cpu"]
    command.main(arguments)
    said = capsys.readouterr()
    written = Path(said.out.strip())
    assert written == run / "checkpoints" / "latest.safetensors"
    net, card = checkpoint.load_any(written)
    assert card.sizes == ("3x3",)
    assert spec.make(f"net:{written},device=cpu").choose(Record(3, 3)) in range(9)
    kept = "generation" if algorithm == "dqn" else "net"
    assert list((run / "checkpoints").glob(f"{kept}-*.safetensors"))
    assert (run / "curve.png").read_bytes().startswith(b"\x89PNG")
    # The same folder again: there is nothing left to do, and nothing is lost but a row after the last checkpoint.
    rows = (run / "metrics.jsonl").read_text(encoding="utf-8")
    (run / "metrics.jsonl").write_text(rows + '{"step": 1000000, "loss": 0.5}\n', encoding="utf-8")
    command.main(arguments)
    again, _ = checkpoint.load_any(Path(capsys.readouterr().out.strip()))
    assert all(torch.equal(tensor, again.state_dict()[name]) for name, tensor in net.state_dict().items())
    assert (run / "metrics.jsonl").read_text(encoding="utf-8") == rows
    with pytest.raises(ValueError, match="holds a run with another seed"):
        command.main([*arguments, "--seed", "5"])


def test_ezo_shows_its_figures_and_draws_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["ezo", *SHORT["ezo"].split(), "--run", str(tmp_path), "--device", "cpu"])
    said = capsys.readouterr().err
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["step"] for row in rows if "loss" in row] == [1, 2]
    assert f"loss {rows[-1]['loss']:,.4g}" in said
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_net_to_begin_from(algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = [algorithm, *SHORT[algorithm].split(), "--device", "cpu"]
    command.main([*short, "--run", str(tmp_path / "one")])
    first = Path(capsys.readouterr().out.strip())
    config = command.preset(algorithm, importlib.import_module(f"fingal.learn.{algorithm}"), [])
    assert is_dataclass(config)
    frozen = [*short, "--learning-rate", "1e-30"] if "learning_rate" in {f.name for f in fields(config)} else short
    command.main([*frozen, "--run", str(tmp_path / "two"), "--start", str(first)])
    one, other = (checkpoint.load_any(path)[0] for path in (first, Path(capsys.readouterr().out.strip())))
    # Nothing is learned, so the net is the one it began from.
    assert all(torch.allclose(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    other_shape = OTHER_SHAPE.get(algorithm, "--channels 12").split()
    with pytest.raises(ValueError, match="another shape"):
        command.main([*short, *other_shape, "--run", str(tmp_path / "three"), "--start", str(first)])
    # Nothing had begun there, so the folder is as good as a new one.
    command.main([*short, "--run", str(tmp_path / "three"), "--start", str(first)])


def test_a_shipped_net_to_begin_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--size", "3", "--games", "2", "--iterations", "1", "--learning-rate", "0", "--start", "policy-9"]
    command.main(["reinforce", *words, "--device", "cpu", "--run", str(tmp_path)])
    files = (find("policy-9", (".safetensors",)), Path(capsys.readouterr().out.strip()))
    one, other = (checkpoint.load_any(path)[0] for path in files)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("algorithm", present())
def test_every_learner_has_what_the_command_needs(algorithm: str) -> None:
    module = importlib.import_module(f"fingal.learn.{algorithm}")
    kind = getattr(module, command.LEARNERS[algorithm].config)
    assert module.PRESETS
    assert all(isinstance(preset, kind) for preset in module.PRESETS.values())
    assert {name for _, names in module.PANELS for name in names} <= set(module.SHOWN)
    assert callable(module.train)
    assert callable(module.Trainer)


@pytest.mark.parametrize("name", ["train", "sweep"])
def test_help_lists_every_algorithm(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "sweep":
        pytest.importorskip("optuna")
    monkeypatch.setattr(sys, "argv", ["fingal", name, "--help"])
    cli.main()
    listed = capsys.readouterr().out
    assert f"usage: fingal {name} {{alphazero," in listed
    assert {"ppo", "sac", "sarsa", *command.ALGORITHMS} <= set(re.findall(r"[a-z0-9-]+", listed))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "an algorithm is missing: one of alphazero, distil, apprentice, ezo"),
        (["ezoo"], "'ezoo' is not an algorithm"),
        (["ezo", "--preset", "huge"], "'huge' is not a preset: one of cpu-5x5, cpu-7x7, paper-7x7"),
        (["ezo", "--preset=huge"], "'huge' is not a preset"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        command.main(arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ezo", "--games", "0"], "games must be at least 1, not 0"),
        (["alphazero", "--sizes", "1"], "sizes must be different numbers from 2 to 19"),
        (
            ["alphazero", "--width", "64"],
            "width=64 has no effect beside the residual net: give channels instead, or architecture too",
        ),
        (["alphazero", "--preset", "gpu-large", "--width", "64"], "width=64 has no effect beside the residual net"),
        (
            ["alphazero", "--teacher-share", "1"],
            "teacher_share=1.0 has no effect without a teacher: give teacher too",
        ),
        (["distil", "--teacher-weight", "0.9"], "teacher_weight=0.9 has no effect without a teacher: give teacher too"),
        (
            ["apprentice", "--recorded-share", "0.5"],
            "recorded_share=0.5 has no effect without records: give records too",
        ),
        (["ezo", "--gams", "5"], "--gams"),
        (["ezo", "--start", "missing.safetensors"], "there is no file missing.safetensors"),
        (["ezo", "--preset"], "'' is not a preset"),
        (["imitate", "--threads", "1025"], "threads must be at most 1024, not 1025"),
        (["amcpg", "--k", "40000"], "games=128 with 40000 continuations each are too many: 4194304 at most"),
        (["reinforce", "--games", "5000000"], "games=5000000 are too many: 4194304 at most"),
    ],
)
def test_bad_settings_end_with_status_2(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fingal", "train", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "settings",
    [
        AlphaZero(architecture="convolutional", sizes=(3,), width=64),
        AlphaZero(teacher="fingal-small", teacher_share=1.0),
        Apprentice(records=("9x9=games.txt",), recorded_share=0.5),
        *(
            preset
            for name in command.LEARNERS
            for preset in importlib.import_module(f"fingal.learn.{name}").PRESETS.values()
        ),
    ],
)
def test_what_has_an_effect_is_not_refused(settings: object) -> None:
    command.check_effects(settings)


def test_a_run_that_was_begun_with_a_setting_without_effect_goes_on(tmp_path: Path) -> None:
    run = Run(tmp_path, {"width": 64})
    run.log(1, {})
    run.close()
    with pytest.raises(ValueError, match="holds a run with another"):  # and not that width has no effect
        command.main(["alphazero", "--width", "64", "--run", str(tmp_path), "--device", "cpu"])


def test_a_preset_is_the_start_and_the_command_line_has_the_last_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--preset", "cpu-5x5", "--size", "2", "--games", "2", "--epochs", "1", "--channels", "2"]
    command.main(["ezo", *words, "--run", str(tmp_path), "--device", "cpu"])
    kept = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["config"]
    assert (kept["size"], kept["games"], kept["latest_turn"]) == (2, 2, 10)


def test_the_last_of_two_presets_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--preset", "paper-11x11", "--preset=cpu-5x5", "--size", "2", "--games", "2", "--epochs", "1"]
    command.main(["ezo", *words, "--run", str(tmp_path), "--device", "cpu"])
    kept = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["config"]
    assert (kept["channels"], kept["latest_turn"]) == (64, 10)


def test_a_row_that_a_kill_cut_short_is_dropped(tmp_path: Path) -> None:
    run = Run(tmp_path, {"size": 3})
    run.log(1, {"loss": 0.5})
    run.close()
    with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"step": 2, "lo')
    for step in (2, 3):
        again = Run(tmp_path, {"size": 3})
        again.log(step, {"loss": 0.25})
        again.close()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["step"], row["loss"]) for row in rows] == [(1, 0.5), (2, 0.25), (3, 0.25)]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="device cuda is not there"):
        command.main(["ezo", "--device", "cuda"])
