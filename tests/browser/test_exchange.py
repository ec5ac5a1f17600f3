"""Games that come from elsewhere and go elsewhere."""

import re

import pytest
from playwright.sync_api import expect

from fingal.game import Record, formats
from tests.browser.parts import button, engine_off, game_id, says

MOVES = ["a2", "c3", "d2", "b4"]


def record():
    return Record.of(MOVES, 5)


@pytest.mark.parametrize("format", ["sgf", "hexworld", "trmph", "littlegolem"])
def test_a_pasted_game_is_shown(open_page, format):
    page = open_page("#/analyse")
    page.get_by_label("A game as text or link").fill(formats.write(record(), format))
    button(page, "Open it").click()
    page.wait_for_selector(".table.analyse")
    engine_off(page)
    says(page, "b4", "white, last move")
    says(page, "a2", "black")


def test_a_dropped_file_is_opened(open_page):
    page = open_page("#/")
    page.wait_for_selector(".new-game")
    page.evaluate(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "game.sgf"));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        formats.write(record(), "sgf"),
    )
    page.wait_for_selector(".table.analyse")
    engine_off(page)
    says(page, "b4", "white, last move")


def test_what_is_no_game_is_refused_in_a_sentence(open_page, new_game):
    page = open_page("#/analyse", refused=True)
    page.clock.install()
    page.get_by_label("A game as text or link").fill("(;FF[4]GM[1]SZ[19];B[aa])")
    button(page, "Open it").click()
    expect(page.locator(".toast.bad")).to_be_visible()
    page.clock.fast_forward(6000)
    assert page.locator(".toast.bad").count() == 0
    # In the dialog too, and what was written is still there to be mended.
    page.goto(page.url.split("#")[0] + f"#/analyse/{new_game()}")
    button(page, "Open a game").click()
    box = page.get_by_role("dialog")
    box.get_by_label("A game as text or link").fill("what is this")
    box.get_by_role("button", name="Open it").click()
    expect(box.locator(".toast.bad").last).to_contain_text("not a game")
    expect(box.get_by_label("A game as text or link")).to_have_value("what is this")
    # Nothing is kept from being pressed by what is said, and on another page it is not said any more.
    said = box.locator(".toast.bad").last
    under = """(said) => {
        const { left, top, width, height } = said.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2).className;
    }"""
    assert "toast" not in said.evaluate(under)
    page.goto(page.url.split("#")[0] + "#/about")
    page.wait_for_selector(".page-about .prose")
    assert page.locator(".toast").count() == 0


def test_moves_alone_are_a_game_and_may_be_pasted_anywhere(open_page):
    page = open_page("#/")
    page.wait_for_selector(".new-game")
    page.evaluate(
        """(text) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        }""",
        "a2 c3 d2, b10",
    )
    page.wait_for_selector(".table.analyse")
    engine_off(page)
    says(page, "b10", "white, last move")
    expect(page.locator(".board .cell")).to_have_count(121)  # the smallest usual board that has b10


def test_a_game_is_written_in_every_format(open_page, server):
    answer = server.http.post("/api/import", json={"text": formats.write(record(), "sgf")})
    page = open_page(f"#/analyse/{answer.json()['games'][0]['id']}")
    page.wait_for_selector(".table.analyse")
    engine_off(page)
    button(page, "Share and save").click()
    text = page.get_by_label("The game as text")
    for format, looks in (
        ("hexworld", "hexworld.org"),
        ("trmph", r"^\s*(https?:.*trmph.*|#)"),
        ("littlegolem", r"W\[ab\]"),
        ("sgf", "GM\\[11\\]"),
    ):
        page.locator("#format").select_option(format)
        expect(text).to_have_value(re.compile(looks))
        written = formats.read(text.input_value())
        assert [written.name(move) for _, move in written.moves] == MOVES, format
    for name, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("Animated replay", b"<")):
        with page.expect_download() as download:
            page.get_by_role("dialog").get_by_role("link", name=name, exact=True).click()
        content = download.value.path().read_bytes()
        assert content.lstrip()[:4].startswith(begins), name
        assert download.value.suggested_filename.endswith(".png" if name == "PNG" else ".svg")
    link = page.get_by_label("Link to this position").input_value()
    page.goto("about:blank")
    page.goto(link)
    says(page, "b4", "white, last move")
    assert game_id(page) == answer.json()["games"][0]["id"]
