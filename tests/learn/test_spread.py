"""A run that is spread over machines, without the machines: what actors keep, what comes again, what is refused."""

import re
import socket
import sys
import threading
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from fingal import cli
from fingal.learn.alphazero import Trainer, new_actor, train
from fingal.learn.parts.delivery import Delivery, packed, unpacked
from fingal.learn.parts.ray_source import Share, connect
from fingal.learn.parts.run import Run
from fingal.learn.parts.source import Local, SourceError
from fingal.learn.parts.station import Station
from fingal.nets.residual import Residual
from tests.learn.test_alphazero import FAST, TINY


def test_a_station_sends_what_was_not_taken_again_and_forgets_what_was(tmp_path: Path) -> None:
    torch.manual_seed(0)
    weights = packed(7, Residual(TINY).eval())
    station = Station(partial(new_actor, FAST), "cpu", 1)
    first = station.play(weights, 1, 0, False)
    while not first:
        first = station.play(None, 1, 0, False)
    second = station.play(None, 1, 0, True)  # nobody has said that the first has come
    assert [kept.number for kept in second[: len(first)]] == [kept.number for kept in first]
    third = station.play(None, 1, second[-1].number, True)
    assert not {kept.number for kept in third} & {kept.number for kept in second}

    run = Run(tmp_path, asdict(FAST))
    trainer = Trainer(FAST, run, torch.device("cpu"))
    come = [kept.delivery for kept in (*third, *second, *first)]  # twice, and the wrong way round
    for delivery in come:
        trainer.take(delivery)
    names = [(delivery.pool, game[0]) for delivery in come for game in delivery.games]
    progress = trainer.progress
    assert progress.delivered == len(names)
    assert progress.games == len(trainer.ledger) == len(set(names)) < len(names)
    assert progress.duplicates == sum(len(kept.delivery.games) for kept in first)
    assert trainer.figures()["staleness"] == -7  # before any step of learning, from weights of version 7
    run.close()


def test_a_run_that_was_elsewhere_goes_on_here_and_knows_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, asdict(FAST))
    trainer = Trainer(FAST, run, torch.device("cpu"))
    assert isinstance(trainer.source, Local)
    come: list[Delivery] = []
    while not come:
        come = trainer.source.deliveries()
    for delivery in come:
        trainer.take(delivery)
    monkeypatch.setattr(trainer.source, "kept", lambda: ({}, {}))  # as actors on other machines have it
    trainer.save()
    run.close()
    again = Trainer(FAST, run := Run(tmp_path, asdict(FAST)), torch.device("cpu"))
    games = trainer.progress.games
    assert len(again.ledger) == again.progress.games == games > 0
    for delivery in come:
        again.take(delivery)
    assert (again.progress.games, again.progress.duplicates) == (games, games)
    while again.progress.games == games:  # whoever plays here now has the first numbers again, under another name
        again.play()
    assert again.progress.duplicates == games
    run.close()


def test_two_stations_never_play_the_same_games() -> None:
    torch.manual_seed(0)
    weights = packed(0, Residual(TINY).eval())
    stations = [Station(partial(new_actor, FAST), "cpu", 1) for _ in range(2)]
    played = []
    for station in stations:
        come = []
        while len(come) < 4:
            come += [kept.delivery for kept in station.play(weights, 1, 0, False)]
        played.append(come)
    assert played[0][0].actor != played[1][0].actor
    assert [game[4] for one in played[0] for game in one.games] != [game[4] for one in played[1] for game in one.games]


def test_sample_games_of_two_actors_are_kept_side_by_side(tmp_path: Path) -> None:
    run = Run(tmp_path, asdict(FAST))
    trainer = Trainer(FAST, run, torch.device("cpu"))
    come: list[Delivery] = []
    while not come:
        come = trainer.source.deliveries()
    one = come[0].only(np.arange(len(come[0].games)) == 0)
    for actor, pool in (("first", 0), ("second", 0), ("second", 1)):  # all with the same number
        trainer.take(replace(one, actor=actor, pool=pool))
    trainer.save()
    run.close()
    assert len(list((tmp_path / "games").glob("*.sgf"))) == 3


def test_an_actor_needs_weights() -> None:
    with pytest.raises(ValueError, match="cannot play before it has weights"):
        Station(partial(new_actor, FAST), "cpu", 1).play(None, 0, 0, False)


def test_weights_arrive_as_they_were() -> None:
    torch.manual_seed(0)
    net = Residual(TINY).eval()
    there = unpacked(packed(3, net), torch.device("cpu"))
    planes = torch.rand(2, 5, 6, 6)
    assert torch.equal(net(planes).policy, there(planes).policy)


@pytest.mark.parametrize(
    ("share", "resources", "actors"),
    [
        (Share(), {"CPU": 4.0}, 4),
        (Share(cpus=3), {"CPU": 8.0}, 2),
        (Share(cpus=2, gpus=1), {"CPU": 64.0, "GPU": 8.0}, 8),
        (Share(cpus=2, gpus=0.5), {"CPU": 6.0, "GPU": 8.0}, 3),
        (Share(cpus=1, gpus=0.1), {"CPU": 64.0, "GPU": 1.0}, 10),
        (Share(gpus=1), {"CPU": 64.0}, 0),
        (Share(), {}, 0),
    ],
)
def test_how_many_actors_a_node_has_room_for(share: Share, resources: dict[str, float], actors: int) -> None:
    assert share.fit(resources) == actors


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ray", "local"], "--ray needs Ray, which is not installed: pip install 'fingal[ray]'"),
        (["--ray", "somewhere"], "--ray must be local, auto or HOST:PORT, not 'somewhere'"),
        (["--ray", "ray://head:10001"], "--ray must be local, auto or HOST:PORT, not 'ray://head:10001'"),
        (["--ray", "127.0.0.1:{port}"], "--ray 127.0.0.1:{port} does not answer: [Errno 111] Connection refused"),
        (["--actors", "3"], "actors and actor_gpus are for a cluster: name it with --ray"),
        (["--ray", "local", "--actors", "-1"], "actors must be at least 0, not -1"),
        (["--publish-steps", "0"], "publish_steps must be at least 1, not 0"),
    ],
)
def test_a_cluster_that_cannot_be_had_is_named_in_one_sentence(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    port = closed_port()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    monkeypatch.setattr(sys, "argv", ["fingal", "train", "alphazero", *(a.format(port=port) for a in arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert message.format(port=port) in " ".join(capsys.readouterr().err.split())


SETTINGS = bytes.fromhex("000006 04 00 00000000 0003 00000064")
"""What a server of gRPC says first: the frame of RFC 9113, section 6.5, with a limit of 100 streams."""


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "--ray 127.0.0.1:{port} is not Ray: something else listens there"),
        (b"", "--ray 127.0.0.1:{port} is not Ray: something else listens there"),
        (SETTINGS, "--ray needs Ray, which is not installed: pip install 'fingal[ray]'"),
    ],
)
def test_a_port_where_something_else_listens_is_refused(
    answer: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delenv("RAY_USE_TLS", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            there, _ = server.accept()
            with there:
                there.recv(1000)
                there.sendall(answer)

        served = threading.Thread(target=serve)
        served.start()
        with pytest.raises(ValueError, match=f"^{re.escape(message.format(port=port))}$"):
            connect(f"127.0.0.1:{port}")
        served.join()


def test_a_run_whose_actors_fail_is_saved_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(FAST, steps=0, checkpoint_steps=0)  # it would be saved after minutes
    trainer = Trainer(config, run := Run(tmp_path, asdict(config)), torch.device("cpu"))
    play = trainer.source.deliveries

    def deliveries() -> list[Delivery]:
        if trainer.progress.games:
            raise SourceError("actors fail")
        return play()

    monkeypatch.setattr(trainer.source, "deliveries", deliveries)
    with pytest.raises(SourceError, match="actors fail"):
        list(train(trainer))
    run.close()
    again = Trainer(config, run := Run(tmp_path, asdict(config)), torch.device("cpu"))
    assert again.progress.games == trainer.progress.games > 0
    assert again.replay.seen == trainer.replay.seen
    run.close()
