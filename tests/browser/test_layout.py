"""Everything is to be seen: nothing hangs out of the screen or of its panel, and nothing jumps."""

import pytest
from playwright.sync_api import expect

from tests.browser.parts import button, click, engine_off

SCREENS = {"small phone": (360, 640), "phone": (390, 844), "tablet": (768, 1024), "desk": (1280, 800)}

HANGING = """() => {
    const wide = document.documentElement.clientWidth;
    const out = document.documentElement.scrollWidth > wide ? [`the page: ${document.documentElement.scrollWidth} of ${wide}`] : [];
    for (const box of document.querySelectorAll("button, a, select, input, .actions, .segments, .side")) {
        const { left, right, width } = box.getBoundingClientRect();
        if (!width || box.closest(".moves, .chip-rows, .unseen, .skip, svg")) continue;
        const panel = box.closest(".side, .card, dialog")?.getBoundingClientRect() ?? { left: 0, right: wide };
        if (left < panel.left - 1 || right > panel.right + 1) out.push(`${box.className} ${box.textContent.slice(0, 20)}`);
    }
    return out;
}"""


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_hangs_out(open_page, new_game, screen):
    width, height = SCREENS[screen]
    page = open_page("#/", viewport={"width": width, "height": height})
    page.wait_for_selector(".new-game")
    start = button(page, "Start the game").bounding_box()
    assert start["y"] + start["height"] <= height
    found = {"the first page": page.evaluate(HANGING)}
    page.get_by_text("More", exact=True).click()
    found["more"] = page.evaluate(HANGING)
    base = page.url.split("#")[0]
    game = new_game(swap=True, width=11, height=11, clock={"seconds": 600, "increment": 5})
    page.goto(f"{base}#/play/{game}")
    page.wait_for_selector(".table.play")
    click(page, "b2")
    expect(button(page, "Swap")).to_be_visible()
    found["a game"] = page.evaluate(HANGING)
    page.goto(f"{base}#/analyse/{new_game()}")
    page.wait_for_selector(".table.analyse")
    engine_off(page)
    found["analysis"] = page.evaluate(HANGING)
    for address, sign in (("learn", ".board"), ("learn/swap", ".board"), ("watch", ".nothing")):
        page.goto(f"{base}#/{address}")
        page.wait_for_selector(f"{sign}:visible")
        found[address] = page.evaluate(HANGING)
    assert {place: out for place, out in found.items() if out} == {}


def test_the_board_stays_where_it_is_when_there_is_a_graph_to_draw(open_page, new_game):
    page = open_page(f"#/analyse/{new_game(width=4, height=4)}")
    board = page.locator(".board").first
    board.wait_for()
    before = board.bounding_box()
    figures = page.locator(".engine .figures").first
    for cell in ("a1", "b2"):
        expect(figures).to_contain_text("visits", timeout=60_000)
        page.locator(f".board [data-cell={cell}]").click()
    expect(page.locator(".graph .curve")).to_have_count(1, timeout=60_000)
    assert board.bounding_box() == before
