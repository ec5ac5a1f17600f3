"""Everyone can use the page: axe finds nothing serious, in light and dark, on a desk and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.parts import button, click

axe_python = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe comes with the test extra")


def serious(page):
    # The page's own policy forbids what axe does to run: it is lifted for this check alone.
    found = axe_python.Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["html"][:120] for node in violation["nodes"][:3]])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_axe_has_nothing_serious_to_say(open_page, new_game, look):
    looks = {
        "light": {},
        "dark": {"color_scheme": "dark"},
        "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    }
    page = open_page("#/", bypass_csp=True, **looks[look])
    page.wait_for_selector(".new-game")
    assert serious(page) == []
    page.goto(page.url.split("#")[0] + f"#/play/{new_game()}")
    page.wait_for_selector(".table.play")
    assert serious(page) == []
    page.goto(page.url.split("#")[0] + f"#/play/{new_game(width=3, height=3)}")
    click(page, "b1", "a2", "b2", "c2", "b3")
    expect(button(page, "Review")).to_be_visible()
    assert serious(page) == []
    page.goto(page.url.split("#")[0] + f"#/analyse/{new_game()}")
    page.wait_for_selector(".table.analyse")
    expect(page.locator(".row-line").first).to_be_visible(timeout=60_000)
    page.get_by_role("switch", name="Engine", exact=True).uncheck()
    assert serious(page) == []
    page.get_by_role("tab", name="Notes").click()
    assert serious(page) == []
    page.get_by_role("button", name="Settings").click()
    assert serious(page) == []


@pytest.mark.parametrize("colours", ["red-blue", "safe"])
@pytest.mark.parametrize("light", ["light", "dark"])
def test_the_other_colours_can_be_read_too(open_page, new_game, colours, light):
    page = open_page("#/about", bypass_csp=True)
    chosen = {"colours": colours, "light": light}
    page.evaluate("(chosen) => localStorage.setItem('fingal', JSON.stringify(chosen))", chosen)
    page.goto(page.url.split("#")[0] + f"#/play/{new_game()}")
    page.reload()
    page.wait_for_selector(".table.play")
    click(page, "c3", "b2")
    assert serious(page) == []


def test_screen_readers_hear_of_moves(open_page, new_game):
    page = open_page(f"#/play/{new_game()}")
    click(page, "c3")
    expect(page.locator("#announcer")).to_have_text("Black: c3. White to move.")
    grid = page.get_by_role("grid", name="Hex board, 5 by 5")
    assert grid.get_by_role("row").count() == 5
    assert grid.get_by_role("gridcell").count() == 25
    assert grid.get_by_role("gridcell", name="c3, black, last move").count() == 1
    assert button(page, "Hint").is_enabled()
