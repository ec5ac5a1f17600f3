"""A run on a simulated cluster of four nodes, one of which is killed and another of which comes later.

What comes is written down on the way in, and that is what the learner's own figures are held against.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch

from fingal.learn.alphazero import AlphaZero, Trainer
from fingal.learn.parts.delivery import Delivery
from fingal.learn.parts.ray_source import RaySource
from fingal.learn.parts.run import Run
from fingal.learn.parts.source import Match, SourceError
from fingal.learn.parts.spread import Spread
from fingal.nets.residual import Config, Residual

ray = pytest.importorskip("ray", reason="a simulated cluster needs Ray: pip install 'fingal[ray]'")

CONFIG = AlphaZero(
    net=Config(blocks=1, channels=8, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8),
    sizes=(3, 4),
    games=8,
    full_simulations=4,
    cheap_simulations=2,
    considered=4,
    replay=100_000,
    replay_start=50,
    batch=32,
    reuse=1,
    steps=1_000_000,
)
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
QUICK = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_failure_threshold": 5}
"""A node that does not answer is given up after seconds."""

Game = tuple[str, int, int]


class Seen:
    """All that has ever come, and a run to be driven by hand."""

    def __init__(self, folder: Path, spread: Spread) -> None:
        self.run = Run(folder, asdict(CONFIG))
        self.trainer = Trainer(CONFIG, self.run, torch.device("cpu"), spread=spread)
        self.games: Counter[Game] = Counter()
        self.deliveries: list[Delivery] = []
        inner = self.trainer.source.deliveries

        def deliveries() -> list[Delivery]:
            found = inner()
            self.deliveries += found
            self.games.update((one.actor, one.pool, game[0]) for one in found for game in one.games)
            return found

        self.trainer.source.deliveries = deliveries  # type: ignore[method-assign]

    def actors(self) -> set[str]:
        return {actor for actor, *_ in self.games}

    def until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 300
        while not reached():
            assert time.monotonic() < deadline, f"not reached, with {len(self.games)} games of {self.actors()}"
            if self.trainer.progress.owed >= CONFIG.batch:
                self.trainer.learn()
            else:
                self.trainer.play()

    def check(self) -> None:
        """Every game that came is learned from once."""
        progress = self.trainer.progress
        assert progress.games == len(self.trainer.ledger) == len(self.games)
        assert progress.delivered == self.games.total()
        assert progress.duplicates == self.games.total() - len(self.games)
        counted, positions = set[Game](), 0
        for one in self.deliveries:
            for game in {(one.actor, one.pool, game[0]) for game in one.games} - counted:
                counted.add(game)
                positions += int((one.samples["game"] == game[2]).sum())
        assert progress.positions == self.trainer.replay.seen == positions
        # A slot's games are numbered in turn: a gap would be a game that was finished and has not come.
        for (actor, pool), games in groupby(sorted(self.games), lambda game: game[:2]):
            numbers = [game for *_, game in games]
            for slot in range(CONFIG.games):
                mine = [number for number in numbers if number % CONFIG.games == slot]
                assert mine == [slot + CONFIG.games * turn for turn in range(len(mine))], (actor, pool, slot)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": QUICK})
    yield made
    ray.shutdown()
    made.shutdown()


def test_nodes_come_and_go_and_no_game_is_lost_or_learned_from_twice(cluster: Any, tmp_path: Path) -> None:
    nodes = [cluster.add_node(**NODE) for _ in range(3)]
    cluster.wait_for_nodes()
    seen = Seen(tmp_path / "run", Spread(ray=cluster.address, publish_steps=5))
    trainer = seen.trainer
    seen.until(lambda: len(seen.actors()) == 4 and trainer.progress.steps >= 20)
    seen.check()

    before = seen.actors()
    cluster.remove_node(nodes[0], allow_graceful=False)
    seen.until(lambda: trainer.source.figures()["actors_lost"] == 1)
    at_loss = len(seen.games)
    seen.until(lambda: len(seen.games) >= at_loss + 200)
    assert trainer.source.figures()["actors"] == 3
    assert seen.actors() == before
    seen.check()

    cluster.add_node(**NODE)
    seen.until(lambda: len(seen.actors()) == 5)
    assert trainer.source.figures()["actors"] == 4
    trainer.source.begin_match(Match(version := trainer.progress.steps, trainer.average, trainer.average, 3, 10))
    seen.until(lambda: trainer.progress.steps >= version + 10)
    # A net against itself: every opening is played with both colours.
    assert trainer.source.scores(wait=True) == [(version, 0.5)]
    seen.check()
    print(f"{len(seen.games)} games of {len(seen.actors())} actors, {trainer.progress.duplicates} came twice")

    # The learner ends; another goes on from its checkpoint and knows every game.
    trainer.save()
    trainer.source.close()
    seen.run.close()
    again = Trainer(CONFIG, Run(tmp_path / "run", asdict(CONFIG)), torch.device("cpu"))
    assert len(again.ledger) == again.progress.games == len(seen.games)
    for delivery in seen.deliveries:
        again.take(delivery)
    assert again.progress.games == len(seen.games)
    assert again.replay.seen == trainer.replay.seen
    again.run.close()


def test_actors_that_answer_and_then_fail_end_the_run(cluster: Any) -> None:
    class Failing:
        """It answers one order without a game, and cannot carry out the second."""

        def __init__(self, *_: object) -> None:
            self.turns = 0

        def take(self, *_: object) -> None: ...

        def play(self) -> bool:
            self.turns += 1
            if self.turns > 1:
                raise KeyError("a move")
            return True

        def deliver(self) -> list[Delivery]:
            return []

    net = Residual(CONFIG.net).eval()
    source = RaySource(cluster.address, Failing, lambda: (0, net))  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="again and again, 10 in a row without a game: KeyError: 'a move'"):
        deque((source.deliveries() for _ in range(600)), maxlen=0)
    assert source.lost == 10
    source.close()
