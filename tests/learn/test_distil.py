"""Learning from kept positions: what is learned and what is not, runs that go on after a kill, figures by hand."""

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from fingal import Board, cli
from fingal.game import Record
from fingal.learn import command, distil
from fingal.learn.distil import PRESETS, Distil, Trainer, kept_positions, train
from fingal.learn.parts import state
from fingal.learn.parts.replay import Replay
from fingal.learn.parts.run import Run, rows_in
from fingal.nets import checkpoint
from fingal.nets.planes import positions_of
from fingal.nets.residual import LARGE, SMALL, Config, Residual
from fingal.nets.torch_evaluator import CpuEvaluator
from fingal.players import spec

CPU = torch.device("cpu")
TINY = Config(blocks=2, channels=8, pool_every=2, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)
SHAPE = "--blocks 1 --channels 8 --pool-channels 4 --policy-channels 4 --value-channels 4 --value-hidden 8"
"""The same for the command line, about."""
SHORT = Distil(net=TINY, held_out=0.1, batch=32, steps=12, warm_up=2, row_steps=4, averaging=0.9)

Position = tuple[Board, Sequence[float], float]
"""With the search's policy, all 0 where there is none, and the value."""


def keep(folder: Path, positions: Sequence[Position], side: int, seen: int = 0) -> str:
    """Write the part of a run's state that has these positions, the first slot's first; gives the run's folder.

    ``seen`` is how many there have ever been, if more than these: then some lie where older ones did.
    """
    replay = Replay(len(positions), side, CPU)
    for board, policy, value in positions:
        black, white = (board.packed()[colour][None] for colour in (0, 1))
        samples = {"black": black, "white": white, "final_black": black, "final_white": white}
        samples |= {"white_to_move": np.array([board.turn == 1]), "policy": np.array([policy], np.float32)}
        samples |= {"reply": np.array([-1]), "value": np.array([value])}
        samples |= {"search_value": np.zeros(1), "stakes": np.zeros(1)}
        replay.add(samples, board.width, search_share=0.0)
    file = folder / "checkpoints" / "state.safetensors"
    file.parent.mkdir(parents=True, exist_ok=True)
    tensors = state.named("replay", replay.kept()) | {"net.weight": torch.zeros(3)}
    state.save(file, tensors, {"seen": seen or len(positions)})
    return str(folder)


def after(moves: Sequence[int], size: int) -> Board:
    board = Board(size)
    for move in moves:
        board.push(move)
    return board


def one_hot(cell: int, cells: int) -> list[float]:
    return [float(number == cell) for number in range(cells)]


def random_positions(count: int, size: int = 3, seed: int = 0) -> list[Position]:
    """Some stones anywhere, with some move and some value."""
    rng, found = np.random.default_rng(seed), list[Position]()
    for _ in range(count):
        moves = rng.permutation(size * size)
        board = after(moves[: rng.integers(0, 4)].tolist(), size)
        found.append((board, one_hot(int(moves[-1]), size * size), float(rng.uniform(-1, 1))))
    return found


def gaps() -> list[Position]:
    """All positions of 4x4 in which two black stones have a gap between them, and two white ones are elsewhere.

    The search would fill the gap, and says that Black wins where the stones stand in a row and loses in a column.
    """
    found = list[Position]()
    for line, place, across in itertools.product(range(4), range(2), (True, False)):
        cells = [4 * line + place + step if across else 4 * (place + step) + line for step in range(3)]
        free = [cell for cell in range(16) if cell not in cells]
        for first, second in itertools.combinations(free, 2):
            board = after([cells[0], first, cells[2], second], 4)
            found.append((board, one_hot(cells[1], 16), 1.0 if across else -1.0))
    order = np.random.default_rng(1).permutation(len(found))
    return [found[number] for number in order]


def run(config: Distil, folder: Path, rows: int = 1000, start: Path | None = None) -> list[dict[str, float]]:
    """Train for so many rows at most, with everything saved after every row but the last."""
    kept, given = Run(folder, asdict(config)), []
    try:
        for figures in train(Trainer(config, kept, CPU, start), save_seconds=0):
            given.append(figures)
            if len(given) == rows:
                break
    finally:
        kept.close()
    return given


def begin(config: Distil, folder: Path) -> Trainer:
    kept = Run(folder, asdict(config))
    kept.close()
    return Trainer(config, kept, CPU)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return checkpoint.load(folder / "checkpoints" / "latest.safetensors")[0].state_dict()


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def test_it_learns_what_the_positions_say_and_its_net_plays_it(tmp_path: Path) -> None:
    positions = gaps()
    net = Config(blocks=2, channels=16, pool_every=2, pool_channels=4, policy_channels=8, value_channels=8)
    config = Distil(
        keep(tmp_path / "source", positions, 4),
        net,
        held_out=0.2,
        batch=64,
        steps=120,
        learning_rate=1e-2,
        warm_up=10,
        averaging=0.95,
        row_steps=60,
    )
    guess = begin(config, tmp_path / "guess").measure()
    # One of twelve empty cells is right, and a value that says nothing costs ln 2.
    assert guess["top_1"] < 0.3
    assert guess["held_out_value"] == pytest.approx(np.log(2), abs=0.1)
    rows = run(config, tmp_path / "run")
    assert [row["steps"] for row in rows] == [60, 120]
    assert rows[-1]["top_1"] > 0.99
    assert rows[-1]["held_out_policy"] < 0.01 < guess["held_out_policy"]
    assert rows[-1]["held_out_value"] < 0.01
    assert rows[-1]["policy"] < 0.1 * rows[0]["policy"]
    file = tmp_path / "run" / "checkpoints" / "latest.safetensors"
    player = spec.make(f"net:{file}")
    # Played, not measured: c2 is between b2 and d2, b2 between b1 and b3.
    assert player.choose(Record.of(["b2", "a4", "d2", "d4"], 4)) == Board(4).cell("c2")
    assert player.choose(Record.of(["b1", "a4", "b3", "d4"], 4)) == Board(4).cell("b2")
    player.close()
    card = checkpoint.load(file)[1]
    assert (card.name, card.sizes) == ("distil", ("4x4",))
    assert card.cost["positions"] == len(positions) - round(0.2 * len(positions))
    assert card.cost["steps"] == 120


def test_a_run_goes_on_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    config = replace(SHORT, source=keep(tmp_path / "source", random_positions(40), 3))
    straight = run(config, tmp_path / "straight")
    first = run(config, tmp_path / "stopped", rows=2)
    rest = run(config, tmp_path / "stopped")
    # The last row before the stop was not saved, so it comes again.
    assert [row["steps"] for row in first + rest] == [4, 8, 8, 12]
    assert [row["policy"] for row in straight] == [row["policy"] for row in first[:1] + rest]
    assert [row["step"] for row in rows_in(tmp_path / "stopped")] == [4, 8, 12]
    assert straight[-1]["held_out_policy"] == rest[-1]["held_out_policy"]
    assert same(weights(tmp_path / "straight"), weights(tmp_path / "stopped"))
    assert run(config, tmp_path / "stopped") == []
    other = run(replace(config, seed=2), tmp_path / "other")
    assert other[-1]["policy"] != straight[-1]["policy"]


@pytest.mark.parametrize(
    ("seen", "newest", "learned_from"),
    [(40, {36, 37, 38, 39}, (0, 35)), (50, {6, 7, 8, 9}, (5, 10)), (82, {38, 39, 0, 1}, (2, 37))],
)
def test_the_newest_positions_are_not_learned_from(
    tmp_path: Path, seen: int, newest: set[int], learned_from: tuple[int, int]
) -> None:
    """Weights are the same to the bit whatever is held out, and others when any other position is another."""
    positions, others = random_positions(40), random_positions(40, seed=1)

    def learned(name: str, changed: set[int]) -> dict[str, torch.Tensor]:
        mixed = [others[slot] if slot in changed else positions[slot] for slot in range(40)]
        config = replace(SHORT, source=keep(tmp_path / name, mixed, 3, seen), batch=128, steps=4)
        run(config, tmp_path / f"{name}-run")
        return weights(tmp_path / f"{name}-run")

    plain = learned("plain", set())
    assert same(plain, learned("held-out", newest))
    for slot in learned_from:
        assert not same(plain, learned(f"slot-{slot}", {slot}))


def by_hand(evaluator: CpuEvaluator, positions: Sequence[Position]) -> dict[str, float]:
    """The figures of ``measure``, position by position, from what the net's evaluator says of boards."""
    policies, values, hits = [], [], []
    for board, policy, value in positions:
        said = evaluator(positions_of([board]))
        wins = (1 + said.value[0].astype(np.float64)) / 2
        aim = (1 + value) / 2
        values.append(-aim * np.log(wins) - (1 - aim) * np.log(1 - wins))
        if not any(policy):
            continue
        empty = np.array([board.colour_at(cell) is None for cell in range(board.cells)])
        logits = np.where(empty, said.logits[0][: board.cells].astype(np.float64), -np.inf)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        policies.append(sum(p * np.log(p / chances[cell]) for cell, p in enumerate(policy) if p))
        hits.append(np.argmax(logits) == np.argmax(policy))
    figures = {"held_out_value": float(np.mean(values))}
    if policies:
        figures |= {"held_out_policy": float(np.mean(policies)), "top_1": float(np.mean(hits))}
    return figures


def mixed_positions() -> list[Position]:
    """Ten on 3x3 and 4x4, for Black and for White, two without a policy, one with a policy of two moves.

    The last three are one board with three empty cells, each of which is the best move once: one of them is a hit.
    """
    three, four = 9, 16
    both = [0.0] * four
    both[3], both[9] = 0.75, 0.25
    return [
        (after([4], 3), one_hot(2, three), 0.5),
        (after([0, 5], 4), both, -1.0),
        (after([0, 5, 7], 4), [0.0] * four, 1.0),
        (after([], 3), one_hot(4, three), -0.25),
        (after([8, 0], 3), [0.0] * three, 0.0),
        (after([1, 2, 3], 4), one_hot(12, four), 0.75),
        (after([15], 4), one_hot(0, four), 1.0),
        *((after([0, 3, 1, 6, 2, 4], 3), one_hot(cell, three), 0.5) for cell in (5, 7, 8)),
    ]


@pytest.mark.parametrize("at_once", [1, 3, 4096])
def test_what_is_measured_is_what_the_net_says_of_each_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Whether or not the positions can be judged in calls of equal size, of which some have no policy at all."""
    monkeypatch.setattr(distil, "AT_ONCE", at_once)
    source = keep(tmp_path / "source", [*random_positions(10), *mixed_positions()], 4)
    config = replace(SHORT, source=source, held_out=0.5, learning_rate=0.01, steps=10)
    run(config, tmp_path / "run")
    trainer = begin(config, tmp_path / "run")
    net = checkpoint.load(tmp_path / "run" / "checkpoints" / "latest.safetensors")[0]
    assert isinstance(net, Residual)
    assert trainer.measure() == pytest.approx(by_hand(CpuEvaluator(net), mixed_positions()), rel=1e-4)


def test_where_nothing_was_searched_fully_only_the_value_is_measured(tmp_path: Path) -> None:
    cheap = [(board, [0.0] * 9, value) for board, _, value in random_positions(4)]
    config = replace(SHORT, source=keep(tmp_path / "source", [*random_positions(4), *cheap], 3), held_out=0.5)
    assert set(begin(config, tmp_path / "run").measure()) == {"held_out_value"}
    assert "top_1" not in run(config, tmp_path / "run")[-1]


def test_positions_of_a_run_that_did_not_keep_what_was_at_stake(tmp_path: Path) -> None:
    source = keep(tmp_path / "old", gaps(), 4)
    found = state.load(file := tmp_path / "old" / "checkpoints" / "state.safetensors")
    assert found is not None
    tensors, about = found
    new = run(replace(SHORT, source=source), tmp_path / "new")
    del tensors["replay.stakes"]
    state.save(file, tensors, about)
    assert run(replace(SHORT, source=source), tmp_path / "older")[-1]["policy"] == new[-1]["policy"]


def test_a_row_ends_when_the_time_is_up(tmp_path: Path) -> None:
    config = replace(SHORT, source=keep(tmp_path / "source", random_positions(20), 3))
    one = replace(config, steps=1)
    rows, expected = run(replace(config, minutes=1e-9), tmp_path / "run"), run(one, tmp_path / "one")
    assert [row["steps"] for row in rows] == [1]
    assert rows[0]["policy"] == expected[0]["policy"]  # the mean over one step, not over a whole row
    assert checkpoint.load(tmp_path / "run" / "checkpoints" / "latest.safetensors")[1].cost["steps"] == 1
    assert run(replace(config, minutes=1e-9), tmp_path / "run") == []


def test_a_net_to_begin_from(tmp_path: Path) -> None:
    config = replace(SHORT, source=keep(tmp_path / "source", random_positions(20), 3), steps=40, learning_rate=0.01)
    run(config, tmp_path / "first")
    start = tmp_path / "first" / "checkpoints" / "latest.safetensors"
    short = replace(config, steps=4)
    began, anew = run(short, tmp_path / "second", start=start), run(short, tmp_path / "third")
    assert began[-1]["policy"] < anew[-1]["policy"]


@pytest.mark.parametrize("at_once", [3, 4096])
@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_a_teacher_has_its_part_in_what_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weight: float, at_once: int
) -> None:
    """Its policy and value as its evaluator gives them for boards; all of its policy where the search left none."""
    monkeypatch.setattr(distil, "AT_ONCE", at_once)
    torch.manual_seed(3)
    teacher = Residual(TINY).eval()
    for parameter in teacher.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # one with opinions
    checkpoint.save(teacher, tmp_path / "teacher.safetensors")
    positions, last = mixed_positions(), random_positions(1)
    config = replace(SHORT, source=keep(tmp_path / "source", [*positions, *last], 4), held_out=0.01)
    config = replace(config, teacher=str(tmp_path / "teacher.safetensors"), teacher_weight=weight)
    trainer = begin(config, tmp_path / "run")
    learned = trainer.replay.kept()
    for slot, (board, policy, value) in enumerate(positions):
        said = CpuEvaluator(teacher)(positions_of([board]))
        empty = np.array([board.colour_at(cell) is None for cell in range(board.cells)])
        chances = np.where(empty, np.exp(said.logits[0][: board.cells].astype(np.float64)), 0)
        chances /= chances.sum()
        assert chances.max() > 0.3  # it prefers some
        part = weight if any(policy) else 1.0
        expected = (1 - part) * np.array(policy) + part * chances
        assert learned["policy"][slot, : board.cells].tolist() == pytest.approx(expected.tolist(), abs=2e-3)
        assert not learned["policy"][slot, board.cells :].any()
        assert float(learned["value"][slot]) == pytest.approx((1 - weight) * value + weight * said.value[0], abs=1e-4)
    # Others' games stay the measure.
    assert trainer.held_out["policy"][0, :9].tolist() == last[0][1]
    assert float(trainer.held_out["value"][0]) == pytest.approx(last[0][2])


def test_several_runs_are_learned_from_and_the_first_is_measured_on(tmp_path: Path) -> None:
    """What is learned of two runs, of boards of other sizes, is what one run that has played both would teach."""
    three, four = random_positions(20), random_positions(12, size=4, seed=1)
    names = ("three", "four", "both")
    first, second, both = (
        keep(tmp_path / name, positions, side)
        for name, positions, side in zip(
            names, (three, four, [*three[:18], *four, *three[18:]]), (3, 4, 4), strict=True
        )
    )
    config = replace(SHORT, source=first, also=(second,))
    apart, together = run(config, tmp_path / "apart"), run(replace(SHORT, source=both, held_out=2 / 32), tmp_path / "t")
    assert [row["policy"] for row in apart] == [row["policy"] for row in together]
    assert apart[-1]["held_out_policy"] == pytest.approx(together[-1]["held_out_policy"])
    assert same(weights(tmp_path / "apart"), weights(tmp_path / "t"))
    card = checkpoint.load(tmp_path / "apart" / "checkpoints" / "latest.safetensors")[1]
    assert (card.sizes, card.cost["positions"]) == (("3x3", "4x4"), 30)
    keep(tmp_path / "four", random_positions(12, size=4, seed=2), 4)
    with pytest.raises(ValueError, match=r"three and .*four are others than when the run began"):
        run(config, tmp_path / "apart")
    with pytest.raises(ValueError, match="nowhere holds no positions"):
        run(replace(config, also=(second, "nowhere")), tmp_path / "other")


def test_a_run_is_learned_from_once(tmp_path: Path) -> None:
    """By whatever name: what is held out of it would be learned from."""
    source = keep(tmp_path / "source", random_positions(20), 3)
    other = keep(tmp_path / "other", random_positions(20, seed=1), 3)
    (tmp_path / "link").symlink_to(source)
    for also in ((source,), (f"{other}/../source",), (str(tmp_path / "link"),), (other, f"{other}/")):
        with pytest.raises(ValueError, match="also must name other runs than the source, each once"):
            replace(SHORT, source=source, also=also)
    assert run(replace(SHORT, source=source, also=(other,), steps=1), tmp_path / "run")


def test_a_teacher_that_is_none(tmp_path: Path) -> None:
    config = replace(SHORT, source=keep(tmp_path / "source", random_positions(20), 3), teacher="fingal-huge")
    with pytest.raises(ValueError, match="fingal-huge"):
        run(config, tmp_path / "run")


def spoiled(folder: Path) -> None:
    file = folder / "checkpoints" / "state.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def emptied(folder: Path) -> None:
    (folder / "checkpoints" / "state.safetensors").unlink()


def of_another_learner(folder: Path) -> None:
    state.save(folder / "checkpoints" / "state.safetensors", {"net.weight": torch.zeros(3)}, {"steps": 4})


def of_another_program(folder: Path) -> None:
    import safetensors.torch

    safetensors.torch.save_file({"replay.policy": torch.zeros(3)}, folder / "checkpoints" / "state.safetensors")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (emptied, "source holds no positions: give the folder of a run of alphazero that keeps its state"),
        (of_another_learner, "source holds no positions"),
        (of_another_program, "source holds no positions"),
        (spoiled, r"state\.safetensors is truncated or damaged"),
        (lambda folder: keep(folder, random_positions(1), 3), "source holds too few positions"),
        (lambda folder: keep(folder, [], 3), "source holds too few positions"),
    ],
)
def test_a_source_that_is_none(tmp_path: Path, change: Callable[[Path], Any], message: str) -> None:
    source = keep(tmp_path / "source", random_positions(20), 3)
    change(tmp_path / "source")
    with pytest.raises(ValueError, match=message) as told:
        run(replace(SHORT, source=source), tmp_path / "run")
    assert "\n" not in str(told.value)
    # Nothing had begun, so the folder is as good as a new one.
    other = keep(tmp_path / "other", random_positions(20), 3)
    assert run(replace(SHORT, source=other, steps=1), tmp_path / "run")


def test_a_source_that_is_a_file(tmp_path: Path) -> None:
    keep(tmp_path / "source", random_positions(20), 3)
    file = tmp_path / "source" / "checkpoints" / "state.safetensors"
    with pytest.raises(ValueError, match="holds no positions: give the folder"):
        kept_positions(file)


def test_positions_that_have_changed_are_noticed(tmp_path: Path) -> None:
    """A run that plays on keeps as many positions as before, once its memory is full."""
    positions = random_positions(20)
    config = replace(SHORT, source=keep(tmp_path / "source", positions, 3))
    run(config, tmp_path / "run", rows=2)
    keep(tmp_path / "source", [*random_positions(1, seed=5), *positions[1:]], 3, seen=21)
    with pytest.raises(ValueError, match="source are others than when the run began: choose another folder"):
        run(config, tmp_path / "run")
    keep(tmp_path / "source", positions, 3)
    assert run(config, tmp_path / "run")[-1]["steps"] == 12


def test_a_folder_with_another_run(tmp_path: Path) -> None:
    source = keep(tmp_path / "source", random_positions(20), 3)
    (tmp_path / "source" / "config.json").write_text(json.dumps({"config": {"batch": 32, "full_simulations": 8}}))
    before = (tmp_path / "source" / "checkpoints" / "state.safetensors").read_bytes()
    with pytest.raises(ValueError, match="source holds a run with another source: choose another folder"):
        run(replace(SHORT, source=source), tmp_path / "source")
    assert (tmp_path / "source" / "checkpoints" / "state.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"batch": 0}, "batch must be at least 1, not 0"),
        ({"batch": 2.5}, "batch must be a whole number, not 2.5"),
        ({"row_steps": 0}, "row_steps must be at least 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"held_out": 0.0}, "held_out must be between 0 and 1"),
        ({"held_out": 1.0}, "held_out must be between 0 and 1"),
        ({"minutes": -1.0}, "minutes must be a number from 0, not -1.0"),
        ({"minutes": float("nan")}, "minutes must be a number from 0, not nan"),
        ({"warm_up": -1}, "warm_up must be a number from 0"),
        ({"weight_decay": -0.1}, "weight_decay must be a number from 0"),
        ({"reply_weight": -1.0}, "reply_weight must be a number from 0"),
        ({"owner_weight": float("inf")}, "owner_weight must be a number from 0"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0"),
        ({"decay_from": 2.0}, "decay_from must be from 0 to 1"),
        ({"averaging": 1.1}, "averaging must be from 0 to 1"),
        ({"teacher_weight": -0.5}, "teacher_weight must be from 0 to 1"),
        ({"seed": -1}, "seed must be from 0"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Distil(**setting)


def test_presets_have_the_shipped_nets_shapes() -> None:
    assert PRESETS["gpu-small"].net == SMALL
    assert PRESETS["gpu-large"].net == LARGE


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, folder = tmp_path / "played", tmp_path / "run"
    play = "--sizes 4 --games 8 --replay-start 40 --replay 500 --batch 16 --steps 6 --run"
    command.main(["alphazero", *SHAPE.split(), *play.split(), str(source), "--device", "cpu"])
    capsys.readouterr()
    asked = "--batch 16 --steps 4 --row-steps 2 --held-out 0.2 --device cpu --run"
    arguments = ["distil", "--source", str(source), *SHAPE.split(), *asked.split(), str(folder)]
    command.main(arguments)
    said = capsys.readouterr()
    written = Path(said.out.strip())
    assert written == folder / "checkpoints" / "latest.safetensors"
    assert checkpoint.load(written)[1].sizes == ("4x4",)
    assert spec.make(f"net:{written},device=cpu").choose(Record(4, 4)) in range(16)
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["step"] for row in rows] == [2, 4]
    assert f"policy loss on other games {rows[-1]['held_out_policy']:,.4g}" in said.err
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="holds a run with another seed"):
        command.main([*arguments, "--seed", "5"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "runs/alphazero holds no positions: give the folder of a run of alphazero that keeps its state"),
        (["--source", "nowhere"], "nowhere holds no positions"),
        (["--reply-weight", "-1"], "reply_weight must be a number from 0, not -1.0"),
        (["--preset", "huge"], "'huge' is not a preset: one of gpu-small, gpu-large"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fingal", "train", "distil", "--device", "cpu", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
