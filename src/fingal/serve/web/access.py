"""The token without which a server on the network serves nothing.

It comes in a link's ``?token=...``; the answer sets it as a cookie, so that the page, its requests and its socket have
it from then on. A program of one's own may give it with every request.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Literal
from urllib.parse import parse_qs

from starlette.requests import cookie_parser
from starlette.types import Scope

COOKIE = "fingal-token"

MISSING = "this server requires its token: open the link that 'fingal serve' printed when it was started"
WRONG = "this is not the token of this server: open the link that 'fingal serve' printed when it was started last"


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Access:
    """Checks the token of requests."""

    def __init__(self, token: str) -> None:
        """``token`` is the one that is right."""
        self._token = token

    def check(self, scope: Scope) -> Literal["link", "cookie", "missing", "wrong"]:
        """Whether a request has the token in its address or in a cookie, none, or another one."""
        query = scope["query_string"].decode("latin-1")
        try:
            given = parse_qs(query, max_num_fields=20).get("token", [])
        except ValueError:
            given = []
        if any(map(self._is_right, given)):
            return "link"
        cookie = self._cookie(scope)
        if cookie is not None and self._is_right(cookie):
            return "cookie"
        return "wrong" if given or cookie is not None else "missing"

    def header(self, scope: Scope) -> bytes:
        """The header that makes the token a cookie. It holds until the browser is closed."""
        return f"{_name(scope)}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode()

    def _is_right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(errors="replace"), self._token.encode())

    def _cookie(self, scope: Scope) -> str | None:
        for name, value in scope["headers"]:
            # Cookies of other programs on the same host, which need not be proper ones, stand beside it.
            if name.lower() == b"cookie" and (found := cookie_parser(value.decode("latin-1")).get(_name(scope))):
                return found
        return None


def _name(scope: Scope) -> str:
    """The cookie's name. Browsers give all ports of a host the same cookies, and two servers have two tokens."""
    server = scope.get("server")
    return f"{COOKIE}-{server[1]}" if server else COOKIE
