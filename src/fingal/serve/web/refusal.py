"""What the server says no with: a code for the page and one sentence for the person."""

from __future__ import annotations

from typing import Literal

Code = Literal["version", "bad_message", "too_long", "too_many", "not_found", "illegal", "refused", "busy", "failed"]

STATUS: dict[Code, int] = {
    "version": 400,
    "bad_message": 400,
    "too_long": 413,
    "too_many": 429,
    "not_found": 404,
    "illegal": 409,
    "refused": 403,
    "busy": 503,
    "failed": 500,
}
"""The HTTP status of each code."""


class Refusal(Exception):
    """A request that is not carried out; nothing has changed."""

    def __init__(self, code: Code, message: str) -> None:
        """``message`` is one sentence."""
        super().__init__(message)
        self.code: Code = code
        self.message = message
