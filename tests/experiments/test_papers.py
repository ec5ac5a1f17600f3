"""``fingal reproduce 001`` and ``004`` from the command line to the page."""

import json
import re
from pathlib import Path

import pytest

from fingal.cli import app
from fingal.experiments.ablation import sweeps
from fingal.experiments.paper_001 import protocol as protocol_001
from fingal.experiments.paper_004 import protocol as protocol_004
from fingal.experiments.study import BASE
from tests.conftest import Run
from tests.experiments.killing import killed_after_a_sweep


def smallest(folder: Path, paper: str, *parts: str) -> list[str]:
    """What asks for a paper at the smallest scale."""
    arguments = ["--scale", "smoke", "--jobs", "1", "--folder", str(folder), "--json", "--opponent", "uct:sims=10"]
    return ["reproduce", paper, "--figure", *parts, *arguments]


def reproduced(fingal: Run, folder: Path, paper: str, *parts: str) -> tuple[dict, dict, str]:  # type: ignore[type-arg]
    """Findings, data and page of a paper at the smallest scale."""
    ran = fingal(*smallest(folder, paper, *parts))
    assert ran.status == 0, ran.err
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#)', page), "the page needs nothing beside it"
    return json.loads(ran.out), json.loads((folder / "data.json").read_text(encoding="utf-8")), page


@pytest.mark.usefixtures("alone")
def test_neurohex_at_the_smallest_scale(fingal: Run, tmp_path: Path) -> None:
    findings, data, page = reproduced(fingal, tmp_path, "001", "curves", "match", "database", "actor", "search")
    assert (findings["opponent"], findings["failed"]) == ("uct:sims=10", {})
    assert all(f'id="{name}"' in page for name in ("curves", "match", "database", "actor", "search"))
    assert 'id="border"' not in page
    # The base has two seeds, the empty board two, the actor one.
    assert len(data["runs"]) == 5
    by_name = [(match["openings"], match["played"]) for match in data["matches"]]
    # All openings of 3x3 with both colours; eight games from the empty board.
    assert set(by_name) == {("all", 18), ("none", 8)}
    against = [match for match in data["matches"] if match["against"] == "the same net as mentored"]
    assert len(against) == 2
    shares = findings["ablations"]["database"]["score"]
    assert set(shares) == {"from a database", "from the empty board"}
    policy = [match for match in data["matches"] if "policy.safetensors" in match["player"]]
    assert len(policy) == 1
    assert {"curve-value.svg", "curve-cost.svg", "database.svg"} <= {path.name for path in tmp_path.glob("figures/*")}


def test_ezo_at_the_smallest_scale_killed_and_gone_on_with(fingal: Run, tmp_path: Path) -> None:
    parts = ("curve", "time", "best", "target")
    before = killed_after_a_sweep(smallest(tmp_path, "004", *parts), tmp_path)
    findings, data, page = reproduced(fingal, tmp_path, "004", *parts)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    assert findings["failed"] == {}
    assert all(f'id="{name}"' in page for name in ("curve-3", "time-3", "best-3", "target"))
    assert len(data["runs"]) == 6
    board = findings["boards"]["3"]
    assert set(board["lines"]) == {"resistance:depth=2", "characteristics:depth=2"}
    for chosen, again in board["chosen_and_again"].values():
        # Four times as many fresh games as those that chose it, on openings near the sides: all nine of 3x3.
        assert (chosen[1], again[1]) == (18, 72)
    fresh = [match for match in data["matches"] if match["seed"] == protocol_004.FRESH]
    assert len(fresh) == 2
    assert {match["openings"] for match in data["matches"]} == {"edge"}
    runs = {name: run[0]["asked"]["target"] for name, run in data["runs"].items()}
    assert sorted(runs.values()) == ["best", "best", "complement", "complement", "literal", "literal"]


@pytest.mark.parametrize("paper", ["001", "004"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "huge"], "there is no scale 'huge': smoke, small, paper are"),
        (["--figure", "nothing"], "there is no figure 'nothing': curve"),
        (["--opponent", "nobody"], "there is no player 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, paper: str, arguments: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        app.cli(args=["reproduce", paper, *arguments, "--folder", str(tmp_path / "run")])
    assert not (tmp_path / "run").exists()


def test_arms_differ_in_what_they_are_about_alone() -> None:
    for scale in (protocol_001.SMALL, protocol_004.SMALL):
        plan = scale.plan() if isinstance(scale, protocol_001.Scale) else scale.plans()[0]
        base = plan.asked(BASE, 1)
        for choice in scale.ablations((*protocol_001.PARTS, *protocol_004.PARTS)):
            settings = [plan.asked(arm, 1) for arm in choice.arms]
            for one in settings[1:]:
                changed = {name for name, value in one.items() if settings[0].get(name) != value}
                assert len(changed) == 1, (choice.name, changed)
                assert set(one) == set(base), "every varied field is among the common ones"


def test_equal_runs_are_trained_once() -> None:
    scale = protocol_004.SMALL
    plan = scale.plans()[0]
    made = sweeps(plan, BASE, scale.ablations(protocol_004.PARTS))
    assert len({sweep.name for sweep in made}) == len(made)
    # Three seeds of: the base; two targets, two copies, no connections, no past; and two of few epochs.
    assert len(made) == 3 * (1 + 2 + 2 + 1 + 1 + 2)


def test_the_papers_sizes() -> None:
    boards = {board["size"]: board for board in protocol_004.PAPER.boards}
    assert {size: (board["games"], board["latest_turn"]) for size, board in boards.items()} == {
        7: (500, 20),
        9: (750, 40),
        11: (750, 60),
    }
    assert protocol_001.PAPER.board["size"] == 13
    assert protocol_001.PAPER.free == 1000
