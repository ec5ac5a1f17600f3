"""REINFORCE and AMCPG: what they learn from, one step against a plain loop, better play on 3x3, runs that go on."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from fingal.learn import adversarial, amcpg, reinforce
from fingal.learn.adversarial import Adversarial
from fingal.learn.amcpg import Amcpg
from fingal.learn.parts.policy_games import Games, Rows
from fingal.learn.parts.policy_learning import Learning, Lesson, PolicyGradient, train
from fingal.learn.parts.policy_sampler import Sampler
from fingal.learn.parts.run import Run
from fingal.learn.parts.truth import Truth
from fingal.learn.reinforce import Reinforce
from fingal.nets import bridges, checkpoint
from fingal.nets.convolutional import Config, Convolutional

TINY: dict[str, Any] = {
    "size": 3,
    "layers": 2,
    "channels": 8,
    "games": 12,
    "iterations": 6,
    "keep_iterations": 2,
    "half": False,
}
ALL: list[PolicyGradient] = [
    Reinforce(variant="v", **TINY),
    Reinforce(variant="v", normalise=True, **TINY),
    Reinforce(variant="a", **TINY),
    Reinforce(variant="b", k=2, **TINY),
    Amcpg(variant="a", k=2, **TINY),
    Amcpg(variant="b", k=3, **TINY),
    Amcpg(variant="b", k=3, temperature=0.5, **TINY),
    Amcpg(variant="b", k=99, repeats=2, **TINY),
    Adversarial(temperature=0.5, **TINY),
]
MODULES = {Reinforce: reinforce, Amcpg: amcpg, Adversarial: adversarial}

Make = Callable[..., Learning]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """As ``fingal train`` has it: sums of several threads are others, and so is what is learned from them."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes trainers in folders of these names, and closes their runs."""
    runs = []

    def trainer(config: PolicyGradient, name: str = "run", start: Path | None = None) -> Learning:
        runs.append(Run(tmp_path / name, asdict(config)))
        made: Learning = MODULES[type(config)].Trainer(config, runs[-1], torch.device("cpu"), start)
        return made

    yield trainer
    for run in runs:
        run.close()


def called(config: object) -> str | None:
    if not isinstance(config, PolicyGradient):
        return None
    more = {name: value for name, value in asdict(config).items() if name not in asdict(PolicyGradient())}
    return "-".join((type(config).__name__, *(str(value) for value in more.values())))


def watched(trainer: Learning) -> list[Lesson]:
    """The lessons that a trainer will learn from."""
    seen: list[Lesson] = []
    lesson = trainer.lesson

    def noted(rng: np.random.Generator) -> Lesson:
        seen.append(lesson(rng))
        return seen[-1]

    trainer.lesson = noted  # type: ignore[method-assign]
    return seen


@pytest.mark.parametrize("config", ALL[:-1], ids=called)
def test_a_step_is_that_of_a_plain_loop(config: PolicyGradient, make: Make) -> None:
    config = replace(config, learning_rate=0.5)
    trainer = make(config)
    before = Convolutional(config.net)
    before.load_state_dict(trainer.net.state_dict())
    seen = watched(trainer)
    trainer.iteration()
    pairs, weights, _, length = seen[0]
    total = [torch.zeros_like(parameter) for parameter in before.parameters()]
    for planes, cell, weight in zip(pairs.planes, pairs.cells, weights, strict=True):
        logits = before(torch.from_numpy(planes).float()[None])[0]
        empty = [at for at in range(9) if planes[2, 1 + at // 3, 1 + at % 3]]
        log_policy = logits[empty].log_softmax(0)[empty.index(cell)]  # nothing but empty cells is in the softmax
        for place, slope in zip(total, torch.autograd.grad(log_policy, list(before.parameters())), strict=True):
            place += float(weight) * slope
    share = len(weights) if isinstance(config, Reinforce) and config.normalise else len(length)
    for old, new, way in zip(before.parameters(), trainer.net.parameters(), total, strict=True):
        assert torch.allclose(new, old + 0.5 / share * way, atol=1e-6)


@pytest.mark.parametrize("baseline", ["mean", "standard"])
def test_a_baseline_takes_the_common_part_off(baseline: Any, make: Make) -> None:
    trainer = make(Amcpg(variant="a", k=4, baseline=baseline, **TINY))
    used = []
    learn = trainer.learn

    def noted(lesson: Lesson, weights: torch.Tensor) -> dict[str, float]:
        used.append((lesson.weights, weights.numpy()))
        return learn(lesson, weights)

    trainer.learn = noted  # type: ignore[method-assign]
    figures = trainer.iteration()
    returns, weights = used[0]
    assert set(returns.tolist()) == {-1.0, 1.0}
    assert figures["return"] == pytest.approx(returns.mean())  # what is shown is the return itself
    assert weights.sum() == pytest.approx(0, abs=1e-5)
    assert np.corrcoef(returns, weights)[0, 1] == pytest.approx(1)
    if baseline == "standard":
        assert weights.std() == pytest.approx(1, abs=1e-5)


class Recorded(Games):
    """Games that remember how long their continuations were."""

    further: np.ndarray[tuple[int, ...], np.dtype[np.int64]]

    def branch(self, *arguments: Any, **settings: Any) -> Any:
        self.further = super().branch(*arguments, **settings)
        return self.further


@pytest.mark.parametrize(
    ("config", "worth"),
    [
        (Reinforce(variant="b", k=2, **TINY), np.mean),
        (Amcpg(variant="a", k=4, **TINY), np.min),
        (Amcpg(variant="b", k=4, **TINY), np.min),
        (Amcpg(variant="a", k=4, temperature=float("inf"), **TINY), np.mean),
    ],
    ids=called,
)
def test_what_a_move_is_worth(config: PolicyGradient, worth: Callable[[list[int]], float], make: Make) -> None:
    trainer = make(config)
    trainer.games = Recorded(3, 12, trainer.branches())
    seen = watched(trainer)
    trainer.iteration()
    pairs, weights, _, length = seen[0]
    further = trainer.games.further[:, :, 0]
    for game in range(12):
        assert pairs.ply[game] >= 1
        # Black wins the games that end with an odd number of stones; who moved with an even number of stones is Black.
        mover = pairs.ply[game] % 2
        results = [1 if (stones - 1) % 2 == mover else -1 for stones in (length[game], *further[game]) if stones]
        assert len(results) == 1 if pairs.over[game] else len(results) > 1
        assert weights[game] == pytest.approx(worth(results))


def test_the_most_likely_replies(make: Make) -> None:
    trainer = make(ALL[5])
    planes, _ = trainer.games.play(trainer.draw, np.random.default_rng(1), every=False)[0][:2]
    with torch.no_grad():
        said = trainer.net(torch.from_numpy(planes).float()).numpy()
    for row, found in enumerate(trainer.best(planes, 9)):
        empty = [at for at in range(9) if planes[row, 2, 1 + at // 3, 1 + at % 3]]
        assert found.tolist() == sorted(empty, key=lambda at: -said[row, at]) + [-1] * (9 - len(empty))
    trainer.sampler.net.policy.weight.zero_()
    assert trainer.best(planes[:1], 3).tolist() == [np.flatnonzero(planes[0, 2, 1:-1, 1:-1])[:3].tolist()]


def test_only_own_moves_against_past_selves_count(make: Make) -> None:
    trainer = make(ALL[2])
    seen = watched(trainer)
    for _ in range(6):
        trainer.iteration()
        trainer.save()
    colours = set()
    for pairs, weights, _, length in seen:
        for game in range(12):
            plies = pairs.ply[pairs.game == game]
            colours |= set((plies % 2).tolist())
            assert len(set((plies % 2).tolist())) == 1
            assert set(plies) == set(range(plies[0], length[game], 2))
            assert len(set(weights[pairs.game == game])) == 1
    assert colours == {0, 1}
    assert trainer.progress.opponent in (0, 2, 4)


def test_games_against_a_past_self_are_played_by_it(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make(ALL[2])
    own, other = trainer.sampler, trainer._opponent  # type: ignore[attr-defined]
    asked = {id(own): 0, id(other): 0}
    draw = Sampler.draw

    def counted(self: Sampler, planes: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Rows:
        asked[id(self)] += len(planes)
        return draw(self, planes)

    monkeypatch.setattr(Sampler, "draw", counted)
    seen = watched(trainer)
    trainer.iteration()
    assert asked[id(own)] == len(seen[0].weights)
    assert asked[id(other)] == seen[0].length.sum() - 12 - len(seen[0].weights)


@pytest.mark.parametrize("config", ALL, ids=called)
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(config: PolicyGradient, make: Make, tmp_path: Path) -> None:
    config = replace(config, optimiser="adam", exam_iterations=0)
    rows = list(train(make(config, "whole")))
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6]
    stopped = train(make(config, "parts"))
    for _ in range(3):
        next(stopped)
    # It was saved after 2 iterations; the third is lost, and made again.
    again = list(train(make(config, "parts")))
    assert [row["iteration"] for row in again] == [3, 4, 5, 6]
    files = sorted(file.name for file in (tmp_path / "whole" / "checkpoints").iterdir())
    numbers = [f"net-{number:05d}.safetensors" for number in (0, 2, 4, 6)]
    assert files == ["latest.safetensors", *numbers, "state.safetensors"]
    for name in ("latest", "net-00006"):
        whole, parts = (
            checkpoint.load(tmp_path / run / "checkpoints" / f"{name}.safetensors", Convolutional)[0].state_dict()
            for run in ("whole", "parts")
        )
        assert all(torch.equal(whole[key], parts[key]) for key in whole)
    logged = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in logged] == [1, 2, 3, 4, 5, 6]
    for row in logged:
        assert {"return", "winning", "entropy", "length", "first_wins", "games_per_s", "positions"} <= set(row)
        assert 3 <= row["length"] <= 9


@pytest.mark.parametrize("config", [ALL[0], ALL[-1]], ids=called)
def test_the_exam_is_that_of_the_most_likely_moves(config: PolicyGradient, make: Make) -> None:
    trainer = make(replace(config, exam_iterations=2))
    rows = list(train(trainer))
    assert ["keeps_win" in row for row in rows] == [False, True] * 3
    truth = Truth(3)
    kept, count = 0, 0
    with torch.no_grad():
        logits = trainer.net(torch.from_numpy(bridges.encode(truth.positions)).float()).numpy()
    for said, legal, winning in zip(logits, truth.legal, truth.winning, strict=True):
        if winning.any():
            kept += winning[max(np.flatnonzero(legal), key=lambda cell: said[cell])]
            count += 1
    assert rows[-1]["keeps_win"] == pytest.approx(kept / count, abs=2e-3)
    assert ("sign" in rows[-1]) == isinstance(config, Adversarial)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net that has learned a little from the truth of 3x3, as one that imitates good games would have."""
    truth = Truth(3)
    planes = torch.from_numpy(bridges.encode(truth.positions)).float()
    winning, legal = torch.from_numpy(truth.winning), torch.from_numpy(truth.legal)
    won = torch.from_numpy(np.flatnonzero(truth.won))
    torch.manual_seed(0)
    net = Convolutional(Config(layers=3, channels=16))
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    for _ in range(25):
        pick = won[torch.randint(len(won), (64,))]
        log_policy = net(planes[pick]).masked_fill(~legal[pick], -1e9).log_softmax(1)
        aim = winning[pick] / winning[pick].sum(1, keepdim=True)
        optimiser.zero_grad()
        (-(aim * log_policy).sum(1).mean()).backward()
        optimiser.step()
    file = tmp_path_factory.mktemp("taught") / "taught.safetensors"
    checkpoint.save(net, file)
    return file


def won_share(one: Convolutional, other: Convolutional, games: int = 2048) -> float:
    """How often the first net wins, both drawing their moves, with either colour and random openings."""
    nets = [Sampler(net, torch.device("cpu"), half=False) for net in (one, other)]
    for number, net in enumerate(nets):
        net.seed(number)
    rng = np.random.default_rng(3)
    colour = rng.integers(2, size=games)

    def draw(rows: Rows, ply: int, planes: np.ndarray[Any, np.dtype[np.uint8]]) -> Rows:
        cells = np.zeros(len(rows), np.int32)
        for number, net in enumerate(nets):
            its = (colour[rows] == ply % 2) == (number == 0)
            cells[its] = net.draw(planes[its])
        return cells

    _, length = Games(3, games).play(draw, rng, every=False)
    return float(((length - 1) % 2 == colour).mean())


LEARNS: dict[str, Any] = {"size": 3, "layers": 3, "channels": 16, "games": 64, "iterations": 40, "half": False}


@pytest.mark.parametrize(
    "config",
    [
        Reinforce(variant="v", learning_rate=0.03, **LEARNS),
        Reinforce(variant="a", learning_rate=0.05, **LEARNS),
        Reinforce(variant="b", learning_rate=0.2, **LEARNS),
        Amcpg(variant="a", learning_rate=0.1, **LEARNS),
        Amcpg(variant="b", learning_rate=0.1, **LEARNS),
        Amcpg(variant="b", k=3, repeats=2, learning_rate=0.2, **LEARNS),
        Adversarial(learning_rate=3e-3, **LEARNS),
    ],
    ids=called,
)
def test_play_on_3x3_gets_better_in_40_iterations(config: PolicyGradient, make: Make, taught: Path) -> None:
    # The mark is 65% against the net that it began from; 71% to 85% were seen with other seeds.
    trainer = make(replace(config, exam_iterations=0), start=taught)
    list(train(trainer))
    start, _ = checkpoint.load(taught, Convolutional)
    assert won_share(start, start) == pytest.approx(0.5, abs=0.05)
    assert won_share(trainer.net, start) >= 0.65


def test_a_start_with_another_shape_is_refused_and_one_without_values_may_get_them(make: Make, tmp_path: Path) -> None:
    start = Convolutional(Config(layers=2, channels=8))
    checkpoint.save(start, tmp_path / "start.safetensors")
    for config in (ALL[0], ALL[-1]):
        trainer = make(config, type(config).__name__, tmp_path / "start.safetensors")
        assert torch.equal(trainer.net.state_dict()["layers.1.weight"], start.state_dict()["layers.1.weight"])
        assert torch.equal(trainer.net.policy.weight, start.policy.weight)
        assert trainer.card().notes == "begun from start.safetensors"
    with pytest.raises(ValueError, match=r"start\.safetensors has another shape"):
        make(replace(ALL[0], channels=4), "other", tmp_path / "start.safetensors")
    assert make(ALL[0], "none").card().notes == "begun from random weights"


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        (Reinforce, {"size": 1}, "size must be from 2 to 19"),
        (Reinforce, {"games": 0}, "games must be at least 1"),
        (Reinforce, {"learning_rate": float("nan")}, "learning_rate must be a number"),
        (Reinforce, {"optimiser": "rprop"}, "optimiser must be one of sgd, adam"),
        (Reinforce, {"baseline": "all"}, "baseline must be one of none, mean, standard"),
        (Reinforce, {"variant": "c"}, "variant must be v, a or b"),
        (Reinforce, {"k": -1}, "k must be at least 0"),
        (Reinforce, {"seed": -1}, "seed must be from 0"),
        (Reinforce, {"channels": 0}, "channels must be"),
        (Amcpg, {"variant": "v"}, "variant must be a or b"),
        (Amcpg, {"k": 0}, "k must be at least 1"),
        (Amcpg, {"temperature": -1.0}, "temperature must be a number from 0 on"),
        (Amcpg, {"repeats": 2}, "repeats=2 is for variant b"),
        (Adversarial, {"outcome": 1.5}, "outcome must be from 0 to 1"),
        (Adversarial, {"entropy": -1.0}, "entropy must be a number from 0 on"),
        (Adversarial, {"baseline": "mean"}, "baseline=mean is not possible"),
    ],
)
def test_nonsense_is_refused(kind: type[PolicyGradient], settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kind(**settings)  # type: ignore[arg-type]
