"""Hostile messages against a real server: a few thousand of them here, a hundred thousand in the long checks."""

from pathlib import Path

from .fuzzing import fuzz_socket
from .pages import served

MESSAGES = 3_000


def test_every_message_is_answered_and_every_honest_move_is_made(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        tally = fuzz_socket(server, 1, MESSAGES)
        assert server.process.poll() is None
    assert tally.sent == tally.answered == MESSAGES
    assert tally.honest > 0
    assert {"bad_message", "not_found", "illegal", "refused"} <= tally.errors.keys()
