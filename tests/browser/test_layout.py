"""Everything is to be seen: nothing hangs out of the screen or of its panel, and nothing jumps."""

import pytest
from playwright.sync_api import expect

from tests.browser.parts import button, click, engine_off

SCREENS = {
    "smallest phone": (320, 568),
    "small phone": (360, 640),
    "phone": (390, 844),
    "tablet": (768, 1024),
    "desk": (1280, 800),
}

HANGING = """() => {
    const { clientWidth: wide, scrollWidth } = document.documentElement;
    const out = scrollWidth > wide ? [`the page: ${scrollWidth} of ${wide}`] : [];
    for (const box of document.querySelectorAll(".level, dialog .body")) {
        if (box.scrollWidth > box.clientWidth) out.push(`what is in ${box.className}: ${box.textContent.slice(0, 20)}`);
    }
    for (const box of document.querySelectorAll("button, a, select, input, .actions, .segments, .side")) {
        const { left, right, width } = box.getBoundingClientRect();
        if (!width || box.closest(".moves, .chips, .unseen, .skip, svg")) continue;
        const panel = box.closest(".side, .card, dialog")?.getBoundingClientRect() ?? { left: 0, right: wide };
        const inside = left >= panel.left - 1 && right <= panel.right + 1;
        if (!inside) out.push(`${box.className} ${box.textContent.slice(0, 20)}`);
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
    button(page, "Share and save").click()
    expect(page.get_by_label("The game as text")).not_to_have_value("")
    found["share and save"] = page.evaluate(HANGING)
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


def test_pages_that_are_left_leave_nothing_behind(open_page, new_game):
    page = open_page("#/about")
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable")
    places = [
        ("#/", ".new-game"),
        (f"#/play/{new_game()}", ".table.play"),
        (f"#/analyse/{new_game()}", ".table.analyse"),
        ("#/learn/puzzles", ".board"),
        ("#/watch/league", ".page-watch"),
    ]

    def held():
        for hash, sign in [*places, ("#/about", ".page-about")]:
            page.evaluate("(hash) => { location.hash = hash; }", hash)
            page.locator(sign).first.wait_for()
        tools.send("HeapProfiler.collectGarbage")
        figures = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
        return figures["Nodes"], figures["JSEventListeners"]

    held()  # the style sheets of learn and watch stay
    nodes, listeners = held()
    for _ in range(4):
        later = held()
    assert later[0] <= nodes + 200, "elements of pages that were left are still held"
    assert later[1] <= listeners + 10, "listeners of pages that were left are still held"


def test_a_phone_that_lies_has_its_buttons_apart(open_page, new_game):
    page = open_page(f"#/play/{new_game(width=11, height=11)}", viewport={"width": 844, "height": 390})
    page.wait_for_selector(".table.play")
    click(page, "f6")
    walk, helps = page.locator(".walk").bounding_box(), page.locator(".helps").bounding_box()
    assert walk["y"] + walk["height"] <= helps["y"] or helps["y"] + helps["height"] <= walk["y"]
    side, acts = page.locator(".side").bounding_box(), page.locator(".actions").bounding_box()
    assert acts["y"] + acts["height"] <= side["y"] + side["height"]
    # Not by one pixel either, which would be a bar to scroll with.
    assert page.evaluate("() => document.documentElement.scrollHeight") <= 390
