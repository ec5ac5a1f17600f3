"""The command ``fingal``."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from tyro.conf import Positional
from tyro.extras import SubcommandApp

from fingal.game import Colour, Record, draw, formats
from fingal.game.board import parse_size
from fingal.players import spec
from fingal.players.player import Limit, PlayerError

app = SubcommandApp()
out = Console()
notes = Console(stderr=True)
"""Progress and remarks, so that stdout holds results alone."""

Json = Annotated[bool, tyro.conf.arg(help="Print one JSON object and nothing else.")]
PlayerText = Annotated[
    Positional[str], tyro.conf.arg(metavar="PLAYER", help="A player, for example random: see 'fingal players'.")
]
Position = Annotated[
    Positional[str],
    tyro.conf.arg(metavar="POSITION", help="A link, '#11,a1b2', a file (game.sgf@12: move 12) or '11 a1 b2'."),
]
Size = Annotated[str, tyro.conf.arg(metavar="N|WxH", help="The board: 11, or 7x9 (7 wide, 9 high).")]
Sims = Annotated[int | None, tyro.conf.arg(help="Simulations a move, for players that search.")]
Seconds = Annotated[float | None, tyro.conf.arg(help="Seconds a move.")]


def print_json(value: object) -> None:
    """Write one JSON object to stdout."""
    print(json_module.dumps(value, indent=1))


@app.command
def play(
    opponent: PlayerText = "random",
    /,
    *,
    size: Size = "11",
    colour: Literal["black", "white"] = "black",
    swap: bool = False,
    sims: Sims = None,
    time: Seconds = None,
    save: Path | None = None,
) -> None:
    """Play a game in the terminal.

    Args:
        colour: The colour you play; Black moves first.
        swap: Whether White may swap Black's first stone.
        save: A file for the game when it ends: .sgf, or another format by its ending.
    """
    from fingal.serve import terminal

    player = spec.make(opponent)
    try:
        record = terminal.play(player, Record(*parse_size(size), swap=swap), Colour[colour.upper()], Limit(sims, time))
    finally:
        player.close()
    if save is not None:
        formats.save(record, save)


@app.command
def show(position: Position, /, *, output: Path | None = None, numbers: bool = False) -> None:
    """Draw a position in the terminal, or as a picture.

    Args:
        output: Write a picture here instead: .svg or .png.
        numbers: Number the stones in the order of the moves.
    """
    record = formats.find(position)
    node = record.current
    board = record.board(node)
    if output is None:
        draw.show(board, out)
        return
    picture = draw.picture(board, marks=node.marks, numbers=numbers)
    if output.suffix == ".svg":
        output.write_text(draw.svg(picture), encoding="utf-8")
    elif output.suffix == ".png":
        output.write_bytes(draw.png(picture))
    else:
        raise ValueError(f"cannot draw to {output.name}: a name that ends in .svg or .png is expected")


@app.command
def convert(source: Position, target: Positional[Path | None] = None, /, *, to: str | None = None) -> None:
    """Convert a game record to another format.

    Args:
        target: The file to write, its format by its ending (.sgf .hsgf .hexworld .trmph .txt); none for stdout.
        to: The format, where the ending does not say it: sgf, littlegolem, hexworld, trmph or moves.
    """
    record = formats.find(source)
    if target is None:
        print(formats.write(record, to or "sgf"))
    elif to is None:
        formats.save(record, target)
    else:
        target.write_text(formats.write(record, to) + "\n", encoding="utf-8")


@app.command
def htp(player: PlayerText, /) -> None:
    """Speak the Hex Text Protocol on stdin and stdout, for HexGui and other programs."""
    from fingal.serve.htp import serve

    sys.exit(serve(player))


@app.command
def players(*, json: Json = False) -> None:
    """List the kinds of players and their settings."""
    kinds = spec.kinds()
    if json:
        print_json([kind.as_dict() for kind in kinds])
        return
    for kind in kinds:
        table = Table(title=f"{kind.usage}: {kind.doc}", title_justify="left", show_header=False, box=None)
        for setting in kind.settings:
            table.add_row("  " + setting.name + "=", str(setting.default), setting.doc)
        out.print(table)


@app.command
def match(
    first: PlayerText,
    second: PlayerText,
    /,
    *,
    size: Size = "11",
    games: int | None = None,
    openings: str = "none",
    sims: Sims = None,
    time: Seconds = None,
    save: Path = Path("games"),
    json: Json = False,
) -> None:
    """Play a match with alternating colours and print who won how often.

    Args:
        games: How many; every opening twice unless given (100 without openings).
        openings: 'none', 'all' (every cell as Black's first stone) or a file with one opening a line.
        save: The folder for the games, one SGF file each.
    """
    from fingal.arena import match as arena

    starts = arena.openings(openings, *parse_size(size))
    total = games if games is not None else 2 * len(starts) if len(starts) > 1 else 100
    if total < 1:
        raise ValueError(f"a match of {total} games is not possible: at least 1")
    save.mkdir(parents=True, exist_ok=True)
    state = arena.Match((first, second))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=notes) as progress:
            task = progress.add_task(f"{first} – {second}", total=total)
            for game in arena.play((first, second), starts, total, Limit(sims, time)):
                state.games.append(game)
                formats.save(game.record, save / f"{game.number:05d}.sgf")
                if game.failure:
                    notes.print(f"game {game.number}: {game.failure}")
                progress.update(task, advance=1, description=f"{first} – {second}: {state.rate(0)}")
    except KeyboardInterrupt:
        notes.print("stopped")
    if json:
        print_json(state.summary())
    else:
        out.print(state.table())


@app.command
def bench(topic: Positional[Literal["core"]], /, *, seconds: float = 2.0, json: Json = False) -> None:
    """Measure speed beside others' programs.

    Args:
        topic: What to measure.
        seconds: How long to measure each line.
    """
    from fingal.bench import core

    results: dict[str, Any] = core.measure(seconds)
    if json:
        print_json(results)
    else:
        out.print(core.table(results))


def main() -> None:
    """Run a command; bad input is answered with one sentence and exit status 2."""
    try:
        app.cli(
            prog="fingal",
            description="The open platform for the board game Hex.",
            config=(tyro.conf.FlagCreatePairsOff,),
        )
    except (ValueError, PlayerError, OSError) as error:
        notes.print(f"fingal: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
