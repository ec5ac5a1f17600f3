"""The analysis board with real engines on small boards."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.parts import button, cell, click, engine_off, game_id, says, wait_until_stored

SGF = "(;FF[4]GM[11]SZ[5];B[a2];W[c3];B[d2](;W[b4];B[c4])(;W[d3]C[a try]))"


@pytest.fixture
def imported(server):
    def read(text):
        answer = server.http.post("/api/import", json={"text": text})
        assert answer.status_code == 200, answer.text
        return answer.json()["games"][0]["id"]

    return read


def test_candidates_stream_and_a_variation_shows_where_one_points(open_page, imported):
    page = open_page(f"#/analyse/{imported('(;FF[4]GM[11]SZ[9];B[a2];W[e5])')}")
    rows = page.locator(".row-line")
    expect(rows.first).to_be_visible(timeout=60_000)
    figures = page.locator(".engine .figures").first
    before = figures.inner_text()
    expect(figures).not_to_have_text(before, timeout=60_000)
    expect(page.locator(".disc.best")).to_have_count(1)
    rows.first.hover()
    expect(page.locator(".layer.ghosts .stone").first).to_be_visible()
    page.mouse.move(2, 2)
    expect(page.locator(".layer.ghosts .stone")).to_have_count(0)
    page.keyboard.press("x")
    expect(page.locator(".disc")).to_have_count(0)
    expect(page.get_by_role("switch", name="Engine", exact=True)).not_to_be_checked()


def test_two_engines_stand_side_by_side(open_page, imported):
    page = open_page(f"#/analyse/{imported(SGF)}", viewport={"width": 1600, "height": 900})
    button(page, "Two engines").click()
    expect(page.locator(".board:visible")).to_have_count(2)
    # Nobody wants the same opinion twice.
    assert page.locator(".caption.first").inner_text() != page.locator(".caption.second").inner_text()
    page.get_by_label("Second player").select_option("other")
    page.get_by_label("A player's text").last.fill("uct:sims=400")
    page.keyboard.press("Enter")
    expect(page.locator(".engine").nth(1).locator(".row-line").first).to_be_visible(timeout=60_000)
    expect(page.locator(".caption.second")).to_have_text("uct:sims=400")


def test_the_tree_is_walked_by_keys_and_grows_by_clicks(open_page, imported, stored):
    page = open_page(f"#/analyse/{imported(SGF)}")
    engine_off(page)
    says(page, "c4", "black, last move")
    page.keyboard.press("ArrowLeft")
    says(page, "c4", "empty")
    page.keyboard.press("Home")
    says(page, "a2", "empty")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    says(page, "d2", "black, last move")
    expect(page.locator(".variation")).to_contain_text("a try")
    click(page, "e1")
    says(page, "e1", "white, last move")
    expect(page.locator(".tree .move[aria-current]")).to_have_text("4.e1")
    page.get_by_role("tab", name="Notes").click()
    page.get_by_label("Comment").fill("far away")
    page.get_by_label("Comment").blur()
    cell(page, "e5").click(button="right")
    expect(page.locator(".layer.marks .mark")).to_have_count(1)
    # The address leads back here, and everything was kept.
    expect(page).to_have_url(re.compile(r"/\d+$"))
    page.reload()
    says(page, "e1", "white, last move")
    node = next(node for node in stored(game_id(page))["nodes"] if node["move"] == "e1")
    assert (node["comment"], node["marks"][0]["cell"]) == ("far away", "e5")
    # From anywhere in a variation it becomes the main line.
    engine_off(page)
    click(page, "a5")
    page.get_by_role("tab", name="Notes").click()
    button(page, "Make it the main line").click()
    expect(button(page, "Make it the main line")).to_be_disabled()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    says(page, "a5", "black, last move")


def test_a_finger_that_is_held_marks_a_cell_and_plays_nothing(open_page, new_game, stored):
    game = new_game()
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_page(f"#/analyse/{game}", **phone)
    engine_off(page)
    page.get_by_role("tab", name="Notes").click()
    expect(page.get_by_text("Marks: hold a finger on a cell")).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")
    box = cell(page, "b2").bounding_box()
    finger = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    hand = page.context.new_cdp_session(page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    expect(page.locator(".layer.marks .mark")).to_have_count(1)
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    # A tap plays as before, and b2 was not played.
    cell(page, "d4").tap()
    if button(page, "Play d4").is_visible():
        button(page, "Play d4").tap()
    says(page, "d4", "black, last move")
    wait_until_stored(page, game, moves=1)
    root, played = stored(game)["nodes"]
    assert ([mark["cell"] for mark in root["marks"]], played["move"]) == (["b2"], "d4")


def test_what_is_known_is_laid_over_the_board(open_page, imported):
    # Black's b2 is joined to both edges of 3x3: White has lost, wherever it plays.
    page = open_page(f"#/analyse/{imported('(;FF[4]GM[11]SZ[3];B[b2])')}")
    engine_off(page)
    for layer in ("Connections", "Must-play", "Solver", "Resistance"):
        button(page, layer).click()
    says_ = page.locator(".sentences")
    expect(says_).to_contain_text("White has lost", timeout=60_000)
    expect(says_).to_contain_text("Resistance: Black", timeout=60_000)
    expect(page.locator(".link.black")).not_to_have_count(0)
    expect(page.locator(".tint").first).to_be_visible()
    for layer in ("Connections", "Must-play", "Solver", "Resistance"):
        button(page, layer).click()
    expect(page.locator(".tint, .link")).to_have_count(0)


def test_a_review_names_the_mistakes(open_page, imported):
    # With b2 on 3x3 Black has won; c1 throws it away only if White may still join, so the loss is White's a1 and so on.
    page = open_page(f"#/analyse/{imported('(;FF[4]GM[11]SZ[3];B[a1];W[c3];B[b2];W[a3];B[b3])')}?review")
    expect(page.locator(".grades")).to_be_visible(timeout=90_000)
    first = page.locator(".mistake").first
    # a1 gives the win away, and White's c3 gives it back: the two largest losses.
    expect(first).to_be_visible()
    listed = [text.split("%")[0] for text in page.locator(".mistake").all_inner_texts()]
    assert any("2. c3" in text for text in listed)
    first.click()
    expect(page.locator(".tree .move[aria-current]")).to_have_count(1)
    expect(page.locator(".graph")).to_be_visible()
    # Who goes from heading to heading finds the page, and the review just below it: on a phone too.
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("heading", level=2)).to_have_text("The biggest mistakes")
