"""Learners that train one net in a run's folder, as the runs of a sweep: one after the other, each gone on with.

Their module has ``Trainer`` and ``train``, as ``fingal train`` needs them. The rows of a run are what it logged, and
its nets stay where it keeps them: ``runs/00/checkpoints`` in the sweep's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fingal.arena.json_files import read_rows
from fingal.learn.parts.run import METRICS, Run

LATEST = "latest.safetensors"
"""The net as it was at the end."""


def train(
    module: Any,
    settings: Sequence[Any],
    devices: Sequence[str],
    starts: Sequence[Path | None],
    place: Path,
    tell: Callable[[float], None],
) -> list[dict[str, Any]]:
    """Train every run of a sweep whose folder is ``place``; what there is to keep of each.

    ``devices`` are cpu, cuda or auto, which takes a GPU when there is one; ``starts`` are nets to begin from.
    """
    import torch

    done = []
    for number, (config, device, start) in enumerate(zip(settings, devices, starts, strict=True)):
        chosen = device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
        run = Run(folder(place, number), asdict(config))
        try:
            trainer = module.Trainer(config, run, torch.device(chosen), start)
            for _ in module.train(trainer):
                tell((number + trainer.done_share()) / len(settings))
        finally:
            run.close()
        logged = rows(run.folder)
        seconds = 60.0 * logged[-1].get("minutes", 0.0) if logged else 0.0
        updates = max((int(row.get("updates", row.get("steps", 0))) for row in logged), default=0)
        done.append({"rows": logged, "diverged": "", "updates": updates, "seconds": seconds})
    return done


def folder(place: Path, number: int = 0) -> Path:
    """The folder of a run in a sweep's."""
    return place / "runs" / f"{number:02d}"


def nets(place: Path, number: int = 0) -> dict[int, Path]:
    """The nets that a run of a sweep has kept, by the number in their names, the oldest first."""
    return kept(folder(place, number))


def kept(run: Path) -> dict[int, Path]:
    """The same for a run's own folder."""
    files = sorted((run / "checkpoints").glob("net-*.safetensors"))
    return {int(file.stem.removeprefix("net-")): file for file in files}


def spread(nets: Mapping[int, Path], count: int) -> dict[int, Path]:
    """So many of a run's nets, evenly spread, the first and the last among them."""
    if len(nets) <= count or count < 2:
        return dict(nets) if len(nets) <= count else {max(nets): nets[max(nets)]}
    order = sorted(nets)
    return {order[at]: nets[order[at]] for at in (round(n * (len(order) - 1) / (count - 1)) for n in range(count))}


def latest(place: Path, number: int = 0, file: str = LATEST) -> Path:
    """The net of a run's end, or one of another name that it keeps."""
    return folder(place, number) / "checkpoints" / file


def rows(run: Path) -> list[dict[str, float]]:
    """The figures that a run has logged, in order, the last where a step was logged twice.

    It is when an older Fingal's run was killed between two saves. A line that a kill cut short counts as none;
    ValueError where another line is no row.
    """
    file = run / METRICS
    logged = {row["step"]: row for row in (read_rows(file, live=True) if file.exists() else ())}
    return [{name: value for name, value in row.items() if name != "time"} for _, row in sorted(logged.items())]
