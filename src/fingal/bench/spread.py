"""``fingal bench spread``: games a second against actors on this machine, and what a position costs on its way."""

from __future__ import annotations

import argparse
import json
import pickle
import time
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from fingal.arena import charts
from fingal.game.picture import Picture, check_name, save

ACTORS = (1, 2, 4)
SIZES = (5, 9, 13)


def measure(seconds: float = 20.0) -> dict[str, Any]:
    """Games a second of 1, 2 and 4 actors that Ray starts here, None without Ray; bytes and time of taking their games.

    Actors play 5x5 as ``--preset cpu-5x5`` does, all with the same untrained net. Bytes are those of pickled deliveries
    and weights, which is what Ray sends. Processor time is this process's own, so other work on the machine does
    not count.
    """
    found: dict[str, Any] = {}
    for net in ("small", "large"):
        found[f"weights_bytes_{net}"] = _weights(net)
    for size in SIZES:
        found |= {f"{name}_{size}x{size}": value for name, value in taken(size).items()}
    for actors in ACTORS:
        found |= {f"{name}_{actors}": value for name, value in _played(actors, seconds).items()}
    return found


def _weights(net: str) -> int:
    from fingal.learn.parts.delivery import packed
    from fingal.nets.residual import LARGE, SMALL, Residual

    return len(pickle.dumps(packed(0, Residual({"small": SMALL, "large": LARGE}[net])), 5))


def taken(size: int) -> dict[str, float]:
    """What a position costs from the actor to the replay, with one thread; games are an untrained net's."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _taken(size)
    finally:
        torch.set_num_threads(threads)


def _taken(size: int) -> dict[str, float]:
    import torch

    from fingal.learn.alphazero import PRESETS, new_actor
    from fingal.learn.parts.delivery import Delivery
    from fingal.learn.parts.ledger import Ledger
    from fingal.learn.parts.replay import Replay
    from fingal.nets.residual import Config, Residual

    torch.manual_seed(1)
    shape = Config(blocks=1, channels=8, pool_channels=4, policy_channels=4, value_channels=4, value_hidden=8)
    config = replace(PRESETS["cpu-5x5"], net=shape, sizes=(size,), games=16, full_simulations=2, cheap_simulations=1)
    net, here = Residual(shape).eval(), torch.device("cpu")
    actor = new_actor(config, net, here, 1)
    actor.take(0, net)
    come: list[Delivery] = []
    while sum(len(delivery.games) for delivery in come) < 30:
        # As many rounds as make deliveries of the size that GPUs send.
        for _ in range(512):
            actor.play()
        come += actor.deliver()
    games = sum(len(delivery.games) for delivery in come)
    positions = sum(len(delivery.samples["value"]) for delivery in come)
    sent = [pickle.dumps(delivery, 5) for delivery in come]
    ledger, replay = Ledger(), Replay(config.replay, size, here)
    begin = time.process_time()
    for packet in sent:
        one = pickle.loads(packet)
        new = ledger.take(one.actor, one.pool, one.slots, [game[0] for game in one.games])
        replay.add(one.only(new).samples, size, config.search_share)
    spent = time.process_time() - begin
    return {
        "position_bytes": sum(map(len, sent)) / positions,
        "position_bytes_deflated": sum(len(zlib.compress(packet, 1)) for packet in sent) / positions,
        "moves_a_game": sum(len(game[4]) for one in come for game in one.games) / games,
        "positions_a_game": positions / games,
        "take_us_a_position": 1e6 * spent / positions,
    }


def _played(actors: int, seconds: float) -> dict[str, float | None]:
    """Games a second of so many actors, from when all of them have delivered."""
    import torch

    from fingal.learn.alphazero import PRESETS, new_actor
    from fingal.learn.parts.ray_source import RaySource, Share
    from fingal.nets.residual import Residual

    torch.manual_seed(1)
    config = PRESETS["cpu-5x5"]
    net = Residual(config.net).eval()
    try:
        source = RaySource(
            "local", partial(new_actor, config), lambda: (0, net), actors=actors, share=Share(1 / max(ACTORS))
        )
    except ValueError:
        return {"games_per_s": None, "judgements_per_s": None}
    try:
        source.renew()
        names: set[str] = set()
        while len(names) < actors:
            names |= {delivery.actor for delivery in source.deliveries()}
        games, tallies = 0, dict[str, tuple[int, int]]()
        begin = time.perf_counter()
        while (spent := time.perf_counter() - begin) < seconds:
            for delivery in source.deliveries():
                games += len(delivery.games)
                judged = delivery.tally.judgements
                tallies[delivery.actor] = tallies.get(delivery.actor, (judged, judged))[0], judged
    finally:
        source.close()
    judgements = sum(last - first for first, last in tallies.values())
    return {"games_per_s": games / spent, "judgements_per_s": judgements / spent}


def table(results: dict[str, Any]) -> Table:
    """The results for people."""
    shown = Table("figure", "value", title="self-play that is spread")
    for name, value in results.items():
        shown.add_row(name, "-" if value is None else f"{value:,.0f}" if value > 100 else f"{value:.2f}")
    return shown


def picture(results: dict[str, Any]) -> Picture:
    """Games a second against actors, beside what as many times one actor's would be."""
    points = [(float(actors), float(results[f"games_per_s_{actors}"])) for actors in ACTORS]
    in_step = [(x, x * points[0][1]) for x, _ in points]
    curves = [charts.Curve("measured", points, dots=True), charts.Curve("in step with actors", in_step)]
    return charts.plane("Games a second against actors", curves, x_name="actors", x_range=(0, 4.2), width=480)


class Needs(NamedTuple):
    """What a learner needs, and how far behind it games are, when so many GPUs play."""

    positions_per_s: float
    """That are delivered."""
    bytes_in_per_s: float
    bytes_out_per_s: float
    """Weights, to all actors together."""
    cores: float
    """That take games in."""
    learners: float
    """GPUs that learn."""
    steps_per_s: float
    seconds_behind: float
    """How old the weights are, on average, with which a game began, when it is delivered."""
    steps_behind: float
    balanced: float
    """Judgements a position with which one GPU that learns keeps up."""


def needs(
    gpus: int,
    *,
    judgements_per_s: float,
    judgements_a_position: float,
    judgements_a_game: float,
    games_at_once: int,
    position_bytes: float,
    weights_bytes: float,
    take_us_a_position: float,
    learned_per_s: float,
    reuse: float = 2.5,
    batch: int = 4096,
    publish_steps: int = 20,
) -> Needs:
    """Work it out from figures of one GPU: one actor plays on each, and one GPU learns ``learned_per_s`` positions."""
    positions = gpus * judgements_per_s / judgements_a_position
    steps = reuse * positions / batch
    # A game begins with weights that were published half an interval ago, and lasts while all beside it are played.
    behind = publish_steps / 2 / steps + games_at_once * judgements_a_game / judgements_per_s
    return Needs(
        positions_per_s=positions,
        bytes_in_per_s=positions * position_bytes,
        bytes_out_per_s=gpus * weights_bytes * steps / publish_steps,
        cores=positions * take_us_a_position / 1e6,
        learners=reuse * positions / learned_per_s,
        steps_per_s=steps,
        seconds_behind=behind,
        steps_behind=behind * steps,
        balanced=reuse * gpus * judgements_per_s / learned_per_s,
    )


def main() -> None:
    """Measure, print the figures, and draw them into a file if there are actors to draw."""
    parser = argparse.ArgumentParser(prog="python -m fingal.bench.spread", description=main.__doc__)
    parser.add_argument("file", type=Path, help="the picture, FILE.svg or FILE.png")
    file = parser.parse_args().file
    try:
        check_name(file)
    except ValueError as error:
        parser.error(str(error))
    measured = measure()
    print(json.dumps(measured, indent=1))
    if measured[f"games_per_s_{ACTORS[0]}"] is not None:
        save(picture(measured), file)


if __name__ == "__main__":
    main()
