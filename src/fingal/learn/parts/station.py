"""An actor's post office: it plays when it is told to and keeps what it sent until that has been taken."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import NamedTuple

import torch

from fingal.learn.parts.actor import Actor
from fingal.learn.parts.delivery import Delivery, Net, Weights, unpacked

Make = Callable[[Net, torch.device, int], Actor]
"""Makes an actor for nets like this one, on a device, with a seed."""


class Numbered(NamedTuple):
    """A delivery and its number at the station, from 1."""

    number: int
    delivery: Delivery


class Station:
    """Somebody far away who plays: it knows nothing of how orders reach it, and may be gone at any moment."""

    def __init__(self, make: Make, device: str, threads: int) -> None:
        """Wait for weights; the seed is drawn, so that two stations never play the same games."""
        torch.set_num_threads(threads)
        self._make, self._device = make, torch.device(device)
        self._actor: Actor | None = None
        self._openings = 0
        self._sent = 0
        self._kept: list[Numbered] = []

    def play(self, weights: Weights | None, openings: int, taken: int, again: bool) -> list[Numbered]:
        """Play a turn of all pools and give what has finished.

        ``weights`` are new ones, if there are any; they must come with the first order. When ``openings`` changes, they
        are drawn anew. Deliveries up to number ``taken`` have arrived and are forgotten; the others are sent
        ``again`` if that is asked.
        """
        self._kept = [kept for kept in self._kept if kept.number > taken]
        if weights is not None:
            net = unpacked(weights, self._device)
            if self._actor is None:
                self._actor = self._make(net, self._device, uuid.uuid4().int >> 80)
            self._actor.take(weights.version, net)
        actor = self._actor
        if actor is None:
            raise ValueError("an actor cannot play before it has weights")
        if openings != self._openings:
            self._openings = openings
            actor.rest()
            actor.draw_openings()
        while not actor.play():
            pass
        new = [Numbered(self._sent + i, delivery) for i, delivery in enumerate(actor.deliver(), 1)]
        self._sent += len(new)
        self._kept += new
        return list(self._kept) if again else new
