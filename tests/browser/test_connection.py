"""A connection that is lost: the page says so, and comes back by itself."""

from playwright.sync_api import expect

from tests.browser.parts import click, says, wait_until_stored
from tests.serve.web.pages import served


def test_the_page_says_so_and_goes_on_when_the_server_is_back(browser, tmp_path):
    context = browser.new_context()
    with served(tmp_path) as server:
        port = server.host.split(":")[1]
        game = server.http.post("/api/games", json={"width": 5, "height": 5}).json()["id"]
        page = context.new_page()
        page.goto(f"http://{server.host}/#/play/{game}")
        page.wait_for_selector(".table.play")
        click(page, "c3")
        wait_until_stored(page, game, moves=1)
        # When nothing else is to be done the page fetches what its other parts need.
        fetched = (
            "() => performance.getEntriesByType('resource').some((each) => each.name.endsWith('/analyse-start.js'))"
        )
        page.wait_for_function(fetched)
        other = context.new_page()
        other.goto(f"http://{server.host}/#/about")
        other.wait_for_function(fetched)
        server.kill()
        expect(page.locator("#connection")).to_contain_text("No connection", timeout=15_000)
        page.locator("[data-cell=d4]").click()  # nobody confirms it: it is taken back
        says(page, "d4", "empty")
        expect(page.locator(".toast.bad").first).to_be_visible()
        # Other pages open all the same, and the game says that it waits.
        page.get_by_role("link", name="Analyse").click()
        expect(page.get_by_role("heading", name="Analyse")).to_be_visible()
        other.get_by_role("link", name="Fingal, home").click()
        expect(other.get_by_role("heading", name="Play Hex")).to_be_visible()
        expect(other.locator(".toast.bad").first).to_be_visible()
        page.go_back()
        expect(page.get_by_text("Loading…")).to_be_visible()
    with served(tmp_path, "--port", port):
        # The page need not wait for its pause to end: the network says that it is there again.
        page.evaluate("() => window.dispatchEvent(new Event('online'))")
        expect(page.locator("#connection")).to_be_hidden(timeout=30_000)
        says(page, "c3", "black, last move")
        click(page, "d4")
        says(page, "d4", "white, last move")
        # The list of games, which could not be read, is there too.
        other.evaluate("() => window.dispatchEvent(new Event('online'))")
        expect(other.locator(".games .game")).to_have_count(1)
    context.close()
