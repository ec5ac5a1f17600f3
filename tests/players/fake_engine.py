"""An HTP engine that misbehaves on demand: ``fake_engine.py MODE [LOG]``. It shares no code with what it tests.

It plays the first empty cell, row by row. The log gets every command, and 'answer MOVE' for its own moves.
"""

import os
import re
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
LOG = open(sys.argv[2], "a", buffering=1) if len(sys.argv) > 2 else None  # noqa: SIM115

size = [11, 11]
played: list[tuple[str, str]] = []
allow_swap = False


def log(text: str) -> None:
    if LOG is not None:
        LOG.write(text + "\n")


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def genmove(colour: str) -> tuple[str, str]:
    match MODE:
        case "dies":
            sys.stderr.write("out of\nideas\n")
            sys.exit(3)
        case "kills-parent":
            os.kill(os.getppid(), signal.SIGKILL)
        case "hangs" | "deaf":
            time.sleep(600)
        case "ponders":
            log("pondering")
            while (line := sys.stdin.readline().strip()) != "# interrupt":
                log(f"not an interrupt: {line}")
        case "hangs-with-child":
            child = subprocess.Popen(["sleep", "600"])
            log(f"pid {child.pid}")
            time.sleep(600)
        case "floods":
            while True:
                say("= " + "x" * 1000 + "\n")
        case "nonsense":
            say("I think I will play somewhere nice\n\n")
        case "no-move":
            return "=", "somewhere nice \x1b[31m" + "!" * 5000
        case "illegal":
            return "=", played[0][1] if played else "z99"
        case "swaps":
            return "=", "swap-pieces"
        case "resigns":
            return "=", "resign"
        case "refuses":
            return "?", "not in the mood"
    taken = {cell for _, cell in played}
    if MODE == "swaps-once" and allow_swap and len(played) == 1:
        return "=", "swap-pieces"
    for row in range(1, size[1] + 1):
        for column in range(size[0]):
            if (cell := f"{chr(ord('a') + column)}{row}") not in taken:
                played.append((colour, cell))
                return "=", cell.upper() if MODE == "upper-case" else cell
    return "?", "the board is full"


def carry_out(words: list[str]) -> tuple[str, str]:
    global allow_swap
    match words:
        case ["protocol_version"]:
            return "=", "2"
        case ["name"]:
            return ("?", "unknown command") if MODE == "nameless" else ("=", "Fake")
        case ["known_command", word]:
            return "=", str(word == "gogui-interrupt" and MODE == "ponders").lower()
        case ["boardsize", width, height]:
            if MODE == "small" and int(width) > 5:
                return "?", "too big"
            size[:] = int(width), int(height)
            played.clear()
        case ["clear_board"]:
            played.clear()
        case ["play", colour, cell]:
            column, row = ord(cell[0]) - ord("a"), int(cell[1:])
            if not (0 <= column < size[0] and 1 <= row <= size[1]) or cell in {cell for _, cell in played}:
                return "?", f"illegal move: {colour} {cell}"
            played.append((colour, cell))
        case ["undo"] if MODE != "no-undo" and played:
            played.pop()
        case ["genmove", colour]:
            status, text = genmove(colour)
            if status == "=":
                log(f"answer {text[:20].lower()}")
            return status, text
        case ["param_game", "allow_swap", value] if MODE != "no-parameters":
            allow_swap = value == "1"
        case ["greet", "nicely"]:
            return "=", ""
        case ["quit"]:
            return "=", ""
        case _:
            return "?", "unknown command: " + " ".join(words)
    return "=", ""


def main() -> None:
    log(f"pid {os.getpid()}")
    if MODE == "stillborn":
        sys.exit("no licence")
    if MODE == "banner":
        say("Fake engine\n\nWelcome!\n")
    if MODE == "loud":
        sys.stderr.write("debug " * 1_000_000)
    end = "\r\n" if MODE == "crlf" else "\n"
    for line in sys.stdin:
        if "#" in line:
            log(line.strip())
        number, text = re.fullmatch(r"(\d*)\s*(.*)", line.partition("#")[0].strip()).groups()
        if MODE == "no-numbers" and number:
            number, text = "", line.strip()
        if not text:
            continue
        log(text)
        if MODE == "deaf" and text == "quit":
            time.sleep(600)
        status, answer = carry_out(text.split())
        if MODE == "wrong-number" and text.startswith("genmove"):
            number = "7" + number
        if MODE == "draws":
            say("gogui-gfx:\nVAR b a1\n\n")
        say(f"{status}{number} {answer}{end}{end}")
        if MODE == "chatty":
            say("= and another thing\n\n")
        if text == "quit":
            return


main()
