"""Stacked online learners: against a plain loop, alone and together, stopped and taken up, and what they learn."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal.bench.learn import Plain
from fingal.learn import td
from fingal.learn.parts import stacks
from fingal.learn.parts.history import History
from fingal.learn.parts.online import Moved, Plan, Runs
from fingal.learn.td import TD, Learning, Rule
from fingal.nets.hexagonal import Hexagonal, flatten, from_vector, slope_of_squash
from fingal.nets.stacked import Stack

TINY = ((1, 2, 0), (2, 0, 0))
TWO = TD(size=2, layers=TINY, games=30, rows=3)


@pytest.mark.parametrize("trace", [0.0, 0.5])
@pytest.mark.parametrize(
    ("rule", "target", "hessian"),
    [
        ("sarsa", "negamax", True),
        ("q", "literal", True),
        ("gtd2", "negamax", True),
        ("tdc", "negamax", True),
        ("tdc", "literal", False),
        ("gq", "negamax", True),
    ],
)
def test_a_run_learns_what_a_plain_loop_learns(rule: Rule, target: td.Target, hessian: bool, trace: float) -> None:
    """Several games, large steps: board, move, random numbers, gradients, curvature and traces all have to agree."""
    if rule == "q" and trace:
        pytest.skip("q has no traces")
    config = TD(
        rule=rule,
        target=target,
        hessian=hessian,
        trace=trace,
        alpha=0.05,
        beta_ratio=2.0,
        epsilon=0.4,
        size=2,
        layers=TINY,
        activation="softplus",
        seed=11,
    )
    beside: Rule = {"sarsa": "q", "q": "sarsa", "gtd2": "gq", "tdc": "gtd2", "gq": "tdc"}[rule]  # type: ignore[assignment]
    if beside == "q" and trace:
        beside = "sarsa"
    learning = Learning([replace(config, rule=beside, seed=3), config], dtype=torch.float64)
    plain = Plain(config, torch.float64)
    for _ in range(30):
        learning.step()
        plain.step()
        assert int(learning.state["move"][1]) == plain.move
    learned = learning.stack.narrow(learning.state["theta"])[1]
    torch.testing.assert_close(learned, flatten(plain.net), atol=1e-9, rtol=1e-7)
    began = learning.stack.narrow(learning.stack.initial([11]))[0].double()
    assert float((learned - began).abs().max()) > 0.01


def test_the_curvature_is_what_differences_of_gradients_say() -> None:
    """Hessian times w of a move's value by central differences, through the module and autograd, in double."""
    config = TD(activation="softplus").net
    torch.manual_seed(2)
    net = Hexagonal(config).double()
    for parameter in net.parameters():
        parameter.data += 0.05 * torch.randn_like(parameter)
    planes = torch.randint(0, 2, (1, 6, 7, 7)).double()
    w, move = torch.randn(config.parameters).double(), torch.tensor([4])

    def gradient(vector: Tensor) -> Tensor:
        moved = from_vector(config, vector)
        names = dict(moved.named_parameters())
        found = torch.autograd.grad(moved(planes)[0, 4], [names[name] for name in config.shapes()])
        return torch.cat([one.reshape(-1) for one in found])

    vector, step = flatten(net), 1e-4
    differences = (gradient(vector + step * w) - gradient(vector - step * w)) / (2 * step)
    stack = Stack(config)
    stacked = stack.wide(vector.unsqueeze(0))
    with torch.no_grad():
        done = stack.trunk(stacked, stack.columns(planes.unsqueeze(0)))
        value = torch.tanh(stack.output(stacked, done, move) / 2)
        pull = slope_of_squash(value)
        made, slope, hw = stack.curvature_at(stacked, done, move, pull, -value * pull, stack.wide(w.unsqueeze(0)))
    torch.testing.assert_close(stack.narrow(hw)[0], differences, atol=1e-7, rtol=1e-5)
    torch.testing.assert_close(stack.narrow(made)[0], gradient(vector))
    torch.testing.assert_close(slope[0], gradient(vector) @ w)


class Scripted:
    """A learner that plays what it is told: values, and after which moves games end."""

    def __init__(self, values: list[float], overs: list[bool]) -> None:
        self.state = {"theta": torch.zeros(1, 2), "ply": torch.zeros(1, dtype=torch.int64)}
        self.script = list(zip(values, overs, strict=True))

    def step(self) -> Moved:
        value, over = self.script.pop(0)
        first = self.state["ply"] % 2 == 0
        self.state["ply"] = torch.zeros_like(self.state["ply"]) if over else self.state["ply"] + 1
        self.state["theta"] += 1
        return Moved(torch.tensor([value]), first, torch.tensor([over]), torch.ones(1, dtype=torch.bool), {})

    def refresh(self) -> None:
        pass

    def parameters(self) -> Tensor:
        return self.state["theta"]


def test_rows_have_the_figures_of_their_games() -> None:
    # Games of 3, 1 and 2 moves; the second row has the last two: values (-1), (0.5, 0.995).
    learner = Scripted([0.5, -0.25, 0.2, -1.0, 0.5, 0.995], [False, False, True, True, False, True])
    runs = Runs(learner, Plan(3, 1, 1e4), [{"name": "a"}], lambda nets: {"sum": nets.sum(1).double().numpy()})
    assert not runs.advance(60)
    (history,) = runs.histories()
    (row,) = history.rows
    expected = {
        "games": 3.0,
        "updates": 6.0,
        "value": (0.45 / 3 - 1 + 1.495 / 2) / 3,
        "first_value": (0.35 - 1 + 0.5) / 3,
        "second_value": (-0.25 + 0.995) / 2,
        "absolute_value": (0.5 + 0.25 + 0.2 + 1 + 0.5 + 0.995) / 6,
        "saturation": 2 / 6,
        "sum": 12.0,
    }
    assert row == pytest.approx(expected)
    assert history.updates == 6


def test_rows_are_spread_evenly_over_the_games() -> None:
    (history,) = td.sweep([replace(TWO, games=10, rows=4)])
    assert [row["games"] for row in history.rows] == [3, 5, 8, 10]
    assert history.settings == asdict(replace(TWO, games=10, rows=4))


def same(one: Sequence[History], other: Sequence[History]) -> bool:
    return [replace(h, seconds=0.0) for h in one] == [replace(h, seconds=0.0) for h in other]


MIXED = [
    replace(TWO, seed=1),
    replace(TWO, rule="tdc", trace=0.5, seed=2, natural=True, metric_window=4),
    replace(TWO, seed=3, alpha=0.3, epsilon=1.0, target="literal"),
    replace(TWO, seed=4, opening_plies=1),
    replace(TWO, seed=5, alpha_final=0.0, epsilon_final=1.0),
]


def test_it_does_not_matter_which_runs_stand_beside_one() -> None:
    together = td.train(MIXED)
    for index, config in enumerate(MIXED):
        alone = td.train([config])
        assert same(alone.histories, together.histories[index : index + 1])
        torch.testing.assert_close(alone.parameters[0], together.parameters[index], rtol=0, atol=1e-6)


def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = td.train(MIXED)
    monkeypatch.setattr(stacks, "SAVE_SECONDS", 0.01)
    stops = 0

    def interrupt(share: float, histories: Sequence[History]) -> None:
        nonlocal stops
        stops += 1
        if stops in (2, 3, 5, 8, 12):
            raise KeyboardInterrupt

    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            td.train(MIXED, tmp_path, interrupt)
    resumed = td.train(MIXED, tmp_path)
    assert same(resumed.histories, whole.histories)
    assert torch.equal(resumed.parameters, whole.parameters)
    again = td.train(MIXED, tmp_path)
    assert same(again.histories, whole.histories)


def test_a_folder_with_other_settings_is_refused(tmp_path: Path) -> None:
    td.sweep([TWO], tmp_path)
    with pytest.raises(ValueError, match="other settings: choose another folder"):
        td.sweep([replace(TWO, seed=9)], tmp_path)


def test_a_run_that_diverges_stops_with_a_sentence_and_the_others_go_on(tmp_path: Path) -> None:
    wild = [replace(TWO, seed=2, alpha=1e9, games=60), replace(TWO, rule="tdc", alpha=0.5, beta_ratio=1e6, games=60)]
    tame = replace(TWO, seed=2, games=60)
    histories = td.sweep([wild[0], tame, wild[1]], tmp_path)
    for history, config in zip((histories[0], histories[2]), wild, strict=True):
        assert history.diverged.startswith(f"diverged at update {history.updates} (game ")
        assert f"rule={config.rule}" in history.diverged
        assert f"alpha={config.alpha}" in history.diverged
        assert len(history.rows) < 3
    assert histories[1].diverged == ""
    assert same(td.sweep([tame]), histories[1:2])


def test_progress_is_told() -> None:
    heard: list[tuple[float, int]] = []
    td.sweep([TWO, replace(TWO, rule="q")], told=lambda share, rows: heard.append((share, len(rows))))
    assert heard[-1] == (1.0, 2)
    assert [share for share, _ in heard] == sorted(share for share, _ in heard)


def test_a_sweep_may_begin_with_given_nets() -> None:
    net = TWO.net
    torch.manual_seed(5)
    start = torch.stack([flatten(Hexagonal(net)) for _ in range(2)])
    still = td.train([replace(TWO, alpha=0.0), replace(TWO, alpha=0.0, seed=2)], start=start)
    assert torch.equal(still.parameters, start)


def test_nothing_to_train_is_no_error() -> None:
    assert td.sweep([]) == []


@pytest.mark.parametrize("rule", ["sarsa", "q", "tdc", "gq"])  # gtd2 takes its time: see docs/td.md
def test_a_rule_learns_2x2(rule: Rule) -> None:
    """Its greedy player, first against a best responder, wins on 3 seeds of 4, and keeps most wins."""
    rate = 0.1 if rule in ("sarsa", "q") else 0.05
    settings = [TD(rule=rule, size=2, alpha=rate, epsilon=0.3, games=500, rows=4, seed=seed) for seed in (1, 2, 3, 4)]
    histories = td.sweep(settings)
    won = [max(row["first_vs_best"] for row in history.rows[-2:]) for history in histories]
    assert sum(won) >= 3
    assert np.mean([history.rows[-1]["keeps_win"] for history in histories]) > 0.8


def test_the_literal_target_says_one_of_everything() -> None:
    """With no turned sign every game pays 1 to both sides, so that is what the values become, whatever the play."""
    settings = [TD(size=2, target="literal", alpha=0.1, games=400, rows=4, seed=seed) for seed in (1, 2)]
    for history in td.sweep(settings):
        assert history.rows[-1]["value"] > 0.9
        assert history.rows[-1]["second_value"] > 0.9


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"rule": "magic"}, "rule must be one of"),
        ({"target": "mini"}, "target must be negamax or literal"),
        ({"alpha": -0.1}, "alpha must be a number from 0 on"),
        ({"alpha": float("nan")}, "alpha must be a number from 0 on"),
        ({"alpha_final": -1.0}, "alpha_final must be a number from 0 on"),
        ({"epsilon": 1.5}, "epsilon must be from 0 to 1"),
        ({"trace": -0.1}, "trace must be from 0 to 1"),
        ({"games": 0, "rows": 0}, "games must be at least 1"),
        ({"rows": 9, "games": 5}, "rows must be at most games, 5, not 9"),
        ({"rule": "q", "trace": 0.5}, "trace must be 0 for q"),
        ({"opening_plies": 5}, "opening_plies must be from 0 to 4 on 3x3"),
        ({"size": 20}, "size must be a whole number from 1 to 19"),
        ({"layers": ()}, "layers must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TD(**setting)
