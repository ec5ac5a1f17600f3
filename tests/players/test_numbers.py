"""Extreme numbers in the settings of every kind of player: a legal move, or one sentence that names the setting."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from fingal.players import spec
from fingal.players.player import Limit
from tests.players.extremes import NUMBERS, numbers_of

ROOT = Path(__file__).parents[2]
WORDS = {"sims": "simulations", "time": "seconds"}
"""What errors call a setting that is a limit of every move."""


@pytest.mark.parametrize("name", [kind.name for kind in spec.kinds()])
def test_extreme_numbers_give_a_legal_move_or_are_rejected_by_name(name: str) -> None:
    """In a process of its own: a number that gets past the checks may take all memory, or the process with it."""
    child = [sys.executable, "-W", "error", "-m", "tests.players.extremes", name]
    ran = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, timeout=600)
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    wanted = [(setting, number) for setting in numbers_of(spec.find(name)) for number in NUMBERS]
    assert [(setting, number) for setting, number, _, _ in results] == wanted, ran.stderr
    for setting, number, ended, sentence in results:
        about = f"{name}:{setting}={number:.40} ended with {ended}: {sentence}"
        if ended == "PlayerError":  # an engine that has no time to answer
            assert (name, setting) == ("htp", "timeout"), about
        elif ended not in ("moved", "made"):
            assert ended == "ValueError", about
            assert setting in sentence or WORDS.get(setting, setting) in sentence, about
            assert "\n" not in sentence, about
            assert len(sentence) < 200, about
    # The numbers in the middle are possible: not everything is rejected.
    assert {setting for setting, _, ended, _ in results if ended in ("moved", "made")} >= set(
        numbers_of(spec.find(name))
    ) - {"temperature", "resign"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("resistance:depth=2147483648", "depth must be from 1 to 2147483647, not 2147483648"),
        ("resistance:width=0", "width must be from 1 to 2147483647, not 0"),
        ("puct:fingal-small,connections=4294967296", "connections must be from 0 to 2147483647, not 4294967296"),
        ("puct:fingal-small,batch=2147483647", "batch must be from 1 to 4096, not 2147483647"),
        ("puct:fingal-small,c=1e308", r"c must be from 0 to 1000000, not 1e\+308"),
        ("puct:fingal-small,fpu=1e7", "fpu must be from 0 to 1000000, not 10000000.0"),
        ("gumbel:fingal-small,scale=1e7", "scale must be from 0 to 1000000, not 10000000.0"),
        ("gumbel:fingal-small,considered=4294967296", "considered must be from 1 to 2147483647, not 4294967296"),
        (f"uct:threads={2**64}", f"threads must be from 1 to 256, not {2**64}"),
        (f"net:fingal-small,threads={2**64}", f"threads must be from 1 to 256, not {2**64}"),
        (f"minimax:fingal-small,threads={2**64}", f"threads must be from 1 to 256, not {2**64}"),
        (f"solver:memory={10**400}", r"memory must be from 1 to 100000000, not 10\^400"),
        (f"uct:sims={10**30}", f"a limit of {10**30} simulations is not possible: it must be at most 10\\^18"),
        ("uct:time=1e300", r"a limit of 1e\+300 seconds is not possible: it must be at most 10\^9"),
        ("htp:x,timeout=1e300", r"timeout must be from 0 to 1000000000, not 1e\+300"),
        (f"characteristics:depth={10**400}", r"depth=10\^400 is not possible: 1 or 2"),
    ],
)
def test_an_error_names_the_setting_its_range_and_the_number(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        spec.make(text)


@pytest.mark.parametrize("name", ["simulations", "seconds", "nodes", "moves"])
@pytest.mark.parametrize(
    "number",
    [-1, 0, math.nan, -math.inf, math.inf, 1e308, 10**19, 2**64, 10**400, 10**4000, 10**5000],
    ids=lambda number: f"{math.log10(number) if number > 0 else number:g}",
)
def test_limits_that_no_search_can_count_are_rejected_by_name(name: str, number: float) -> None:
    with pytest.raises(ValueError, match=rf"^a limit of \S+ {name} is not possible: it must be .*$") as error:
        Limit(**{name: number})  # type: ignore[arg-type]
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("clock", [-1, math.nan, -math.inf, math.inf, 10**400])
def test_clocks_that_no_machine_has_are_rejected(clock: float) -> None:
    with pytest.raises(
        ValueError, match=r"^a clock of \S+ seconds is not possible: it must be at least 0, and finite$"
    ):
        Limit(clock=clock)
