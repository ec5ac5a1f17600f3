"""The actor beside its critic: one update by hand and autograd, draws, and what it learns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from fingal.learn import actor_critic
from fingal.learn.actor_critic import Acting, ActorCritic, Baseline
from fingal.learn.parts.policy import draw
from fingal.learn.td import TD, Learning
from fingal.nets.hexagonal import flatten, from_vector

TWO = ActorCritic(size=2, layers=((1, 2, 0), (2, 0, 0)), games=30, rows=3, activation="softplus")


@pytest.mark.parametrize("natural", [False, True])
@pytest.mark.parametrize("baseline", ["state", "move"])
def test_the_actors_updates_are_those_of_its_equations(baseline: Baseline, natural: bool) -> None:
    """Two moves of one game: z and the metric by hand, grad log pi by autograd through the module."""
    config = replace(
        TWO, baseline=baseline, policy_trace=0.5, policy_alpha=0.2, policy_natural=natural, damping=0.5, seed=4
    )
    acting = Acting([config, replace(config, seed=9)])
    net, stack = config.net, acting.stack
    raw = replace(net, squash="none")
    z = torch.zeros(net.parameters)
    g = torch.eye(net.parameters)
    for _ in range(2):  # no game on 2x2 is over after two moves
        state = {name: tensor.clone() for name, tensor in acting.state.items()}
        board = int(state["board"][0])
        planes = stack.narrow(state["policy"])[0]
        policy = from_vector(raw, planes)
        seen = acting.games._table.stones[board : board + 1]  # type: ignore[union-attr]
        from fingal.nets.walls_torch import from_stones

        view, move = from_stones(seen), int(state["move"][0])
        legal = acting.games.legal(state["board"])[0]
        chances = torch.softmax(policy(view)[0].masked_fill(~legal, -torch.inf), 0)
        names = dict(policy.named_parameters())
        grads = torch.autograd.grad(chances[move].log(), [names[name] for name in net.shapes()])
        psi = torch.cat([one.reshape(-1) for one in grads])
        critic = from_vector(net, stack.narrow(state["theta"])[0])
        values = critic(view)[0].detach()
        acting.step()
        after = from_stones(acting.games._table.stones[int(acting.state["board"][0])].unsqueeze(0))  # type: ignore[union-attr]
        aimed = -float(critic(after)[0, int(acting.state["move"][0])].detach())
        error = aimed - float((chances.detach() * values).sum() if baseline == "state" else values[move])
        z = psi - 0.5 * z
        way = z
        if natural:
            g = 0.99 * g + 0.01 * torch.outer(psi, psi)
            way = torch.linalg.solve(g + 0.5 * torch.eye(len(g)), z)
        expected = planes + 0.2 * error * way
        torch.testing.assert_close(stack.narrow(acting.state["policy"])[0], expected, atol=1e-5, rtol=1e-4)
        assert float((expected - planes).abs().max()) > 1e-4


def test_the_critic_is_td_s() -> None:
    """With the moves that the actor plays, the critic is updated as ``td`` does it."""
    acting, alone = Acting([replace(TWO, rule="tdc", seed=3)]), Learning([TD(**critic_of(TWO), rule="tdc", seed=3)])
    for _ in range(12):
        for name in ("move", "board", "ply"):
            alone.state[name] = acting.state[name].clone()
        alone.refresh()
        acting.step()
        chosen = acting.state["move"].clone()
        alone._choose = lambda values, legal, columns, chosen=chosen: (chosen, torch.ones(1), chosen)  # type: ignore[assignment,misc]
        alone.step()
    torch.testing.assert_close(alone.state["theta"], acting.state["theta"])


def critic_of(config: ActorCritic) -> dict[str, Any]:
    return {name: getattr(config, name) for name in ("size", "layers", "games", "rows", "activation")}


def test_draws_follow_the_chances() -> None:
    chances = torch.tensor([[0.5, 0.0, 0.3, 0.2, 0.0]]).expand(1000, -1)
    legal = torch.tensor([[True, False, True, True, False]]).expand(1000, -1)
    cells = draw(chances, legal, (torch.arange(1000) + 0.5) / 1000)
    assert cells.bincount(minlength=5).tolist() == [500, 0, 300, 200, 0]
    assert draw(chances[:1], legal[:1], torch.tensor([1 - 2**-24])).tolist() == [3]
    saturated = torch.tensor([[0.0, 0.0, 1.0, 0.0, 0.0]])
    assert draw(saturated, legal[:1], torch.tensor([0.0])).tolist() == [2]


def test_rows_tell_the_entropy_and_the_policy_is_what_is_kept(tmp_path: Path) -> None:
    trained = actor_critic.train([replace(TWO, policy_alpha=0.0), replace(TWO, policy_alpha=0.1)], tmp_path)
    still, moved = trained.histories
    assert 0 < still.rows[-1]["entropy"] <= torch.log(torch.tensor(4.0))
    assert {"keeps_win", "first_vs_best", "sign", "value"} <= set(moved.rows[-1])
    acting = Acting([TWO])
    began = acting.stack.narrow(acting.state["policy"])[0]
    assert torch.equal(trained.parameters[0], began)
    assert not torch.equal(trained.parameters[1], began)
    assert from_vector(TWO.net, trained.parameters[1]) is not None
    assert len(flatten(from_vector(TWO.net, trained.parameters[1]))) == TWO.net.parameters


def test_a_policy_that_diverges_stops_with_a_sentence() -> None:
    (history,) = actor_critic.sweep([replace(TWO, policy_alpha=1e8, games=60)])
    assert "policy_alpha=100000000.0" in history.diverged


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"policy_alpha": -1.0}, "policy_alpha must be a number from 0 on"),
        ({"policy_trace": 2.0}, "policy_trace must be from 0 to 1"),
        ({"baseline": "none"}, "baseline must be state or move"),
        ({"rule": "magic"}, "rule must be one of"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ActorCritic(**setting)
