"""Random and broken command lines for the HTP engine."""

import random
import re

from fingal.players.random import RandomPlayer
from fingal.serve.htp import COMMANDS, HtpEngine
from fingal.serve.htp_knowledge import Prover

ANSWER = re.compile(r"[=?](\d*) [^\n]*(?:\n[^\n]+)*\n\n")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORDS = [
    *(
        "b",
        "w",
        "black",
        "WHITE",
        "Black",
        "a1",
        "b2",
        "C3",
        "t19",
        "s19",
        "a0",
        "aa1",
        "swap-pieces",
        "swap",
        "resign",
    ),
    *("1", "2", "3", "4", "5", "0", "-1", "20", "1e9", "nan", "99999999999999999999", "0.5", "allow_swap", "game_time"),
    *('"', '"a b"', "é", "\u2028", "\ud7ff", "#", "=", "?", "%c", "\\", "'"),
]
_LIKELY = [
    *("boardsize 3", "boardsize 2 4", "boardsize 5 5", "clear_board", "undo", "showboard", "final_score", "genmove b"),
    *("genmove w", "reg_genmove black", "play b a1", "play w b1", "play b c2", "play w swap-pieces", "play b resign"),
    *(
        "param_game allow_swap 1",
        "param_game",
        "param_game game_time 9",
        "time_left b 3",
        "time_left",
        "all_legal_moves",
    ),
    *("# a comment", "", "   ", "\t", "loadsgf nowhere.sgf", "hexgui-analyze_commands", "list_commands", "quit"),
]


def fuzz_htp(seed: int, count: int) -> None:
    """Feed lines to an engine; AssertionError unless each gets one well-formed answer, or none if it is empty."""
    rng = random.Random(seed)
    engine = _engine(seed)
    for _ in range(count):
        line = random_line(rng)
        try:
            answer = engine.answer(line)
        except Exception as error:
            raise AssertionError(f"{line!r} raised {error!r}") from error
        number = number_of(line)
        if number is None:
            assert answer == "", f"{line!r} holds no command, but was answered {answer!r}"
        else:
            match = ANSWER.fullmatch(answer)
            assert match is not None, f"{line!r} was answered {answer!r}"
            assert not CONTROL.search(answer), f"{line!r} was answered {answer!r}"
            assert match[1] == number, f"{line!r} was answered {answer!r}"
            assert len(answer) < 50_000, f"{line!r} has too long an answer"
        assert engine.board == engine.record.board(), f"{line!r} left the board and the record apart"
        if engine.has_quit:
            engine = _engine(rng.randrange(1000))


def _engine(seed: int) -> HtpEngine:
    engine = HtpEngine(RandomPlayer(seed))
    engine.prover = Prover(memory=1, seconds=0.001)
    return engine


def random_line(rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.05:
        return rng.randbytes(rng.randrange(40)).replace(b"\n", b"")
    if kind < 0.5:
        text = rng.choice(_LIKELY)
    else:
        text = " ".join([rng.choice(list(COMMANDS)), *rng.choices(_WORDS, k=rng.randrange(4))])
    if rng.random() < 0.2:
        text = f"{rng.choice([0, 7, 12, 2147483647])} {text}"
    line = text.encode()
    if kind > 0.8:
        line = mutated(line, rng)
    if rng.random() < 0.001:
        line += b" " + b"x" * rng.choice([1000, 65_000, 70_000, 1_000_000])
    return line + rng.choice([b"", b"", b"", b"\r", b" "])


def mutated(line: bytes, rng: random.Random) -> bytes:
    data = bytearray(line)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[place:place] = bytes([rng.randrange(256)])
            case 1:
                del data[place : place + rng.randrange(1, 4)]
            case 2:
                data[place:place] = rng.choice([b"\x00", b"\t", b"\xff\xfe", b"\xc2\x85", b"#", b"\x1b[2J", b"  "])
            case _:
                data[place:place] = data[: rng.randrange(len(data) + 1)]
    return bytes(data).replace(b"\n", b"")


def number_of(line: bytes) -> str | None:
    """The number that an answer must carry, '' for none; None when there must be no answer. By the words of GTP 2."""
    if len(line) > 65_536:
        return None if line.lstrip().startswith(b"#") else number_of(line[:65_536]) or ""
    text = line.decode("utf-8", "replace").split("#")[0].replace("\t", " ")
    text = CONTROL.sub("", text).strip()
    if not text:
        return None
    first = text.split()[0]
    return first if first.isascii() and first.isdigit() and len(first) <= 10 else ""
