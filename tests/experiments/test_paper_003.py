"""``fingal reproduce 003``: from the command line to the page, and what its figures and tables are made of."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from fingal.arena.net_games import Games
from fingal.arena.statistics import Rate
from fingal.experiments import single
from fingal.experiments.ablation import Plan
from fingal.experiments.figure import Arm
from fingal.experiments.intervals import Mean
from fingal.experiments.paper_003 import (
    causes,
    learning,
    lineages,
    protocol,
    quoted,
    reproduction,
    tournament,
    transfer,
)
from fingal.experiments.paper_003.hall import Agent, Hall
from fingal.experiments.paper_003.lineages import Lineage
from fingal.experiments.paper_003.protocol import PAPER, PARTS, SMOKE
from fingal.experiments.paper_003.reproduction import Result
from fingal.experiments.paper_003.tournament import Tournament
from fingal.experiments.paper_003.transfer import Row
from fingal.experiments.request import Request
from fingal.experiments.study import BASE
from fingal.learn.dqn import Dqn
from fingal.nets import checkpoint, choice
from fingal.nets.card import Card
from tests.conftest import Run

ARGUMENTS = ["reproduce", "003", "--scale", "smoke", "--jobs", "1", "--json", "--folder", "run"]


@pytest.mark.usefixtures("alone")
def test_the_smallest_scale_and_its_runs_once_more(fingal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # The others have tests of their own: their runs take half of the time.
    parts = [part for part in PARTS if part not in ("transformer", "sac", "alphazero")]
    ran = fingal(*ARGUMENTS, "--figure", *parts)
    assert ran.status == 0, ran.err
    findings = json.loads(ran.out)
    assert findings["failed"] == {}
    ends = [single.rows(file.parent)[-1] for file in Path("run/sweeps").rglob("config.json")]
    assert len(ends) == 15
    assert all(end.get("updates", 1) > 0 for end in ends), "a run that learns nothing shows nothing"
    page = Path("run/page.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#)', page), "the page needs nothing beside it"
    names = {"4": "figure-4", "5": "figure-5", "6": "figure-6-3x3-1", "7": "figure-7"}
    assert all(f'id="{names.get(part, part)}"' in page for part in parts)
    assert 'id="sac"' not in page
    # Five nets with two generations each: everyone meets everyone twice.
    (held,) = findings["tournaments"]
    assert (held["agents"], held["games"], len(held["ladder"])) == (10, 90, 10)
    assert sum(agent["wins"] for agent in held["ladder"]) == 90
    assert all(agent["games"] == 18 for agent in held["ladder"])
    # Two agents of each board: 20 matches of two games with the random player, and one match with each other.
    sizes = {(row["opponent"], row["won"][1]) for row in findings["table_2"] if not row["note"]}
    assert sizes == {("random", 80), ("others", 8)}
    assert set(findings["episodes_to_50_wins"]) == {*choice.PAPER_NAMES, "transformer-relative"}
    # All, as first and as second: nine first stones with each colour.
    assert set(findings["corrected_wins"]) == {"corrected, seed 1", "corrected values, seed 1"}
    assert all([of for _, of in rates] == [18, 9, 9] for rates in findings["corrected_wins"].values())

    # Nothing is trained or played again; and the same figures can be made of the runs alone.
    monkeypatch.setattr("fingal.experiments.study.work", None)
    monkeypatch.setattr("fingal.arena.net_games.play", None)
    again = fingal(*ARGUMENTS, "--runs", "run/sweeps", "--figure", "6", "7", "table-2", "corrected")
    assert again.status == 0, again.err
    told = json.loads(again.out)
    for key in ("tournaments", "table_2", "corrected_wins"):
        assert told[key] == findings[key]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "huge"], "there is no scale 'huge': smoke, small, paper, large are"),
        (
            ["--figure", "8"],
            "there is no figure '8': 4, 5, 6, 7, table-2, corrected, transformer, ppo, sac, alphazero are",
        ),
        (["--opponent", "random"], "opponent='random' is not possible: the agents of paper 003 play each other"),
        (["--runs", "nowhere"], "nowhere holds no runs of dqn with nets"),
        (["--jobs", "0"], "jobs=0 is not possible: at least 1"),
        (["--jobs", str(2**31)], "jobs=2147483648 is not possible: at least 1, at most 1024"),
        (["--nets", "some.safetensors"], "paper 003 has no protocol for nets: 001, 002, 004 have"),
    ],
)
def test_bad_input_is_one_sentence(fingal: Run, arguments: list[str], words: str) -> None:
    ran = fingal("reproduce", "003", *arguments, "--folder", "run")
    assert (ran.status, ran.out) == (2, "")
    assert words in " ".join(ran.err.split())
    assert not Path("run").exists()


def test_parts_that_runs_cannot_make(fingal: Run) -> None:
    kept(Path("runs/one"), Dqn(size=3), generation=50, generation_episodes=9)
    ran = fingal("reproduce", "003", "--runs", "runs", "--figure", "sac", "--folder", "run")
    assert "figure sac cannot be made of runs that are there: 4, 5, 6, 7, table-2, corrected can" in " ".join(
        ran.err.split()
    )
    Path("runs/two").mkdir()
    Path("runs/two/config.json").write_text("{", encoding="utf-8")
    assert "config.json cannot be read: it is not JSON" in " ".join(
        fingal("reproduce", "003", "--runs", "runs", "--folder", "run").err.split()
    )


def test_the_papers_numbers() -> None:
    """475 wins are 95.4% of 498 games; 93.9% of 506, which 254 agents play."""
    assert quoted.agents_of(475, 95.4) == [250]
    assert quoted.agents_of(475, 93.9) == [254]
    assert [row.percent for row in quoted.TABLE_2] == [100.0, 100.0, 89.3, 91.3, 2.5, 12.0]
    rows = [Row(row.trained, row.played, row.opponent, 1, 10, *[Rate(1, 2)] * 3) for row in quoted.TABLE_2]
    shown = transfer.section(rows, (5, 7))
    assert shown is not None
    assert re.findall(r"<td>([\d.]+%)</td></tr>", shown.body) == ["100.0%", "100.0%", "89.3%", "91.3%", "2.5%", "12.0%"]


def test_the_papers_sizes() -> None:
    settings = [
        Dqn(**{k: v for k, v in plan.common.items() if k != "device"}) for plan in map(PAPER.lineage, PAPER.sizes)
    ]
    assert [(one.size, one.generations, one.width) for one in settings] == [(5, 50, 128), (7, 50, 128)]
    assert (settings[1].limit(0), settings[1].limit(50)) == (2000, 12_000)
    assert len(list(protocol.nets())) * 50 == 250
    assert PAPER.bases().common["games"] == 1
    with pytest.raises(ValueError, match="sizes="):
        replace(SMOKE, sizes=(4, 3))
    with pytest.raises(ValueError, match="seeds=0 is not possible"):
        replace(SMOKE, seeds=0)


def test_causes_are_worked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Means over seeds by cause; other settings are worked out anew."""
    monkeypatch.setattr(causes, "small", lambda config: {"mark": config.seed / 10 + config.fixed_result / 2})
    scale, shares = replace(SMOKE, cause_seeds=3), list[float]()
    found = causes.alphazero(scale, tmp_path, 1, shares.append)
    means = {name: round(marks["mark"].value, 9) for name, marks in found.items()}
    assert (means["as it should be"], means["no mirror"], means["one result"]) == (0.2, 0.2, 0.7)
    assert all(marks["mark"].size == 3 for marks in found.values())
    assert shares == [number / (3 * len(found)) for number in range(1, 3 * len(found) + 1)]
    monkeypatch.setattr(causes, "small", None)
    assert causes.alphazero(scale, tmp_path, 1, shares.append) == found
    with pytest.raises(TypeError):
        causes.alphazero(replace(scale, alphazero={"games": 5}), tmp_path, 1, shares.append)


def test_causes_on_the_page() -> None:
    mean = Mean(0.25, 0.125, 0.5, 3)
    shown = causes.alphazero_section({"no mirror": dict.fromkeys(causes.SMALL_MARKS, mean)})
    assert shown is not None
    assert shown.body.count("25.0% [12.5, 50.0]") == len(causes.SMALL_MARKS)
    runs = {
        "Transformer2 as published": [lineage("transformer-learned"), lineage("transformer-learned", generations=0)]
    }
    other = causes.transformer_section({"warm-up": dict.fromkeys(causes.LESSON_MARKS, mean)}, runs)
    assert other is not None
    assert "50.0% [9.5, 90.5] 1/2</td><td>100, never</td><td>never</td>" in other.body
    assert causes.alphazero_section({}) is None
    assert causes.transformer_section({}, {}) is None


def lineage(net: str = "convolutional", seed: int = 1, generations: int = 2, **more: object) -> Lineage:
    """Ends generation g after 100 g episodes by 50 wins in a row, but for the last, which has all its games."""
    rows = []
    for number in range(generations + 1):
        for episode in (50, 100):
            at = float(episode * max(1, number))
            row = {"generation": float(number), "episode": at, "win_rate": 0.5 + episode / 200, "length": 9.0 - number}
            ended = {"generation_episodes": at, "streak": float(number < generations)}
            rows.append({**row, **(ended if episode == 100 else {})})
    setting = {**asdict(Dqn(net=net)), **more}  # type: ignore[arg-type]
    nets = {number: Path(f"{net}-{seed}-{number}") for number in range(generations + 1)}
    return Lineage(net, int(setting["size"]), seed, setting, rows, nets, Path("latest"))


def test_streaks_and_medians() -> None:
    run = lineage()
    assert [run.streak(number) for number in (0, 1, 2)] == [100, 100, None]
    assert list(run.grown) == [1, 2]
    assert learning.median([100, None, 300]) == "300"
    assert learning.median([100, None, None]) == "never"
    assert learning.median([100, 200]) == "150"


def test_bins_and_their_curves() -> None:
    assert [(name, list(numbers)) for name, numbers in lineages.bins(lineage(generations=5), 2)] == [
        ("generations 1 to 2", [1, 2]),
        ("generations 3 to 4", [3, 4]),
        ("generation 5", [5]),
    ]
    run = lineage()
    # Generation 1 has its rows at 50 and 100, generation 2 at 100 and 200; each is 0.75 and then 1.
    points = lineages.mean_curve([run.of(1), run.of(2)], "win_rate", 4)
    assert [(at, mean.value) for at, mean in points] == [(50.0, 0.75), (100.0, 0.875), (150.0, 0.9375), (200.0, 1.0)]
    assert lineages.height(run.of(2), "win_rate", 10) == 0.75
    assert lineages.height(run.of(2), "nothing", 10) is None


def test_runs_are_named_by_what_they_differ_in() -> None:
    runs = [
        lineage(seed=1),
        lineage(seed=2),
        lineage(seed=1, learning_rate=0.5),
        lineage("feed-forward"),
        lineage(seed=1, opponent="self", squash="tanh", gamma=1.0, loss_reward=-1.0),
        lineage(seed=1, squash="tanh", gamma=1.0, loss_reward=-1.0),
    ]
    assert lineages.labels(runs) == [
        "convolutional, learning_rate 0.001",
        "convolutional, learning_rate 0.001",
        "convolutional, learning_rate 0.5",
        "feed-forward",
        "convolutional, corrected",
        "convolutional, corrected values",
    ]
    entered = tournament.entered(runs, 7)
    # Corrected ones are not the paper's; each seed has a tournament of its own.
    assert {seed: len(agents) for seed, agents in entered.items()} == {1: 6, 2: 2}
    assert entered[1][0].name == "feed-forward 1"
    assert tournament.entered(runs, 5) == {}


def kept(place: Path, config: Dqn, **end: float) -> None:
    """A folder as a run leaves it: settings, one row, a net."""
    (place / "checkpoints").mkdir(parents=True)
    (place / "config.json").write_text(json.dumps({"config": asdict(config)}), encoding="utf-8")
    (place / "metrics.jsonl").write_text(
        json.dumps({"step": 1, "moves": 50, "minutes": 1.0, **end}) + "\n", encoding="utf-8"
    )
    for name in ("generation-00", "generation-01", "latest"):
        (place / "checkpoints" / f"{name}.safetensors").write_text("net", encoding="utf-8")


def test_copies_and_unfinished_runs_are_refused(tmp_path: Path) -> None:
    config = Dqn(size=3, generations=2)
    kept(tmp_path / "a", config, generation=2, generation_episodes=9)
    kept(tmp_path / "b", replace(config, seed=2, moves=50), generation=1)
    kept(tmp_path / "c", replace(config, seed=3, minutes=1.0), generation=1)
    kept(tmp_path / "d", replace(config, width=8), generation=2, generation_episodes=9)
    assert len(lineages.found(tmp_path)) == 4
    # Other limits make no other learner of it: both would be 'convolutional 1' of seed 1.
    kept(tmp_path / "e", replace(config, moves=40), generation=1)
    with pytest.raises(ValueError, match=r"/a and .*/e have the same settings and seed: put one of them elsewhere"):
        lineages.found(tmp_path)
    kept(tmp_path / "more" / "f", replace(config, seed=4, moves=60), generation=1)
    kept(tmp_path / "most" / "g", replace(config, seed=4), generation=1, generation_episodes=9)
    for folder, name in (("more", "f"), ("most", "g")):
        with pytest.raises(ValueError, match=f"/{name} is not finished: go on with it, or put it elsewhere"):
            lineages.found(tmp_path / folder)


CORRECTED = {"squash": "tanh", "gamma": 1.0, "loss_reward": -1.0, "opponent": "self"}


def test_seeds_of_rivals_alone_enter_no_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def runs(self: Result, plan: Plan, arm: Arm = BASE) -> list[Lineage]:
        return [lineage(seed=seed, **{**plan.common, **arm.fields}) for seed in range(1, plan.seeds + 1)]  # type: ignore[arg-type]

    monkeypatch.setattr(Result, "train", lambda self, sweeps, at_once: None)
    monkeypatch.setattr(Result, "runs", runs)
    monkeypatch.setattr(lineages, "of", list)
    parts = ("6", "7", "table-2", "corrected")
    result = Result(Request(tmp_path, "smoke"), parts, "random", scale=replace(SMOKE, rivals=3))
    reproduction._train(result)
    assert {run.seed for run in result.runs_of_dqn} == {1}
    assert [len(agents) for agents in tournament.entered(result.runs_of_dqn, 3).values()] == [2 * 5]
    met = learning.rivals(Silent(tmp_path, result.teller), result.rival_runs, 3)
    assert sorted(met) == [(name, seed) for name in ("corrected", "corrected values") for seed in (1, 2, 3)]


class Silent(Hall):
    """Nothing is played."""

    def play(self, *about: object) -> Games:
        return Games(
            np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros((0, 9), np.int16)
        )


def test_figure_4_of_runs_that_are_there_has_no_corrected_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [lineage(generations=0), lineage(generations=0, **CORRECTED), lineage(generations=2)]
    monkeypatch.setattr(lineages, "found", lambda folder: [replace(run, size=3) for run in given])
    monkeypatch.setattr(reproduction, "write", lambda result: None)
    result = reproduction.reproduce(Request(tmp_path, "smoke", ("4",), runs=tmp_path))
    assert [(run.variant, list(run.generations)) for run in result.bases] == [("", [0])]


@pytest.mark.parametrize(("scale", "size"), [("paper", 7), ("large", 9)])
def test_figures_are_of_the_scales_own_board(
    scale: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [replace(lineage(generations=0), size=side) for side in (5, 7, 9, 11)]
    monkeypatch.setattr(lineages, "found", lambda folder: given)
    monkeypatch.setattr(reproduction, "write", lambda result: None)
    result = reproduction.reproduce(Request(tmp_path, scale, ("4",), runs=tmp_path))
    assert [run.size for run in result.bases] == [size]


@pytest.mark.usefixtures("alone")
def test_every_board_with_several_nets_has_its_figures(fingal: Run) -> None:
    """On 2x2 two nets are compared as on 3x3, the scale's own board; on 4x4, beyond the scale's two, they are not."""
    common = {"width": 8, "generations": 2}
    for size, seed, net in ((2, 1, "convolutional"), (2, 1, "feed-forward"), (2, 2, "convolutional")):
        played(Path(f"runs/{net}-{size}-{seed}"), Dqn(size=size, seed=seed, net=net, **common))
    for size, net in ((3, "convolutional"), (3, "feed-forward"), (4, "convolutional"), (4, "feed-forward")):
        played(Path(f"runs/{net}-{size}"), Dqn(size=size, net=net, **common))
        played(Path(f"runs/base-{net}-{size}"), Dqn(size=size, net=net, width=8, generations=0))
    ran = fingal(*ARGUMENTS, "--runs", "runs", "--figure", "4", "6")
    assert ran.status == 0, ran.err
    findings = json.loads(ran.out)
    # Seed 2 has one net on 2x2: figure 7 compares its generations.
    assert [(held["size"], held["seed"], held["agents"]) for held in findings["tournaments"]] == [(3, 1, 4), (2, 1, 4)]
    assert findings["episodes_to_50_wins"] == {"convolutional": [90], "feed-forward": [90]}
    assert findings["episodes_to_50_wins_elsewhere"] == {}
    page = Path("run/page.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="(figure-[^"]+)"', page) == ["figure-4", "figure-6-3x3-1", "figure-6-2x2-1"]
    assert re.findall(r'href="#figure-[^"]+">([^<]+)<', page) == [
        "Figure 4",
        "Figure 6, seed 1",
        "Figure 6 on 2x2, seed 1",
    ]

    played(Path("runs/base-one-2"), Dqn(size=2, net="convolutional", width=8, generations=0), episodes=70)
    findings = json.loads(fingal(*ARGUMENTS, "--runs", "runs", "--figure", "4").out)
    assert findings["episodes_to_50_wins_elsewhere"] == {}
    played(Path("runs/base-other-2"), Dqn(size=2, net="convolutional-cube", width=8, generations=0), episodes=80)
    findings = json.loads(fingal(*ARGUMENTS, "--runs", "runs", "--figure", "4").out)
    assert findings["episodes_to_50_wins"] == {"convolutional": [90], "feed-forward": [90]}
    assert findings["episodes_to_50_wins_elsewhere"] == {"2x2": {"convolutional": [70], "convolutional-cube": [80]}}
    page = Path("run/page.html").read_text(encoding="utf-8")
    assert re.findall(r"<h2[^>]*>([^<]*Figure 4[^<]*)<", page) == [
        "Figure 4: until 50 games in a row are won",
        "Figure 4: until 50 games in a row are won on 2x2",
    ]
    assert {"figure-4.svg", "figure-4-2x2.svg"} <= {file.name for file in Path("run").rglob("*.svg")}


def played(place: Path, config: Dqn, episodes: int = 90) -> None:
    """A finished run of fresh nets, every generation of which ended by 50 wins in a row."""
    row = {"win_rate": 1.0, "episode": float(episodes), "generation_episodes": float(episodes), "streak": 1.0}
    kept(place, config, generation=config.generations, **row)
    files = [place / "checkpoints" / f"generation-{number:02d}.safetensors" for number in range(config.generations + 1)]
    for file in (place / "checkpoints").iterdir():
        file.unlink()
    for number, file in enumerate((*files, place / "checkpoints" / "latest.safetensors")):
        torch.manual_seed(number)
        checkpoint.save(choice.build(config.net, config.size, width=config.width), file, Card("net", {}))


def test_marks_are_those_of_the_net_that_plays() -> None:
    one, other = lineage(), lineage(**CORRECTED)
    marks = {"first_vs_random": 0.5, "second_vs_random": 0.25, "keeps_win": 0.125}
    one.rows[-1].update(marks)
    other.rows[-2].update(marks)  # of a generation that had ended before the last moves
    games = Games(np.array([[0, 1]]), np.zeros(1, np.int64), np.ones(1, np.bool_), np.zeros((1, 9), np.int16))
    shown = learning.rival_section({("corrected", 1): (one, other, games)})
    assert shown is not None
    assert shown.body.count("wins kept 12.5%") == 1


def test_the_best_and_those_within_a_net() -> None:
    agents = [Agent(kind, number, Path(f"{kind}{number}")) for kind in "ab" for number in (1, 2)]
    pairs = np.array([[one, two] for one in range(4) for two in range(4) if one != two])
    # The agent with the larger number wins.
    games = Games(pairs, np.full(12, -1), pairs[:, 0] > pairs[:, 1], np.zeros((12, 9), np.int16))
    held = Tournament(3, 1, agents, games)
    assert held.wins() == [0, 2, 4, 6]
    assert held.best(2) == [3, 2]
    assert held.rate(3) == Rate(6, 6)
    inside = held.within("a")
    assert (len(inside.games), inside.wins()) == (2, [0, 2])
    assert [rate.value for rate in held.games.rates(held.of("b"))] == [1.0, 1.0, 1.0]
    draw = Games(pairs, np.full(12, -1), np.ones(12, np.bool_), np.zeros((12, 9), np.int16))
    assert Tournament(3, 1, agents, draw).best(4) == [1, 3, 0, 2], "the later generation of equals"


@pytest.fixture
def nets(tmp_path: Path) -> list[Path]:
    """Three nets of all sizes."""
    files = []
    for seed in range(3):
        torch.manual_seed(seed)
        files.append(tmp_path / f"net-{seed}.safetensors")
        checkpoint.save(choice.build("convolutional", 3, width=2), files[-1], Card("net", {}))
    return files


def test_games_are_kept_until_a_net_changes(tmp_path: Path, nets: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    agents = [Agent("net", number, net) for number, net in enumerate(nets)]
    first = Hall(tmp_path / "games", lambda name: lambda share: None).round_robin("all", agents, 3)
    monkeypatch.setattr("fingal.arena.net_games.play", None)
    again = Hall(tmp_path / "games", lambda name: lambda share: None).round_robin("all", agents, 3)
    assert (again.moves == first.moves).all()
    nets[0].write_bytes(nets[1].read_bytes())
    with pytest.raises(TypeError):
        Hall(tmp_path / "games", lambda name: lambda share: None).round_robin("all", agents, 3)


def test_table_2_counts_the_guests(tmp_path: Path, nets: list[Path]) -> None:
    """On a board on which one group is at home the other's wins count; the last row is the public program's mistake."""
    hall = Hall(tmp_path / "games", lambda name: lambda share: None)
    held = [
        Tournament(size, 1, agents, hall.round_robin(f"group-{size}", agents, size))
        for size, agents in (
            (2, [Agent("net", number, net) for number, net in enumerate(nets[:2])]),
            (3, [Agent("net", 1, nets[2])]),
        )
    ]
    rows = transfer.play(hall, held, (2, 3, 4))
    others = [(row.trained, row.played, row.won.games) for row in rows if row.opponent == "others"]
    assert others == [(3, 2, 4), (2, 3, 4), (2, 4, 4)]
    random = [(row.trained, row.played, row.won.games, row.first.games) for row in rows if row.opponent == "random"]
    assert random[:6] == [
        (2, 2, 80, 40),
        (3, 2, 40, 20),
        (2, 3, 80, 40),
        (3, 3, 40, 20),
        (2, 4, 80, 40),
        (3, 4, 40, 20),
    ]
    assert random[6:] == [(3, 3, 400, 200)]
    assert rows[-1].note == "the last 2x2 agent in their place"
