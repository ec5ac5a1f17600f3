from fingal.bench import learn
from fingal.learn.amcpg import Amcpg
from fingal.learn.neurohex import NeuroHex
from fingal.learn.td import RULES


def test_every_figure_is_there() -> None:
    tiny = NeuroHex(size=3, layers=((0, 2, 2),), games=8, batch=4, capacity=100)
    policy = Amcpg(size=3, layers=2, channels=4, games=64, k=1)
    results = learn.measure(0.02, runs=4, config=tiny, policy=policy)
    assert results["ratio"] == results["td_updates_per_s"] / results["td_plain_updates_per_s"] > 0
    assert set(results["rules"]) == set(RULES)
    assert learn.table(results).row_count == len(RULES) + 2
    both = results["neurohex_transitions_per_s"], results["neurohex_serial_transitions_per_s"]
    assert results["neurohex_ratio"] == both[0] / both[1] > 0
    both = results["amcpg_games_per_s"], results["amcpg_serial_games_per_s"]
    assert results["amcpg_ratio"] == both[0] / both[1] > 0
