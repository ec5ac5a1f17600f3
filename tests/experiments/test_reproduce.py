"""``fingal reproduce 000`` from the command line to the page."""

import json
import re
from pathlib import Path

import pytest

from fingal.experiments.figure import Arm, Figure, ends, panels
from fingal.experiments.paper_000 import protocol
from fingal.experiments.paper_000.figures import FIGURES, LEARNERS, READINGS
from fingal.experiments.paper_000.protocol import PAPER, PARTS, SMALL, best_setting, sweeps
from fingal.experiments.sweep import Outcome
from tests.conftest import Run
from tests.experiments.killing import killed_after_a_sweep


def test_a_few_figures_at_the_smallest_scale_killed_and_gone_on_with(fingal: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    arguments = ["reproduce", "000", "--scale", "smoke", "--figure", "8", "17", "19", "table", "--folder", str(folder)]
    before = killed_after_a_sweep(arguments, folder)
    ran = fingal(*arguments, "--json")
    assert ran.status == 0, ran.err
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    findings = json.loads(ran.out)
    assert findings["scale"] == "smoke"
    # One tournament in each of two seasons: twelve games among the paper's four, each with one winner.
    assert all(sum(table["wins"].values()) == 24 for table in findings["table"].values())
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in page for name in ("figure-8", "figure-17", "figure-19", "table", "time"))
    assert 'id="figure-9"' not in page
    assert not re.search(r'(src|href)="(?!#)', page), "the page needs nothing beside it"
    data = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    runs = data["sweeps"]["figure-08"]
    assert {run["asked"]["target"] for run in runs} == set(READINGS)
    assert all(run["rows"][-1]["games"] >= run["asked"]["games"] for run in runs)
    games = data["tournaments"]["negamax"]
    assert len(games) == 2 * 8 * 7
    assert {"figure-08.svg", "figure-17.svg"} <= {path.name for path in (folder / "figures").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "huge"], "there is no scale 'huge': smoke, small, paper are"),
        (["--figure", "4"], "there is no figure '4': 5, 6, 7"),
    ],
)
def test_bad_input_is_one_sentence(fingal: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    ran = fingal("reproduce", "000", *arguments, "--folder", str(tmp_path / "run"))
    assert (ran.status, ran.out) == (2, "")
    assert words in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
    assert not (tmp_path / "run").exists()


def test_a_paper_that_is_not_there(fingal: Run) -> None:
    ran = fingal("reproduce", "007")
    assert (ran.status, ran.out) == (2, "")
    assert "there is no paper '007' to reproduce: 000, 001, 002, 003, 004 are" in " ".join(ran.err.split())


def test_every_figure_of_the_paper_is_there() -> None:
    assert [figure.number for figure in FIGURES] == list(range(5, 21))
    assert PARTS[-2:] == ("table", "boards")


def test_the_papers_sweeps_have_the_papers_sizes() -> None:
    """Settings in each figure, counted by hand: 5 ratios and 4 step sizes, 2 learners and 4 step sizes, and so on."""
    sizes = {figure.number: len(figure.panels) * len(figure.curves) for figure in FIGURES}
    assert [sizes[number] for number in (5, 6, 7, 11)] == [20] * 4
    assert (sizes[8], sizes[9], sizes[10], sizes[13], sizes[14]) == (2 * 4, 5 * 5, 4 * 5, 5 * 4, 6 * 2)
    assert (sizes[15], sizes[16], sizes[17]) == (2 * 5, 2 * 5, 2 * 4)
    # One panel of figure 12 is ours.
    assert sizes[12] == 5 * 5 + 5


@pytest.mark.parametrize("scale", [SMALL, PAPER])
def test_runs_have_both_readings_and_enough_seeds(scale: protocol.Scale) -> None:
    made = {sweep.name: sweep for sweep in sweeps(scale, PARTS)}
    for name in ("figure-05", "figure-08", "figure-15"):
        runs = made[name].runs
        for reading in READINGS:
            chosen = [run for run in runs if run["target"] == reading]
            settings = {json.dumps({**run, "seed": 0}, sort_keys=True) for run in chosen}
            assert len(chosen) == scale.seeds * len(settings)
        assert scale.seeds >= 3
    # Two seasons of ten tournaments, a net of each of the eight kinds for each.
    assert [len(made[f"table-1-{reading}"].runs) for reading in READINGS] == [160, 160]


def test_the_best_setting_is_found_where_the_reading_looks() -> None:
    def run(alpha: float, reading: str, value: float, kept: float) -> Outcome:
        asked = {**LEARNERS[0].fields, "alpha": alpha, "target": reading, "seed": 1}
        return Outcome(asked, [{"games": 1.0, "value": value, "keeps_win": kept}])

    found = {"figure-08": [run(alpha, reading, alpha, 1 - alpha) for alpha in (0.1, 0.2, 0.3) for reading in READINGS]}
    assert best_setting(found, LEARNERS[0], "literal") == {**LEARNERS[0].fields, "alpha": 0.3}
    assert best_setting(found, LEARNERS[0], "negamax") == {**LEARNERS[0].fields, "alpha": 0.1}
    with pytest.raises(ValueError, match="there is no best setting of GTD2"):
        best_setting(found, LEARNERS[2], "negamax")


def test_a_figure_has_a_panel_for_each_of_its_own_and_a_row_for_each_curve() -> None:
    figure = Figure(
        99, "made up", "", "x", (Arm("p", {"a": 1}), Arm("q", {"a": 2})), (Arm("low", {"b": 1}), Arm("high", {"b": 2}))
    )
    found = [
        Outcome({"a": a, "b": b, "seed": seed}, [{"games": 5.0, "value": a / b + seed}, {"games": 9.0, "value": a / b}])
        for a in (1, 2)
        for b in (1, 2)
        for seed in (0, 1)
    ]
    found[0] = Outcome(found[0].asked, found[0].rows, "diverged at step 3")
    assert [picture.title for picture in panels(found, figure, "value", {})] == ["p: mean value over games"] * 1 + [
        "q: mean value over games"
    ]
    rows = ends(found, figure, ["value"], {})
    assert [(row["panel"], row["curve"], row["value"].value) for row in rows] == [
        ("p", "low", 1.0),
        ("p", "high", 0.5),
        ("q", "low", 2.0),
        ("q", "high", 1.0),
    ]
    assert [row["diverged"] for row in rows] == [1, 0, 0, 0]
    assert panels(found, figure, "loss", {}) == []
