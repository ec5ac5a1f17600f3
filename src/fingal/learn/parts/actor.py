"""An actor: it plays itself, with pools, a judge and a seed of its own, and delivers what it has finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fingal.learn.parts.delivery import Delivery, Net, Tally
from fingal.learn.parts.openings import Openings
from fingal.learn.parts.selfplay import DevicePool
from fingal.nets.judge import Judge
from fingal.nets.ringed import precision


def judge_for(net: Net, device: torch.device) -> Judge:
    """A judge for nets of this shape, as fast as the device has it."""
    return Judge(net.config, device, compiled=device.type == "cuda", dtype=precision(net, device))


class Actor:
    """Plays with the weights that it was given last; its pools take turns by their shares of the judging."""

    def __init__(
        self,
        name: str,
        pools: Sequence[DevicePool],
        judge: Judge,
        shares: Sequence[float],
        openings: Openings,
        generator: torch.Generator,
    ) -> None:
        """Begin with no weights; ``shares`` are the pools', in turn, and ``generator`` draws openings."""
        self.name, self.pools, self.judge, self._shares = name, pools, judge, shares
        self._openings, self._generator = openings, generator
        self.version = 0
        """Of the weights that play."""
        self.judgements = 0
        self._rounds = 0
        self._turns = [0.0] * len(pools)
        self._began = [np.zeros(pool.core.count, np.int64) for pool in pools]
        self._kept: tuple[dict[str, Tensor], dict[str, Any]] | None = None
        """What ``kept`` gives, until something happens: a pool that is saved goes on with other random numbers."""

    def take(self, version: int, net: Net) -> None:
        """Play with these weights from now on; a net of another shape gets another judge."""
        self.version = version
        if self._rounds == 0:
            for began in self._began:
                began[:] = version
        if net.config != self.judge.config:
            self.judge = judge_for(net, self.judge.device)
            for pool in self.pools:
                pool.drop()
                pool.set_judge(self.judge)
        self.judge.refresh(net)

    def draw_openings(self) -> None:
        """Draw openings that the net thinks even, for every size. Nothing may be under way."""
        self._kept = None
        self._openings.draw(self.judge, self.pools, self._generator)

    def play(self) -> bool:
        """One round of judging for the pool that has had least of its share; says whether it is time to deliver."""
        self._kept = None
        pool = min(range(len(self._turns)), key=lambda i: (self._turns[i], i))
        self._turns[pool] += 1 / self._shares[pool % len(self._shares)]
        chosen = self.pools[pool]
        chosen.collect()
        chosen.launch()
        self.judgements += chosen.core.count
        self._rounds += 1
        return self._rounds % (16 * len(self.pools)) == 0

    def deliver(self) -> list[Delivery]:
        """All games that have finished since the last time."""
        resigned, wrong = (sum(r) for r in zip(*(p.core.resignations() for p in self.pools), strict=True))
        tally = Tally(self.judgements, resigned, wrong)
        found = []
        for number, pool in enumerate(self.pools):
            samples, games = pool.core.drain()
            if not games:
                continue
            # The bits of numpy's own conversion, in a third of the time.
            samples["policy"] = torch.from_numpy(samples["policy"]).half().numpy()
            began, slots = [], pool.core.count
            for game in games:
                began.append(self._began[number][game[0] % slots])
                self._began[number][game[0] % slots] = self.version
            found.append(Delivery(self.name, number, slots, pool.size, games, np.array(began), samples, tally))
        return found

    def rest(self) -> None:
        """Forget judgements under way: after this it may be kept or get other openings."""
        for pool in self.pools:
            pool.drop()

    def kept(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What has to be kept to resume exactly here: tensors by name, and what JSON can hold. It must rest."""
        if self._kept is not None:
            return self._kept
        tensors = {
            f"pool.{i}": torch.frombuffer(bytearray(pool.core.save()), dtype=torch.uint8)
            for i, pool in enumerate(self.pools)
        }
        tensors |= {f"began.{i}": torch.from_numpy(began) for i, began in enumerate(self._began)}
        about = {"name": self.name, "judgements": self.judgements, "rounds": self._rounds, "turns": self._turns}
        self._kept = tensors | {"random": self._generator.get_state()}, about
        return self._kept

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """Go on with what ``kept`` gave."""
        for i, pool in enumerate(self.pools):
            pool.core.restore(tensors[f"pool.{i}"].numpy().tobytes())
            self._began[i] = tensors[f"began.{i}"].numpy().copy()
        self._generator.set_state(tensors["random"])
        self.name, self.judgements = about["name"], about["judgements"]
        self._rounds = about["rounds"]
        self._turns = [float(turn) for turn, _ in zip(about["turns"], self.pools, strict=True)]
        self._kept = dict(tensors), dict(about)
