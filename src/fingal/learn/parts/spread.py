"""Where a run plays and learns. It is no part of what is learned: a run may go on somewhere else."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from fingal.learn.parts.delivery import Newest
from fingal.learn.parts.source import Local, Source
from fingal.learn.parts.station import Make


@dataclass(frozen=True)
class Spread:
    """On one machine in one process, or on a cluster."""

    ray: str | None = None
    """Play on a Ray cluster: local starts one on this machine, auto finds the one it is a node of, or HOST:PORT."""
    actors: int = 0
    """Actors on the cluster; with 0 as many as fit, and more when nodes come."""
    actor_gpus: float = 0.0
    """GPUs of the cluster for an actor, or a part of one; with 0 actors judge on their processors."""
    publish_steps: int = 20
    """Send new weights to the cluster every so many steps of learning."""

    learners: int = 1
    """Processes that learn, on this machine, one a GPU; every batch is divided among them."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name, least in (("actors", 0), ("actor_gpus", 0), ("publish_steps", 1), ("learners", 1)):
            if not getattr(self, name) >= least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.ray is None and (self.actors or self.actor_gpus):
            raise ValueError("actors and actor_gpus are for a cluster: name it with --ray")

    def source(self, make: Make, newest: Newest, device: torch.device, seed: int, threads: int) -> Source:
        """Where games come from; ``threads`` are an actor's."""
        if self.ray is None:
            return Local(make(newest()[1], device, seed), newest)
        from fingal.learn.parts.ray_source import RaySource, Share

        share = Share(threads, self.actor_gpus)
        steps = self.publish_steps
        return RaySource(self.ray, make, newest, actors=self.actors, share=share, publish_steps=steps)

    def check_learners(self, batch: int, architecture: str, device: torch.device) -> None:
        """Refuse a division of the learning that cannot be."""
        if self.learners == 1:
            return
        if batch % self.learners:
            raise ValueError(f"batch must be a multiple of the {self.learners} learners, not {batch}")
        if architecture != "residual":
            raise ValueError(f"learners must be 1 for a {architecture} net, not {self.learners}")
        if device.type == "cuda" and self.learners > (there := torch.cuda.device_count()):
            raise ValueError(f"learners must be at most {there}, one a GPU of this machine, not {self.learners}")
