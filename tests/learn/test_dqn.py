"""Generations end to end on small boards: when they end, what they leave, a run that goes on, bad settings."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fingal.game import Record
from fingal.learn.dqn import CORRECTED, PRESETS, Dqn, Trainer, train
from fingal.learn.parts import opponent_games, state
from fingal.learn.parts.joined_stones import TensorStones
from fingal.learn.parts.opponent_games import LOTS, OpponentGames
from fingal.learn.parts.run import Run
from fingal.learn.parts.tally import Tally
from fingal.learn.parts.value_exam import known
from fingal.nets import checkpoint
from fingal.nets.choice import NAMES, Name
from fingal.nets.inference import open_evaluator
from fingal.players.spec import make

CPU = torch.device("cpu")
SMALL = Dqn(
    size=3,
    width=4,
    generations=2,
    episodes=20,
    more_episodes=4,
    games=6,
    groups=2,
    batch=8,
    capacity=60,
    epsilon_moves=40,
    join_above=0.0,
    row_episodes=8,
    updates_per_move=0.5,
)


def run(config: Dqn, folder: Path, rows: int = 1000) -> Trainer:
    """Train for so many rows at most; everything is saved after every row but the last."""
    kept = Run(folder, asdict(config))
    try:
        trainer = Trainer(config, kept, CPU)
        for number, _ in enumerate(train(trainer, save_seconds=0), 1):
            if number == rows:
                break
    finally:
        kept.close()
    return trainer


def rows_of(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    "options",
    [
        {"first_stone": "chosen", "likeliest": "oldest"},
        {"double": True, "dueling": True, "steps": 3, "prioritised": True},
        {"schedule": "published", "fresh": True},
        {"net": "feed-forward", "games": 1},
        {**CORRECTED, "steps": 2},
    ],
)
def test_a_run_that_was_killed_goes_on_to_the_same_bits(options: dict[str, Any], tmp_path: Path) -> None:
    config = replace(SMALL, **options)
    whole = run(config, tmp_path / "whole")
    for rows in (2, 3, 1000):
        again = run(config, tmp_path / "parts", rows)
    assert whole.progress.generation == again.progress.generation == 3
    for name in ("episodes", "moves", "updates", "joined"):
        assert getattr(whole.progress, name) == getattr(again.progress, name)
    assert whole.progress.updates > 40
    assert torch.equal(whole.q.numbers, again.q.numbers)
    last = checkpoint.load_any(tmp_path / "parts" / "checkpoints" / "generation-02.safetensors")[0]
    assert torch.equal(whole.flat.vector(last), whole.q.numbers)


@pytest.mark.parametrize("options", [{}, CORRECTED])
def test_a_gpus_run_goes_on_without_one(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(SMALL, **options)
    with monkeypatch.context() as gpu:
        gpu.setattr(opponent_games, "stones_on", TensorStones)
        before = run(config, tmp_path, 3)
    file = tmp_path / "checkpoints" / "state.safetensors"
    tensors, about = state.load(file) or ({}, {})
    state.save(file, tensors | {"random": torch.arange(16, dtype=torch.uint8)}, about)  # a GPU's has 16 bytes
    after = run(config, tmp_path)
    assert 0 < before.progress.moves < after.progress.moves
    assert after.progress.generation == 3


def test_what_a_run_leaves(tmp_path: Path) -> None:
    config = replace(SMALL, streak=False)
    trainer = run(config, tmp_path)
    rows = rows_of(tmp_path)
    ends = [row for row in rows if "generation_episodes" in row]
    assert [row["generation"] for row in ends] == [0, 1, 2]
    for row, limit in zip(ends, (20, 24, 28), strict=True):
        assert limit <= row["generation_episodes"] < limit + config.games
        assert row["streak"] == 0
        assert {"first_vs_random", "second_vs_random", "keeps_win", "first_vs_best"} <= row.keys()
    names = {
        "generation",
        "episode",
        "episodes",
        "moves",
        "updates",
        "cost",
        "epsilon",
        "win_rate",
        "length",
        "minutes",
    }
    assert all(names <= row.keys() for row in rows)
    assert [row["members"] for row in ends] == [1, 2, 3]
    # Random moves begin anew with each generation.
    first = {row["generation"]: row["epsilon"] for row in reversed(rows)}
    last = {row["generation"]: row["epsilon"] for row in rows}
    assert first[1] > last[0]
    found = sorted(file.name for file in (tmp_path / "checkpoints").iterdir())
    nets = [f"generation-{number:02d}.safetensors" for number in range(3)]
    assert found == [*nets, "latest.safetensors", "state.safetensors"]
    assert trainer.progress.joined == [0, 1]
    assert rows[-1]["episodes"] == sum(row["generation_episodes"] for row in ends)
    player = make(f"net:{tmp_path / 'checkpoints' / nets[1]}")
    record = Record(3)
    assert player.choose(record) in record.board().empty_cells
    player.close()


def test_best_moves_are_measured_between_the_ends_of_generations_too(tmp_path: Path) -> None:
    often = run(replace(SMALL, marks_episodes=20), tmp_path / "often")
    seldom = run(SMALL, tmp_path / "seldom")
    assert torch.equal(often.q.numbers, seldom.q.numbers)  # to measure changes nothing
    for row in rows_of(tmp_path / "seldom"):
        assert ("keeps_win" in row) == ("generation_episodes" in row)
    before, between = 0.0, 0
    for row in rows_of(tmp_path / "often"):
        passed = any(number % 20 == 0 for number in range(int(before) + 1, int(row["episodes"]) + 1))
        assert ("keeps_win" in row) == (passed or "generation_episodes" in row)
        between += passed and "generation_episodes" not in row
        before = row["episodes"]
    assert between


def beaten(*steps: list[int], begun: list[int] | None = None) -> list[bool]:
    """Whether 50 games in a row were won, after each step: 1 for a game that was won, -1 lost, 0 that goes on."""
    tally, found = Tally.begin(begun or [0] * len(steps[0])), []
    for step in steps:
        tally.note(np.array(step, float), 4 * np.abs(np.array(step, float)))
        found.append(tally.beaten)
    return found


def test_fifty_games_in_a_row_in_the_order_of_their_beginnings() -> None:
    assert beaten(*[[1]] * 51) == [False] * 50 + [True]  # more than 50 must have been played
    assert beaten(*[[1]] * 30, [-1], *[[0]] * 5, *[[1]] * 50) == [False] * 85 + [True]
    # Games that begin in one step are in the order of their places.
    assert beaten([1, -1], *[[1, 1]] * 25)[-2:] == [False, True]
    assert beaten([-1, 1], *[[1, 1]] * 24, [1, 0])[-2:] == [False, True]
    assert beaten([1, -1], *[[1, 1]] * 24, [1, 0])[-2:] == [False, False]
    assert beaten([1] * 60) == [True]
    # 50 short games wait for a long one that began before them, whether it is won or lost in the end.
    assert beaten(*[[0, 1]] * 55, [1, 1]) == [False] * 55 + [True]
    assert beaten(*[[0, 1]] * 45, [-1, 1], *[[0, 1]] * 3, [1, 1]) == [False] * 49 + [True]
    assert beaten(*[[0, 1]] * 55, [-1, 1]) == [False] * 55 + [True]
    assert beaten([0, 1], [0, -1], *[[0, 1]] * 49, [-1, 1]) == [False] * 51 + [True]
    assert beaten([0, 1], [0, -1], *[[0, 1]] * 48, [1, 1]) == [False] * 51
    # One that the generation before has begun is not waited for and does not count.
    assert beaten(*[[0, 1]] * 51, begun=[3, 0]) == [False] * 50 + [True]
    assert beaten(*[[1, 0]] * 51, begun=[3, 0]) == [False] * 51
    assert beaten(*[[1, 1]] * 25, [1, 0], [0, 1], [1, 0], begun=[3, 2]) == [False] * 27 + [True]


Game = tuple[int, int, int, bool]
"""The step after which a game began, its place, the step that ended it, whether it was won."""


def simulated(games: int, rate: float, steps: int, seed: int) -> Iterator[tuple[bool, list[Game], list[Game]]]:
    """Games of 7 to 9 steps that are won and of 16 to 20 that are lost.

    Gives for each step whether a tally has seen 50 wins in a row, the games that have ended and those that go on.
    """
    chance = np.random.default_rng(seed)

    def game(place: int, step: int) -> Game:
        won = bool(chance.random() < rate)
        return step, place, step + int(chance.integers(7, 10) if won else chance.integers(16, 21)), won

    tally, ended = Tally.begin([0] * games), list[Game]()
    going = [game(place, 0) for place in range(games)]
    for step in range(1, steps + 1):
        reward, moves = np.zeros(games), np.zeros(games)
        for place, (began, _, end, won) in enumerate(going):
            if end == step:
                reward[place], moves[place] = 1 if won else -1, end - began
                ended.append(going[place])
                going[place] = game(place, step)
        tally.note(reward, moves)
        yield tally.beaten, ended, going


@pytest.mark.parametrize("games", [1, 7, 64])
def test_a_tally_counts_as_whoever_sees_all_games_does(games: int) -> None:
    ever = []
    for seed in range(4):
        for said, ended, going in simulated(games, 0.95, 40 + 1500 // games, seed):
            known = [game for game in sorted(ended) if game < min(going)]
            row = "".join(str(int(won)) for *_, won in known)
            assert said == ("1" * 50 in row[1:])
        ever.append(said)
    assert any(ever)
    assert not all(ever)


def test_short_games_that_are_won_make_no_streak() -> None:
    # 50 wins begin at one game in 350,000 (0.2 * 0.8^50). In the order of their ends 16 of the 20 runs have them.
    assert not any(said for seed in range(20) for said, *_ in simulated(256, 0.8, 80, seed))


def test_what_a_tally_says() -> None:
    tally = Tally.begin([0] * 4)
    assert (tally.share(), tally.length()) == (0, None)
    tally.note(np.array([1.0, -1.0, 0.0, 1.0]), np.array([5.0, 6.0, 0.0, 7.0]))
    assert (tally.ended, tally.recent, tally.streak) == (3, [1, 0], 0)  # the fourth waits for the third
    assert (tally.share(), tally.length(), tally.length()) == (1 / 2, 6, None)
    tally.note(np.array([0.0, 0.0, 1.0, 0.0]), np.array([0.0, 0.0, 6.0, 0.0]))
    assert (tally.ended, tally.recent, tally.streak) == (4, [1, 0, 1, 1], 2)
    for _ in range(60):
        tally.note(np.ones(4), np.full(4, 3.0))
    assert (tally.ended, len(tally.recent), tally.share()) == (244, 50, 1)


def test_games_that_the_generation_before_has_begun_are_not_in_its_row(tmp_path: Path) -> None:
    kept = Run(tmp_path, asdict(SMALL))
    trainer = Trainer(SMALL, kept, CPU)
    while trainer.progress.generation == 0:
        trainer.row()
    kept.close()
    own = [number >= 0 for number in trainer.tally.numbers]
    stones = trainer.table.boards.flatten(1).eq(1).sum(1)
    assert own == (stones == 0).tolist()  # none of the learner's stones
    assert any(own)
    assert not all(own)


def test_a_generation_that_loses_does_not_join(tmp_path: Path) -> None:
    trainer = run(replace(SMALL, join_above=1.0), tmp_path)
    assert trainer.progress.joined == []
    assert [row["members"] for row in rows_of(tmp_path)] == [1] * len(rows_of(tmp_path))


def test_it_ends_by_moves_and_by_time(tmp_path: Path) -> None:
    trainer = run(replace(SMALL, moves=60), tmp_path / "moves")
    assert trainer.progress.moves == 60
    # In the middle of a generation: the last row has the marks of the net that the run leaves.
    end = rows_of(tmp_path / "moves")[-1]
    assert "generation_episodes" not in end
    judge = open_evaluator(tmp_path / "moves/checkpoints/latest.safetensors", backend="torch")
    truth, _ = known(3)
    assert end["keeps_win"] == pytest.approx(truth.measure(judge(truth.positions).logits[np.newaxis])["keeps_win"][0])
    trainer = run(replace(SMALL, minutes=1e-6), tmp_path / "minutes")
    assert trainer.progress.moves < 60
    assert trainer.done_share() == 1


def test_it_begins_from_a_nets_weights(tmp_path: Path) -> None:
    first = run(SMALL, tmp_path / "first")
    start = tmp_path / "first" / "checkpoints" / "latest.safetensors"
    kept = Run(tmp_path / "second", asdict(SMALL))
    assert torch.equal(Trainer(SMALL, kept, CPU, start).q.numbers, first.q.numbers)
    kept.close()


class Waits(TorchDispatchMode):
    """Refuses what a CUDA graph cannot hold: whatever depends on numbers that the device has yet to work out."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        names = ("_local_scalar_dense", "nonzero", "masked_select", "equal", "_unique2", "is_nonzero")
        assert func.overloadpacket.__name__ not in names, func
        if func.overloadpacket.__name__ in ("index", "index_put", "index_put_"):
            assert not any(part is not None and part.dtype == torch.bool for part in args[1]), func
        return func(*args, **(kwargs or {}))


@contextmanager
def no_waits() -> Iterator[None]:
    """``Waits``, and no way from a tensor to the host that it does not see on a CPU."""

    def refused(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> None:
        raise AssertionError("this would wait for a GPU")

    with pytest.MonkeyPatch.context() as patch, Waits():
        for name in ("tolist", "cpu", "numpy", "__array__"):
            patch.setattr(torch.Tensor, name, refused)
        yield


@pytest.mark.parametrize(
    "look",
    [lambda one: one.tolist(), lambda one: one.cpu(), lambda one: one.numpy(), np.asarray, float, bool],
)
def test_whoever_waits_is_found(look: Callable[[torch.Tensor], object]) -> None:
    with pytest.raises(AssertionError), no_waits():
        look(torch.ones(1))


def places(trainer: Trainer) -> dict[str, int]:
    """Where everything lies that a graph of moves and updates reads or writes."""
    pool = {f"pool.{name}": part for name, part in vars(trainer.pool).items() if isinstance(part, torch.Tensor)}
    assert len(pool) == 3
    return {name: tensor.data_ptr() for name, tensor in (trainer.changing() | pool).items()}


@pytest.mark.parametrize(
    "options",
    [
        {"first_stone": "chosen"},
        {"net": "transformer-relative", "width": 16, "double": True, "steps": 2, "prioritised": True},
        {"net": "transformer-learned", "width": 16},
        {"net": "convolutional-cube", **CORRECTED, "dueling": True},
    ],
)
def test_moves_and_updates_never_wait_for_a_gpu_and_stay_where_they_are(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opponent_games, "stones_on", TensorStones)
    config = replace(SMALL, **options)
    kept = Run(tmp_path, asdict(config))
    trainer = Trainer(config, kept, CPU)
    trainer.pool.looks = False
    if isinstance(trainer.table, OpponentGames):
        trainer.table.looks = False
    before = places(trainer)
    for number in range(12):
        if number in (3, 6) and config.opponent == "pool":
            trainer.pool.add(trainer.flat.vector(config.untrained(number)))
        with no_waits():
            trainer.play(torch.rand(LOTS + 2, config.games))
            trainer.q.update(torch.rand(config.batch, dtype=torch.float64))
    trainer.q.begin(trainer.flat.vector(config.untrained(1)))
    kept.close()
    assert places(trainer) == before


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compiled", [False, True])
def test_graphs_do_what_the_functions_do(name: Name, compiled: bool, tmp_path: Path) -> None:
    # Moves are random, so that both play the same games whatever the last bits of their values are.
    config = replace(SMALL, net=name, width=16, epsilon=1.0, last_epsilon=1.0, first_stone="chosen")
    trainers = []
    for graph in (True, False):
        kept = Run(tmp_path / str(graph), asdict(config))
        trainer = Trainer(replace(config, graph=graph, compiled=compiled and graph), kept, torch.device("cuda"))
        trainer.pool.add(trainer.flat.vector(config.untrained(5)))
        for _ in range(8):
            trainer.step()
        kept.close()
        trainers.append(trainer)
    graphs, plain = (trainer.changing() for trainer in trainers)
    for key in ("ring.boards", "ring.cell", "ring.reward", "ring.done", "moves", "plies"):
        assert torch.equal(graphs[key], plain[key]), key
    assert trainers[0].progress.updates == trainers[1].progress.updates > 8
    began = trainers[0].flat.vector(config.untrained())
    learned, other = trainers[0].q.numbers - began, trainers[1].q.numbers - began
    assert float((learned - other).norm()) < 0.2 * float(learned.norm())


def test_the_pool_says_the_same_when_it_cannot_look(tmp_path: Path) -> None:
    kept = Run(tmp_path, asdict(SMALL))
    trainer = Trainer(SMALL, kept, CPU)
    kept.close()
    pool = trainer.pool
    pool.add(trainer.q.numbers)
    pool.add(trainer.flat.vector(SMALL.untrained(5)))
    boards, legal = trainer.table.boards, trainer.table.legal
    for _ in range(10):
        lots = torch.rand(2, SMALL.games)
        found = []
        for looks in (True, False):
            pool.looks = looks
            found.append(pool.reply(boards, legal, lots))
        assert torch.equal(*found)


@pytest.mark.parametrize("options", [{}, CORRECTED])
def test_it_learns_to_beat_the_random_player_on_three_by_three(options: dict[str, Any], tmp_path: Path) -> None:
    config = replace(
        SMALL, width=16, generations=0, episodes=400, batch=32, capacity=2000, epsilon_moves=400, row_episodes=400
    )
    run(replace(config, **options), tmp_path)
    last = rows_of(tmp_path)[-1]
    assert last["first_vs_random"] > 0.95  # two in three for random moves
    assert last["second_vs_random"] > 0.7  # one in three
    assert last["keeps_win"] > 0.75


def test_the_presets_are_the_papers() -> None:
    for name in ("paper-5x5", "paper-7x7"):
        preset = PRESETS[name]
        found = [getattr(preset, field) for field in ("gamma", "learning_rate", "softness", "capacity", "decay")]
        assert found == [0.9, 1e-3, 0.005, 10_000, 0.9]
        assert [preset.epsilon, preset.last_epsilon, preset.epsilon_moves] == [0.9, 0.05, 1000]
        assert [preset.limit(number) for number in (0, 1, 50)] == [2000, 2200, 12000]
        assert preset.batch * preset.updates_per_move == 32  # as many moves to learn from for each that is made
        assert preset.generations == 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 1}, "size must be at least 2"),
        ({"size": 20}, "size must be from"),
        ({"net": "recurrent"}, "net must be one of"),
        ({"width": 0}, "width must be"),
        ({"games": 0}, "games must be at least 1"),
        ({"generations": -1}, "generations must be at least 0"),
        ({"marks_episodes": -1}, "marks_episodes must be at least 0"),
        ({"epsilon": 1.5}, "epsilon must be from 0 to 1"),
        ({"epsilon_moves": 0}, "epsilon_moves must be more than 0"),
        ({"decay": 0}, "decay must be more than 0"),
        ({"learning_rate": float("inf")}, "learning_rate must be"),
        ({"minutes": float("nan")}, "minutes must be"),
        ({"likeliest": "best"}, "likeliest must be newest or oldest"),
        ({"squash": "none"}, "squash must be sigmoid or tanh"),
        ({"loss_reward": -1.0}, "loss_reward must be from 0"),
        ({"opponent": "self"}, "squash must be tanh where opponent is self"),
        ({**CORRECTED, "loss_reward": 0.0}, "loss_reward must be -1.0 where opponent is self, not 0.0"),
        ({**CORRECTED, "first_stone": "chosen"}, "first_stone must be random where opponent is self, not chosen"),
        ({**CORRECTED, "likeliest": "oldest"}, "likeliest must be newest where opponent is self, not oldest"),
        ({"size": 7.5}, "size must be a whole number, not 7.5"),
        ({"episodes": 20.0}, "episodes must be a whole number, not 20.0"),
        ({"seed": True}, "seed must be a whole number, not True"),
        ({"double": 0.5}, "double must be true or false, not 0.5"),
        ({"capacity": 4}, "capacity must be at least games and batch"),
        ({"seed": -1}, "seed must be from"),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **settings)
