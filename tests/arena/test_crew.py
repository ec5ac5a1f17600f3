"""Games in processes of their own: what hangs, dies or cheats loses its game, and nothing else is lost."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fingal.arena.crew import Alone, Workers
from fingal.arena.seats import Task
from fingal.arena.tournament import Plan, play
from fingal.game import BLACK, WHITE, Record, formats
from fingal.players.player import PlayerError

ENGINE = Path(__file__).parent.parent / "players" / "fake_engine.py"


def engine(mode: str, log: Path | None = None, timeout: float = 60) -> str:
    words = [sys.executable, "-I", "-S", str(ENGINE), mode, *([str(log)] if log else [])]
    return f'htp:"{shlex.join(words)}",timeout={timeout:g},name={mode}'


def tasks(black: str, white: str, count: int) -> list[Task]:
    return [Task(number, black, white, formats.write(Record(3, 3)), seed=1) for number in range(1, count + 1)]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pids: list[int]) -> None:
    assert pids
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "a process is still there"
        time.sleep(0.05)


def pids(log: Path) -> list[int]:
    return [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("pid")]


def test_the_games_are_the_same_with_one_process_and_with_two() -> None:
    plan = Plan("round-robin", ("random", "shortest-path:epsilon=0.2", "random:seed=4"), 4, 4, 4, ("", "a1"), seed=5)
    here = {game.number: game.sgf for game in play(plan)}
    crew = Workers(2, 60)
    try:
        there = {game.number: game.sgf for game in play(plan, crew)}
    finally:
        crew.close()
    assert here == there
    assert len(here) == 12


def test_an_event_with_players_of_every_bad_kind_is_played_to_its_end(tmp_path: Path) -> None:
    """One hangs, one crashes, one cheats, one kills the process it plays in: each loses its games, and no more."""
    log = tmp_path / "log"
    bad = {
        engine("hangs", log, timeout=5): "did not answer",
        engine("dies", log): "ended without answering",
        engine("illegal", log): "which is not legal there",
        engine("kills-parent", log): "its process died: SIGKILL",
    }
    crew = Workers(2, 60)
    try:
        games = list(play(Plan("gauntlet", ("shortest-path", *bad), 3, 3, 2, starts=("a1",)), crew))
    finally:
        crew.close()
    assert sorted(game.number for game in games) == list(range(1, 9))
    assert {game.won_by for game in games} == {"shortest-path"}
    for game in games:
        assert bad[game.lost_by] in game.failure
        assert game.how == "forfeit"
        assert formats.read(game.sgf).result.how == "forfeit"
    wait_until_gone(pids(log))


def test_a_player_that_takes_too_long_is_ended() -> None:
    """The engine has a minute for its answer, but the crew is less patient: it ends the process."""
    crew = Workers(1, 2)
    try:
        crew.check(["random", "shortest-path", engine("hangs")])  # so that they are there when the game begins
        first, second = crew.play([*tasks("shortest-path", engine("hangs"), 1), *tasks("random", "random", 2)[1:]])
    finally:
        crew.close()
    assert (first.winner, first.failure) == (BLACK, f"{engine('hangs')}: no move within 2 seconds")
    assert first.seconds[WHITE] >= 2
    assert first.seconds[BLACK] > 0
    # What was played until then is kept.
    assert [colour for colour, _ in formats.read(first.sgf).moves] == [BLACK, WHITE]
    assert second.failure == ""


def test_what_was_played_after_an_opening_with_stones_set_up_is_kept(tmp_path: Path) -> None:
    """a2 and b1 come before the stone that is set up, which makes of the position a new start."""
    opening = "(;FF[4]GM[11]SZ[3];B[a2];W[b1];AB[c3]PL[W])"
    crew = Workers(1, 60)
    try:
        (lost,) = crew.play([Task(1, engine("kills-parent"), "shortest-path", opening, seed=1)])
    finally:
        crew.close()
    assert lost.winner is WHITE
    first, second, third, last = formats.read(lost.sgf).moves
    assert [colour for colour, _ in (first, second, third, last)] == [BLACK, WHITE, WHITE, BLACK]
    assert lost.moves == 1
    assert min(lost.seconds) > 0


def test_players_that_cannot_be_made() -> None:
    crew = Workers(1, 60)
    try:
        with pytest.raises(ValueError, match="there is no player 'nobody'"):
            crew.check(["random", "nobody"])
        with pytest.raises(PlayerError, match="there is no such program"):
            crew.check(['htp:"no-such-engine"'])
    finally:
        crew.close()


def test_games_that_are_given_up_leave_nothing_behind(tmp_path: Path) -> None:
    log = tmp_path / "log"
    crew = Workers(2, 60)
    games = crew.play([*tasks("random", engine("hangs", log), 1), *tasks("random", "random", 5000)[1:]])
    for _ in games:
        if log.exists() and "genmove" in log.read_text():
            break
    games.close()
    crew.close()
    wait_until_gone(pids(log))


def test_a_crew_ends_with_the_process_that_has_it(tmp_path: Path) -> None:
    """Also when that one is killed: no worker and no engine stays."""
    log = tmp_path / "log"
    program = f"""
import os
from fingal.arena.crew import Workers
from tests.arena.test_crew import engine, tasks
from pathlib import Path
crew = Workers(2, 60)
crew.check(["random"])
print([worker._process.pid for worker in crew._workers], flush=True)
list(crew.play(tasks("random", engine("hangs", Path({str(log)!r})), 4)))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        workers = [int(pid) for pid in process.stdout.readline().strip("[]\n").split(",")]
        while not log.exists() or "genmove" not in log.read_text():
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
    wait_until_gone([*workers, *pids(log)])


@pytest.mark.parametrize(("jobs", "timeout"), [(0, 1.0), (-1, 1.0), (1, 0.0), (1, float("nan"))])
def test_crews_that_are_none(jobs: int, timeout: float) -> None:
    with pytest.raises(ValueError, match="is not possible"):
        Workers(jobs, timeout)


def test_alone_plays_in_order() -> None:
    assert [outcome.number for outcome in Alone().play(tasks("random", "random", 3))] == [1, 2, 3]
