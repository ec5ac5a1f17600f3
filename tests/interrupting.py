"""Ctrl-C at random instants: in a player's ``choose``, and in commands that run in forked copies of this program.

``python -m tests.interrupting NAME COUNT SEED`` interrupts one of ``PLAYERS`` or ``COMMANDS`` so often and prints what
happened as JSON. The commands run in processes that are forked after everything is imported, and end as every Python
process does: so a crash while Python takes itself down is seen too.
"""

import _thread
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fingal import cli
from fingal.game import Record
from fingal.players import make
from fingal.players.player import Limit, Player, ask
from fingal.players.searching import searching

PLAYERS = {
    "random": "random:seed=1",
    "shortest-path": "shortest-path:seed=1",
    "resistance": "resistance:depth=4",
    "characteristics": "characteristics:depth=2",
    "solver": "solver:memory=16",
    "solver, threads": "solver:memory=16,threads=2",
    "uct": "uct:seed=1",
    "uct, threads and solver": "uct:threads=2,solver=yes,seed=1",
    "uct, net": "uct:prior=policy-9,seed=1",
    "net": "net:fingal-small",
    "minimax": "minimax:fingal-small,depth=2",
    "puct": "puct:fingal-small,seed=1",
    "puct, threads": "puct:fingal-small,threads=2,seed=1",
    "gumbel": "gumbel:fingal-small,seed=1",
    "htp": f"htp:{sys.executable} -m tests.interrupting engine",
}
"""One of each kind or more; a person is no program."""
REPEATS = {"resistance", "characteristics", "solver", "uct", "uct, net", "net", "minimax", "puct", "gumbel"}
"""Those that make the same move whenever they begin anew."""
FEW = Limit(simulations=16, seconds=5.0, nodes=500)


def position(rng: random.Random, sizes: tuple[int, ...]) -> Record:
    """A record of random moves whose game is not over, on a board of one of these sizes."""
    size = rng.choice(sizes)
    record = Record(size, size, swap=rng.random() < 0.2)
    for _ in range(rng.randrange(size * size // 2)):
        board = record.board()
        record.push(board.turn, rng.choice(board.empty_cells))
        if record.board().is_over():
            record.pop()
            break
    return record


def interrupt_player(text: str, count: int, seed: int, sizes: tuple[int, ...] = (5, 6), span: float = 0.06) -> Player:
    """Interrupt a player's ``choose`` so many times; after each, nothing may be at work and it must still play.

    Gives the player, for the caller to look at and to close.
    """
    rng = random.Random(seed)
    player = make(text)
    # With numbers beyond what comes to its end: every search lasts until its time is over.
    limit = Limit(seconds=1.0) if searching(player) is None else Limit(seconds=1.0, simulations=10**9)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    before = _thread._count()
    try:
        hits = 0
        while hits < count:
            record = position(rng, sizes)
            board = record.board()
            # Half of them near the beginning, where much happens in little time.
            instant = rng.uniform(1e-6, 0.002) if rng.random() < 0.5 else rng.uniform(1e-6, span)
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, instant)
                    ask(player, record, board, limit)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                hits += 1
                assert not still_at_work(before), f"{text} left threads at work"
                if hits % 10 == 0:
                    ask(player, record, board, FEW)
    finally:
        signal.signal(signal.SIGALRM, handler)
    return player


def still_at_work(before: int) -> bool:
    """Whether there are more threads than before, even a while later: one that is about to end is in order."""
    end = time.monotonic() + 10
    while _thread._count() > before and time.monotonic() < end:
        time.sleep(0.001)
    return _thread._count() > before


def assert_as_good_as_new(player: Player, text: str, seed: int, sizes: tuple[int, ...] = (5, 6)) -> None:
    """A player that was interrupted, and whose tree is cleared, must make the moves of one that never was."""
    rng = random.Random(seed)
    twin = make(text)
    for _ in range(8):
        record = position(rng, sizes)
        for each in (player, twin):
            if (found := searching(each)) is not None:
                found.search.clear()
        moves = [each.choose(record, FEW) for each in (player, twin)]
        assert moves[0] == moves[1], f"{text} plays {moves[0]} where one that was never interrupted plays {moves[1]}"
    twin.close()


INTERRUPTED = {130, -signal.SIGINT}
"""Exit statuses: Python ends itself by the signal where it came while a module was being imported."""
MATCH = ["match", "random:seed=1", "resistance", "--size", "4", "--games", "12", "--openings", "none", "--seed", "1"]
TRAIN = ["train", "q", "--games", "300", "--run"]
COMMANDS = {
    "htp solver": (["htp", "solver:time=30"], "boardsize 9\nshowboard\ngenmove b\n", INTERRUPTED, 0.15),
    "htp uct": (["htp", "uct:time=30,threads=2"], "boardsize 9\ngenmove b\n", INTERRUPTED, 0.15),
    "htp puct": (
        ["htp", "puct:net=fingal-small,time=30,threads=2,ponder=yes"],
        "boardsize 9\ngenmove b\n",
        INTERRUPTED,
        0.4,
    ),
    "htp resistance": (["htp", "resistance:depth=6"], "boardsize 9\ngenmove b\n", INTERRUPTED, 0.15),
    "play": (["play", "uct:time=30", "--size", "9", "--save", "game.sgf"], "e5\nb2\n", INTERRUPTED | {0}, 0.2),
    "solve": (["solve", "8", "--memory", "16"], "", INTERRUPTED | {0}, 0.3),
    "solve --find-all": (["solve", "6", "--find-all", "--memory", "16", "--threads", "2"], "", INTERRUPTED | {0}, 0.3),
    "match": ([*MATCH, "--jobs", "1", "--store", "games.sqlite"], "", INTERRUPTED | {0}, 1.5),
    "train": ([*TRAIN, "run"], "", INTERRUPTED | {0}, 0.6),
}
"""By name: arguments, standard input, exit statuses that are in order, seconds within which the signal comes."""


def fork_command(arguments: list[str], typed: str, folder: Path) -> tuple[int, int, int]:
    """Run ``fingal`` in a copy of this process; its number, the end of its standard input and of its errors."""
    entrance, theirs = os.pipe()
    ours, errors = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    number = os.fork()
    if number == 0:
        os.chdir(folder)
        os.dup2(entrance, 0)
        os.dup2(os.open("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(errors, 2)
        for handle in (entrance, theirs, ours, errors):
            os.close(handle)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["fingal", *arguments]
        if "puct:" in arguments[1]:
            # Here, since it does not survive a fork, and with SIGINT blocked, which would be an ImportError in it.
            import onnxruntime  # noqa: F401
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            cli.main()
        except KeyboardInterrupt:  # before ``main`` could hear it
            sys.exit(130)
        sys.exit(0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.close(entrance)
    os.close(errors)
    os.write(theirs, typed.encode())
    return number, theirs, ours


def read_to_end(handle: int, seconds: float) -> str | None:
    """All that is written to a pipe until its last writer is gone; None when that takes longer than so many seconds."""
    text = b""
    end = time.monotonic() + seconds
    while select.select([handle], [], [], max(0.0, end - time.monotonic()))[0]:
        chunk = os.read(handle, 65536)
        if not chunk:
            return text.decode("utf-8", "replace")
        text += chunk
    return None


def interrupt_command(name: str, count: int, seed: int, folder: Path) -> dict[str, object]:
    """Interrupt a command so many times, each in the folder that the one before has left; what happened."""
    import fingal.arena.command
    import fingal.serve.htp
    import fingal.serve.solve
    import fingal.serve.terminal

    if name == "train":
        import fingal.learn.stacked_command
        import fingal.learn.td  # noqa: F401
    arguments, typed, allowed, span = COMMANDS[name]
    rng = random.Random(seed)
    statuses: Counter[int] = Counter()
    faults: list[str] = []
    begun = time.monotonic()
    for index in range(count):
        number, entrance, errors = fork_command(arguments, typed, folder)
        time.sleep(rng.uniform(0.0, span))
        os.kill(number, signal.SIGINT)
        words = read_to_end(errors, 20)
        if words is None:  # Python itself has swallowed it, in a destructor: a person would press Ctrl-C once more
            os.kill(number, signal.SIGINT)
            words = read_to_end(errors, 100)
        if words is None:
            os.kill(number, signal.SIGKILL)
            faults.append(f"{index}: it went on for two minutes")
        status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        os.close(entrance)
        os.close(errors)
        statuses[status] += 1
        if status not in allowed:
            faults.append(f"{index}: exit status {status}, {words}")
        elif (
            words
            and "Exception ignored" not in words
            and any(bad in words for bad in ("Traceback", "leaked", "Fatal", "Error"))
        ):
            faults.append(f"{index}: {words[-600:]}")
    return {
        "command": name,
        "interrupts": count,
        "statuses": {str(status): times for status, times in sorted(statuses.items())},
        "faults": faults,
        "seconds": round(time.monotonic() - begun, 1),
    }


def interrupt_kind(name: str, count: int, seed: int) -> dict[str, object]:
    """Interrupt a player of ``PLAYERS`` so many times, and see whether it is as good as new; what happened."""
    begun = time.monotonic()
    faults = []
    player = interrupt_player(PLAYERS[name], count, seed)
    try:
        if name in REPEATS:
            assert_as_good_as_new(player, PLAYERS[name], seed)
    except AssertionError as error:
        faults.append(str(error))
    finally:
        player.close()
    seconds = round(time.monotonic() - begun, 1)
    return {"player": PLAYERS[name], "interrupts": count, "faults": faults, "seconds": seconds}


def main(name: str, count: int, seed: int) -> None:
    """Interrupt a player or a command and print what happened."""
    if name == "engine":
        sys.argv = ["fingal", "htp", "solver:memory=16"]
        cli.main()
    elif name in PLAYERS:
        print(json.dumps(interrupt_kind(name, count, seed)))
    else:
        folder = Path(tempfile.mkdtemp())
        result = interrupt_command(name, count, seed, folder)  # forked copies leave through here too: no ``finally``
        shutil.rmtree(folder)
        print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, [*sys.argv[2:], 0, 0][:2]))
