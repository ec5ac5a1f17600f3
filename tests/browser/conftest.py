"""A real browser and a real server for the tests of the page.

The browser is the machine's own chromium; none is ever installed here. Where there is none the tests are skipped and
say so, unless FINGAL_BROWSER=required makes that a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.web.pages import Served, served

sync_api = pytest.importorskip("playwright.sync_api", reason="the page's tests need the test extra: playwright")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESK = {"width": 1280, "height": 800}


def chromium() -> str:
    for name in NAMES:
        if (found := shutil.which(name)) is not None:
            return found
    reason = f"there is no browser to test the page with: none of {', '.join(NAMES)} is on the PATH"
    if os.environ.get("FINGAL_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    path = chromium()
    sync_api.expect.set_options(timeout=30_000)  # on a busy machine a page may take long; what is late is not wrong
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found


@pytest.fixture
def address(server: Served) -> str:
    return f"http://{server.host}/"


Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Open]:
    """Opens pages in windows of their own, at an address after the hash; at the end none may have complained."""
    contexts, complaints = [], []

    def watch(page: Any, refused: bool) -> Any:
        def hear(said: Any) -> None:
            if said.type in ("error", "warning") and not (refused and "responded with a status of 4" in said.text):
                complaints.append(said.text)

        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", hear)
        return page

    def open_(hash: str = "#/", *, beside: Any = None, refused: bool = False, **look: Any) -> Any:
        """``refused``: whether the server refuses something in this test, of which browsers complain."""
        context = beside.context if beside is not None else browser.new_context(**{"viewport": DESK, **look})
        if beside is None:
            context.grant_permissions(["clipboard-read", "clipboard-write"])
            contexts.append(context)
        page = watch(context.new_page(), refused)
        page.goto(address + hash)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def new_game(server: Served) -> Callable[..., str]:
    """Makes a game on the server; its id."""

    def new(**settings: Any) -> str:
        answer = server.http.post("/api/games", json={"width": 5, "height": 5, **settings})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    return new


@pytest.fixture
def stored(server: Served) -> Callable[[str], Any]:
    """What the server has of a game."""
    return lambda id: server.http.get(f"/api/games/{id}").json()


SHOTS = Path(__file__).parents[2] / "build" / "browser"
"""Where a picture of the page goes when a test has failed."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call" and report.failed:
        for page in item.funcargs.get("browser").contexts if "browser" in item.funcargs else []:
            for number, shown in enumerate(page.pages):
                SHOTS.mkdir(parents=True, exist_ok=True)
                shown.screenshot(path=SHOTS / f"{item.name}-{number}.png")
    return report
