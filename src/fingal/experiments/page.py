"""What a paper's experiments leave in their folder: a page, its pictures as files, and the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from fingal.arena import provenance
from fingal.arena.report.markup import Section
from fingal.arena.report.page import frame
from fingal.game.picture import Picture, svg
from fingal.nets.card import write_atomically


def write(
    folder: Path,
    title: str,
    scale: str,
    counts: Mapping[str, int],
    sections: Sequence[Section],
    pictures: Mapping[str, Picture],
    data: object,
) -> None:
    """Write ``page.html``, ``figures/*.svg`` and ``data.json``; ``counts`` stand at the page's head, by name."""
    top = "".join(f"<li><b>{count:,}</b>{name}</li>" for name, count in counts.items() if count)
    facts = {
        "Fingal": version("fingal"),
        "scale": scale,
        "machine": provenance.machine(),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "page.html", frame(title, top, sections, facts).encode())
    place = folder / "figures"
    place.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        write_atomically(place / f"{name}.svg", svg(picture).encode())
    write_atomically(folder / "data.json", json.dumps(data).encode())
