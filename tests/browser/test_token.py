"""A server on the network as a browser sees it: the link opens everything, and without it there is nothing."""

import http.server
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.parts import click, says, wait_until_stored
from tests.serve.web.pages import served


@pytest.fixture
def context(browser):
    found = browser.new_context()
    yield found
    found.close()


def test_the_link_opens_the_page_which_plays_and_shows_the_token_nowhere(context, tmp_path):
    with served(tmp_path, "--host", "0.0.0.0") as server:
        home, token = f"http://{server.host}/", server.link.partition("=")[2]
        page = context.new_page()
        page.goto(home)
        expect(page.locator("body")).to_contain_text("this server requires its token")
        assert page.locator("script").count() == 0
        page.goto(server.link)
        expect(page.get_by_role("heading", name="Play Hex")).to_be_visible()
        page.wait_for_url(home)
        assert token not in page.evaluate("() => document.cookie + location.href + history.length")
        answer = page.request.post(f"{home}api/games", data={"width": 5, "height": 5})
        page.goto(f"{home}#/play/{answer.json()['id']}")
        page.reload()
        click(page, "c3")
        wait_until_stored(page, answer.json()["id"], moves=1)
        # Another tab has the cookie too; a page with a wrong token in its address as well.
        other = context.new_page()
        other.goto(f"{home}?token=wrong#/play/{answer.json()['id']}")
        says(other, "c3", "black, last move")


def test_a_link_on_another_sites_page_opens_it_too(context, tmp_path):
    with served(tmp_path, "--host", "0.0.0.0") as server:

        class Elsewhere(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(f'<!doctype html><a href="{server.link}">play</a>'.encode())

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as elsewhere:
            threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{elsewhere.server_address[1]}/")
            page.get_by_role("link", name="play").click()
            expect(page.get_by_role("heading", name="Play Hex")).to_be_visible()
            expect(page.locator("#connection")).to_be_hidden()
            page.get_by_role("link", name="Watch").click()
            expect(page.get_by_role("heading", name="Watch")).to_be_visible()
            page.reload()
            expect(page.get_by_role("heading", name="Watch")).to_be_visible()
            elsewhere.shutdown()
