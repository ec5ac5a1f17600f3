"""``fingal reproduce 002``: from the command line to the page, and what its figure is made of."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from fingal.arena.store import StoredGame
from fingal.experiments import full_size
from fingal.experiments.figure import interpolated
from fingal.experiments.matches import Meeting, Score
from fingal.experiments.paper_002 import exact, finished, learning, protocol, quoted, trials
from fingal.experiments.paper_002.finished import Finished
from fingal.experiments.paper_002.learning import lines, panels
from fingal.experiments.paper_002.protocol import LEARNERS, PAPER, PARTS, SMALL, TUNING, Learner
from fingal.experiments.study import BASE
from fingal.game import BLACK, WHITE
from fingal.game.picture import Picture
from fingal.learn import alternating
from fingal.learn.parts.markov_games import G2
from fingal.nets import checkpoint
from fingal.nets.card import Card
from fingal.nets.convolutional import Config, Convolutional
from tests.conftest import Run

V, A, MEAN, MIN_A, MIN_B = LEARNERS


@pytest.mark.usefixtures("alone")
def test_the_smallest_scale_and_its_runs_once_more(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["reproduce", "002", "--scale", "smoke", "--jobs", "1", "--json", "--folder", "run"]
    parts = [part for part in PARTS if part not in ("schemes", "backup")]
    ran = fingal(*arguments, "--figure", *parts)
    assert ran.status == 0, ran.err
    findings = json.loads(ran.out)
    assert findings["failed"] == {}
    page = Path("run/page.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#)', page), "the page needs nothing beside it"
    assert all(f'id="{"figure-2" if name == "2" else name}"' in page for name in parts)
    assert 'id="backup"' not in page
    data = json.loads(Path("run/data.json").read_text(encoding="utf-8"))
    # The supervised net, two rates of one learner, five learners, and five beyond.
    assert len(data["runs"]) == 1 + 2 + 5 + 5
    points = [match for match in data["matches"] if match["opponent"] == "resistance:depth=1"]
    # Every opening of 3x3 with both colours. The start, which all runs share, plays once as it is, once with a critic's
    # head beside it, and once its best moves.
    assert [match["played"] for match in points] == [18] * (2 + 5 + 5 + 3)
    assert sum("temperature=1" not in match["player"] for match in points) == 1
    assert {"figure-2-3x3-k1.svg", "tabular-even-k1.svg"} <= {path.name for path in Path("run/figures").iterdir()}
    assert "supervised, best moves" in Path("run/figures/figure-2-3x3-k1.svg").read_text(encoding="utf-8")

    # The same figure of runs that are there: nobody trains, and nobody plays again.
    monkeypatch.setattr("fingal.experiments.study.work", None)
    monkeypatch.setattr("fingal.experiments.matches.Workers", lambda jobs, patience: Nobody())
    again = fingal(*arguments, "--runs", "run/sweeps")
    assert again.status == 0, again.err
    ends = json.loads(again.out)["ends"]
    same = ["3x3 REINFORCE-A", "3x3 REINFORCE-B, k = 1"]
    assert [ends[name] for name in same] == [findings["ends"][name] for name in same]
    # Not those that chose a rate; and those beyond the paper say what they have instead.
    assert sum("REINFORCE-V" in name for name in ends) == 1
    assert {"3x3 AMCPG-A, baseline mean, k = 1", "3x3 AMCPG-A, baseline none, k = 1"} <= set(ends)


class Nobody:
    """A crew that does not play."""

    def close(self) -> None:
        pass


def test_schemes_are_drawn_by_game() -> None:
    """From one start of the game that is made for it, both greedy at once go round in a circle of three."""
    start = [np.array([0, 1, 0, 0, 1, 1])]
    pictures: dict[str, Picture] = {}
    shown = exact.scheme_section(alternating.compare(G2, start, exact.ITERATIONS), pictures)
    assert list(pictures) == ["schemes-g2"]
    assert "Algo.2: both greedy</th><td>0 of 1</td><td>1 of length 3</td>" in shown.body
    assert "Algo.3: the first greedy, the second responds</th><td>1 of 1</td><td>none</td>" in shown.body


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["002", "--scale", "huge"], "there is no scale 'huge': smoke, small, paper are"),
        (["002", "--figure", "7"], "there is no figure '7': schemes, bias, tabular, rates, 2, beyond, table-1"),
        (["002", "--opponent", "nobody"], "there is no player 'nobody'"),
        (["002", "--runs", "nowhere"], "nowhere holds no runs of reinforce-v, reinforce-a, reinforce-b, amcpg-a"),
        (["004", "--runs", "nowhere"], "paper 004 has no figure of runs that are there: 002 and 003 have"),
    ],
)
def test_bad_input_is_one_sentence(fingal: Run, arguments: list[str], words: str) -> None:
    ran = fingal("reproduce", *arguments, "--folder", "run")
    assert (ran.status, ran.out) == (2, "")
    assert words in " ".join(ran.err.split())
    assert not Path("run").exists()


def test_the_papers_tables_as_printed() -> None:
    shares = [[round(100 * rate.value, 1) for rate in (q.first, q.second, q.all)] for q in quoted.EQUAL_SIMULATIONS]
    assert shares == [[77.8, 59.3, 68.5], [83, 58, 70.5], [75.2, 48.8, 62.0], [78.5, 55.6, 67.0], [69.8, 45.6, 57.7]]
    assert [round(100 * rate.value, 1) for rate in quoted.STARTS.values()] == [13.2, 4.6]


def test_the_papers_sizes() -> None:
    """9x9 with k of 1 and 3, 11x11 with all: three seeds of 1 and 3, one of 6 and 9; V and A have no k."""
    runs = {
        learner.key: [(p.common["size"], p.common.get("k"), p.seeds) for p in PAPER.plans(learner, 0.001)]
        for learner in LEARNERS
    }
    assert runs["reinforce-v"] == runs["reinforce-a"] == [(9, None, 3), (11, None, 3)]
    assert runs["amcpg-b"] == [(9, 1, 3), (9, 3, 3), (11, 1, 3), (11, 3, 3), (11, 6, 1), (11, 9, 1)]
    assert [protocol.point("x", Path("net"), "random", size).plan().total for size in (9, 11)] == [162, 242]


def test_runs_that_choose_a_rate_are_not_measured() -> None:
    measured = {
        plan.sweep(BASE, seed).name
        for learner in LEARNERS
        for rate in SMALL.rates[learner.key]
        for plan in SMALL.plans(learner, rate)
        for seed in range(1, plan.seeds + 1)
    }
    tried = {
        plan.sweep(BASE, TUNING + number).name
        for learner in LEARNERS
        for plan in SMALL.tuning(learner).values()
        for number in range(SMALL.rate_seeds)
    }
    assert tried
    assert not tried & measured
    assert protocol.chosen({0.1: [0.2, 0.4], 0.2: [0.3, 0.35], 0.3: [0.3, 0.3]}) == 0.2


def run(learner: Learner, k: int | None, seed: int, places: dict[int, Path], **more: object) -> Finished:
    """A run whose iterations cost 10 positions each."""
    rows = [{"iteration": float(at), "positions": 10.0 * at} for at in places if at]
    return Finished(learner, k, 3, seed, {"learning_rate": 0.01, **more}, rows, places)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, dict[int, Path]]:
    """Nets of four runs, after 0, 1 and 2 iterations; all but the last begin with the same net."""
    made = {}
    for name in "abcd":
        made[name] = {at: tmp_path / name / f"net-{at:05d}.safetensors" for at in range(3)}
        (tmp_path / name).mkdir()
        for at, file in made[name].items():
            weights = "other start" if name == "d" and at == 0 else "start" if at == 0 else f"{name}{at}"
            head = f'{{"run": "{name}"}}'
            file.write_bytes(len(head).to_bytes(8, "little") + head.encode() + weights.encode())
    return made


def score(meeting: Meeting, wins: int, games: int = 4) -> Score:
    """The player, Black in games with odd numbers, wins the first so many."""
    played = []
    for number in range(1, games + 1):
        black = number % 2 == 1
        winner = BLACK if black == (number <= wins) else WHITE
        names = ("one", "two") if black else ("two", "one")
        played.append(StoredGame("e", number, *names, 3, 3, "", winner, "", "", 9, (0.0, 0.0), "", str(number)))
    return Score(meeting, played)


def test_lines_are_runs_that_differ_in_their_seeds(places: dict[str, dict[int, Path]]) -> None:
    runs = [
        run(MIN_A, 1, 1, places["b"]),
        run(V, None, 1, places["a"]),
        run(MIN_A, 1, 2, places["c"]),
        run(MIN_A, 1, 1, places["d"], learning_rate=0.5),
    ]
    made = lines(runs, "random", SMALL)
    assert [(line.name, [one.seed for one in line.runs]) for line in made] == [
        ("REINFORCE-V", [1]),
        ("AMCPG-A, learning_rate 0.01", [1, 2]),
        ("AMCPG-A, learning_rate 0.5", [1]),
    ]
    # The start is one net, whichever run's file it is read from, and plays more games than the others.
    starts = {points[0] for line in made for points in line.points}
    assert len(starts) == 2
    assert {start.games for start in starts} == {SMALL.rounds * 18}
    assert {key: len(shown) for key, shown in panels(made).items()} == {(3, 1): 3}
    met = list(learning.meetings(made))
    assert len(set(met)) == 1 + 2 + 4 * 2
    assert "best moves" in met[0].name
    assert "iteration 2" in met[1].name, "the ends come before the rest"


def test_where_a_line_ends_and_where_it_is_at_equal_cost(places: dict[str, dict[int, Path]]) -> None:
    """Two seeds that end at 3 of 4 and 4 of 4; halfway in cost between 1 and 2, both are halfway in games won."""
    (line,) = lines([run(MIN_A, 1, 1, places["a"]), run(MIN_A, 1, 2, places["b"])], "random", SMALL)
    won = {0: (1, 1), 1: (1, 2), 2: (3, 4)}
    scores = {points[at]: score(points[at], won[at][number]) for number, points in enumerate(line.points) for at in won}
    assert [one.rate.value for one in line.ends(scores)] == [0.75, 1.0]
    assert line.at_cost(scores, 15.0) == pytest.approx([0.5, 0.75])
    assert {at: len(met) for at, met in line.scores(scores).items()} == {0: 1, 1: 2, 2: 2}


def test_a_line_through_points() -> None:
    points = [(0.0, 0.1), (10.0, 0.5), (10.0, 0.6), (20.0, 0.2)]
    heights = [interpolated(points, at) for at in (-1, 5, 15, 99)]
    assert heights == pytest.approx([0.1, 0.3, 0.4, 0.2])


def test_a_run_is_known_by_its_settings(tmp_path: Path) -> None:
    from dataclasses import asdict

    from fingal.learn.amcpg import Amcpg
    from fingal.learn.reinforce import Reinforce

    for name, config in (("one", Reinforce(variant="b", k=3, seed=7)), ("two", Amcpg(variant="b", size=5))):
        place = tmp_path / name
        (place / "checkpoints").mkdir(parents=True)
        (place / "checkpoints" / "net-00010.safetensors").write_text(name)
        (place / "config.json").write_text(json.dumps({"config": asdict(config)}))
        (place / "metrics.jsonl").write_text('{"step": 10, "iteration": 10, "games": 1280, "positions": 500}\n')
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text(json.dumps({"config": {"size": 5}}))
    one, two = finished.found(tmp_path)
    assert (one.learner, one.k, one.size, one.seed, list(one.nets)) == (MEAN, 3, 9, 7, [10])
    assert (two.learner, two.k, two.size) == (MIN_B, 1, 5)
    assert (one.cost(9), one.cost(10)) == (0.0, 500.0)


def test_a_net_from_anywhere_as_the_prior_of_searches(tmp_path: Path) -> None:
    net = tmp_path / "net.safetensors"
    checkpoint.save(Convolutional(Config(1, 2)), net, Card("small", {}, sizes=("9x9",)))
    met = list(full_size.meetings(trials.PROTOCOLS, [net], None, ["table-1", "table-1-9x9", "points"]))
    searches = [(one.size, one.player.replace(str(net), "NET"), one.opponent) for one in met[1:]]
    assert searches[:5] == [(size, "uct:prior=NET,sims=1000", "uct:sims=1000") for size in range(9, 14)]
    assert searches[5:] == [(9, "uct:prior=NET,sims=10000", "uct:sims=10000")]
    # Every opening once with each colour: 2 · 81 to 2 · 169 games.
    assert [one.plan().total for one in met] == [162, 162, 200, 242, 288, 338, 162]
    assert (met[0].player, met[0].opponent) == (f"net:{net},temperature=1", "resistance:depth=1")
