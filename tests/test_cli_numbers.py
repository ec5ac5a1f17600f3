"""Extreme numbers on the command line: one sentence that names what was wrong, and status 2, before any work."""

import pytest

from tests.conftest import Run

HUGE, ENDLESS = f"1{'0' * 400}", "1e400"
MATCH = ["match", "random", "shortest-path", "--size", "3"]
TOURNAMENT = ["tournament", "random", "shortest-path", "resistance", "--size", "3"]

WHOLE = {
    "simulations": ["play", "random", "--size", "3", "--sims"],
    "games": [*MATCH, "--games"],
    "jobs": [*MATCH, "--jobs"],
    "fair": [*MATCH, "--openings"],
    "rounds": [*TOURNAMENT, "--kind", "swiss", "--rounds"],
    "heads": [*TOURNAMENT, "--kind", "gauntlet", "--heads"],
    "nodes": ["solve", "3", "--nodes"],
    "memory": ["solve", "3", "--memory"],
    "threads": ["solve", "3", "--threads"],
    "board": ["report", "--swaps", "random", "--swap-sizes"],
}
"""By a word of the error: commands that end with the number."""
SECONDS = {
    "seconds": [
        [*MATCH, "--time"],
        ["solve", "3", "--time"],
        ["analyse", "3", "--time"],
        ["bench", "core", "--seconds"],
    ],
    "timeout": [[*MATCH, "--timeout"]],
    "sprt": [[*MATCH, "--sprt", "0"]],  # not seconds, but a number with a fraction too
}


@pytest.mark.parametrize("number", ["-1", str(2**64), HUGE], ids=["-1", "2^64", "10^400"])
@pytest.mark.parametrize("word", list(WHOLE))
def test_whole_numbers_beyond_a_range_are_rejected_by_name(fingal: Run, word: str, number: str) -> None:
    if word == "fair":
        number = f"fair:{0 if number == '-1' else number}"
    rejected(fingal, [*WHOLE[word], number], word)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e308", "-1", ENDLESS])
@pytest.mark.parametrize("word", list(SECONDS))
def test_times_that_no_clock_shows_are_rejected_by_name(fingal: Run, word: str, number: str) -> None:
    for command in SECONDS[word]:
        rejected(fingal, [*command, number], word)


def rejected(fingal: Run, command: list[str], word: str) -> None:
    ran = fingal(*command)
    assert ran.status == 2, (ran.out, ran.err)
    assert ran.out == ""
    if "For full helptext" in ran.err:  # tyro's own words: it is no number of the right kind
        assert "invalid" in ran.err.lower() or "Parsing" in ran.err
        return
    assert ran.err.startswith("fingal: ")
    assert ran.err.count("\n") == 1
    assert word in ran.err
    assert len(ran.err) < 250
