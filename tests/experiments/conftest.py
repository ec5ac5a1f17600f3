"""Experiments without processes of their own, each of which would load torch anew."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fingal.arena.crew import Alone
from fingal.experiments import sweep, workshop
from fingal.experiments.sweep import Outcome, Sweep


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are trained and games are played in this process: what processes add has tests of its own."""

    def work(
        sweeps: Sequence[Sweep], folder: Path, processes: int, watch: workshop.Watch
    ) -> tuple[dict[str, list[Outcome]], dict[str, str]]:
        for one in sweeps:
            if sweep.outcomes(one, folder) is None:
                sweep.train(sweep.prepare(one, folder), lambda share: None)
        found = {one.name: sweep.outcomes(one, folder) for one in sweeps}
        return {name: kept for name, kept in found.items() if kept is not None}, {}

    monkeypatch.setattr("fingal.experiments.study.work", work)
    monkeypatch.setattr("fingal.experiments.matches.Workers", lambda jobs, patience: Alone())
