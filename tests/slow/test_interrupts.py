"""A thousand interrupts of every kind of player, and a hundred of every command."""

import pytest

from tests.interrupting import COMMANDS, PLAYERS
from tests.test_interrupts import interrupt


@pytest.mark.parametrize("name", PLAYERS)
def test_a_thousand_interrupts_leave_a_player_as_good_as_new(name: str) -> None:
    assert interrupt(name, 1000, 3) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_hundred_interrupted_commands_end_in_order(name: str) -> None:
    assert interrupt(name, 100, 3) == []
