"""Makes players of one kind with extreme numbers in each of their settings: ``python -m tests.players.extremes KIND``.

For every number of every setting it prints a line of JSON: the setting, the number, how it ended ('moved', 'made',
'ValueError', 'PlayerError', or whatever else was raised) and what the error said. It may use 8 GB of addresses.
"""

import json
import resource
import sys
import threading
from pathlib import Path

from fingal.game import Record
from fingal.players import spec
from fingal.players.player import Interruptible, Limit, PlayerError

NUMBERS = [
    *("-1", "0", "1", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807"),
    *("9223372036854775808", "18446744073709551616", "1" + 30 * "0", "1" + 400 * "0", "-2147483649"),
    *("-9223372036854775809", "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e400", "0.5", "1e-9"),
]
ENGINE = Path(__file__).with_name("fake_engine.py")
ARGUMENTS = {"net": "fingal-small", "command": f"{sys.executable} -I -S {ENGINE} plays"}
MEMORY = 8 << 30


def numbers_of(kind: spec.Kind) -> list[str]:
    """The names of a kind's settings that are numbers."""
    return [setting.name for setting in kind.settings if setting.type in ("int", "float")]


def attempt(text: str) -> str:
    """Make a player and let it move on an empty board and on one whose first stone may be swapped."""
    player = spec.make(text)
    try:
        if text.startswith("human"):
            return "made"
        for record in (Record(3, 3), Record(3, 3, swap=True)):
            # Where the text has a limit of its own, that one counts.
            stop = threading.Timer(5, player.interrupt if isinstance(player, Interruptible) else lambda: None)
            stop.start()
            try:
                move = player.choose(record, Limit(simulations=20, seconds=1))
            finally:
                stop.cancel()
            assert record.board().is_legal(move), move
    finally:
        player.close()
    return "moved"


def main(name: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    kind = spec.find(name)
    for setting in numbers_of(kind):
        for number in NUMBERS:
            settings = {setting: number}
            if kind.argument is not None:
                settings[kind.argument.name] = ARGUMENTS[kind.argument.name]
            sentence = ""
            try:
                ended = attempt(str(spec.Spec(name, None, settings)))
            except (ValueError, PlayerError) as error:
                ended, sentence = "PlayerError" if isinstance(error, PlayerError) else "ValueError", str(error)
            except BaseException as error:
                ended, sentence = type(error).__name__, str(error)
            print(json.dumps([setting, number, ended, sentence]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
