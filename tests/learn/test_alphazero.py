"""The self-play trainer: its losses by hand, its memory against the board, and its resuming to the bit."""

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from fingal import BLACK, WHITE, Board, _core
from fingal.learn import alphazero
from fingal.learn.alphazero import AlphaZero, Trainer, train
from fingal.learn.parts.openings import Openings, drawn_lines, random_lines
from fingal.learn.parts.replay import Batch, Replay
from fingal.learn.parts.run import Run, rows_in
from fingal.learn.parts.search_descent import losses
from fingal.learn.parts.selfplay import DevicePool
from fingal.learn.parts.source import Local, Match
from fingal.learn.parts.versus import raw_match
from fingal.nets import checkpoint
from fingal.nets.judge import Judge
from fingal.nets.planes import encode as encode_numpy
from fingal.nets.planes import positions_of
from fingal.nets.residual import Config, Output, Residual
from fingal.search.evaluator import EvaluationError
from tests.conftest import Run as FingalRun

TINY = Config(blocks=2, channels=8, pool_every=2, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)
FAST = AlphaZero(
    net=TINY,
    sizes=(3, 4),
    games=8,
    full_simulations=4,
    cheap_simulations=2,
    considered=4,
    replay=500,
    replay_start=40,
    batch=16,
    reuse=2,
    warm_up=2,
    steps=12,
    checkpoint_steps=4,
)


opened: list[Run] = []


@pytest.fixture(autouse=True)
def close_runs() -> Iterator[None]:
    yield
    while opened:
        opened.pop().close()


def begin(folder: Path, config: AlphaZero = FAST) -> Trainer:
    opened.append(Run(folder, asdict(config)))
    return Trainer(config, opened[-1], torch.device("cpu"))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    from fingal.nets.checkpoint import load

    return load(folder / "checkpoints" / "latest.safetensors")[0].state_dict()


def test_a_stopped_run_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    config = replace(FAST, net=replace(TINY, bottleneck=4, attention=2), wild_share=0.25, drawn_share=0.25)
    for _ in train(begin(tmp_path / "whole", config)):
        pass
    stopped = train(begin(tmp_path / "parts", config))
    next(stopped)  # the checkpoint after 4 steps
    next(stopped)  # and after 8; what came after the last one is lost, and done again
    stopped.close()
    for _ in train(begin(tmp_path / "parts", config)):
        pass
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(one[name], other[name]) for name in one)
    untrained = begin(tmp_path / "new", config).average.state_dict()
    assert not any(torch.equal(one[name], untrained[name]) for name in one if name.endswith("conv1.weight"))


def test_a_net_by_its_name_goes_on_to_the_same_bits_and_plays(tmp_path: Path) -> None:
    from fingal.game import Record
    from fingal.nets.checkpoint import load_any
    from fingal.players import spec

    config = replace(FAST, architecture="transformer-relative", width=16, sizes=(3,))
    for _ in train(begin(tmp_path / "whole", config)):
        pass
    stopped = train(begin(tmp_path / "parts", config))
    next(stopped)
    stopped.close()
    for _ in train(begin(tmp_path / "parts", config)):
        pass
    files = [tmp_path / name / "checkpoints" / "latest.safetensors" for name in ("whole", "parts")]
    (one, card), (other, _) = (load_any(file) for file in files)
    assert (card.architecture, card.head, card.sizes) == ("transformer", "policy_value", ("3x3",))
    for name, tensor in one.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name
    untrained = begin(tmp_path / "new", config).average.state_dict()
    assert not torch.equal(one.state_dict()["out.weight"], untrained["inner.out.weight"])
    for text in ("net:{}", "puct:net={},sims=4"):
        assert spec.make(text.format(files[0])).choose(Record(3, 3)) in range(9)


def test_a_judge_says_what_a_named_net_says() -> None:
    """Of Black's and White's positions, through packed stones and planes, as an evaluator does."""
    from fingal.nets.plain_evaluator import PlainEvaluator
    from fingal.nets.ringed import named

    torch.manual_seed(0)
    net = named("convolutional-cube", 4, 8)
    judge = Judge(net.config, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(net)
    boards = [Board(4)]
    for move in ("b2", "c3", "a4"):
        boards.append(boards[-1].copy())
        boards[-1].push(move)
    positions = positions_of(boards)
    stones, white = torch.from_numpy(positions.stones.view(np.int64)), torch.from_numpy(positions.white_to_move)
    logits, value = judge(stones, white, 4, 4)
    said = PlainEvaluator(net.inner)(positions)
    assert np.allclose(logits.numpy(), said.logits, atol=1e-5)
    assert np.allclose(value.numpy(), said.value, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "dtype"), [("convolutional", torch.bfloat16), ("transformer-cube", torch.float32), ("", torch.bfloat16)]
)
def test_a_gpu_rounds_only_nets_that_learn_so(name: str, dtype: torch.dtype) -> None:
    from fingal.nets.ringed import named, precision

    net = named(name, 4, 16) if name else Residual(TINY)
    assert precision(net, torch.device("cuda")) == dtype
    assert precision(net, torch.device("cpu")) == torch.float32


def test_what_a_named_net_cannot_learn_is_refused() -> None:
    with pytest.raises(ValueError, match="sizes must be one size for a convolutional net"):
        replace(FAST, architecture="convolutional")
    with pytest.raises(ValueError, match="width must be a multiple of 16"):
        replace(FAST, architecture="transformer-cube", sizes=(3,), width=20)
    with pytest.raises(ValueError, match="architecture must be one of residual, feed-forward"):
        replace(FAST, architecture="perceptron")  # type: ignore[arg-type]


def test_a_game_that_comes_twice_is_learned_from_once(tmp_path: Path) -> None:
    trainer = begin(tmp_path)
    assert isinstance(trainer.source, Local)
    actor = trainer.source.actor
    for _ in range(100):
        actor.play()
    actor.rest()
    state = actor.kept()  # holds games that are finished and were not delivered yet
    first = actor.deliver()
    actor.restore(*state)
    for delivery in first + actor.deliver():
        trainer.take(delivery)
    names = [(delivery.pool, game[0]) for delivery in first for game in delivery.games]
    positions = sum(len(delivery.samples["value"]) for delivery in first)
    assert len(names) == len(set(names)) > 0
    progress = trainer.progress
    assert (progress.delivered, progress.duplicates, progress.games) == (2 * len(names), len(names), len(names))
    assert progress.positions == trainer.replay.seen == positions > 0
    assert progress.judgements == 100 * FAST.games


@pytest.mark.parametrize("kept", [True, False])
def test_positions_that_were_searched_cheaply_may_be_left_out(tmp_path: Path, kept: bool) -> None:
    trainer = begin(tmp_path, replace(FAST, cheap_positions=kept))
    for _ in train(trainer):
        pass
    searched = (trainer.replay.kept()["policy"] > 0).any(1)
    assert len(searched) > 40
    assert bool(searched.all()) is not kept
    assert trainer.progress.positions == trainer.replay.seen
    # Learned from twice each, in batches of 16, after the 40 positions that had to come first.
    assert trainer.progress.steps <= 2 * trainer.progress.positions / 16


def test_a_teacher_plays_first(tmp_path: Path) -> None:
    from fingal.nets.checkpoint import save

    torch.manual_seed(5)
    teacher = Residual(replace(TINY, channels=12))
    save(teacher, tmp_path / "teacher.safetensors")
    config = replace(FAST, teacher=str(tmp_path / "teacher.safetensors"), teacher_share=0.5)
    trainer = begin(tmp_path / "run", config)
    assert trainer.player().config == teacher.config
    for _ in train(trainer):
        pass
    assert trainer.player() is trainer.average
    assert isinstance(trainer.source, Local)
    assert trainer.source.actor.judge.config == TINY
    assert trainer.progress.steps == 12


def test_another_seed_gives_another_net(tmp_path: Path) -> None:
    for seed in (1, 2):
        for _ in train(begin(tmp_path / str(seed), replace(FAST, seed=seed, steps=4))):
            pass
    one, two = weights(tmp_path / "1"), weights(tmp_path / "2")
    assert any(not torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize("lacking", ["source", "replay.stakes"])
def test_a_run_of_an_older_fingal_is_refused_in_one_sentence(tmp_path: Path, lacking: str) -> None:
    from fingal.learn.parts import state

    begin(tmp_path).save()
    found = state.load(file := tmp_path / "checkpoints" / "state.safetensors")
    assert found is not None
    tensors, about = found
    (about if lacking in about else tensors).pop(lacking)
    state.save(file, tensors, about)
    message = f"{file} lacks {lacking}: it is damaged, or another Fingal wrote it: choose another folder, and --start "
    before = file.read_bytes()
    with pytest.raises(ValueError, match=re.escape(message)):
        begin(tmp_path)
    assert file.read_bytes() == before


def test_two_matches_of_one_version_have_a_row_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two checkpoints by the clock with no step between them, while games are far away."""
    trainer = begin(tmp_path)
    monkeypatch.setattr(trainer.source, "begin_match", lambda match: None)
    for _ in range(2):
        trainer.begin_match(Match(0, trainer.average, trainer.average, 3, 2))
    for score in (0.25, 0.75):
        monkeypatch.setattr(trainer.source, "scores", lambda wait, score=score: [(0, score)])
        assert trainer.scores() == [{"against_older": score}]
    assert not trainer.matches


def test_a_run_that_kept_no_state_is_not_begun_again(tmp_path: Path) -> None:
    config = replace(FAST, keep_state=False, steps=4, checkpoint_steps=2)
    begin(tmp_path, config).run.log(0, {"games": 1.0})  # killed before it had a net: there is nothing to lose
    stopped = train(begin(tmp_path, config))
    next(stopped)
    stopped.close()
    latest = tmp_path / "checkpoints" / "latest.safetensors"
    before = latest.read_bytes()
    message = f"{tmp_path} kept no state to go on from: choose another folder, and --start {latest} for its net"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        begin(tmp_path, config)
    assert latest.read_bytes() == before
    Trainer(config, begin(tmp_path / "other", config).run, torch.device("cpu"), latest)


def test_a_net_that_diverges_leaves_the_last_state(tmp_path: Path) -> None:
    stopped = train(trainer := begin(tmp_path))
    next(stopped)
    files = [tmp_path / "checkpoints" / f"{name}.safetensors" for name in ("state", "latest")]
    before = [file.read_bytes() for file in files]
    for net in (trainer.net, trainer.average):
        next(iter(net.parameters())).data.fill_(math.nan)
    with pytest.raises(ValueError, match="not finite"):
        trainer.save()
    assert [file.read_bytes() for file in files] == before
    stopped.close()
    again = begin(tmp_path)
    assert again.progress.steps == 4
    for _ in train(again):
        pass
    assert all(torch.isfinite(tensor).all() for tensor in weights(tmp_path).values())


def test_with_steps_nothing_depends_on_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that leaps by minutes at every look gives the same net, with checkpoints after every tenth."""
    config = replace(FAST, steps=20, checkpoint_steps=0)
    for name, leap in (("quick", 0.001), ("slow", 500.0)):
        ticks = itertools.count(0.0, leap)
        monkeypatch.setattr(alphazero, "time", SimpleNamespace(perf_counter=ticks.__next__))
        for _ in train(begin(tmp_path / name, config)):
            pass
        kept = sorted(file.name for file in (tmp_path / name / "checkpoints").glob("net-*"))
        assert kept == [f"net-{steps:07d}.safetensors" for steps in range(2, 21, 2)]
    one, other = weights(tmp_path / "quick"), weights(tmp_path / "slow")
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("steps", [1, 5, 12, 100])
def test_a_run_of_any_steps_has_up_to_ten_checkpoints(steps: int) -> None:
    assert 1 <= steps // replace(FAST, steps=steps, checkpoint_steps=0).checkpoint_every <= 10
    assert replace(FAST, steps=steps, checkpoint_steps=3).checkpoint_every == 3
    assert replace(FAST, steps=0, checkpoint_steps=0).checkpoint_every == 0


@pytest.mark.parametrize("leap", [0.001, 500.0])
def test_the_last_figures_are_logged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leap: float) -> None:
    """Whether the run is shorter than ten seconds or every step has a row."""
    monkeypatch.setattr(alphazero, "time", SimpleNamespace(perf_counter=itertools.count(0.0, leap).__next__))
    given = list(train(trainer := begin(tmp_path)))
    last = [row for row in rows_in(tmp_path) if row["step"] == 12 and "games" in row]
    assert len(last) == 1
    assert last[0]["games"] == trainer.progress.games
    assert {"policy", "value", "judgements_per_s"} <= set(last[0])
    if leap < 1:  # the row is of the whole run
        assert last[0]["judgements_per_s"] * trainer.progress.seconds == pytest.approx(trainer.progress.judgements)
    assert given[-1]["games"] == trainer.progress.games
    # A run that has ended has nothing to add.
    before = (tmp_path / "metrics.jsonl").read_bytes()
    for _ in train(begin(tmp_path)):
        pass
    assert (tmp_path / "metrics.jsonl").read_bytes() == before


def test_the_end_of_a_run_adds_no_second_row_of_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute of play alone, looked at every 7 seconds, has rows after 14, 28, 42 and 56."""
    clock = SimpleNamespace(perf_counter=itertools.count(0.0, 7.0).__next__)
    monkeypatch.setattr(alphazero, "time", clock)
    for _ in train(begin(tmp_path, replace(FAST, reuse=0, steps=0, checkpoint_steps=0, minutes=1.0))):
        pass
    assert [round(60 * row["minutes"]) for row in rows_in(tmp_path)] == [14, 28, 42, 56]


def test_rows_of_after_the_checkpoint_come_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(perf_counter=itertools.count(0.0, 500.0).__next__)  # every step has a row
    monkeypatch.setattr(alphazero, "time", clock)
    begin(tmp_path).run.log(0, {"games": 1.0})  # killed while it gathered its first positions
    stopped = train(trainer := begin(tmp_path))
    while trainer.progress.steps < 7:  # the last checkpoint was after 4
        next(stopped)
    stopped.close()
    assert max(row["step"] for row in rows_in(tmp_path)) > 4
    assert all("positions" in row or "against_older" in row for row in rows_in(tmp_path))
    for _ in train(begin(tmp_path)):
        pass
    rows = [row for row in rows_in(tmp_path) if "policy" in row]
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert [row["games"] for row in rows] == sorted(row["games"] for row in rows)


def test_a_folder_with_other_settings_is_refused(tmp_path: Path) -> None:
    begin(tmp_path).run.log(1, {"loss": 0.5})
    with pytest.raises(ValueError, match="another batch"):
        begin(tmp_path, replace(FAST, batch=17))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("sizes", (1,), "from 2 to 19"),
        ("sizes", (20,), "from 2 to 19"),
        ("games", 0, "games must be at least 1"),
        ("shares", (1.0,), "2 numbers above 0"),
        ("full_share", 1.5, "from 0 to 1"),
        ("sizes", (5.5,), "from 2 to 19"),
        ("shares", (1.0, math.nan), "2 numbers above 0"),
        ("shares", (1.0, math.inf), "2 numbers above 0"),
        ("batch", 2.5, "batch must be a whole number, not 2.5"),
        ("keep_state", 1, "keep_state must be true or false, not 1"),
        *(
            (name, -1, f"{name} must be at least 0, not -1")
            for name in ("steps", "checkpoint_steps", "replay_start", "opening_stones", "warm_up")
        ),
        *(
            (name, value, f"{name} must be a number from 0, not {value}")
            for name in ("reuse", "reply_weight", "owner_weight", "stakes_weight", "weight_decay", "c_scale")
            for value in (-0.5, math.nan, math.inf)
        ),
        ("cheap_noise", math.nan, "cheap_noise must be a number from 0, not nan"),
        *(
            (name, value, f"{name} must be a number above 0, not {value}")
            for name in ("learning_rate", "opening_spread", "checkpoint_minutes")
            for value in (0.0, math.nan, math.inf)
        ),
        ("resign_below", 0.5, r"resign_below must be from -2 to 0, not 0.5"),
        ("resign_below", math.nan, "resign_below must be from -2 to 0, not nan"),
        ("seed", -1, r"seed must be from 0 to 2\*\*53 - 1, not -1"),
        ("seed", 2**53, r"seed must be from 0 to 2\*\*53 - 1"),
        ("games", 2_000_000, "games must be at most 1048576, not 2000000"),
        ("replay", 10**12, "replay must be at most 268435456, not 1000000000000"),
        ("reuse", 0.0, "reuse must be above 0 where steps are given"),
    ],
)
def test_nonsense_is_refused_by_name(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(FAST, **{field: value})


@pytest.mark.parametrize("minutes", [0.0, -1.0, math.nan, math.inf])
def test_a_run_ends(minutes: float) -> None:
    with pytest.raises(ValueError, match="minutes must be a number above 0"):
        AlphaZero(minutes=minutes)
    assert AlphaZero(minutes=minutes, steps=5).steps == 5


def test_something_is_learned_from() -> None:
    with pytest.raises(ValueError, match="full_share must be above 0 where neither"):
        replace(FAST, full_share=0.0, cheap_positions=False)
    replace(FAST, full_share=0.0, cheap_positions=False, proven_positions=True)
    replace(FAST, full_share=0.0)


def test_the_largest_seed_has_games_of_its_own(tmp_path: Path) -> None:
    begin(tmp_path, replace(FAST, sizes=(2, 19), seed=2**53 - 1)).play()
    begin(tmp_path / "none", replace(FAST, resign_below=-1.0)).play()


def batch_of(policy: list[float], value: float) -> Batch:
    cells = len(policy)
    occupied = torch.zeros(1, cells, dtype=torch.bool)
    occupied[0, 0] = True
    return Batch(
        planes=torch.zeros(1),
        mask=torch.zeros(1),
        occupied=occupied,
        policy=torch.tensor([policy]),
        stakes=torch.zeros(1),
        reply=torch.tensor([2]),
        value=torch.tensor([value]),
        owner=torch.tensor([[1.0] + [0.0] * (cells - 1)]),
        owner_known=torch.tensor([[1.0] + [0.0] * (cells - 1)]),
    )


def test_losses_by_hand() -> None:
    # Three free cells of four; logits ln 1, ln 2, ln 1 there, so the policy is 1/4, 1/2, 1/4.
    logits = torch.log(torch.tensor([[100.0, 1.0, 2.0, 1.0]]))
    said = Output(logits, torch.tensor([0.0]), logits, torch.zeros(1, 4))
    found = losses(said, batch_of([0.0, 0.5, 0.5, 0.0], 1.0))
    # KL = 0.5 ln(0.5 / 0.25) + 0.5 ln(0.5 / 0.5) = 0.5 ln 2
    assert found["policy"].item() == pytest.approx(0.5 * np.log(2), abs=1e-6)
    assert found["value"].item() == pytest.approx(np.log(2), abs=1e-6)
    assert found["reply"].item() == pytest.approx(np.log(2), abs=1e-6)
    assert found["owner"].item() == pytest.approx(np.log(2), abs=1e-6)
    assert losses(said, batch_of([0.0, 0.25, 0.5, 0.25], 1.0))["policy"].item() == pytest.approx(0.0, abs=1e-6)
    assert losses(said, batch_of([0.0] * 4, 1.0))["policy"].item() == 0.0


def test_where_much_is_at_stake_the_policy_counts_more() -> None:
    logits = torch.log(torch.tensor([[100.0, 1.0, 2.0, 1.0]]))
    said = Output(*(torch.cat((part, part)) for part in (logits, torch.zeros(1), logits, torch.zeros(1, 4))))
    wrong, right = batch_of([0.0, 0.5, 0.5, 0.0], 1.0), batch_of([0.0, 0.25, 0.5, 0.25], 1.0)
    both = Batch(*(torch.cat(parts) for parts in zip(wrong, right, strict=True)))._replace(
        stakes=torch.tensor([1.0, 0.0])
    )
    # Losses of 0.5 ln 2 and 0, that weigh 1 + 3 * 1 and 1.
    assert losses(said, both, stakes_weight=3.0)["policy"].item() == pytest.approx(0.8 * 0.5 * np.log(2), abs=1e-6)
    assert losses(said, both)["policy"].item() == pytest.approx(0.5 * 0.5 * np.log(2), abs=1e-6)


def samples_of(boards: list[Board]) -> dict[str, np.ndarray]:
    stones = np.stack([board.packed() for board in boards])
    count, cells = len(boards), boards[0].cells
    return {
        "black": stones[:, 0],
        "white": stones[:, 1],
        "final_black": stones[:, 0],
        "final_white": stones[:, 1],
        "white_to_move": np.array([board.turn == 1 for board in boards], np.uint8),
        "policy": np.eye(cells, dtype=np.float32)[np.arange(count) % cells],
        "reply": np.arange(count, dtype=np.int32) % cells,
        "value": np.ones(count, np.float32),
        "search_value": np.zeros(count, np.float32),
        "stakes": np.zeros(count, np.float32),
    }


@pytest.mark.parametrize("moves", [[], ["b1"], ["b1", "c4"], ["a4", "d1", "b2"]])
def test_what_is_remembered_is_what_the_encoder_sees(moves: list[str]) -> None:
    board = Board(4)
    for move in moves:
        board.push(move)
    replay = Replay(10, 4, torch.device("cpu"))
    replay.add(samples_of([board]), 4, search_share=0.25)
    generator = torch.Generator().manual_seed(0)
    expected = [torch.from_numpy(encode_numpy(positions_of([view]))) for view in (board, board.rotated())]
    for _ in range(20):
        planes = replay.sample(1, generator).planes
        assert any(torch.equal(planes, one) for one in expected)
    batch = replay.sample(64, generator)
    # The target was cell a1: in the canonical view that is the first or, turned, the last cell, whoever moves.
    assert {int(row.argmax()) for row in batch.policy} == {0, 15}
    assert set(batch.reply.tolist()) == {0, 15}
    assert batch.value.tolist() == [0.75] * 64


def test_small_boards_stand_in_the_corner_of_a_large_frame() -> None:
    replay = Replay(10, 5, torch.device("cpu"))
    board = Board(3)
    board.push("a2")
    replay.add(samples_of([board]), 3, search_share=0.0)
    batch = replay.sample(1, torch.Generator().manual_seed(0))
    assert batch.mask[0, 0].sum() == 25  # 3x3 and its ring
    assert (~batch.occupied[0]).sum() == 8
    assert batch.owner_known.sum() == 1


def test_the_oldest_positions_go_first() -> None:
    replay = Replay(3, 2, torch.device("cpu"))
    for number in range(5):
        board = Board(2)
        rows = samples_of([board])
        rows["value"][:] = number
        replay.add(rows, 2, search_share=0.0)
    assert len(replay) == 3
    assert sorted(replay.arrays["value"].tolist()) == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_openings_are_legal_and_a_pool_takes_them(size: int) -> None:
    torch.manual_seed(0)
    judge = Judge(TINY, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(Residual(TINY))
    lines = random_lines(judge, size, 64, 4, 0.35, torch.Generator().manual_seed(1))
    for line in lines:
        board = Board(size)
        for move in line:
            board.push(move)
        assert not board.is_over()
    assert max(map(len, lines)) == min(4, 2 * (size - 2))
    _core.SelfplayPool(size, size, 4, FAST.selfplay(), 1).set_openings(lines)


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_moves_drawn_from_the_policy_lead_to_open_positions(size: int) -> None:
    torch.manual_seed(0)
    judge = Judge(TINY, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(Residual(TINY))
    lines = drawn_lines(judge, size, 64, 0.35, torch.Generator().manual_seed(1))
    assert len(lines) == 64
    for line in lines:
        board = Board(size)
        for move in line:
            board.push(move)
        # Whoever moves, no cell ends the game.
        for side in (BLACK, WHITE):
            for cell in board.legal_moves:
                other = board.copy()
                other.turn = side
                other.push(cell)
                assert not other.is_over()
    if size == 11:
        assert max(map(len, lines)) > 30  # an untaught net draws from all cells alike and thinks all positions even
    _core.SelfplayPool(size, size, 4, FAST.selfplay(), 1).set_openings(lines)


class Opinionated(Judge):
    """Wants every third cell, the first one above all, and thinks only positions with six stones even."""

    def __init__(self) -> None:
        """On the CPU."""
        self.device = torch.device("cpu")

    def __call__(
        self, stones: torch.Tensor, white_to_move: torch.Tensor, width: int, height: int, *, once: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same for all but the values."""
        logits = torch.where(torch.arange(width * height) % 3 == 0, 20.0, 0.0)
        logits[0] = 40
        placed = torch.tensor([sum(bin(int(word)).count("1") for word in some) for some in stones[..., 0].T])
        return logits.repeat(len(placed), 1), torch.where(placed == 6, 0.0, 5.0)


def test_a_policy_draws_the_moves_that_it_likes_up_to_an_even_position() -> None:
    lines = drawn_lines(Opinionated(), 5, 100, 0.35, torch.Generator().manual_seed(1))
    assert {len(line) for line in lines} == {6}
    assert {line[0] for line in lines} == {0}
    assert {cell % 3 for line in lines for cell in line} == {0}
    assert len({tuple(line) for line in lines}) > 50


def overflowing() -> Residual:
    """A net of finite weights whose outputs are not finite."""
    net = Residual(TINY)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.fill_(3e38)
    return net


def test_nothing_is_learned_from_a_net_whose_outputs_are_not_finite() -> None:
    judge = Judge(TINY, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(overflowing())
    sentence = "^the net that plays gave outputs that are not finite: it began so, or has diverged$"
    generator = torch.Generator().manual_seed(1)
    with pytest.raises(EvaluationError, match=sentence):
        random_lines(judge, 5, 8, 4, 0.35, generator)
    with pytest.raises(EvaluationError, match=sentence):
        drawn_lines(judge, 5, 8, 0.35, generator)
    pool = DevicePool(5, 8, FAST.selfplay(), 5, 1, judge)
    pool.launch()
    with pytest.raises(EvaluationError, match=sentence):
        pool.collect()


def test_training_that_begins_with_such_a_net_ends_with_a_sentence(fingal: FingalRun, tmp_path: Path) -> None:
    checkpoint.save(overflowing(), tmp_path / "bad.safetensors")
    shape = [f"--{name.replace('_', '-')}={value}" for name, value in asdict(TINY).items() if type(value) is int]
    ran = fingal("train", "alphazero", "--run=run", "--start=bad.safetensors", "--device=cpu", "--sizes", "5", *shape)
    assert ran.status == 2
    assert ran.err.strip().endswith("the net that plays gave outputs that are not finite: it began so, or has diverged")


def test_there_are_as_many_openings_as_games_at_once() -> None:
    judge = Judge(TINY, torch.device("cpu"), dtype=torch.float32)
    judge.refresh(Residual(TINY))
    pools = [DevicePool(size, 300, FAST.selfplay(), size, 1, judge) for size in (4, 5, 4)]
    given: dict[int, list[list[list[int]]]] = {}
    for pool in pools:
        taken = given.setdefault(pool.size, [])
        pool.core = SimpleNamespace(count=300, set_openings=taken.append)  # type: ignore[assignment]
    Openings(4, 0.35, 0.25, 0.25).draw(judge, pools, torch.Generator().manual_seed(1))
    assert {size: [len(lines) for lines in taken] for size, taken in given.items()} == {4: [600, 600], 5: [300]}


def test_a_net_against_itself_is_even() -> None:
    torch.manual_seed(3)
    net = Residual(TINY).eval()
    # Every opening is played with both colours, and a net makes the same moves for both: exactly half.
    assert raw_match(net, net, 5, 20) == 0.5


def test_shares_of_openings_are_at_most_one_together() -> None:
    with pytest.raises(ValueError, match=r"wild_share and drawn_share must be at most 1 together, not 1\.25"):
        AlphaZero(wild_share=0.5, drawn_share=0.75)


@pytest.mark.parametrize(("share", "set_moves"), [(0.0, {1}), (1.0, {1, 2, 3, 4, 5, 6})])
def test_wild_games_begin_with_many_stones(tmp_path: Path, share: float, set_moves: set[int]) -> None:
    trainer = begin(tmp_path, replace(FAST, sizes=(5,), games=64, opening_stones=1, wild_share=share, steps=1))
    # Games under way when the openings were set began without any.
    while not {moves for _, (_, moves, *_) in trainer.finished} >= set_moves:
        for _ in range(64):
            trainer.play()
    assert {moves for _, (_, moves, *_) in trainer.finished} <= set_moves | {0}
