"""The runs that show what was wrong with SAC differ in the mistakes alone, and can be trained."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fingal.experiments import ablation, sweep
from fingal.experiments.paper_003.protocol import SMOKE
from fingal.experiments.paper_003.soft_mistakes import BEYOND, MISTAKES, RIGHT, plan
from fingal.learn.sac import SAC


def test_arms_differ_in_what_they_are_called_by() -> None:
    made = plan()
    right: dict[str, Any] = asdict(SAC(**made.asked(RIGHT, 1)))
    changed = [
        {name for name, value in asdict(SAC(**made.asked(arm, 1))).items() if value != right[name]}
        for arm in (*MISTAKES.arms, *BEYOND.arms)
    ]
    entropy = {"entropy_target", "entropy_share"}
    assert changed[:5] == [set(), {"normalise"}, entropy, {"critics"}, {"normalise", "critics", *entropy}]
    assert changed[5:] == [set(), {"loss_reward"}, {"opponent"}, {"entropy_share"}]
    asked = ablation.sweeps(made, RIGHT, [MISTAKES, BEYOND])
    assert len(asked) == len({one.name for one in asked}) == 8 * made.seeds


def test_a_run_learns_and_leaves_its_marks(tmp_path: Path) -> None:
    small = SMOKE.soft()
    arm = MISTAKES.arms[-1]
    asked = small.sweep(arm, 1)
    sweep.train(sweep.prepare(asked, tmp_path), lambda share: None)
    found = sweep.outcomes(asked, tmp_path)
    assert found is not None
    trained = ablation.runs_of(small, arm, {asked.name: found}, tmp_path)
    for mark in ("first_vs_random", "second_vs_random", "keeps_win"):
        mean = ablation.end(trained, mark)
        assert mean is not None
        assert 0 <= mean.value <= 1
    assert trained[0].net.exists()
    # 32 games at once: after the first move of all, and after the second.
    assert trained[0].outcome.updates == 2 * SAC().updates
