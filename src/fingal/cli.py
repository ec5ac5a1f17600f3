"""The command ``fingal``."""

from __future__ import annotations

import importlib
import json as json_module
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from tyro.conf import Positional
from tyro.extras import SubcommandApp

from fingal.game import Colour, Record, draw, formats
from fingal.game.board import parse_size
from fingal.players import spec
from fingal.players.player import Limit, PlayerError
from fingal.serve.analyse import TOPICS, Analyst, Topic, read_boards

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


def say(text: str, style: str | None = None) -> None:
    """Write a remark as it stands to stderr."""
    notes.print(text, style=style, markup=False, emoji=False, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """Write one JSON object to stdout."""
    print(json_module.dumps(value, indent=1))


@app.command
def play(
    opponent: PlayerText = "puct:net=fingal-small,sims=200,name=Fingal",
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
        save: A file for the game when it ends or you leave: .sgf, or another format by its ending.
    """
    from fingal.serve import terminal

    record, limit = Record(*parse_size(size), swap=swap), Limit(sims, time)
    if save is not None:
        # What cannot be saved is refused before the game, not after it.
        formats.write(record, formats.kind_of(save))
        if not save.parent.is_dir():
            raise ValueError(f"{save} cannot be written: there is no folder {save.parent}")
    player = spec.make(opponent)
    try:
        terminal.play(player, record, Colour[colour.upper()], limit)
    finally:
        player.close()
        if save is not None and record.moves:
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
    else:
        write_picture(draw.picture(board, marks=node.marks, numbers=numbers), output)


def write_picture(picture: draw.Picture, output: Path) -> None:
    """Write a picture to a file, in the format of its ending."""
    if output.suffix.lower() == ".svg":
        output.write_text(draw.svg(picture), encoding="utf-8")
    elif output.suffix.lower() == ".png":
        output.write_bytes(draw.png(picture))
    else:
        raise ValueError(f"cannot draw to {output}: a name that ends in .svg or .png is expected")


@app.command
def analyse(
    position: Position,
    /,
    *,
    topics: Annotated[tuple[Topic, ...], tyro.conf.arg(metavar="TOPIC ...")] = TOPICS,
    time: float = 2.0,
    output: Path | None = None,
    json: Json = False,
    jsonl: bool = False,
) -> None:
    """Draw what can be said of a position: resistance, distances, connections, inferior cells, who wins.

    Args:
        topics: What to look for; everything, if not given.
        time: Seconds that the solver may take for a position.
        output: Write a picture here instead: .svg or .png.
        jsonl: POSITION is a file of positions, one a line ('-' for stdin): print one JSON object for each.
    """
    analyst = Analyst(topics, time)
    if jsonl:
        for board in read_boards(position):
            print(json_module.dumps(analyst.analyse(board).as_dict()), flush=True)
        return
    record = formats.find(position)
    found = analyst.analyse(record.board(record.current))
    if json:
        print_json(found.as_dict())
        return
    from fingal.serve import panels

    if output is None:
        panels.show(found, out)
    else:
        write_picture(panels.picture(found), output)


@app.command
def convert(source: Position, target: Positional[Path | None] = None, /, *, to: str | None = None) -> None:
    """Convert a game record to another format.

    Args:
        target: The file to write, its format by its ending (.sgf .hsgf .hexworld .trmph .txt); none for stdout.
        to: The format, where the ending does not say it: sgf, littlegolem, hexworld, trmph or moves.
    """
    record = formats.game(source)
    if target is None:
        print(formats.write(record, to or "sgf").rstrip("\n"))
    elif to is None:
        formats.save(record, target)
    else:
        target.write_text(formats.write(record, to).rstrip("\n") + "\n", encoding="utf-8")


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
        print_json({"kinds": [kind.as_dict() for kind in kinds]})
        return
    for kind in kinds:
        title = Text(f"{kind.usage}: {kind.doc}", style="italic")
        table = Table(title=title, title_justify="left", show_header=False, box=None)
        for setting in kind.settings:
            table.add_row("  " + setting.name + "=", Text(str(setting.default)), Text(setting.doc))
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

    starts, limit = arena.openings(openings, *parse_size(size)), Limit(sims, time)
    total = games if games is not None else 2 * len(starts) if len(starts) > 1 else 100
    if total < 1:
        raise ValueError(f"a match of {total} games is not possible: at least 1")
    state = arena.Match((first, second))
    # Games of an earlier match in the same folder stay: the numbers go on.
    kept = max((int(file.stem) for file in save.glob("*.sgf") if file.stem.isdecimal()), default=0)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as progress:
            task = progress.add_task(f"{first} – {second}", total=total)
            for game in arena.play((first, second), starts, total, limit):
                state.games.append(game)
                save.mkdir(parents=True, exist_ok=True)
                formats.save(game.record, save / f"{kept + game.number:05d}.sgf")
                if game.failure:
                    say(f"game {game.number}: {game.failure}")
                progress.update(task, advance=1, description=f"{first} – {second}: {state.rate(0)}")
    except KeyboardInterrupt:
        say("stopped")
    if json:
        print_json(state.summary())
    else:
        out.print(state.table())


@app.command
def solve(
    position: Position,
    /,
    *,
    find_all: bool = False,
    time: float = 60.0,
    nodes: int | None = None,
    memory: int = 1024,
    threads: int = 1,
    net: str | None = None,
    table: Path | None = None,
    proof: Path | None = None,
    json: Json = False,
) -> None:
    """Prove who wins a position, and by which moves. Ctrl-C ends the search and shows how far it came.

    Args:
        find_all: Find every winning move, not just the winner.
        time: Stop after so many seconds.
        nodes: Stop after so many positions.
        memory: Megabytes for the table of positions.
        threads: How many threads search together.
        net: A net whose policy orders the moves, instead of electric currents.
        table: A file that keeps what is found: read at the beginning if it is there, written at the end.
        proof: Write the proof here, for 'python -m fingal.solve.check'.
    """
    from fingal.solve import proof as proofs
    from fingal.solve import report
    from fingal.solve.dfpn import Settings, Solver

    record = formats.find(position)
    board = record.board(record.current)
    policy = None
    if net is not None:
        from fingal.nets.inference import open_evaluator
        from fingal.search.policy import move_policy

        policy = move_policy(open_evaluator(net), board.width, board.height)
    solver = Solver(board.width, board.height, Settings(memory=memory, threads=threads), policy)
    if table is not None and table.exists():
        solver.load(table)
    with notes.status("") as status:
        try:
            found = solver.solve(
                board,
                find_all=find_all,
                nodes=nodes,
                seconds=time,
                progress=lambda progress: status.update(report.line(progress)),
            )
        except KeyboardInterrupt:
            say("stopped")
            found = solver.solve(board, find_all=find_all, seconds=1e-9)
        if table is not None:
            solver.save(table)
        if proof is not None:
            if found.winner is None:
                raise ValueError(f"there is no proof to write: {report.verdict(found, board)}")
            status.update("writing the proof")
            proof.write_text(json_module.dumps(proofs.prove(solver, board)) + "\n", encoding="utf-8")
    if json:
        print_json(found.as_dict(board))
    else:
        report.show(found, board, out)


@app.command
def train(algorithm: Positional[str], /) -> None:
    """Train a net; 'fingal train ALGORITHM --help' lists the algorithm's settings.

    Args:
        algorithm: alphazero.
    """
    run_training([algorithm])


def run_training(arguments: list[str]) -> None:
    """Train: the settings after the algorithm's name are the algorithm's own, so it reads them itself."""
    try:
        from fingal.learn import command
    except ModuleNotFoundError as error:
        raise ValueError(f"training needs {error.name}: install fingal[learn]") from None
    command.main(arguments)


@app.command
def export(net: Positional[str], target: Positional[Path], /, *, int8: bool = False) -> None:
    """Write a net as ONNX, for other programs.

    Args:
        net: A shipped net's name or a .safetensors file.
        target: The .onnx file to write.
        int8: Quantise the convolutions to 8 bits.
    """
    from fingal.nets.card import find

    try:
        from fingal.nets import export as exporter
        from fingal.nets import quantise
    except ModuleNotFoundError as error:
        raise ValueError(f"writing nets needs {error.name}: install fingal[learn]") from None
    source = find(net, (".safetensors",))
    card = (quantise.export_int8 if int8 else exporter.export)(source, target)
    say(f"{target}: {card.name}, {card.precision}")


@app.command
def bench(
    topic: Positional[Literal["connections", "core", "search", "selfplay", "solve", "uct"]],
    /,
    *,
    seconds: float = 2.0,
    json: Json = False,
) -> None:
    """Measure speed, beside others' programs where there are some.

    Args:
        topic: What to measure: connections, the board, the tree and the nets, self-play on this machine's GPU or
            CPU, the solver, or simulations with playouts.
        seconds: How long to measure each line.
    """
    chosen = importlib.import_module(f"fingal.bench.{topic}")
    results: dict[str, Any] = chosen.measure(seconds)
    if json:
        print_json(results)
    else:
        out.print(chosen.table(results))


def main() -> None:
    """Run a command; bad input is answered with one sentence and exit status 2."""
    try:
        if sys.argv[1:2] == ["train"] and len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
            return run_training(sys.argv[2:])
        app.cli(
            prog="fingal",
            description="The open platform for the board game Hex.",
            config=(tyro.conf.FlagCreatePairsOff,),
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has read enough. What is left goes nowhere, so that Python's own last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        say(f"fingal: {error.filename}: {error.strerror}" if error.filename else f"fingal: {error}", "red")
        sys.exit(2)
    except (ValueError, PlayerError) as error:
        say(f"fingal: {error}", "red")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
