import importlib.util

from fingal.bench import learn
from fingal.learn.amcpg import Amcpg
from fingal.learn.dqn import Dqn
from fingal.learn.neurohex import NeuroHex
from fingal.learn.ppo import PPO
from fingal.learn.td import RULES


def test_every_figure_is_there() -> None:
    tiny = NeuroHex(size=3, layers=((0, 2, 2),), games=8, batch=4, capacity=100)
    policy = Amcpg(size=3, layers=2, channels=4, games=64, k=1)
    generations = Dqn(size=3, width=4, games=8, batch=4, capacity=100)
    clipped = PPO(size=3, net="feed-forward", width=8, opponent="random", games=8, steps=4, batch=16)
    results = learn.measure(0.02, runs=4, config=tiny, policy=policy, generations=generations, clipped=clipped)
    assert results["ratio"] == results["td_updates_per_s"] / results["td_plain_updates_per_s"] > 0
    assert set(results["rules"]) == set(RULES)
    assert learn.table(results).row_count == len(RULES) + 6
    both = results["neurohex_transitions_per_s"], results["neurohex_serial_transitions_per_s"]
    assert results["neurohex_ratio"] == both[0] / both[1] > 0
    both = results["amcpg_games_per_s"], results["amcpg_serial_games_per_s"]
    assert results["amcpg_ratio"] == both[0] / both[1] > 0
    for kind in ("env", "train"):
        assert min(results[f"dqn_{kind}_steps_per_s"], results[f"dqn_serial_{kind}_steps_per_s"]) > 0
    assert results["ppo_env_steps_per_s"] > 0
    assert results["ppo_train_steps_per_s"] > 0
    there = importlib.util.find_spec("sb3_contrib") is not None
    assert (results["sb3_ppo_env_steps_per_s"] is not None) == (results["ppo_train_ratio"] is not None) == there
