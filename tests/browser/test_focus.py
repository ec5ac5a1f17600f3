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
    page.get_by_role("link", name="Learn").click()
    expect(page.locator("#nav a[aria-current]")).to_have_text("Learn")
    page.get_by_role("link", name="Fingal, home").click()
    page.wait_for_selector(".new-game")
    # From one page to another by a key: Tab goes on in what is new.
    page.get_by_role("radio", name="Two people").check()
    button(page, "Start the game").press("Enter")
    page.wait_for_selector(".table.play")
    expect(page.locator("#main")).to_be_focused()
