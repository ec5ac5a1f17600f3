"""The runs folder as the page sees it: as it is written, grows and is broken, and nothing beside it."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from fingal.arena.levels import read_league
from fingal.game import Record, formats
from fingal.serve.web import run_files
from fingal.serve.web.app import Options, create

SECRET = "nobody outside may read this"
Write = Callable[..., Path]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "metrics.jsonl").write_text(json.dumps({"step": 1, "secret": 1.0}) + "\n", encoding="utf-8")
    (outside / "config.json").write_text(json.dumps({"config": {"secret": SECRET}}), encoding="utf-8")
    (outside / "page.html").write_text(f"<title>{SECRET}</title>", encoding="utf-8")
    return folder


@pytest.fixture
def client(tmp_path: Path, runs: Path) -> Iterator[TestClient]:
    options = Options(data=tmp_path / "data", runs=runs)
    with TestClient(create(options), base_url="http://127.0.0.1:8000") as client:
        yield client


def make_run(folder: Path, name: str, rows: list[dict[str, Any]], config: dict[str, Any] | None = None) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    (place / "config.json").write_text(json.dumps({"config": config or {}, "commit": ""}), encoding="utf-8")
    (place / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def append(place: Path, text: str) -> None:
    with (place / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(text)


def everything(client: TestClient, name: str, after: int = 0) -> list[dict[str, float]]:
    """All rows, part by part, as the page reads them."""
    rows: list[dict[str, float]] = []
    while True:
        part = client.get(f"/api/runs/{name}/rows", params={"after": after}).json()
        rows += part["rows"]
        after = part["end"]
        if not part["more"]:
            return rows


def test_no_folder_is_no_error(tmp_path: Path) -> None:
    options = Options(data=tmp_path / "data", runs=tmp_path / "nowhere")
    with TestClient(create(options), base_url="http://127.0.0.1:8000") as client:
        assert client.get("/api/runs").json()["runs"] == []
        assert client.get("/api/reports").json() == {"reports": []}
        assert client.get("/api/runs/some/rows").status_code == 404


def test_runs_are_listed_with_what_they_are_and_how_far_they_have_come(client: TestClient, runs: Path) -> None:
    ezo = make_run(runs, "mine", [{"step": n, "loss": 1 / n} for n in (1, 2, 5)], {"latest_turn": 9, "epochs": 20})
    zero = make_run(runs, "sweep/a-1", [{"step": 7, "minutes": 3.0}], {"full_simulations": 24, "minutes": 4.0})
    settings = {"source": "runs/nine", "held_out": 0.01, "steps": 80, "minutes": 10.0}
    taught = make_run(runs, "taught", [{"step": 20, "minutes": 5.0, "policy": 0.5}], settings)
    make_run(runs, "empty", [])
    os.utime(taught / "metrics.jsonl", (500, 500))
    os.utime(zero / "metrics.jsonl", (1000, 1000))
    os.utime(ezo / "metrics.jsonl", (2000, 2000))
    listed = {run["name"]: run for run in client.get("/api/runs").json()["runs"]}
    assert set(listed) == {"mine", "sweep/a-1", "taught", "empty"}
    assert listed["mine"]["algorithm"] == "ezo"
    assert listed["mine"]["share"] == 0.25
    assert listed["mine"]["figures"]["loss"] == pytest.approx(0.2)
    assert listed["mine"]["changed"] == 2000
    assert listed["sweep/a-1"]["algorithm"] == "alphazero"
    assert listed["sweep/a-1"]["share"] == 0.75
    assert listed["taught"]["algorithm"] == "distil"
    assert listed["taught"]["share"] == 0.5
    assert listed["empty"]["share"] is None
    assert [run["name"] for run in client.get("/api/runs").json()["runs"]] == ["empty", "mine", "sweep/a-1", "taught"]


def test_a_folder_that_is_a_run_itself_is_listed(client: TestClient, runs: Path) -> None:
    (runs / "metrics.jsonl").write_text('{"step": 3, "loss": 0.5}\n', encoding="utf-8")
    (run,) = client.get("/api/runs").json()["runs"]
    assert everything(client, run["name"]) == [{"step": 3, "loss": 0.5}]


def test_a_growing_file_is_read_from_where_reading_ended(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [{"step": 1, "loss": 1.0}])
    first = client.get("/api/runs/mine/rows").json()
    assert first["rows"] == [{"step": 1, "loss": 1.0}]
    append(place, '{"step": 2, "lo')
    half = client.get("/api/runs/mine/rows", params={"after": first["end"]}).json()
    assert (half["rows"], half["broken"], half["more"]) == ([], 0, False)
    append(place, 'ss": 0.5}\n{"step": 3, "loss": 0.25}\n')
    rest = client.get("/api/runs/mine/rows", params={"after": half["end"]}).json()
    assert [row["loss"] for row in rest["rows"]] == [0.5, 0.25]
    assert rest["end"] == (place / "metrics.jsonl").stat().st_size
    assert client.get("/api/runs/mine/rows", params={"after": rest["end"]}).json()["rows"] == []


def test_a_file_that_became_shorter_is_read_anew(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [{"step": n, "loss": 1.0} for n in range(20)])
    end = client.get("/api/runs/mine/rows").json()["end"]
    (place / "metrics.jsonl").write_text('{"step": 1, "loss": 0.125}\n', encoding="utf-8")
    part = client.get("/api/runs/mine/rows", params={"after": end}).json()
    assert part["anew"]
    assert part["rows"] == [{"step": 1, "loss": 0.125}]


BROKEN = [
    "not json",
    '{"step": 1',
    "[1, 2]",
    '{"loss": 2}',
    '{"step": "five"}',
    '{"step": true, "loss": 1}',
    '{"step": NaN}',
    '{"step": 1e999}',
    '{"step": ' + "9" * 500 + "}",
    "[" * 5000,
    "\x00\x01",
]


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_line_is_passed_by_and_counted(client: TestClient, runs: Path, line: str) -> None:
    place = make_run(runs, "mine", [{"step": 1, "loss": 1.0}])
    append(place, line + '\n\n{"step": 2, "loss": 0.5}\n')
    part = client.get("/api/runs/mine/rows").json()
    assert [row["step"] for row in part["rows"]] == [1, 2]
    assert part["broken"] == 1
    assert client.get("/api/runs").json()["runs"][0]["figures"]["loss"] == 0.5


def test_bytes_that_are_no_text_are_passed_by(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [])
    (place / "metrics.jsonl").write_bytes(b'\xff\xfe\xfd\n{"step": 2, "loss": 0.5}\n')
    assert everything(client, "mine") == [{"step": 2, "loss": 0.5}]


def test_what_is_no_number_is_left_out_of_a_row(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [])
    append(place, '{"step": 1, "loss": NaN, "won": Infinity, "name": "x", "on": true, "elo": 12}\n')
    assert everything(client, "mine") == [{"step": 1, "elo": 12}]


def test_a_line_without_an_end_does_not_stop_the_reading(
    client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_files, "CHUNK", 1000)
    place = make_run(runs, "mine", [])
    append(place, "x" * 2500 + '\n{"step": 2, "loss": 0.5}\n')
    assert everything(client, "mine") == [{"step": 2, "loss": 0.5}]


def test_a_long_run_is_told_in_parts_and_thinned_out(
    client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[dict[str, Any]] = [{"step": n, "time": 1.79e9 + n, "loss": math.exp(-n / 3e4)} for n in range(100_000)]
    for n in range(0, 100_000, 10_000):
        rows[n]["elo"] = float(n)
    make_run(runs, "long", rows)
    monkeypatch.setattr(run_files, "CHUNK", 500_000)
    told = everything(client, "long")
    assert len(told) <= 2 * run_files.MOST_ROWS
    assert told[-1]["step"] == 99_999
    steps = [row["step"] for row in told]
    assert steps == sorted(steps)
    # The curve is the run's own: every row that is told is one of its rows, and no part of it is left out.
    assert all(row["loss"] == pytest.approx(math.exp(-row["step"] / 3e4)) for row in told)
    assert max(later - earlier for earlier, later in itertools.pairwise(steps)) < 1000
    # Figures that come up seldom are all there.
    assert [row["elo"] for row in told if "elo" in row] == [float(n) for n in range(0, 100_000, 10_000)]


def test_rows_are_not_made_one_where_a_run_counts_anew() -> None:
    rows = [{"step": float(step), "loss": 1.0} for step in (1, 2, 3, 1, 2, 3)]
    told = [row["step"] for row in run_files.thinned(rows, 1)]
    assert told == [3, 3]


def test_games_are_told_newest_first_and_broken_ones_left_out(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [{"step": 1}]) / "games"
    place.mkdir()
    for number, moves in enumerate((["a1", "b2"], ["c3", "swap", "a2"])):
        formats.save(Record.of(list(moves), 3, swap=True), place / f"3-{number}.sgf")
        os.utime(place / f"3-{number}.sgf", (1000 + number, 1000 + number))
    (place / "broken.sgf").write_text("(;GM[11]SZ[3];B[a1];W[a1])", encoding="utf-8")
    (place / "none.sgf").write_bytes(b"\xff\x00")
    (place / "large.sgf").write_text("(;GM[11]SZ[3]C[" + "x" * 200_000 + "])", encoding="utf-8")
    (place / "notes.txt").write_text("nothing", encoding="utf-8")
    games = client.get("/api/runs/mine/games").json()["games"]
    assert [game["name"] for game in games] == ["3-1", "3-0"]
    assert [(ply["colour"], ply["move"]) for ply in games[0]["moves"]] == [
        ("black", "c3"),
        ("white", "swap-pieces"),
        ("black", "a2"),
    ]
    assert (games[0]["width"], games[0]["winner"]) == (3, None)


def test_a_run_without_games_has_none(client: TestClient, runs: Path) -> None:
    make_run(runs, "mine", [{"step": 1}])
    assert client.get("/api/runs/mine/games").json() == {"games": []}


TRICKS = [
    "../outside",
    "..%2foutside",
    "%2e%2e/outside",
    "%2e%2e%2foutside",
    "mine/../../outside",
    "mine/%2e%2e/%2e%2e/outside",
    "..\\outside",
    "/outside",
    "%2Foutside",
    "link",
    "mine/link",
    "linked-file",
    "mine%00",
    "~/../outside",
    "%252e%252e/outside",
]


@pytest.fixture
def linked(runs: Path) -> Path:
    """A folder with links that lead out of it, and one that stays inside."""
    outside = runs.parent / "outside"
    place = make_run(runs, "mine", [{"step": 1, "loss": 1.0}])
    (runs / "link").symlink_to(outside)
    (place / "link").symlink_to(outside)
    (runs / "linked-file").mkdir()
    for name in ("metrics.jsonl", "config.json", "page.html"):
        (runs / "linked-file" / name).symlink_to(outside / name)
    (runs / "loop").symlink_to(runs / "loop")
    (runs / "round").symlink_to(runs)
    (runs / "again").symlink_to(place)
    return runs


@pytest.mark.parametrize("trick", TRICKS)
def test_no_name_leads_out_of_the_folder(client: TestClient, linked: Path, trick: str) -> None:
    for path in (f"/api/runs/{trick}/rows", f"/api/runs/{trick}/games", f"/reports/{trick}/page.html"):
        answer = client.get(path)
        assert answer.status_code in (400, 404), path
        assert SECRET not in answer.text
        assert "secret" not in answer.text


def test_lists_do_not_follow_links_out(client: TestClient, linked: Path) -> None:
    assert SECRET not in client.get("/api/runs").text
    assert [run["name"] for run in client.get("/api/runs").json()["runs"]] == ["mine"]
    assert client.get("/api/reports").json()["reports"] == []


def test_a_link_that_stays_inside_may_be_read(client: TestClient, linked: Path) -> None:
    assert everything(client, "again") == [{"step": 1, "loss": 1.0}]


def test_games_that_are_links_out_are_left_out(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [{"step": 1}]) / "games"
    place.mkdir()
    secret = runs.parent / "outside" / "game.sgf"
    formats.save(Record.of(["a1"], 3), secret)
    (place / "link.sgf").symlink_to(secret)
    assert client.get("/api/runs/mine/games").json() == {"games": []}


def test_reports_are_listed_and_served_in_a_sandbox(client: TestClient, runs: Path) -> None:
    place = runs / "paper 1"
    place.mkdir()
    page = "<!doctype html><title>Paper 1 &amp; more</title><script>alert(1)</script>"
    (place / "page.html").write_text(page, encoding="utf-8")
    (place / "data.json").write_text("{}", encoding="utf-8")
    (report,) = client.get("/api/reports").json()["reports"]
    assert (report["name"], report["title"]) == ("paper 1/page.html", "Paper 1 & more")
    answer = client.get("/reports/paper 1/page.html")
    assert answer.text == page
    assert answer.headers["content-type"].startswith("text/html")
    policies = answer.headers.get_list("content-security-policy")
    assert len(policies) == 1
    rules = {rule.split()[0]: rule.split()[1:] for rule in policies[0].split(";")}
    # A sandbox without our origin, and nothing that can be loaded or asked for.
    assert "allow-same-origin" not in rules["sandbox"]
    assert not {"allow-top-navigation", "allow-popups", "allow-forms"} & set(rules["sandbox"])
    assert rules["default-src"] == ["'none'"]
    assert "connect-src" not in rules
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["mine/config.json", "mine/metrics.jsonl", "mine", "mine/none.html", ""])
def test_only_pages_are_served(client: TestClient, runs: Path, name: str) -> None:
    make_run(runs, "mine", [{"step": 1}])
    assert client.get(f"/reports/{name}").status_code == 404


def test_a_page_that_is_something_else_behind_a_link_is_not_served(client: TestClient, runs: Path) -> None:
    place = make_run(runs, "mine", [{"step": 1}])
    (place / "page.html").symlink_to(place / "config.json")
    assert client.get("/reports/mine/page.html").status_code == 404


def test_a_league_that_is_missing_or_broken_has_no_boards(tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    assert read_league(file) == {"sizes": {}}
    file.write_text("[1", encoding="utf-8")
    assert read_league(file) == {"sizes": {}}
    board = {"games": 2, "ladder": [{"player": "random", "elo": 0, "interval": [0, 0], "games": 2, "wins": 1}]}
    file.write_text(json.dumps({"anchor": "random", "sizes": {"5": board}}), encoding="utf-8")
    assert read_league(file)["sizes"] == {"5": board}


def test_there_is_always_a_league_to_ask_for(client: TestClient) -> None:
    assert "sizes" in client.get("/api/league").json()


@pytest.mark.parametrize("after", ["-1", "x", "1e3", str(2**60)])
def test_an_offset_that_is_none_is_refused(client: TestClient, runs: Path, after: str) -> None:
    make_run(runs, "mine", [{"step": 1}])
    assert client.get("/api/runs/mine/rows", params={"after": after}).status_code == 400


def nested(place: Path) -> None:
    (place / "config.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")


def nested_briefly(place: Path) -> None:
    (place / "config.json").write_text("[" * 30_000 + "]" * 30_000, encoding="utf-8")


def huge(place: Path) -> None:
    with (place / "config.json").open("wb") as file:
        file.truncate(2**40)  # a terabyte that takes no room


def no_text(place: Path) -> None:
    (place / "config.json").write_bytes(b"\xff\xfe\x00{")


def half_a_character(place: Path) -> None:
    (place / "config.json").write_text('{"config": {"rule": "\\ud800"}}', encoding="utf-8")
    append(place, '{"step": 2, "\\ud800": 1}\n')


def numbers_beyond_all(place: Path) -> None:
    settings = {"latest_turn": 9, "epochs": 10**400, "minutes": 10**400}
    (place / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    append(place, '{"step": 2, "minutes": 1}\n')


def no_number(place: Path) -> None:
    (place / "config.json").write_text('{"latest_turn": 9, "epochs": NaN, "minutes": Infinity}', encoding="utf-8")


def folder(place: Path) -> None:
    (place / "config.json").unlink()
    (place / "config.json").mkdir()


def circle(place: Path) -> None:
    (place / "config.json").unlink()
    (place / "config.json").symlink_to("config.json")


def pipe(place: Path) -> None:
    (place / "config.json").unlink()
    os.mkfifo(place / "config.json")


def device(place: Path) -> None:
    (place / "config.json").unlink()
    (place / "config.json").symlink_to("/dev/zero")


def figures_are_a_pipe(place: Path) -> None:
    (place / "metrics.jsonl").unlink()
    os.mkfifo(place / "metrics.jsonl")


def figures_are_a_circle(place: Path) -> None:
    (place / "metrics.jsonl").unlink()
    (place / "metrics.jsonl").symlink_to("metrics.jsonl")


def figures_are_nested(place: Path) -> None:
    append(place, "[" * 60_000 + "\n" + '{"step":' * 8_000 + "\n")


def name_is_no_text(place: Path) -> None:
    os.rename(os.fsencode(place), os.fsencode(place.parent) + b"/\xff\xfe")


def game_is_nested(place: Path) -> None:
    (place / "games").mkdir()
    (place / "games" / "1.sgf").write_text("(;FF[4]GM[11]SZ[3]" + "(;B[a1]" * 8_000, encoding="utf-8")
    os.mkfifo(place / "games" / "2.sgf")


BREAKERS: list[Callable[[Path], None]] = [nested, nested_briefly, huge, no_text, half_a_character, numbers_beyond_all]
BREAKERS += [no_number, folder, circle, pipe, device, figures_are_a_pipe, figures_are_a_circle, figures_are_nested]
BREAKERS += [name_is_no_text, game_is_nested]


@pytest.mark.parametrize("destroy", BREAKERS)
def test_a_broken_run_costs_its_own_row_only(client: TestClient, runs: Path, destroy: Callable[[Path], None]) -> None:
    make_run(runs, "good", [{"step": 5, "loss": 2.0}], {"latest_turn": 9, "epochs": 10})
    destroy(make_run(runs, "bad", [{"step": 1}]))
    answer = client.get("/api/runs")
    assert answer.status_code == 200
    (good,) = [run for run in answer.json()["runs"] if run["name"] == "good"]
    assert (good["algorithm"], good["share"], good["figures"]) == ("ezo", 0.5, {"step": 5.0, "loss": 2.0})
    for name in ("good", "bad"):
        assert client.get(f"/api/runs/{name}/rows").status_code in ((200,) if name == "good" else (200, 404))
        assert client.get(f"/api/runs/{name}/games").status_code in ((200,) if name == "good" else (200, 404))
    assert client.get("/api/reports").status_code == 200
