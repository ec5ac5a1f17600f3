"""Nets from anywhere against a yardstick, by a paper's protocol: the rows of its tables of games."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingal.experiments import matches
from fingal.experiments.contest import by_checkpoint, curve, level
from fingal.experiments.matches import Meeting, Score
from fingal.game.board import parse_size
from fingal.game.picture import Picture, svg
from fingal.nets import checkpoint
from fingal.nets.card import write_atomically
from fingal.players import spec

_NUMBER = re.compile(r"[^=:,]*net-([0-9]+)")
"""A checkpoint's file in a player's text."""

YARDSTICK = "uct:sims=1000"
"""Who nets play where nobody else is named."""


@dataclass(frozen=True)
class Protocol:
    """One way in which a paper tests a net."""

    name: str
    """What asks for it: 'depth-2'."""
    openings: str
    """Where games begin: none, all, edge."""
    games: int | None = None
    """How many; every opening once with each colour, if not given."""
    player: str = ""
    """How a net plays, with {} for its file; '' for players that stand beside the nets."""
    asked: bool = True
    """Whether it is played when nothing is named."""
    opponent: str = YARDSTICK
    """Whom nets play, where nobody else is named."""
    sizes: tuple[int, ...] = ()
    """The sides of the boards; the one that a net was trained on, if not given."""


def meetings(
    protocols: Sequence[Protocol],
    nets: Sequence[Path],
    opponent: str | None = None,
    parts: Sequence[str] = (),
    players: Sequence[str] = (),
    beside: Sequence[str] = (),
    seed: int = 1,
) -> Iterator[Meeting]:
    """What is to be played: every net by every protocol, and the players beside them.

    ``opponent`` takes the place of the protocols' own, ``parts`` names the protocols, ``players`` are other ways for
    nets to play than the protocols have. ValueError for what is not there.
    """
    names = [protocol.name for protocol in protocols]
    for part in parts:
        if part not in names:
            raise ValueError(f"there is no protocol {part!r} for nets: {', '.join(names)} are")
    sizes = {net: _side(net) for net in nets}
    for protocol in protocols:
        if protocol.name not in parts and (parts or not protocol.asked):
            continue
        met = opponent or protocol.opponent
        if not protocol.player:
            for text, size in ((text, size) for size in sorted(set(sizes.values())) for text in beside):
                yield Meeting(text, text, met, size, protocol.openings, protocol.games, seed)
            continue
        for net, template in ((net, template) for net in nets for template in players or (protocol.player,)):
            name = str(spec.filled(template, _label(net)))
            text = str(spec.filled(template, str(net)))
            for size in protocol.sizes or (sizes[net],):
                yield Meeting(name, text, met, size, protocol.openings, protocol.games, seed)


def measure(asked: Sequence[Meeting], folder: Path, jobs: int, tell: matches.Tell) -> list[Score]:
    """Play the meetings and write ``scores.md`` and ``scores.json`` into the folder, and curves over checkpoints."""
    scores = matches.play(asked, folder, jobs, tell)
    for name, picture in over_training(scores).items():
        write_atomically(folder / f"{name}.svg", svg(picture).encode())
    (folder / "scores.md").write_text(matches.markdown(scores), encoding="utf-8")
    (folder / "scores.json").write_text(json.dumps([score.as_dict() for score in scores], indent=1), encoding="utf-8")
    return scores


def over_training(scores: Sequence[Score]) -> dict[str, Picture]:
    """Shares won by checkpoints, which have their number in the file's name, over that number; one picture a board.

    Players beside them are lines. Boards with fewer than two checkpoints have none.
    """
    pictures: dict[str, Picture] = {}
    for size, opponent in dict.fromkeys((score.meeting.size, score.meeting.opponent) for score in scores):
        points: dict[str, dict[int, list[Score]]] = {}
        lines = []
        for score in scores:
            meeting = score.meeting
            if (meeting.size, meeting.opponent) != (size, opponent):
                continue
            number = _NUMBER.search(meeting.name)
            if number is None:
                lines.append(score)
            else:
                name = f"{_NUMBER.sub('…', meeting.name)}, {meeting.openings}"
                points.setdefault(name, {}).setdefault(int(number[1]), []).append(score)
        most = max((at for drawn in points.values() for at in drawn), default=0)
        if any(len(drawn) > 1 for drawn in points.values()):
            curves = [curve(name, drawn) for name, drawn in points.items()]
            curves += [level(score, score.meeting.name, most) for score in lines]
            picture = by_checkpoint(f"{size}x{size}: won against {opponent}", curves, "checkpoint")
            if picture is not None:
                pictures[f"curve-{size}x{size}-{len(pictures)}"] = picture
    return pictures


def _side(net: Path) -> int:
    """The side of the board that a net was trained on."""
    _, card = checkpoint.load_any(net)
    if not card.sizes:
        raise ValueError(f"{net} does not say which board it was trained on")
    width, height = parse_size(card.sizes[0])
    if width != height:
        raise ValueError(f"{net} was trained on {card.sizes[0]}: a square board is expected")
    return width


def _label(net: Path) -> str:
    """A short name: the run's and the file's."""
    run = net.resolve().parent
    run = run.parent if run.name == "checkpoints" else run
    return f"{run.name}/{net.stem}"
