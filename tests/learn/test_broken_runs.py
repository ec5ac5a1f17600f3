"""Runs whose files are broken: one sentence with the file's name, exit status 2, and nothing in the folder changes."""

import importlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from fingal import cli
from fingal.learn import command, stacked_command
from fingal.learn.parts import state
from fingal.learn.parts.run import Run
from tests.broken import ODD, WHOLE, changed_bytes, changed_json, contents, refused
from tests.learn.test_command import SHORT

STATE = Path("checkpoints") / "state.safetensors"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A run of each learner, made when it is needed first."""
    made: dict[str, Path] = {}

    def run(algorithm: str) -> Path:
        if algorithm not in made:
            made[algorithm] = tmp_path_factory.mktemp(algorithm)
            words = [*SHORT[algorithm].split(), "--run", str(made[algorithm]), "--device", "cpu"]
            command.main([algorithm, *words])
        return made[algorithm]

    return run


def resume(algorithm: str, folder: Path) -> None:
    """What ``fingal train`` does with a folder, up to the first round."""
    module = importlib.import_module(f"fingal.learn.{algorithm}")
    run = Run(folder, json.loads(json.dumps(asdict(config_of(algorithm, folder)))))
    try:
        module.Trainer(config_of(algorithm, folder), run, torch.device("cpu"), None)
    finally:
        run.close()


configs: dict[str, Any] = {}


def config_of(algorithm: str, folder: Path) -> Any:
    """The settings of the short run, as the command line has them."""
    if algorithm not in configs:

        def kept(algorithm: str, module: Any, options: Any, console: Any) -> None:
            configs[algorithm] = options.settings

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(command, "train", kept)
            command.main([algorithm, *SHORT[algorithm].split(), "--run", str(folder), "--device", "cpu"])
    return configs[algorithm]


def broken_states(tensors: dict[str, Tensor], about: dict[str, Any]) -> Iterator[tuple[str, dict[str, Tensor], Any]]:
    """Every tensor missing, of another type or shape, with numbers that are not finite; every entry missing or odd."""
    for name, tensor in tensors.items():
        rest = {other: kept for other, kept in tensors.items() if other != name}
        yield f"without {name}", rest, about
        yield f"{name} longer", rest | {name: torch.cat([tensor.reshape(-1), tensor.reshape(-1)[:1]])}, about
        yield f"{name} empty", rest | {name: tensor.reshape(-1)[:0]}, about
        other = torch.int32 if tensor.dtype == torch.float32 else torch.float32
        yield f"{name} {other}", rest | {name: tensor.to(other)}, about
        if tensor.is_floating_point() and tensor.numel():
            for value in (float("nan"), float("inf")):
                spoiled = tensor.clone().reshape(-1)
                spoiled[-1] = value
                yield f"{name} with {value}", rest | {name: spoiled.reshape(tensor.shape)}, about
    yield "another tensor", tensors | {"unknown": torch.zeros(3)}, about
    parts = {key: value for key, value in about.items() if isinstance(value, dict)} | {"": about}
    for part, entries in parts.items():
        for name in entries if part != "run" else ():
            for value in ("missing", *ODD, float("nan"), float("-inf")):
                spoiled_part = {**entries, name: value}
                if value == "missing":
                    del spoiled_part[name]
                yield f"{part} {name} {value!r:.20}", tensors, {**about, part: spoiled_part} if part else spoiled_part


def check_states(algorithm: str, whole: Path, folder: Path, chooser: random.Random, most: int) -> tuple[int, int]:
    """Resume from broken states; how many there were, and how many were refused."""
    shutil.copytree(whole, folder)
    found = state.load(folder / STATE)
    assert found is not None
    all_of_them = list(broken_states(*found))
    chosen = chooser.sample(all_of_them, min(most, len(all_of_them)))
    count = 0
    for what, tensors, about in chosen:
        state.save(folder / STATE, tensors, about)
        (folder / "metrics.jsonl").write_bytes((whole / "metrics.jsonl").read_bytes() + b'{"step": 99, "loss": 1.5}\n')
        before = contents(folder)
        if refused(lambda: resume(algorithm, folder), folder):
            count += 1
            assert contents(folder) == before, f"{what} changed the folder"
        else:
            kept = (folder / "metrics.jsonl").read_bytes()
            assert kept.startswith((whole / "metrics.jsonl").read_bytes()), f"{what} lost rows"
            shutil.rmtree(folder)
            shutil.copytree(whole, folder)
    return len(chosen), count


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_state_that_is_broken_is_refused_and_nothing_is_lost(
    algorithm: str, runs: Callable[[str], Path], tmp_path: Path
) -> None:
    tried, count = check_states(algorithm, runs(algorithm), tmp_path / "run", random.Random(algorithm), 30)
    assert count > 0.6 * tried


@pytest.mark.parametrize("algorithm", ["ppo", "alphazero"])
def test_a_state_with_other_bytes_is_refused(algorithm: str, runs: Callable[[str], Path], tmp_path: Path) -> None:
    """A checksum tells of every byte that is not as it was written."""
    folder = tmp_path / "run"
    shutil.copytree(runs(algorithm), folder)
    data = (folder / STATE).read_bytes()
    for seed in range(60):
        other = changed_bytes(data, random.Random(seed))
        (folder / STATE).write_bytes(other)
        before = contents(folder)
        if other != data:
            assert refused(lambda: resume(algorithm, folder), folder), seed
            assert contents(folder) == before


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_run_without_its_state_is_not_begun_again(
    algorithm: str,
    runs: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs(algorithm), folder)
    (folder / STATE).unlink()
    before = contents(folder)
    words = [*SHORT[algorithm].split(), "--run", str(folder), "--device", "cpu"]
    monkeypatch.setattr("sys.argv", ["fingal", "train", algorithm, *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert f"fingal: {folder} kept no state to go on from" in capsys.readouterr().err
    assert contents(folder) == before


def test_a_config_that_is_none_is_refused_and_nothing_is_lost(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs("ppo"), folder)
    file = folder / "config.json"
    config = json.loads(file.read_bytes())
    count = 0
    for seed in range(100):
        file.write_bytes(WHOLE[seed] if seed < len(WHOLE) else changed_json(config, random.Random(seed)))
        before = contents(folder)
        if refused(lambda: resume("ppo", folder), folder):
            count += 1
            assert contents(folder) == before
    assert count > 50
    file.unlink()
    assert refused(lambda: resume("ppo", folder), file)
    assert not file.exists()


def test_rows_that_are_none_are_refused_and_nothing_is_lost(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs("ppo"), folder)
    file = folder / "metrics.jsonl"
    rows = file.read_bytes().splitlines(keepends=True)
    for line in (*WHOLE[1:], b'{"loss": 1}', b'{"step": "1"}', b'{"step": NaN}', b'{"step": 1, "loss": "x"}'):
        for at in (0, 1, len(rows)):
            file.write_bytes(b"".join([*rows[:at], line + b"\n", *rows[at:]]))
            before = contents(folder)
            assert refused(lambda: resume("ppo", folder), file), line[:40]
            assert contents(folder) == before
    file.write_bytes(b"".join(rows[:-1]))
    assert refused(lambda: resume("ppo", folder), file)


@pytest.mark.parametrize("algorithm", ["sarsa", "batch"])
def test_a_stack_that_is_broken_is_refused(algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--size", "2", "--games", "20", "--seeds", "2", "--run", str(tmp_path)]
    stacked_command.main(algorithm, words)
    file = tmp_path / "state" / "stack-0.safetensors"
    found = state.load(file)
    assert found is not None
    whole, chooser = file.read_bytes(), random.Random(algorithm)
    spoiled = chooser.sample(list(broken_states(*found)), 60)
    refusals = 0
    for _, tensors, about in spoiled:
        state.save(file, tensors, about)
        before = contents(tmp_path)
        if refused(lambda: stacked_command.main(algorithm, words), file):
            refusals += 1
            assert contents(tmp_path) == before
        file.write_bytes(whole)
    assert refusals > 30
    for seed in range(20):
        file.write_bytes(other := changed_bytes(whole, random.Random(seed)))
        if other != whole:
            assert refused(lambda: stacked_command.main(algorithm, words), file)
