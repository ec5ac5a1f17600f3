from fingal.bench import learn
from fingal.learn.td import RULES


def test_every_figure_is_there() -> None:
    results = learn.measure(0.02, runs=4)
    assert results["ratio"] == results["td_updates_per_s"] / results["td_plain_updates_per_s"] > 0
    assert set(results["rules"]) == set(RULES)
    assert learn.table(results).row_count == len(RULES)
