"""Games from any number of machines. Ray only carries orders and deliveries: who plays and what is taken is elsewhere.

Every actor has at most two orders at once, so that it waits only where learning is slower than playing, and never runs
away from the learner. An actor that is lost with its node loses its unfinished games; another takes its place, under
another name. Nodes may come and go: there are as many actors as are wanted, or as fit. An actor that fails of itself is
replaced too, until those in its place have failed as well, one after the other, with nothing delivered in between.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from fingal.learn.parts.delivery import Delivery, Newest, Weights, packed, unpacked
from fingal.learn.parts.source import Match, SourceError
from fingal.learn.parts.station import Make, Numbered, Station
from fingal.learn.parts.versus import raw_match

ORDERS = 2
"""Orders that an actor has at once."""
FRUITLESS = 10
"""Actors, each in the place of the one before, that fail with nothing delivered in between: then a run ends."""
PATIENCE = 10.0
"""Seconds to wait for what an actor that is gone had sent."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""What a client says first to a server of gRPC, which Ray is: HTTP/2's preface and settings, none of them changed."""


@dataclass(frozen=True)
class Share:
    """What one actor needs."""

    cpus: float = 1.0
    gpus: float = 0.0

    def fit(self, resources: Mapping[str, float]) -> int:
        """How many actors a node with these resources has room for."""
        rooms = [resources.get("CPU", 0.0) / self.cpus]
        if self.gpus:
            rooms.append(resources.get("GPU", 0.0) / self.gpus)
        return int(min(rooms) + 1e-9)


@dataclass(eq=False)
class _Far:
    """An actor somewhere, as it is seen from here."""

    handle: Any
    nodes: frozenset[str]
    """Those that were there when it was started."""
    failures: int
    """How many failed before it in its place, with nothing delivered since."""
    orders: list[Any] = field(default_factory=list)
    version: int | None = None
    """Of the weights that it was sent last."""
    taken: int = 0
    """Deliveries up to this number have all come."""
    early: set[int] = field(default_factory=set)
    """Those that came before one that has not."""
    again: bool = False
    heard: bool = False
    """Whether it has ever answered."""

    def take(self, come: list[Numbered]) -> list[Delivery]:
        """Note what has come: a reply may be lost while a later one arrives, and must be asked for again."""
        self.heard = True
        self.early.update(number for number, _ in come if number > self.taken)
        while self.taken + 1 in self.early:
            self.taken += 1
            self.early.remove(self.taken)
        return [delivery for _, delivery in come]


def connect(address: str) -> Any:
    """Ray, connected: ``local`` starts it on this machine, ``auto`` finds it there, else it is at HOST:PORT."""
    if address not in ("local", "auto"):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or "/" in host:
            raise ValueError(f"--ray must be local, auto or HOST:PORT, not {address!r:.60}")
        try:
            _greet(host, int(port))
        except (OSError, OverflowError) as error:
            raise ValueError(f"--ray {address} does not answer: {error}") from None
    try:
        import ray
    except ImportError:
        raise ValueError("--ray needs Ray, which is not installed: pip install 'fingal[ray]'") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if address == "local":
        ray.init(address="local", include_dashboard=False, object_store_memory=256 << 20, **quiet)
        return ray
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError) as error:
        said = str(error).strip().splitlines()[0]
        raise ValueError(f"--ray {address} is no cluster that this machine is a node of: {said}") from None
    return ray


def _greet(host: str, port: int) -> None:
    """Refuse a port where something else than Ray listens: Ray itself would wait for it for minutes."""
    with socket.create_connection((host, port), 5) as there:
        if os.environ.get("RAY_USE_TLS", "0") not in ("0", ""):
            return
        there.sendall(GREETING)
        try:
            answer = there.recv(4)
        except (TimeoutError, ConnectionResetError):
            answer = b""
    # A frame's length, in three bytes, and its kind: settings.
    if answer[3:] != GREETING[-6:-5]:
        raise ValueError(f"--ray {host}:{port} is not Ray: something else listens there")


def _said(error: Exception) -> str:
    """What went wrong, in one line: an exception of the actor's own, or the last that Ray has to say."""
    cause = getattr(error, "cause", None)
    said = str(error if cause is None else cause).strip().splitlines() or [""]
    return f"{said[-1]:.200}" if cause is None else f"{type(cause).__name__}: {said[0]:.200}"


def _play_match(first: Weights, second: Weights, size: int, games: int) -> float:
    cpu = torch.device("cpu")
    return raw_match(unpacked(first, cpu), unpacked(second, cpu), size, games)


class RaySource:
    """Actors and matches on a cluster."""

    def __init__(
        self,
        address: str,
        make: Make,
        newest: Newest,
        *,
        actors: int = 0,
        share: Share = Share(),  # noqa: B008
        publish_steps: int = 1,
    ) -> None:
        """Connect. With 0 ``actors`` there are as many as fit; weights are published every so many steps."""
        self._ray = ray = connect(address)
        self._share = share
        if not self._room():
            ray.shutdown()
            raise ValueError(
                f"an actor needs {share.cpus:g} processors (--threads) and {share.gpus:g} GPUs (--actor-gpus), "
                f"and no node of --ray {address} has them"
            )
        device: Literal["cuda", "cpu"] = "cuda" if share.gpus else "cpu"
        self._station: Any = ray.remote(num_cpus=share.cpus, num_gpus=share.gpus, max_restarts=0)(Station)
        self._arguments = make, device, max(1, int(share.cpus))
        # No processor of its own: actors may hold them all.
        self._match = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(_play_match)
        self._newest, self._wanted, self._publish_steps = newest, actors, publish_steps
        self._actors: list[_Far] = []
        self._published: tuple[int, Any] | None = None
        self._openings = 0
        self._matches: dict[Any, int] = {}
        self._looked = -1e9
        self._failures, self._failed = 0, ""
        self.lost = 0
        """Actors that are gone."""

    def deliveries(self) -> list[Delivery]:
        """What has come, after a second at most."""
        ray = self._ray
        self._hire()
        for far in self._actors:
            while len(far.orders) < ORDERS:
                self._order(far)
        orders = {order: far for far in self._actors for order in far.orders}
        if not orders:
            time.sleep(1)
            return []
        ray.wait(list(orders), timeout=1.0)
        come, _ = ray.wait(list(orders), num_returns=len(orders), timeout=0)
        found: list[Delivery] = []
        for order in come:
            far = orders[order]
            if far in self._actors:
                far.orders.remove(order)
                found += self._open(far, order)
        # Not before all that has come is open: what one delivers forgives the others.
        if self._failures >= FRUITLESS:
            raise SourceError(f"actors fail again and again, {FRUITLESS} in a row without a game: {self._failed}")
        return found

    def _hire(self) -> None:
        """Start actors up to the number that is wanted; every second, look how many fit."""
        if (now := time.monotonic()) - self._looked >= 1:
            self._looked = now
            self._target = self._wanted or self._room()
        while len(self._actors) < self._target:
            self._actors.append(_Far(self._station.remote(*self._arguments), frozenset(self._nodes()), self._failures))

    def _nodes(self) -> dict[str, Mapping[str, float]]:
        """The nodes that are there, and what they have."""
        return {node["NodeID"]: node["Resources"] for node in self._ray.nodes() if node["Alive"]}

    def _room(self) -> int:
        """How many actors fit."""
        return sum(map(self._share.fit, self._nodes().values()))

    def _order(self, far: _Far) -> None:
        version, net = self._newest()
        if self._published is None or version - self._published[0] >= self._publish_steps:
            self._published = version, self._ray.put(packed(version, net))
        version, reference = self._published
        # An actor that has not answered may have lost the first order, and cannot play without weights.
        weights = reference if far.version != version or not far.heard else None
        far.orders.append(far.handle.play.remote(weights, self._openings, far.taken, far.again))
        far.version, far.again = version, False

    def _open(self, far: _Far, order: Any) -> list[Delivery]:
        """What an order has brought; an actor that is gone is forgotten, one that may be there is asked again."""
        errors = self._ray.exceptions
        try:
            found = far.take(self._ray.get(order))
        except (errors.ActorUnavailableError, errors.ObjectLostError):
            far.version, far.again = None, True
            return []
        except errors.RayError as error:
            return self._lose(far, error)
        self._delivered(found)
        return found

    def _delivered(self, found: list[Delivery]) -> None:
        """Forget failures when something has come."""
        if found:
            self._failures = 0
            for far in self._actors:
                far.failures = 0

    def _lose(self, far: _Far, error: Exception) -> list[Delivery]:
        """Forget an actor; gives what it had sent before. One that failed of itself is counted.

        It did so if it raised an exception, or died while all nodes stayed that were there when it was started: a node
        that is gone is no failure. Actors that fail at the same time count once, whatever their number.
        """
        self._actors.remove(far)
        self.lost += 1
        found: list[Delivery] = []
        if far.orders:
            come, _ = self._ray.wait(far.orders, num_returns=len(far.orders), timeout=PATIENCE)
            for order in come:
                with contextlib.suppress(self._ray.exceptions.RayError):
                    found += far.take(self._ray.get(order))
        self._ray.kill(far.handle)
        self._delivered(found)
        if found:
            return found
        if isinstance(error, self._ray.exceptions.RayTaskError) or far.nodes <= self._nodes().keys():
            self._failures, self._failed = max(self._failures, far.failures + 1), _said(error)
        return found

    def renew(self) -> None:
        """Ask for new openings with every order from now on."""
        self._openings += 1

    def begin_match(self, match: Match) -> None:
        """Let any node play it."""
        nets = (self._ray.put(packed(match.version, net)) for net in (match.first, match.second))
        self._matches[self._match.remote(*nets, match.size, match.games)] = match.version

    def scores(self, wait: bool = False) -> list[tuple[int, float]]:
        """Matches that have ended; with ``wait`` those that end within a minute. One that was lost has no score."""
        if not self._matches:
            return []
        begun = list(self._matches)
        ended, _ = self._ray.wait(begun, num_returns=len(begun), timeout=60 if wait else 0)
        found = []
        for match in ended:
            version = self._matches.pop(match)
            with contextlib.suppress(self._ray.exceptions.RayError):
                found.append((version, float(self._ray.get(match))))
        return found

    def figures(self) -> dict[str, float]:
        """How many actors there are and were."""
        return {"actors": sum(far.heard for far in self._actors), "actors_lost": self.lost}

    def rest(self) -> None:
        """They play on: their games are theirs."""

    def kept(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Nothing: actors have other names when a run goes on, and their unfinished games are gone."""
        return {}, {}

    def restore(self, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
        """There is nothing to restore."""

    def close(self) -> None:
        """End the actors and leave the cluster."""
        for far in self._actors:
            self._ray.kill(far.handle)
        self._actors.clear()
        self._ray.shutdown()
