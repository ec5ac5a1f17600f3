"""Watch: charts that grow with the run, games that replay, the ladder, and reports that are kept to themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from fingal.game import Record, Result, formats
from fingal.game.colour import BLACK
from tests.browser.conftest import Open
from tests.browser.parts import button
from tests.serve.web.pages import Served, served

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

REPORT = """<!doctype html><title>A report</title><p id="said">nothing</p><script>
const say = (word) => (document.getElementById("said").textContent += " " + word);
try { localStorage.length; say("store-open"); } catch { say("store-closed"); }
fetch("/api/games").then(() => say("asked"), () => say("refused"));
</script>"""


def add(place: Path, *rows: dict[str, float]) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with (place / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    add(folder / "second", *({"step": n, "loss": 2.0 + n, "games_per_s": 7.0} for n in range(5)))
    add(folder / "long", *({"step": n, "loss": 1 / (1 + n / 1000), "exam": 0.5} for n in range(100_000)))
    first = folder / "first"
    add(first, {"step": 1, "loss": 0.75}, {"step": 2, "loss": 0.5, "exam": 0.625, "games": 64})
    (first / "config.json").write_text(json.dumps({"config": {"latest_turn": 3, "epochs": 4}}), encoding="utf-8")
    (first / "games").mkdir()
    game = Record.of(["b1", "a1", "b2", "a2", "b3"], 3)
    game.result = Result(BLACK)
    formats.save(game, first / "games" / "3-1.sgf")
    (folder / "report.html").write_text(REPORT, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, runs: Path) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("games"), "--runs", str(runs)) as found:
        yield found


def plot(page: Any, name: str) -> Any:
    return page.get_by_role("slider", name=name, exact=True)


def run(page: Any, name: str) -> Any:
    return page.locator(f"[data-run={name}]")


def test_a_run_is_charted_and_its_charts_grow_with_it(open_page: Open, runs: Path) -> None:
    page = open_page("#/watch/runs/first")
    expect(run(page, "first")).to_contain_text("ezo · 50%")
    expect(run(page, "first")).to_have_attribute("aria-pressed", "true")
    expect(plot(page, "loss")).to_have_attribute("aria-valuetext", "step 2: 0.5")
    expect(plot(page, "exam")).to_have_attribute("aria-valuetext", "step 2: 0.625")
    add(runs / "first", {"step": 3, "loss": 0.25, "elo": 120})
    expect(plot(page, "loss")).to_have_attribute("aria-valuetext", "step 3: 0.25")
    expect(plot(page, "elo")).to_have_attribute("aria-valuetext", "step 3: 120")
    expect(run(page, "first")).to_contain_text("75%")


def test_a_chart_is_read_out_by_mouse_and_by_keys(open_page: Open) -> None:
    page = open_page("#/watch/runs/second")
    chart = plot(page, "loss")
    expect(chart).to_have_attribute("aria-valuetext", "step 4: 6")
    chart.focus()
    page.keyboard.press("Home")
    expect(chart).to_have_attribute("aria-valuetext", "step 0: 2")
    page.keyboard.press("ArrowRight")
    expect(chart).to_have_attribute("aria-valuetext", "step 1: 3")
    page.keyboard.press("Escape")
    expect(chart).to_have_attribute("aria-valuetext", "step 4: 6")
    chart.hover()
    expect(page.locator(".chart", has=chart).locator(".now")).to_have_text("step 2: 4")
    expect(plot(page, "games/s")).to_have_attribute("aria-valuetext", "step 4: 7")


def test_a_long_run_is_drawn_to_its_end_with_few_points(open_page: Open) -> None:
    page = open_page("#/watch/runs/long")
    expect(plot(page, "loss")).to_have_attribute("aria-valuenow", "99999")
    longest = page.evaluate("Math.max(...[...document.querySelectorAll('polyline.curve')].map((c) => c.points.length))")
    assert 300 <= longest <= 1300


def test_runs_are_compared_side_by_side(open_page: Open) -> None:
    page = open_page("#/watch/runs/second")
    page.get_by_role("switch", name="Compare runs").check()
    run(page, "long").click()
    legend = page.locator(".chart", has=plot(page, "loss")).locator(".legend li")
    expect(legend).to_have_count(2)
    expect(legend.first).to_contain_text("second")
    expect(legend.nth(1)).to_contain_text("long")
    expect(page.locator(".chart", has=plot(page, "loss")).locator("polyline.hue-1")).not_to_have_count(0)
    run(page, "second").click()
    expect(legend).to_have_count(1)


def test_a_run_that_is_held_down_while_the_list_is_read_again_is_chosen(open_page: Open) -> None:
    page = open_page("#/watch/runs/second")
    expect(run(page, "long")).to_have_attribute("aria-pressed", "false")
    run(page, "long").hover()
    page.mouse.down()
    for _ in range(2):  # what the first brings is on view when the second is asked for
        page.wait_for_event("response", lambda response: response.url.endswith("/api/runs"))
    page.mouse.up()
    expect(run(page, "long")).to_have_attribute("aria-pressed", "true")


def test_a_runs_games_replay_on_a_board(open_page: Open) -> None:
    page = open_page("#/watch/runs/first", reduced_motion="reduce")
    board = page.locator(".replay")
    # Where things should not move by themselves the end of the game is shown.
    expect(board.locator(".replay-caption")).to_contain_text("Black wins")
    expect(board.locator(".stones .stone")).to_have_count(5)
    slider = board.get_by_role("slider", name="Move")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(board.locator(".replay-caption")).to_contain_text("move 4 of 5")
    expect(board.locator(".stones .stone")).to_have_count(4)
    button(page, "Play").click()
    expect(board.locator(".replay-caption")).to_contain_text("Black wins")


def test_the_page_is_dressed_whichever_way_one_comes(open_page: Open) -> None:
    page = open_page("#/watch")
    expect(page.get_by_role("link", name="Runs")).to_have_css("text-decoration-line", "none")
    expect(page.locator(".part-head")).to_have_css("display", "flex")
    page.get_by_role("link", name="Learn").click()
    expect(page.locator(".lesson")).to_have_css("display", "grid")


def test_figures_of_the_work_are_folded_away(open_page: Open) -> None:
    page = open_page("#/watch/runs/first")
    expect(plot(page, "loss")).to_be_visible()
    expect(plot(page, "games")).not_to_be_visible()
    page.get_by_text("How the work went").click()
    expect(plot(page, "games")).to_be_visible()


def test_an_empty_folder_says_how_to_begin(open_page: Open) -> None:
    page = open_page("#/")
    page.route("**/api/runs", lambda route: route.fulfill(json={"runs": [], "now": 0}))
    page.get_by_role("link", name="Watch").click()
    expect(page.locator(".nothing")).to_contain_text("fingal train")


def test_the_league_is_a_ladder_with_intervals(open_page: Open) -> None:
    def row(player: str, elo: int, low: int, high: int) -> dict[str, Any]:
        return {"player": player, "elo": elo, "interval": [low, high], "games": 8, "wins": 4}

    small = {"games": 8, "ladder": [row("random", 0, 0, 0), row("uct:sims=150", 700, 500, 950)]}
    large = {"games": 8, "ladder": [row("net:fingal-small", 1200, 900, 1500), row("random", 0, 0, 0)]}
    page = open_page("#/")
    page.route("**/api/league", lambda route: route.fulfill(json={"sizes": {"5": small, "11": large}}))
    page.get_by_role("link", name="Watch").click()
    page.get_by_role("link", name="League").click()
    rows = page.locator(".ladder tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("net:fingal-small")
    expect(rows.first).to_contain_text("+900 to +1500")
    page.get_by_role("radio", name="5×5").check()
    expect(rows.first).to_contain_text("uct:sims=150")
    expect(rows.first).to_contain_text("+700")


def test_a_report_opens_by_itself_and_reaches_nothing_of_ours(open_page: Open) -> None:
    page = open_page("#/watch/reports")
    with page.context.expect_page() as opening:
        page.get_by_role("link", name="A report").click()
    report = opening.value
    expect(report.locator("#said")).to_contain_text("store-closed")
    expect(report.locator("#said")).to_contain_text("refused")
    assert report.evaluate("window.opener") is None
    assert report.evaluate("window.origin") == "null"


@pytest.mark.parametrize("where", ["runs/first", "league", "reports"])
def test_a_phone_shows_it_without_scrolling_sideways(open_page: Open, where: str) -> None:
    page = open_page(f"#/watch/{where}", **PHONE)
    expect(page.locator(".chart:visible, .league > *, .reports li").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
