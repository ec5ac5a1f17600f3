"""Hostile dialogues over the Hex Text Protocol with whole engines: their answers are paired with the lines sent.

Lines are random, mutated from transcripts, games with wrong colours and cells, and extreme numbers, with control
characters, broken UTF-8, and lines of a megabyte among them. Each line that holds a command gets one answer, with its
number; the board agrees with ``tests.serve.rules`` all the way; nothing that is sent ends the engine but quit.
"""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from pathlib import Path

from fingal.serve.htp import COMMANDS, serve
from tests.serve.fuzzing import ANSWER, CONTROL, mutated, number_of, random_line
from tests.serve.rules import Model

PLAYERS = [
    *("random:seed=1", "shortest-path:seed=1", "resistance", "characteristics", "net:fingal-small"),
    *("minimax:fingal-small", "puct:fingal-small,sims=3", "gumbel:fingal-small,sims=3", "uct:sims=5"),
    *("uct:sims=5,threads=2,ponder=yes", "solver:nodes=50,memory=1", "random:epsilon=0.5,seed=2", "net:ezo-7"),
]
NUMBERS = [
    *("0", "-1", "1", "2", "19", "20", "255", "256", "2147483647", "2147483648", "4294967296", "999999999"),
    *("9223372036854775807", "18446744073709551616", "1" + "0" * 400, "1" + "0" * 5000, "-0", "1_0", "٣", "+3", "0x3"),
    *("nan", "inf", "-inf", "1e400", "1e308", "1e-320", "-1e-320", "1e9", "1000000001", "0.5", "1e1", "3.0", "²"),
]
TRANSCRIPTS = [
    line[2:].encode()
    for path in sorted(Path(__file__).parent.glob("*.htp"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.startswith("> ")
]
NUMERIC = [
    *("boardsize {}", "boardsize {} {}", "time_left b {}", "time_left w {} {}", "param_game game_time {}", "{} name"),
    *("param_dfpn timelimit {}", "lz-analyze {}", "kata-analyze b interval {}", "lz-analyze b {}", "genmove {}"),
    *("fingal-analyze b {}", "play b {}", "play b a{}", "play w a{} {}", "undo {}", "clear_board {}", "{} {} {}"),
    *("param_game allow_swap {}", "loadsgf {} {}", "vc-between-cells-full b a{} b{}", "{}", "all_legal_moves {}"),
]
LONG = re.compile(rb"time|analyze|dfpn|genmove|vc-|inferior|fillin|eval|loadsgf", re.IGNORECASE)
MODERATE = re.compile(
    rb"(?:[0-9]+ )?(?:param_dfpn timelimit 0\.01|time_left [bw] 0\.0[0-9]|fingal-analyze b [1-9]|genmove [a-z]+"
    rb"|reg_genmove [a-z]+|(?:lz|kata)-analyze( [bw])?|(?:dfpn|vc|compute|eval)-[a-z-]+( [a-z0-9]+)*)"
)


def dialogue(seed: int, count: int) -> list[bytes]:
    """Lines for one engine; on small boards, and never with as much time as the engine wants."""
    rng = random.Random(seed)
    lines = [b"param_dfpn timelimit 0.01", b"boardsize 7", b"boardsize 4"]  # a net may play on 7x7 only
    side = 4
    while len(lines) < count:
        kind = rng.random()
        if kind < 0.25:
            line = random_line(rng)
        elif kind < 0.4:
            line = mutated(rng.choice(TRANSCRIPTS), rng)
        elif kind < 0.55:
            template = rng.choice(NUMERIC)
            line = template.format(*rng.choices(NUMBERS, k=3)).encode()
        elif kind < 0.6:
            line = rng.choice([b"showboard", b"final_score", b"17 showboard", b"undo", b"# interrupt"])
        elif kind < 0.62:
            side = rng.randrange(1, 6)
            line = f"boardsize {side}".encode()
        elif kind < 0.65:
            line = rng.choice([b"clear_board", b"param_game allow_swap 1", b"param_game allow_swap 0"])
        elif kind < 0.75:
            line = f"{rng.choice(['genmove', 'reg_genmove'])} {rng.choice(['b', 'w', 'white', 'x'])}".encode()
        elif kind < 0.78:
            line = as_written(rng).encode()
        elif kind < 0.785:
            line = rng.choice(
                [b"x" * 70_000, b"#" + b"y" * 1_000_000, b"play b " + b"a" * 65_000, b"9" * 70_000, b"\x00" * 70_000]
            )
        else:
            cell = f"{chr(ord('a') + rng.randrange(side + 1))}{rng.randrange(side + 2)}"
            word = cell if rng.random() < 0.95 else rng.choice(["swap-pieces", "resign", "swap"])
            line = f"{rng.choice(['', '', '8 '])}play {rng.choice(['b', 'w', 'BLACK', 'White', 'x'])} {word}".encode()
        if is_endless(line) or words_of(line)[:1] == ["quit"]:
            continue
        lines += [line, b"showboard"] if rng.random() < 0.1 else [line]
    return [*lines, b"showboard", b"99 name"]


def as_written(rng: random.Random) -> str:
    """A command with arguments as its usage has them, those in brackets now and then."""
    words = {"COLOUR": rng.choice("bw"), "CELL": rng.choice(["a1", "b2", "north", "east"]), "SIMULATIONS": "5"}
    words |= {"SECONDS": "0.03", "MOVE": "b1", "interval": "interval", "WIDTH": "3", "HEIGHT": "2", "COMMAND": "name"}
    name, *usage = COMMANDS[rng.choice([*COMMANDS])].usage.split()
    given = [word for word in usage if word[0] != "[" or rng.random() < 0.4]
    return " ".join([name, *(words.get(word.strip("[]"), "1") for word in given)])


def is_endless(line: bytes) -> bool:
    """Whether an engine might rightly think for minutes: it has much time, many simulations, or a large board."""
    clean = b" ".join(CONTROL.sub("", line.decode("utf-8", "replace").replace("\t", " ")).encode().split())
    if re.search(rb"boardsize[ \"]+([6-9]|1[0-9])", clean):
        return not re.search(rb"\d{3}|[^\x20-\x7f]", clean)
    if LONG.search(clean) and not MODERATE.fullmatch(clean):
        # Whatever the numbers are, they must be wrong ones.
        return any(0 <= float(word) <= 1e9 for word in re.findall(rb"\d[\d.e+-]*", clean) if is_number(word))
    return False


def is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def check(lines: list[bytes], output: bytes) -> None:
    """AssertionError unless the output is one well-formed answer to each command, and the board follows the rules."""
    text = output.decode("utf-8")
    answers = [f"{answer}\n\n" for answer in text.split("\n\n")]
    assert answers.pop() == "\n\n", "the output ends within an answer"
    model, waiting = Model(), iter(answers)
    for line in lines:
        shown = f"{line[:200]!r}"
        number = number_of(line)
        if number is None:
            continue
        answer = next(waiting, None)
        assert answer is not None, f"{shown} had no answer"
        match = ANSWER.fullmatch(answer)
        assert match is not None, f"{shown} was answered {answer!r}"
        assert not CONTROL.search(answer), f"{shown} was answered {answer!r}"
        assert match[1] == number, f"{shown} was answered {answer!r}"
        accepted = answer[0] == "="
        if not accepted:
            assert len(answer) < 400, f"{shown} has too long an error"
            assert not re.search("OverflowError|TypeError|MemoryError|AttributeError|IndexError|Traceback", answer), (
                f"{shown} was answered {answer!r}"
            )
        words = words_of(line)
        if not words or len(line) > 65_536:
            continue
        try:
            model.hear(words, accepted, answer.partition(" ")[2].removesuffix("\n\n"))
        except AssertionError as error:
            raise AssertionError(f"{shown} was answered {answer!r}: {error}") from error
    assert next(waiting, None) is None, "there are more answers than commands"


def words_of(line: bytes) -> list[str]:
    """The words of a command without its number; a word in double quotes is one."""
    text = CONTROL.sub("", line.decode("utf-8", "replace").split("#")[0].replace("\t", " ")).strip()
    number = number_of(line)
    rest = text[len(number) :] if number else text
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', rest)]


def attack_htp(seed: int, count: int) -> None:
    """A dialogue with one of the players, in this process."""
    player = PLAYERS[seed % len(PLAYERS)]
    lines = dialogue(seed, count)
    output = io.BytesIO()
    assert serve(player, io.BytesIO(b"\n".join(lines)), output) == 0
    try:
        check(lines, output.getvalue())
    except AssertionError as error:
        raise AssertionError(f"{player}, seed {seed}: {error}") from error


def attack_process(seed: int, count: int) -> None:
    """The same with the program ``fingal htp``, which must end with status 0."""
    player = PLAYERS[seed % len(PLAYERS)]
    lines = dialogue(seed, count)
    command = [sys.executable, "-c", "from fingal.cli import main; main()", "htp", player]
    ran = subprocess.run(command, input=b"\n".join(lines), capture_output=True, timeout=600)
    assert ran.returncode == 0, f"{player}, seed {seed}: {ran.stderr[-2000:]!r}"
    check(lines, ran.stdout)
