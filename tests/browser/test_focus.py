"""Those who do not see the page, or have no mouse, know where they are and what has happened."""

from playwright.sync_api import expect

from tests.browser.parts import button, click


def test_the_skip_link_leads_to_the_board_and_not_away(open_page, new_game):
    page = open_page(f"#/play/{(game := new_game())}")
    page.wait_for_selector(".table.play")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".board .cell:focus")).to_have_count(1)
    assert page.url.endswith(game)


def test_tab_goes_straight_to_a_cell(open_page, new_game):
    page = open_page(f"#/play/{new_game()}")
    page.wait_for_selector(".table.play")
    button(page, "Settings").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".board .cell:focus")).to_have_attribute("aria-label", "c3, empty")
    page.keyboard.press("Shift+Tab")
    expect(button(page, "Settings")).to_be_focused()


def test_what_lies_under_the_button_comes_out_when_tab_leads_there(open_page):
    page = open_page("#/")
    more = page.get_by_text("More", exact=True)
    page.get_by_role("switch", name="Swap").focus()
    page.keyboard.press("Tab")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    hidden = """() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        const over = document.querySelector(".submit").getBoundingClientRect();
        return bottom > over.top && top < over.bottom && !document.activeElement.closest(".submit");
    }"""
    for _ in range(7):
        assert not page.evaluate(hidden), page.evaluate("document.activeElement.outerHTML")
        page.keyboard.press("Tab")
    expect(page.get_by_label("A player in your place, to watch the two")).to_be_focused()


def test_every_key_stands_where_it_works(open_page):
    page = open_page("#/about")
    page.wait_for_selector(".page-about .prose")
    page.keyboard.press("?")
    for where, what in (
        ("In a game", "hint"),
        ("In the analysis", "review the game"),
        ("On the board", "mark the cell"),
        ("Anywhere", "this list"),
    ):
        expect(page.locator(f"dialog h3:text-is('{where}') + dl")).to_contain_text(what)


def test_what_happens_is_read_out_and_the_focus_stays(open_page, new_game):
    page = open_page(f"#/play/{new_game(width=3, height=3, swap=True)}")
    told = page.locator("#announcer")
    expect(told).to_have_text("Black to move.")
    click(page, "b2")
    expect(told).to_have_text("Black: b2. White to move.")
    swap = button(page, "Swap")
    swap.focus()
    page.keyboard.press("Enter")
    expect(told).to_have_text("White: swap, b2. Black to move.")
    expect(button(page, "Undo")).to_be_focused()  # there is nothing left to swap
    page.keyboard.press("Home")
    expect(told).to_have_text("The start. Black to move · looking back.")
    page.keyboard.press("End")
    assert page.title() == "Black to move · Fingal"
    page.get_by_role("link", name="Watch").click()
    expect(page.locator("#nav a[aria-current]")).to_have_text("Watch")
    expect(told).to_have_text("")  # the game is no news any more
    page.get_by_role("link", name="Fingal, home").click()
    page.wait_for_selector(".new-game")
    # From one page to another by a key: Tab goes on in what is new.
    page.get_by_role("radio", name="Two people").check()
    button(page, "Start the game").press("Enter")
    page.wait_for_selector(".table.play")
    expect(page.locator("#main")).to_be_focused()
