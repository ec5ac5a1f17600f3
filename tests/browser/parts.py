"""The parts of the page by the names that people and screen readers know them by."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


def cell(page: Any, name: str) -> Any:
    return page.locator(f".board [data-cell={name}]").first


def says(page: Any, name: str, what: str) -> None:
    """Wait until a cell is read out so: 'a1, black'."""
    expect(cell(page, name)).to_have_attribute("aria-label", f"{name}, {what}")


def click(page: Any, *names: str) -> None:
    """Play by clicks, each answered on the board before the next."""
    for name in names:
        cell(page, name).click()
        expect(cell(page, name)).not_to_have_attribute("aria-label", f"{name}, empty")


def status(page: Any) -> Any:
    return page.locator(".status")


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def game_id(page: Any) -> str:
    return str(page.url.split("/#/")[1].split("/")[1])


def wait_until_stored(page: Any, game: str, moves: int) -> None:
    """Wait until the server has so many moves of a game: the page shows a move at once."""
    kept = """([game, moves]) => fetch(`/api/games/${game}`)
        .then((said) => said.json()).then((said) => said.nodes.length === 1 + moves)"""
    page.wait_for_function(kept, arg=[game, moves])


def engine_off(page: Any) -> None:
    """Have the analysis silent: engines say more of the cells than a test asks for."""
    page.get_by_role("switch", name="Engine", exact=True).uncheck()
