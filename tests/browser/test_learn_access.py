"""Everyone can learn and watch: axe finds nothing serious, in light and dark, on a desk and on a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.parts import button
from tests.serve.web.pages import Served, served

axe_python = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe comes with the test extra")

LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("runs")
    for name in ("one", "two"):
        (folder / name).mkdir()
        rows = ({"step": n, "loss": 1 / (n + 1), "games": n, "games_per_s": 3.0} for n in range(20))
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / name / "metrics.jsonl").write_text(text, encoding="utf-8")
    (folder / "report.html").write_text("<title>A report</title>", encoding="utf-8")
    with served(tmp_path_factory.mktemp("games"), "--runs", str(folder)) as found:
        yield found


def serious(page: Any) -> list[Any]:
    found = axe_python.Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["html"][:120] for node in violation["nodes"][:3]])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_axe_has_nothing_serious_to_say_of_learning(open_page: Open, look: str) -> None:
    # The page's own policy forbids what axe does to run: it is lifted for this check alone.
    page = open_page("#/learn", bypass_csp=True, **LOOKS[look])
    expect(page.locator(".lesson-board .stone")).not_to_have_count(0)
    assert serious(page) == []
    button(page, "Show answer").click()
    expect(page.locator(".verdict strong")).to_have_count(1)
    assert serious(page) == []
    page.get_by_role("link", name="Swap trainer").click()
    button(page, "Swap").click()
    expect(page.locator(".verdict strong")).to_have_count(1)
    assert serious(page) == []
    for _ in range(9):
        page.keyboard.press("n")
        page.keyboard.press("s")
    page.keyboard.press("n")
    expect(page.locator(".key")).to_have_count(1)
    assert serious(page) == []


@pytest.mark.parametrize("look", LOOKS)
def test_axe_has_nothing_serious_to_say_of_watching(open_page: Open, look: str) -> None:
    page = open_page("#/watch", bypass_csp=True, **LOOKS[look])
    expect(page.locator("polyline.curve")).not_to_have_count(0)
    page.get_by_text("How the work went").click()
    assert serious(page) == []
    page.get_by_role("switch", name="Compare runs").check()
    page.locator("[data-run][aria-pressed=false]").click()
    expect(page.locator(".legend li:visible")).not_to_have_count(0)
    assert serious(page) == []
    page.get_by_role("link", name="Reports").click()
    expect(page.locator(".reports li")).to_have_count(1)
    assert serious(page) == []
    page.get_by_role("link", name="League").click()
    expect(page.locator(".league > *")).not_to_have_count(0)
    assert serious(page) == []
