"""``fingal sweep``: what may vary, which trials are ended early, and how a killed sweep goes on."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from tests.broken import changed_bytes, contents, refused
from tests.conftest import Run

pytest.importorskip("optuna")

import optuna
from optuna.trial import TrialState

from fingal.learn import command, stacked_command, sweep, sweep_command
from fingal.learn.sweep import Goal, Range, Sweep, parse
from fingal.learn.sweep_worker import Ended, Row, Task, train


@dataclass(frozen=True)
class Settings:
    """Those of a learner that is made up."""

    rate: float = 0.1
    width: int = 8
    deep: bool = False
    net: str = "plain"
    games: int | None = None

    def __post_init__(self) -> None:
        if self.rate < 0:
            raise ValueError(f"rate={self.rate} is not possible: at least 0")


@pytest.mark.parametrize(
    ("text", "ends", "whole", "log"),
    [
        ("rate=1e-4..1e-2:log", (1e-4, 1e-2), False, True),
        ("width=8..64", (8, 64), True, False),
        ("width=8..64:log", (8, 64), True, True),
        ("rate=1,2", (1.0, 2.0), False, False),
        ("net=plain,cube", ("plain", "cube"), False, False),
        ("deep=true,false", (True, False), False, False),
        ("games=none,5", (None, 5), False, False),
        ("games=8..16", (8, 16), True, False),
    ],
)
def test_what_may_vary(text: str, ends: tuple[object, ...], whole: bool, log: bool) -> None:
    read = parse(text, Settings())
    assert (read.ends, read.whole, read.log) == (ends, whole, log)
    assert list(map(type, read.ends)) == list(map(type, ends))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rate", "name=low..high, name=low..high:log or name=one,other is"),
        ("speed=1..2", "there is no setting 'speed', but rate, width"),
        ("rate=2..1", "vary=rate is not possible: 2 is not below 1"),
        ("rate=0..1:log", "vary=rate is not possible: :log needs numbers above 0, not 0"),
        ("rate=0..1:lin", "after the colon 'log' is, not 'lin'"),
        ("rate=a..b", "'a..b' is not two numbers"),
        ("deep=yes,no", "true or false is"),
        ("deep=0..1", "deep=true,false is"),
        ("rate=1,fast", "vary=rate is not possible: 'fast' is not a number"),
        ("width=8,", "vary=width is not possible: '' is not a number"),
        ("games=none,some", "vary=games is not possible: 'some' is not a number"),
    ],
)
def test_what_may_not(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="not possible") as refused:
        parse(text, Settings())
    assert words in str(refused.value)


def test_goals() -> None:
    assert [Goal.parse(text) for text in ("loss:min", "wins:max", "wins")] == [
        Goal("loss", False),
        Goal("wins"),
        Goal("wins"),
    ]
    for text in ("wins:most", ":max", "wins:"):
        with pytest.raises(ValueError, match="goal="):
            Goal.parse(text)


class Alone:
    """A crew in this process: a trial's rows are rate, 2 rate, 3 rate; the rate 3 is refused."""

    folders: ClassVar[list[tuple[Path, dict[str, object]]]] = []
    dies_at: ClassVar[int | None] = None
    """After so many rows it is as if the whole sweep were killed."""

    def __init__(self, size: int) -> None:
        self.size = 1
        self._task: Task | None = None
        self._rows: list[float] = []

    def begin(self, task: Task) -> None:
        self._task, self._rows = task, []
        Alone.folders.append((task.folder, task.chosen))

    def answer(self, number: int, go_on: bool) -> None:
        if not go_on:
            self._rows += [float("nan")]

    def news(self) -> Iterator[tuple[int, Row | Ended]]:
        task = self._task
        assert task is not None
        rate = float(str(task.chosen["rate"]))
        if Alone.dies_at is not None:
            Alone.dies_at -= 1
            if Alone.dies_at < 0:
                raise KeyboardInterrupt
        if task.figure != "value":
            yield task.number, Ended(None, figures="value, loss")
        elif rate == 3:
            yield task.number, Ended(None, said="rate=3 is not possible")
        elif self._rows and self._rows[-1] != self._rows[-1]:
            yield task.number, Ended(self._rows[-2], stopped=True)
        elif len(self._rows) == 3:
            yield task.number, Ended(self._rows[-1])
        else:
            self._rows.append(rate * (len(self._rows) + 1))
            yield task.number, Row(10 * len(self._rows), self._rows[-1])

    def close(self) -> None:
        pass


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    Alone.folders, Alone.dies_at = [], None
    monkeypatch.setattr(sweep, "Crew", Alone)


def asked(folder: Path, trials: int, vary: str = "rate=1..2", goal: str = "value:max", **more: bool) -> Sweep:
    read = tuple(parse(text, Settings()) for text in vary.split())
    return Sweep("made-up", Settings(), read, Goal.parse(goal), folder, trials, **more)


@pytest.mark.usefixtures("alone")
def test_trials_below_the_median_are_ended_and_the_best_is_found(tmp_path: Path) -> None:
    """Rows are in the order of the rates, so a trial is ended at once when its rate is below the median so far."""
    study = sweep.run(asked(tmp_path, 10))
    rates: list[float] = []
    done: list[float] = []
    """Of trials that came to their end: the others do not count for the median."""
    for trial in study.trials:
        rate = trial.params["rate"]
        low = sorted(done)[(len(done) - 1) // 2 : len(done) // 2 + 1]
        ended = len(done) >= sweep.STARTING and rate < sum(low) / max(1, len(low))
        assert trial.state == (TrialState.PRUNED if ended else TrialState.COMPLETE)
        assert trial.intermediate_values[1] == pytest.approx(rate)
        rates.append(rate)
        done += [] if ended else [rate]
    best = sweep.best(study)
    assert best is not None
    assert best.value == pytest.approx(3 * max(rates))
    assert sweep.ordered(study)[0].number == best.number
    whole = sweep.run(asked(tmp_path / "whole", 7, prune=False))
    assert all(trial.state == TrialState.COMPLETE for trial in whole.trials)


@pytest.mark.usefixtures("alone")
def test_a_killed_sweep_goes_on_with_its_trial_and_takes_more_later(tmp_path: Path) -> None:
    Alone.dies_at = 6  # the second trial has told two of its rows
    with pytest.raises(KeyboardInterrupt):
        sweep.run(asked(tmp_path, 3))
    (_, first), (under_way, second) = Alone.folders
    Alone.folders, Alone.dies_at = [], None
    study = sweep.run(asked(tmp_path, 3))
    # In the same folder with the same settings; the one before is not trained again.
    assert Alone.folders[0] == (under_way, second)
    assert len(Alone.folders) == 2
    assert len(sweep.ordered(study)) == 3
    assert first in [trial.params for trial in sweep.ordered(study)]
    study = sweep.run(asked(tmp_path, 5))
    assert len(sweep.ordered(study)) == 5
    rates = [trial.params["rate"] for trial in sweep.ordered(study)]
    assert len(set(rates)) == 5, "no settings are drawn twice"
    with pytest.raises(ValueError, match="holds a sweep with other vary: choose another folder"):
        sweep.run(asked(tmp_path, 5, "rate=1..3"))


@pytest.mark.usefixtures("alone")
def test_a_sweep_that_is_killed_while_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Alone.dies_at = 2
    with pytest.raises(KeyboardInterrupt):
        sweep.run(asked(tmp_path, 2))
    (place, settings), Alone.dies_at = Alone.folders[0], None

    def kill(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for step in ("enqueue_trial", "tell"):
        with monkeypatch.context() as patched:
            patched.setattr(optuna.Study, step, kill)
            with pytest.raises(KeyboardInterrupt):
                sweep.run(asked(tmp_path, 2))
    Alone.folders = []
    study = sweep.run(asked(tmp_path, 2))
    assert Alone.folders[0] == (place, settings)
    assert len({folder for folder, _ in Alone.folders}) == len(Alone.folders) == 2
    assert len(sweep.ordered(study)) == 2


def spoiled_sweeps(folder: Path, seeds: range) -> int:
    """Open a sweep whose database has other bytes for each seed; how often it was refused."""
    sweep.run(asked(folder, 3))
    file = folder / sweep.STORAGE
    whole, count = file.read_bytes(), 0
    for seed in seeds:
        file.write_bytes(changed_bytes(whole, random.Random(seed)))
        before = file.read_bytes()
        if refused(lambda: sweep.ordered(sweep.opened(asked(folder, 3))), file):
            count += 1
            assert file.read_bytes() == before
    return count


@pytest.mark.usefixtures("alone")
def test_a_database_with_other_bytes_is_read_or_refused(tmp_path: Path) -> None:
    assert spoiled_sweeps(tmp_path, range(25)) > 5


@pytest.mark.usefixtures("alone")
def test_a_sweep_whose_files_are_broken_or_gone_is_refused(tmp_path: Path) -> None:
    sweep.run(asked(tmp_path, 2))
    (tmp_path / "trials" / "0000").mkdir(parents=True)
    (tmp_path / "trials" / "0000" / "config.json").write_text("{}")
    for name, spoil in ((sweep.ASKED, b"{"), (sweep.ASKED, b"[]"), (sweep.STORAGE, b"x" * 900), (sweep.STORAGE, None)):
        whole = (tmp_path / name).read_bytes()
        if spoil is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_bytes(spoil)
        before = contents(tmp_path)
        assert refused(lambda: sweep.run(asked(tmp_path, 2)), tmp_path), name
        assert contents(tmp_path) == before
        (tmp_path / name).write_bytes(whole)
    assert len(sweep.ordered(sweep.run(asked(tmp_path, 2)))) == 2


@pytest.mark.usefixtures("alone")
def test_trials_that_fail_say_why_and_the_others_go_on(tmp_path: Path) -> None:
    made = asked(tmp_path, 8, "rate=1,2,3")
    study = sweep.run(made)
    said = {trial.params["rate"]: trial.user_attrs.get("said") for trial in study.trials}
    assert said == {1.0: None, 2.0: None, 3.0: "rate=3 is not possible"}
    summary = sweep_command.summary(made, study)
    assert summary["best"]["settings"] == {"rate": 2.0}
    assert sum(trial["state"] == "failed" for trial in summary["trials"]) >= 1


@pytest.mark.usefixtures("alone")
def test_what_matters(tmp_path: Path) -> None:
    """The figure hangs on the rate alone."""
    study = sweep.run(asked(tmp_path, 15, "rate=1..2 width=8..64", prune=False))
    shares = sweep.importance(study)
    assert shares["rate"] > 0.9
    few = optuna.create_study(direction="maximize")
    few.add_trials(study.trials[:7])
    assert sweep.importance(few) == {}, "the best quarter of seven is a single one"
    drawn = sweep_command.picture(shares)
    assert drawn is not None
    assert "rate" in drawn.title
    assert sweep_command.picture({}) is None


@pytest.mark.usefixtures("alone")
def test_a_figure_that_no_run_has(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="goal=keeps is not possible: a run's figures are value, loss"):
        sweep.run(asked(tmp_path, 8, goal="keeps"))
    study = sweep.run(asked(tmp_path, 2, goal="value"))
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 2, "the folder is not tied up"


def test_what_the_learner_refuses_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"rate=-1\.0 is not possible: at least 0"):
        asked(tmp_path / "sweep", 8, "rate=-1..2")
    with pytest.raises(ValueError, match="trials=0 is not possible"):
        asked(tmp_path / "sweep", 0)
    with pytest.raises(ValueError, match="a setting varies once"):
        asked(tmp_path / "sweep", 8, "rate=1..2 rate=2..3")
    with pytest.raises(ValueError, match="vary is missing"):
        replace(asked(tmp_path / "sweep", 8), vary=())
    assert not (tmp_path / "sweep").exists()
    assert Range("rate", 1.0, 2.0).ends == (1.0, 2.0)


@pytest.mark.parametrize("algorithm", command.ALGORITHMS)
def test_every_learner_can_be_swept(algorithm: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its settings and the sweep's do not clash; nothing is varied, so nothing is run."""
    with pytest.raises(ValueError, match="vary is missing"):
        sweep_command.main([algorithm])


def test_a_trial_is_a_run_of_fingal_train(tmp_path: Path) -> None:
    """The same folder, row for row; and what it tells is what it logs."""
    settings = sweep_command.start("sarsa", [])
    small = replace(settings, size=2, games=40)
    told: list[Row] = []
    task = Task(0, "sarsa", small, {"alpha": 0.05}, tmp_path / "trial", "cpu", "keeps_win")
    ended = train(task, lambda row: told.append(row) is None)
    stacked_command.main("sarsa", ["--size", "2", "--games", "40", "--alpha", "0.05", "--run", str(tmp_path / "alone")])
    rows = [
        [json.loads(line) for line in (tmp_path / name / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
        for name in ("trial", "alone")
    ]
    assert [row["keeps_win"] for row in rows[0]] == [row["keeps_win"] for row in rows[1]]
    assert [(row.step, row.value) for row in told] == [(row["step"], row["keeps_win"]) for row in rows[0]]
    assert (ended.value, ended.stopped, ended.said) == (told[-1].value, False, "")
    # Gone on with and stopped by the rows that are there: it is worth what it was at that row.
    again = train(task, lambda row: False)
    assert (again.value, again.stopped, again.said) == (told[0].value, True, "")
    stopped = train(replace(task, folder=tmp_path / "stopped"), lambda row: False)
    assert stopped.stopped
    refused = train(replace(task, chosen={"alpha": -1.0}, folder=tmp_path / "refused"), lambda row: True)
    assert "alpha" in refused.said


def test_a_trial_that_goes_on_tells_no_row_of_after_its_checkpoint(tmp_path: Path) -> None:
    small = replace(sweep_command.start("ezo", []), size=3, channels=4, dense=4, games=6, latest_turn=3, epochs=2)
    task, told = Task(0, "ezo", small, {}, tmp_path / "trial", "cpu", "loss"), list[Row]()
    first = train(task, lambda row: told.append(row) is None)
    with (tmp_path / "trial" / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"step": 3, "loss": 99.0}\n')  # then it was killed
    rows, told = told, []
    again = train(task, lambda row: told.append(row) is None)
    assert [row.step for row in rows] == [1, 2]
    assert told == rows
    assert again.value == first.value == rows[-1].value


def test_from_the_command_line_in_processes(fingal: Run) -> None:
    arguments = ["sweep", "sarsa", "--size", "2", "--games", "40", "--vary", "alpha=1e-3..1e-1:log"]
    arguments += ["--vary", "epsilon=0.05,0.2", "--trials", "2", "--processes", "2", "--folder", "here", "--json"]
    ran = fingal(*arguments)
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    assert [trial["state"] for trial in found["trials"]] == ["whole"] * 2
    for trial in found["trials"]:
        rows = (Path(trial["run"]) / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        assert trial["value"] == json.loads(rows[-1])["keeps_win"]
        kept = json.loads((Path(trial["run"]) / "config.json").read_text(encoding="utf-8"))["config"]
        assert {name: kept[name] for name in trial["settings"]} == trial["settings"]
    again = fingal(*arguments)
    assert json.loads(again.out) == found, "there is nothing left to do"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sarsaa"], "'sarsaa' is not an algorithm: one of alphazero"),
        (["sarsa"], "vary is missing"),
        (["sarsa", "--vary", "alfa=1..2"], "there is no setting 'alfa'"),
        (["ezo", "--preset", "huge"], "'huge' is not a preset"),
        (["sarsa", "--preset", "small", "--vary", "alpha=1..2"], "preset is not possible: sarsa has none"),
        (["sarsa", "--vary", "rule=sarsa,q"], "rule is sarsa in 'fingal train sarsa', not q"),
        (["ezo", "--games", "0", "--vary", "epochs=1,2"], "games must be at least 1, not 0"),
        (["sac", "--vary", "seed=1.5,2"], "seed must be a whole number, not 1.5"),
        (["ppo", "--vary", "width=none,wide"], "vary=width is not possible: 'wide' is not a number"),
        (["ppo", "--vary", "width=8.5..16.5"], "width must be a whole number, not 8.5"),
    ],
)
def test_bad_input_is_one_sentence(fingal: Run, arguments: list[str], words: str) -> None:
    ran = fingal("sweep", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in " ".join(ran.err.split())
