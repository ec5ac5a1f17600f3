"""Actors that are lost, with and without their replies: a Ray that is made up, so that it fails where it is told to."""

import time
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingal.learn.parts import ray_source
from fingal.learn.parts.delivery import Delivery, Tally
from fingal.learn.parts.ray_source import RaySource, Share
from fingal.learn.parts.source import Match, SourceError
from fingal.learn.parts.station import Station
from fingal.nets.residual import Residual
from tests.learn.test_alphazero import TINY


class AnyError(Exception):
    """What all errors of Ray are."""


class ActorError(AnyError):
    """An actor is gone."""


class TaskError(AnyError):
    """An actor has raised an exception."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"ray::Station.play()\n  File ...\n{cause}")
        self.cause = cause


class UnavailableError(ActorError):
    """It may be there."""


class LostError(AnyError):
    """A reply is gone."""


class Counting:
    """An actor that finishes one game a turn, numbered from 0."""

    def __init__(self, *_: object) -> None:
        self.games = 0

    def take(self, *_: object) -> None: ...

    def rest(self) -> None: ...

    def draw_openings(self) -> None: ...

    def play(self) -> bool:
        return True

    def deliver(self) -> list[Delivery]:
        self.games += 1
        return [Delivery("one", 0, 8, 3, [(self.games - 1, 0, 0, False, [])], np.zeros(1, np.int64), {}, Tally())]


Fate = Callable[[int, int], Exception | None]
"""What is raised in place of the reply to an actor's order, both numbered from 0."""


class Ray:
    """One node. Orders are carried out at once."""

    exceptions = SimpleNamespace(
        RayError=AnyError,
        RayActorError=ActorError,
        RayTaskError=TaskError,
        ActorUnavailableError=UnavailableError,
        ObjectLostError=LostError,
    )

    def __init__(self, cpus: float, fate: Fate, plays: bool) -> None:
        self.fate, self.plays, self.there, self.cpus = fate, plays, True, cpus
        self.stations = self.killed = 0
        self.node = 0
        """Its number: another when it has died and another has come."""

    def nodes(self) -> list[dict[str, Any]]:
        dead = [{"NodeID": str(number), "Alive": False, "Resources": {}} for number in range(self.node)]
        return [*dead, {"NodeID": str(self.node), "Alive": self.there, "Resources": {"CPU": self.cpus}}]

    def remote(self, **_: object) -> Callable[[Any], Any]:
        return lambda made: SimpleNamespace(remote=self.station if made is Station else self.match)

    def match(self, *_: object) -> Any:
        return self.reply(AnyError("out of memory"))

    def reply(self, value: Any) -> Any:
        class Reply:
            said = value

        return Reply()

    def station(self, *arguments: Any) -> Any:
        number, orders, station = self.stations, iter(range(10**6)), Station(*arguments)
        self.stations += 1

        def play(*order: Any) -> Any:
            error = self.fate(number, next(orders))
            if error is not None and not self.plays:
                return self.reply(error)
            try:
                come = station.play(*order)
            except ValueError as raised:
                return self.reply(TaskError(raised))
            return self.reply(error or come)

        return SimpleNamespace(play=SimpleNamespace(remote=play))

    def put(self, what: Any) -> Any:
        return what

    def wait(self, replies: list[Any], **_: object) -> tuple[list[Any], list[Any]]:
        assert replies
        return list(replies), []

    def get(self, reply: Any) -> Any:
        if isinstance(reply.said, Exception):
            raise reply.said
        return reply.said

    def kill(self, handle: Any) -> None:
        self.killed += 1

    def shutdown(self) -> None:
        self.there = False


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[RaySource, Ray]]:
    def begun(
        fate: Fate = lambda actor, order: None,
        *,
        cpus: float = 1,
        share: Share = Share(),  # noqa: B008
        plays: bool = True,
    ) -> tuple[RaySource, Ray]:
        ray, net = Ray(cpus, fate, plays), Residual(TINY).eval()
        monkeypatch.setattr(ray_source, "connect", lambda address: ray)
        return RaySource("auto", Counting, lambda: (0, net), share=share), ray  # type: ignore[arg-type]

    return begun


Begin = Callable[..., tuple[RaySource, Ray]]


def games(come: Iterable[Delivery]) -> set[int]:
    return {game[0] for one in come for game in one.games}


@pytest.mark.parametrize("error", [LostError(), UnavailableError()])
def test_a_reply_that_is_lost_while_a_later_one_arrives_is_sent_again(begin: Begin, error: Exception) -> None:
    source, _ = begin(lambda actor, order: error if order == 2 else None)
    come = games(delivery for _ in range(4) for delivery in source.deliveries())
    assert come == set(range(8))


def test_what_an_actor_had_sent_before_it_was_lost_is_taken(begin: Begin) -> None:
    source, ray = begin(lambda actor, order: ActorError() if (actor, order) == (0, 2) else None)
    assert games(source.deliveries()) == {0, 1}
    assert games(source.deliveries()) == {3}  # the third died with the actor, the fourth had come
    assert (source.lost, ray.killed) == (1, 1)
    assert games(source.deliveries()) == {0, 1}  # another's


def test_a_large_node_may_die(begin: Begin) -> None:
    source, ray = begin(lambda actor, order: ActorError() if actor < 25 and order >= 2 else None, cpus=25)
    assert len(source.deliveries()) == 50
    assert source.deliveries() == []
    assert source.lost == 25
    assert len(source.deliveries()) == 50
    assert ray.stations == 50


FAULTS = [
    (TaskError(KeyError("a move")), "KeyError: 'a move'"),
    (
        TaskError(RuntimeError("CUDA error: unspecified launch failure\nsee the manual")),
        "RuntimeError: CUDA error: .*re",
    ),
    (ActorError("The actor died:\n  pid: 7\nits worker was killed"), "its worker was killed"),
]
"""Failures of an actor's own, and how a person is told of them."""


@pytest.mark.parametrize("cpus", [1, 25])
@pytest.mark.parametrize(("error", "told"), FAULTS)
@pytest.mark.parametrize("answered", [0, 1])
def test_actors_that_fail_again_and_again_end_a_run(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, cpus: int, error: Exception, told: str, answered: int
) -> None:
    monkeypatch.setattr(Counting, "deliver", lambda self: [])  # it answers, but no game is finished yet
    source, ray = begin(lambda actor, order: error if order >= 2 * answered else None, cpus=cpus)
    for _ in range((1 + answered) * 10 - 1):
        assert source.deliveries() == []
    message = f"^actors fail again and again, 10 in a row without a game: {told}$"
    with pytest.raises(SourceError, match=message):
        source.deliveries()
    assert ray.stations == ray.killed == 10 * cpus


def test_a_game_that_is_delivered_forgives_what_failed_before(begin: Begin) -> None:
    fault = TaskError(KeyError("a move"))
    # Two actors at once; the even ones fail at once, and of the odd ones every seventh lives for its two games.
    source, ray = begin(lambda actor, order: fault if actor % 14 != 13 or order >= 2 else None, cpus=2)
    come = [delivery for _ in range(100) for delivery in source.deliveries()]
    assert len(come) > 20
    assert ray.stations > 100


def test_what_comes_with_the_last_failure_is_not_lost(begin: Begin) -> None:
    fault = TaskError(KeyError("a move"))
    source, _ = begin(lambda actor, order: fault if actor < 19 else None, cpus=2)
    for _ in range(9):
        assert source.deliveries() == []
    assert games(source.deliveries()) == {0, 1}  # the tenth in one place fails, and that in the other plays


def test_nodes_may_be_killed_without_end(begin: Begin) -> None:
    source, ray = begin(lambda actor, order: ActorError("its node has died"), cpus=25)
    for _ in range(50):
        source._hire()
        ray.node += 1  # all actors are lost with it, and none has delivered anything
        assert source.deliveries() == []
    assert source.lost == 25 * 50


def test_an_exception_is_an_actors_own_while_nodes_come_and_go(begin: Begin) -> None:
    source, ray = begin(lambda actor, order: TaskError(KeyError("a move")))

    def go_on() -> None:
        source._hire()
        ray.node += 1
        assert source.deliveries() == []

    for _ in range(9):
        go_on()
    with pytest.raises(SourceError, match="KeyError: 'a move'"):
        go_on()


@pytest.mark.parametrize("plays", [True, False])
def test_any_error_of_an_actor_costs_that_actor_only(begin: Begin, plays: bool) -> None:
    source, ray = begin(lambda actor, order: AnyError("out of memory") if actor == 0 else None, plays=plays)
    assert source.deliveries() == []
    assert (source.lost, ray.killed) == (1, 1)
    assert games(source.deliveries()) == {0, 1}


def test_an_actor_whose_first_order_is_lost_gets_weights_with_the_next(begin: Begin) -> None:
    source, _ = begin(lambda actor, order: UnavailableError() if order == 0 else None, plays=False)
    assert games(source.deliveries()) == {0}
    assert source.lost == 0


def test_a_match_that_is_lost_has_no_score(begin: Begin) -> None:
    source, _ = begin()
    net = Residual(TINY).eval()
    source.begin_match(Match(3, net, net, 3, 10))
    assert source.scores(wait=True) == []


def test_a_cluster_without_room_for_an_actor_is_refused(begin: Begin) -> None:
    message = r"an actor needs 4 processors \(--threads\) and 0 GPUs \(--actor-gpus\), and no node of --ray auto has"
    with pytest.raises(ValueError, match=message):
        begin(cpus=2, share=Share(cpus=4))
    with pytest.raises(ValueError, match=r"an actor needs 1 processors \(--threads\) and 0\.5 GPUs"):
        begin(cpus=2, share=Share(gpus=0.5))


def test_while_all_nodes_are_gone_the_learner_waits(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    source, ray = begin()
    ray.there = False
    assert source.deliveries() == []
    assert slept == [1]
