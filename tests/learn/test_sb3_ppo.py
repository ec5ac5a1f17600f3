"""The baseline of Stable-Baselines3: the view that it has of games, and its net as one of ours."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from fingal.game import BLACK, WHITE
from fingal.learn import sb3_ppo
from fingal.learn.ppo import PPO

TINY = PPO(size=3, net="feed-forward", width=16, opponent="random", games=4, steps=8, batch=16, iterations=2)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_finds_nothing_wrong() -> None:
    check_env(sb3_ppo.CanonicalHex(3), skip_render_check=True)


def test_the_learner_always_joins_top_and_bottom() -> None:
    env = sb3_ppo.CanonicalHex(4)
    rng = np.random.default_rng(5)
    sides = set()
    for seed in range(8):
        seen, _ = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            side, board = env._inner.colour, env._inner.board
            for row in range(4):
                for column in range(4):
                    cell = column * 4 + row if side is WHITE else row * 4 + column
                    stone = board.colour_at(cell)
                    assert seen[row, column] == (0 if stone is None else 1 if stone is side else -1)
            assert (env.action_masks() == (seen.ravel() == 0)).all()
            action = rng.choice(np.flatnonzero(env.action_masks()))
            seen, reward, over, _, _ = env.step(action)
        assert (reward == 1) == (env._inner.board.winner is side)
        sides.add(side)
        if reward == 1:
            # Whoever joins top and bottom in that view has a stone in every row.
            assert (seen == 1).any(axis=1).all()
    assert sides == {BLACK, WHITE}
    env.close()


def test_without_the_library_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(ImportError, match=r"Stable-Baselines3 is missing: pip install 'fingal\[sb3\]'"):
        sb3_ppo.model(TINY)


def test_its_net_says_what_the_library_says() -> None:
    pytest.importorskip("sb3_contrib")
    model = sb3_ppo.model(TINY)
    net = sb3_ppo.learn(model, TINY)
    assert model.num_timesteps == 2 * 4 * 8
    boards = torch.randint(-1, 2, (20, 3, 3), generator=torch.Generator().manual_seed(1)).float()
    boards[:, 0, 0] = 0
    legal = (boards == 0).flatten(1)
    with torch.no_grad():
        logits, value = net.both(boards)
        theirs = model.policy.get_distribution(boards, legal.numpy()).distribution.probs
        their_value = model.policy.predict_values(boards).squeeze(1)
    assert torch.allclose(logits.masked_fill(~legal, -torch.inf).softmax(1), theirs, atol=1e-5)
    assert torch.allclose(value, their_value.tanh(), atol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"net": "convolutional"}, "net must be feed-forward for Stable-Baselines3, not convolutional"),
        ({"opponent": "self"}, "opponent must be random for Stable-Baselines3, not self"),
        ({"longest": 0.0}, "longest must be above 0 for Stable-Baselines3"),
    ],
)
def test_what_it_cannot_do_is_refused_by_name(wrong: dict[str, object], message: str) -> None:
    pytest.importorskip("sb3_contrib")
    with pytest.raises(ValueError, match=message):
        sb3_ppo.model(replace(TINY, **wrong))  # type: ignore[arg-type]
