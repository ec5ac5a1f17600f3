"""Games played by clicks, taps and keys, as people play them."""

import re

from playwright.sync_api import expect

from fingal import Board
from tests.browser.parts import button, cell, click, game_id, says, status, wait_until_stored


def start(page, size=None, opponent="Two people", text=None):
    """Make a game with the form of the first page."""
    if text is None:
        page.get_by_role("radio", name=opponent).check()
    if size is not None or text is not None:
        page.get_by_text("More", exact=True).click()
    if size is not None:
        for side in ("Width", "Height"):
            page.get_by_label(side, exact=True).fill(str(size))
            page.keyboard.press("Tab")
    if text is not None:
        page.get_by_label("Any other player, by its text").fill(text)
    button(page, "Start the game").click()
    page.wait_for_selector(".table.play")


def test_two_people_play_a_whole_game_by_clicks(open_page, stored):
    page = open_page()
    start(page, size=3)
    expect(status(page)).to_have_text("Black to move")
    click(page, "b1", "a2", "b2", "c2", "b3")
    expect(status(page)).to_have_text("Black wins.")
    expect(page.locator(".chain.line")).to_have_count(1)
    assert page.locator(".stone.winning").count() == 3
    wait_until_stored(page, game_id(page), moves=5)
    game = stored(game_id(page))
    assert game["status"]["winner"] == "black"
    assert [node["move"] for node in game["nodes"]] == [None, "b1", "a2", "b2", "c2", "b3"]


def test_a_game_against_an_engine_goes_on_to_its_end(open_page, stored):
    page = open_page()
    start(page, size=4, text="random:seed=3")
    board = Board(4)
    while not board.is_over():
        # The engine's answer is on the board before the next click.
        expect(status(page)).to_have_text(re.compile("Your move|wins"))
        for node in stored(game_id(page))["nodes"][1 + len(board.moves) :]:
            board.push("swap" if node["move"] == "swap-pieces" else node["move"])
        if not board.is_over():
            name = board.name(next(move for move in board.legal_moves if move >= 0))
            cell(page, name).click()
            board.push(name)
            expect(cell(page, name)).not_to_have_attribute("aria-label", f"{name}, empty")
    winner = "Black" if board.winner == 0 else "White"
    expect(status(page)).to_have_text(f"{winner} wins.")


def test_swap_mirrors_the_stone(open_page, new_game):
    page = open_page(f"#/play/{new_game(swap=True)}")
    assert button(page, "Swap").count() == 0
    click(page, "b1")
    button(page, "Swap").click()
    says(page, "a2", "white, last move")
    says(page, "b1", "empty")
    expect(status(page)).to_have_text("Black to move")
    expect(button(page, "Swap")).to_have_count(0)


def test_undo_resign_and_reload(open_page, new_game):
    page = open_page(f"#/play/{new_game()}")
    click(page, "c3", "b2")
    button(page, "Undo").click()
    says(page, "b2", "empty")
    expect(status(page)).to_have_text("White to move")
    page.reload()
    says(page, "c3", "black, last move")
    button(page, "Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign", exact=True).click()
    expect(status(page)).to_have_text("Black wins. White has resigned.")


def test_two_tabs_stay_in_step(open_page, new_game):
    game = new_game()
    first = open_page(f"#/play/{game}")
    second = open_page(f"#/play/{game}", beside=first)
    click(first, "c3")
    says(second, "c3", "black, last move")
    click(second, "d2")
    says(first, "d2", "white, last move")
    button(first, "Undo").click()
    says(second, "d2", "empty")


def test_keys_alone_are_enough(open_page, stored):
    page = open_page()
    people = page.get_by_role("radio", name="Two people")
    people.focus()
    page.keyboard.press("Space")
    page.get_by_text("More", exact=True).focus()
    page.keyboard.press("Enter")
    for side in ("Width", "Height"):
        page.get_by_label(side, exact=True).focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("3")
        page.keyboard.press("Tab")
    button(page, "Start the game").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".table.play")
    for _ in range(20):  # a few stops lie between the top of the page and the board
        page.keyboard.press("Tab")
        if page.locator(".board .cell:focus").count():
            break
    expect(page.locator(".board .cell:focus")).to_have_attribute("aria-label", "b2, empty")
    page.keyboard.press("Enter")
    says(page, "b2", "black, last move")
    for keys, played in (("Left", "a2"), ("Up Right", "b1"), ("Down Right", "c2"), ("Down Left", "b3")):
        for key in keys.split():
            page.keyboard.press(f"Arrow{key}")
        expect(page.locator(".board .cell:focus")).to_have_attribute("aria-label", f"{played}, empty")
        page.keyboard.press("Enter")
        expect(cell(page, played)).not_to_have_attribute("aria-label", f"{played}, empty")
    expect(status(page)).to_have_text("Black wins.")
    # On a finished game the arrows walk through it, once the board is left.
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    says(page, "b2", "empty")


def test_on_a_phone_a_tap_is_confirmed(open_page, new_game):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_page(f"#/play/{new_game(width=11, height=11)}", **phone)
    cell(page, "f6").tap()
    says(page, "f6", "empty")
    button(page, "Play f6").tap()
    says(page, "f6", "black, last move")
    cell(page, "c3").tap()
    cell(page, "d4").tap()  # another cell: the preview moves there
    cell(page, "d4").tap()
    says(page, "d4", "white, last move")
    says(page, "c3", "empty")
    # The whole board is to be seen above the buttons, and nothing hangs out of the screen.
    board, bar = page.locator(".board").bounding_box(), page.locator(".actions").bounding_box()
    assert board["y"] + board["height"] <= bar["y"]
    assert bar["y"] + bar["height"] <= 845
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.goto(page.url.replace("play", "analyse"))
    page.wait_for_selector(".table.analyse")
    cell(page, "h8").tap()
    button(page, "Play h8").tap()
    says(page, "h8", "black, last move")


def test_a_refused_move_is_taken_back_with_the_sentence(open_page, new_game, server):
    page = open_page(f"#/play/{(game := new_game())}")
    click(page, "a1")
    server.http.delete(f"/api/games/{game}")
    cell(page, "b2").click()
    expect(page.locator(".toast.bad").last).to_be_visible()
    says(page, "b2", "empty")


def test_a_game_that_there_is_not_is_said_so(open_page):
    page = open_page("#/play/nonexist")
    expect(page.locator(".lonely p")).to_have_text(re.compile("^There is no such game"))


def test_looking_back_and_the_look_of_the_board(open_page, new_game):
    page = open_page(f"#/play/{new_game()}")
    click(page, "a1", "b2", "c3")
    page.keyboard.press("ArrowLeft")
    says(page, "c3", "empty")
    expect(status(page)).to_contain_text("looking back")
    cell(page, "d4").click()  # nothing is played in the past
    says(page, "d4", "empty")
    page.keyboard.press("End")
    says(page, "c3", "black, last move")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_label("Red, blue").check()
    page.get_by_role("dialog").get_by_label("Move numbers").check()
    page.keyboard.press("Escape")
    says(page, "c3", "red, last move")
    expect(page.locator(".stone .number").filter(has_text="3")).to_have_count(1)
    page.reload()
    says(page, "c3", "red, last move")


def test_the_teacher_warns_and_the_move_is_taken_back(open_page, new_game):
    # On 3x3 a1 loses and b2 wins: White answers b2, which joins both its edges.
    page = open_page(f"#/play/{new_game(width=3, height=3, white='random:seed=1', teaching=True)}")
    cell(page, "a1").click()
    notice = page.locator(".notice.warn")
    expect(notice).to_contain_text("loses", timeout=60_000)
    button(page, "Take it back").click()
    says(page, "a1", "empty")
    expect(notice).to_have_count(0)
    expect(status(page)).to_have_text("Your move")


def test_a_hint_is_a_cell_and_a_reason(open_page, new_game):
    page = open_page(f"#/play/{new_game(width=3, height=3)}")
    click(page, "a1")
    button(page, "Hint").click()
    expect(page.locator(".notice")).to_contain_text("b2", timeout=60_000)
    says(page, "b2", "empty, the hint")
    # On a phone it is to be seen above the buttons, and can be put away.
    page.set_viewport_size({"width": 360, "height": 640})
    card, bar = page.locator(".notice").bounding_box(), page.locator(".actions").bounding_box()
    assert card["y"] + card["height"] <= bar["y"]
    button(page, "Close the hint").click()
    expect(page.locator(".notice")).to_have_count(0)
    says(page, "b2", "empty")


def test_clocks_run_down_for_the_side_to_move(open_page, new_game):
    page = open_page(f"#/play/{new_game(clock={'seconds': 60, 'increment': 2})}")
    times = page.get_by_role("timer")
    expect(times.last).to_have_text(re.compile(r"^(1:00|0:5\d)$"))
    click(page, "c3")
    expect(page.locator(".strip.to-move .name")).to_have_text("White")
    expect(times.first).to_have_text(re.compile(r"^0:5[0-8]$"), timeout=15_000)
