"""Learning from batches: updates against single nets and autograd, games against the board, stops and resumes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal.game import Board
from fingal.learn import batch
from fingal.learn.batch import Batch, Boards, Sequences, net_of, values_of
from fingal.learn.parts import stacks
from fingal.learn.parts.history import History
from fingal.learn.parts.mirror import listed
from fingal.learn.parts.truth import Truth, packed
from fingal.nets import hexagonal, walls, walls_torch
from fingal.nets.plain_evaluator import GameEvaluator, PlainEvaluator
from fingal.nets.planes import positions_of
from fingal.nets.recurrent import Recurrent
from fingal.nets.stacked_recurrent import stack_of


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"net": "mlp"}, "net must be cnn or rnn, not 'mlp'"),
        ({"objective": "mae"}, "objective must be mse or pbe"),
        ({"targets": "td"}, "targets must be q or sarsa"),
        ({"target": "max"}, "target must be negamax or literal"),
        ({"learning_rate": 0}, "learning_rate must be a number above 0, not 0"),
        ({"projection_rate": float("inf")}, "projection_rate must be"),
        ({"floor": -1.0}, "floor must be"),
        ({"epsilon": 1.5}, "epsilon must be from 0 to 1, not 1.5"),
        ({"decay": -0.1}, "decay must be from 0 to 1"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"sequences": 0}, "sequences must be at least 1"),
        ({"rows": 11, "games": 10}, "rows must be at most games, 10, not 11"),
        ({"size": 0}, "size must be"),
        ({"net": "rnn", "depth": 0}, "depth must be"),
        ({"layers": ()}, "layers must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Batch(**wrong)


# One update, worked out again with a single net and autograd.


def step_of_rmsprop(net: torch.nn.Module, loss: Tensor, rate: float) -> None:
    """The first step: the mean square is a tenth of the gradient's square."""
    loss.backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.grad is not None:
                g = parameter.grad
                parameter -= rate * g / (0.1 * g**2 + 1e-6).sqrt()


def close(net: torch.nn.Module, vector: Tensor, one: Batch) -> bool:
    """Whether a net's numbers are those; a step of RMSProp with tiny gradients magnifies rounding."""
    return torch.allclose(hexagonal.flatten(net), vector[: one.shape.parameters], atol=2e-4)  # type: ignore[arg-type]


@pytest.mark.parametrize("objective", ["mse", "pbe"])
@pytest.mark.parametrize("targets", ["q", "sarsa"])
@pytest.mark.parametrize("target", ["negamax", "literal"])
def test_an_update_of_single_boards(objective: Any, targets: Any, target: Any) -> None:
    one = Batch(objective=objective, targets=targets, target=target, batch=7, epsilon=0.5, learning_rate=0.01)
    learner = Boards([replace(one, seed=3), one])
    table = listed(3)
    with torch.no_grad():
        for _ in range(6):  # so that some games are about to end
            learner.step()
        for name in ("square", "u_square"):
            if name in learner.state:
                learner.state[name].zero_()
        before = {name: tensor.clone() for name, tensor in learner.state.items()}
        learned = learner.step()
    stones = table.stones[before["board"][1]]
    aims, wins = [], 0
    theta = net_of(one, learner.stack.narrow(before["theta"])[1])
    for game in range(7):
        position, move = int(before["board"][1, game]), int(before["move"][1, game])
        if table.wins[position, move]:
            aims.append(1.0)
            wins += 1
            continue
        child = int(table.child[position, move])
        assert int(learner.state["board"][1, game]) == child
        values = theta(walls_torch.from_stones(table.stones[child : child + 1]))[0]
        following = values[table.legal[child]].max() if targets == "q" else values[learner.state["move"][1, game]]
        aims.append(following.item() * (-1 if target == "negamax" else 1))
    assert wins == learned.ended[1]
    aim = torch.tensor(aims)

    def said(net: torch.nn.Module) -> Tensor:
        return (
            torch.as_tensor(net(walls_torch.from_stones(stones))).gather(1, before["move"][1].unsqueeze(1)).squeeze(1)
        )

    if objective == "pbe":
        second = net_of(one, learner.stack.narrow(before["u"])[1])
        loss = (aim - said(second)).square().sum()
        assert learned.more["projection_loss"][1] == pytest.approx(loss.item(), rel=1e-4)
        step_of_rmsprop(second, loss, 0.1)
        assert close(second, learner.stack.narrow(learner.state["u"])[1], one)
        # What the stack's own second net says now: two steps' rounding would add up.
        second = net_of(one, learner.stack.narrow(learner.state["u"])[1])
        aim = said(second).detach()
    loss = (aim - said(theta)).square().sum()
    assert learned.more["loss"][1] == pytest.approx(loss.item(), rel=1e-3, abs=1e-6)
    step_of_rmsprop(theta, loss, 0.01)
    assert close(theta, learner.stack.narrow(learner.state["theta"])[1], one)


@pytest.mark.parametrize("objective", ["mse", "pbe"])
@pytest.mark.parametrize(("targets", "target"), [("q", "negamax"), ("sarsa", "negamax"), ("q", "literal")])
@pytest.mark.parametrize("depth", [10, 4])
def test_an_update_of_whole_games(objective: Any, targets: Any, target: Any, depth: int) -> None:
    one = Batch(net="rnn", objective=objective, targets=targets, target=target, sequences=4, epsilon=0.6, depth=depth)
    learner = Sequences([replace(one, seed=3), one])
    before = {name: tensor.clone() for name, tensor in learner.state.items()}
    with torch.no_grad():
        learned = learner.step()
    theta = net_of(one, learner.stack.narrow(before["theta"])[1])
    assert isinstance(theta, Recurrent)
    sign = -1 if target == "negamax" else 1
    games = []
    lengths = set()
    for number in range(4):
        moves = learner._moves[1, :, number, 0].tolist()
        board, boards, played = Board(3), [], []
        for ply, cell in enumerate(moves):
            boards.append(board.copy())
            played.append(cell)
            board.push(cell if ply % 2 == 0 else cell % 3 * 3 + cell // 3)
            if board.is_over():
                break
        assert board.is_over()
        games.append((boards, played))
        lengths.add(len(played))
    assert len(lengths) > 1  # so that the shorter ones are padded

    def follow(net: Recurrent, boards: list[Board]) -> list[Tensor]:
        hidden, found = None, []
        for ply, board in enumerate(boards):
            planes = torch.from_numpy(walls.encode(positions_of([board])))
            values, hidden = net.step(planes, None if ply % depth == 0 else hidden)
            found.append(values[0])
        return found

    def said(net: Recurrent) -> Tensor:
        return torch.cat(
            [
                torch.stack([values[cell] for values, cell in zip(follow(net, boards), played, strict=True)])
                for boards, played in games
            ]
        )

    aims = []
    for boards, played in games:
        values = follow(theta, boards)
        for ply in range(len(played) - 1):
            after, board = values[ply + 1], boards[ply + 1]
            seen = [cell if board.ply % 2 == 0 else cell % 3 * 3 + cell // 3 for cell in board.empty_cells]
            best = after[seen].max() if targets == "q" else after[played[ply + 1]]
            aims.append(sign * best.item())
        aims.append(1.0)
    aim = torch.tensor(aims)
    if objective == "pbe":
        second = net_of(one, learner.stack.narrow(before["u"])[1])
        assert isinstance(second, Recurrent)
        loss = (aim - said(second)).square().sum()
        assert learned.more["projection_loss"][1] == pytest.approx(loss.item(), rel=1e-4)
        step_of_rmsprop(second, loss, 0.1)
        assert close(second, learner.stack.narrow(learner.state["u"])[1], one)
        now = net_of(one, learner.stack.narrow(learner.state["u"])[1])
        assert isinstance(now, Recurrent)
        aim = said(now).detach()
    loss = (aim - said(theta)).square().sum()
    assert learned.more["loss"][1] == pytest.approx(loss.item(), rel=1e-3, abs=1e-6)
    step_of_rmsprop(theta, loss, 0.001)
    assert close(theta, learner.stack.narrow(learner.state["theta"])[1], one)
    assert learned.row[1, 0] == 4
    assert learned.row[1, 6] == len(aims)


def test_the_second_net_of_pbe_is_another_one() -> None:
    learner = Boards([Batch(objective="pbe")])
    assert not torch.allclose(learner.state["theta"], learner.state["u"])
    start = learner.stack.narrow(learner.stack.initial([9]))
    begun = Boards([Batch(objective="pbe")], start)
    assert torch.equal(begun.stack.narrow(begun.state["theta"]), start)
    assert torch.equal(begun.state["u"], begun.state["theta"])


# Sweeps.

SMALL = (
    Batch(games=60, rows=2, batch=10, seed=5),
    Batch(games=60, rows=2, batch=10, seed=5, target="literal", learning_rate=0.01),
    Batch(games=60, rows=2, batch=10, objective="pbe", targets="sarsa"),
    Batch(net="rnn", games=12, rows=2),
    Batch(net="rnn", games=12, rows=2, objective="pbe", targets="sarsa"),
)


def figures(histories: Sequence[History]) -> list[list[dict[str, float]]]:
    return [[{name: float(value) for name, value in row.items()} for row in history.rows] for history in histories]


def test_a_history_tells_of_the_run() -> None:
    trained = batch.train(SMALL)
    for one, history in zip(SMALL, trained.histories, strict=True):
        assert history.diverged == ""
        assert history.settings["seed"] == one.seed
        assert len(history.rows) == 2
        last = history.rows[-1]
        assert last["games"] >= one.games
        assert last["updates"] == history.updates
        assert {"value", "first_value", "second_value", "absolute_value", "saturation", "loss"} <= set(last)
        assert {"keeps_win", "right", "sign", "first_vs_best", "second_vs_random"} <= set(last)
        assert ("projection_loss" in last) == (one.objective == "pbe")
    # Figures of the nets that are given back, worked out again.
    truth = Truth(3)
    net = net_of(SMALL[0], trained.parameters[0])
    planes = torch.from_numpy(walls.encode(truth.positions))
    with torch.no_grad():
        q = net(planes)[None].numpy()
    again = truth.measure(q, canonical=True)
    assert all(trained.histories[0].rows[-1][name] == pytest.approx(value[0]) for name, value in again.items())


def test_a_run_does_not_depend_on_those_beside_it() -> None:
    together = figures(batch.sweep(SMALL))
    for index in (1, 2, 4):
        alone = figures(batch.sweep([SMALL[index]]))[0]
        for row, other in zip(alone, together[index], strict=True):
            assert row == pytest.approx(other, abs=1e-4)


def test_a_killed_sweep_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [SMALL[2], SMALL[4]]
    expected = figures(batch.sweep(settings))
    monkeypatch.setattr(stacks, "SAVE_SECONDS", 1e-3)
    calls = stops = 0

    def told(share: float, histories: Sequence[History]) -> None:
        nonlocal calls
        calls += 1
        if calls % 7 == 0:
            raise InterruptedError

    found: list[History] = []
    while not found:
        try:
            found = batch.sweep(settings, tmp_path, told)
        except InterruptedError:
            stops += 1
    assert stops >= 2
    # The recurrent layers' sums are rounded by where they stand in memory.
    for rows, others in zip(figures(found), expected, strict=True):
        for row, other in zip(rows, others, strict=True):
            assert row == pytest.approx(other, rel=1e-4, abs=1e-6)
    with pytest.raises(ValueError, match="other settings"):
        batch.sweep([replace(one, seed=77) for one in settings], tmp_path)


def test_a_run_that_diverges_stops_and_the_others_go_on() -> None:
    wild = Batch(games=400, rows=3, batch=10, learning_rate=1e5, bound=1e4, seed=2)
    tame = replace(wild, learning_rate=1e-3)
    diverged, other = batch.sweep([wild, tame])
    assert diverged.diverged.startswith("diverged at update 32 (game ")
    assert "learning_rate=100000.0" in diverged.diverged
    assert "\n" not in diverged.diverged
    assert other.diverged == ""
    assert len(other.rows) == 3


@pytest.mark.parametrize("net", ["cnn", "rnn"])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_other_boards(net: Any, size: int) -> None:
    (history,) = batch.sweep([Batch(net=net, size=size, games=8, rows=1, batch=4)])
    assert history.diverged == ""
    assert 0 <= history.rows[-1]["keeps_win"] <= 1


# Nets after games.


def test_values_after_games_are_those_of_the_players() -> None:
    """A stack's players against evaluators, which know nothing of stacks."""
    settings = [SMALL[0], SMALL[3], replace(SMALL[3], depth=3), SMALL[2]]
    parameters = torch.zeros(4, 2738)
    for index, one in enumerate(settings):
        stack = stack_of(one.shape)
        start = stack.narrow(stack.initial([index]))
        generator = torch.Generator().manual_seed(index)
        parameters[index, : start.shape[1]] = start[0] + 0.2 * torch.randn(start.shape[1], generator=generator)
    values = values_of(settings, parameters)
    random = np.random.default_rng(0)
    for plies in range(5):
        moves = np.stack([random.permutation(9)[:plies] for _ in range(8)]).astype(np.int64)
        players = np.arange(8) % 4
        found = values(players, moves)
        for row in range(8):
            net = net_of(settings[players[row]], parameters[players[row]])
            board, boards = Board(3), [Board(3)]
            for move in moves[row]:
                board.push(int(move))
                boards.append(board.copy())
            if isinstance(net, Recurrent):
                said = GameEvaluator(net).along(positions_of(boards))
            else:
                said = PlainEvaluator(net)(positions_of(boards[-1:]))
            empty = board.empty_cells
            assert np.allclose(found[row][empty], said.logits[0][empty], atol=1e-5), (plies, row)


@pytest.mark.parametrize("size", [3, 4])
def test_positions_are_judged_with_the_game_that_led_to_them(size: int) -> None:
    one = Batch(net="rnn", size=size, depth=4)
    stack = stack_of(one.shape)
    generator = torch.Generator().manual_seed(1)
    start = stack.narrow(stack.initial([1]))
    start = start + 0.2 * torch.randn(start.shape, generator=generator)
    with torch.no_grad():
        measured = batch.measure_of(one.shape)(stack.wide(start))
    net = net_of(one, start[0])
    assert isinstance(net, Recurrent)
    evaluator, truth = GameEvaluator(net), Truth(size)
    chosen = range(0, len(truth.histories), 40 if size == 3 else 10)
    q = np.zeros((1, len(truth.histories), size * size))
    for index in range(len(truth.histories)):
        if index not in chosen:
            q[0, index] = truth.winning[index]  # a right answer, which tells nothing
            continue
        history = truth.histories[index]
        played = history[history >= 0]
        games = np.full((len(played) + 1, max(1, len(played))), -1)
        for ply in range(len(played) + 1):
            games[ply, :ply] = played[:ply]
        q[0, index] = evaluator.along(packed(games, size)).logits[0]
    # The whole measure is right if a sample of positions is, counted by itself.
    from fingal.learn.parts.recall import Recall, distinct, paths_of

    if size == 3:
        boards, paths = listed(3).stones, paths_of(truth.histories, 3)
    else:
        boards, paths = distinct(truth.histories, size)
    with torch.no_grad():
        recall = Recall(stack, stack.wide(start), boards)
        found = recall.everyone(paths, torch.from_numpy((truth.histories >= 0).sum(1))).numpy()
    white = truth.positions.white_to_move
    for index in chosen:
        said = found[0, index].reshape(size, size)
        said = said.T if white[index] else said
        empty = truth.legal[index]
        assert np.allclose(said.reshape(-1)[empty], q[0, index][empty], atol=1e-5), index
    assert 0 <= measured["keeps_win"][0] <= 1
    assert ("first_vs_best" in measured) == (size == 3)


# Learning.


def test_the_right_target_learns_to_win_and_the_literal_one_to_say_one() -> None:
    settings = [
        Batch(learning_rate=0.01, target=target, games=5000, rows=8, seed=seed)
        for target in ("negamax", "literal")
        for seed in range(3)
    ]
    histories = batch.sweep(settings)
    right, literal = histories[:3], histories[3:]
    assert sum(any(row["first_vs_best"] == 1 for row in history.rows[-3:]) for history in right) >= 2
    assert all(history.rows[-1]["keeps_win"] > 0.85 for history in right)
    assert all(history.rows[-1]["value"] < 0.5 for history in right)
    assert all(history.rows[-1]["value"] > 0.95 for history in literal)
    assert all(history.rows[-1]["first_vs_best"] == 0 for history in literal)
