import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from fingal.envs import hex_zoo
from tests.envs import openspiel

SETTINGS = [{"size": 1}, {"size": 2}, {"size": 3, "swap": True}, {"size": (3, 5)}, {"size": 11}, {"size": 19}]


# What it warns of is meant so: an empty board is all zeros, agents are called by their colours, and a mask comes along.
@pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo")
@pytest.mark.parametrize("make", [hex_zoo.env, hex_zoo.raw_env])
@pytest.mark.parametrize("settings", SETTINGS)
def test_pettingzoos_api_test_passes(make: Any, settings: dict[str, Any]) -> None:
    api_test(make(**settings), num_cycles=100)


@pytest.mark.parametrize("settings", SETTINGS)
def test_pettingzoos_seed_test_passes(settings: dict[str, Any]) -> None:
    seed_test(lambda: hex_zoo.env(**settings))


def test_pettingzoos_render_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: hex_zoo.env(size=(3, 5), render_mode=render_mode))
    assert "to move" in capsys.readouterr().out


@pytest.mark.parametrize(("size", "swap"), [((3, 3), True), ((5, 5), False), ((5, 5), True), ((7, 9), False)])
def test_games_agree_with_openspiel(size: tuple[int, int], swap: bool) -> None:
    width, height = size
    env = hex_zoo.env(size=size, swap=swap)
    winners = set()
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    for _ in range(50):
        env.reset()
        state = openspiel.new_state(width, height, swap)
        last: dict[str, float] = {}
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            for number, name in enumerate(env.possible_agents):
                expected = openspiel.planes(state, width, height, number, swap)
                np.testing.assert_array_equal(env.observe(name)["observation"], expected)
            assert termination == state.is_terminal()
            assert not truncation
            if termination:
                last[agent] = reward
                assert not observation["action_mask"].any()
                env.step(None)
                continue
            assert reward == 0
            assert agent == env.possible_agents[state.current_player()]
            np.testing.assert_array_equal(observation["action_mask"], openspiel.mask(state, width, height))
            idle = next(name for name in env.possible_agents if name != agent)
            assert not env.observe(idle)["action_mask"].any()
            action = env.action_space(agent).sample(observation["action_mask"])
            env.step(action)
            state.apply_action(action)
        assert [last["black"], last["white"]] == state.returns()
        winners.add(max(last, key=lambda name: last[name]))
    assert winners == {"black", "white"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_illegal_action_costs_its_agent_the_game() -> None:
    env = hex_zoo.env(size=3)
    env.reset()
    env.step(4)
    env.step(4)
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], termination, _, _ = env.last()
        assert termination
        env.step(None)
    assert rewards == {"white": -1, "black": 0}


def test_without_guards_an_illegal_action_raises_and_nothing_is_changed() -> None:
    env = hex_zoo.raw_env(size=3)
    env.step(4)
    for action in (4, 9, 10, -1, None):
        with pytest.raises(ValueError, match=r"occupied|swap|from 0 to 9|after the end"):
            env.step(action)
    assert env.agent_selection == "white"
    assert env.board.moves == [4]


def test_it_can_be_pickled() -> None:
    env = pickle.loads(pickle.dumps(hex_zoo.raw_env(size=(3, 5))))
    assert env.observation_space("black")["observation"].shape == (5, 3, 4)
