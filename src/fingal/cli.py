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
from rich.table import Table
from rich.text import Text
from tyro.conf import OmitArgPrefixes, Positional
from tyro.extras import SubcommandApp

from fingal.arena.options import EventOptions
from fingal.arena.provenance import cores
from fingal.game import Colour, Record, draw, formats
from fingal.game.board import parse_size
from fingal.players import spec
from fingal.players.player import Limit, PlayerError, check_size
from fingal.ranges import MOST_SECONDS, check_number
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


def check_target(file: Path) -> None:
    """Refuse a file that cannot be written, before the work and not after it."""
    if not file.parent.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {file.parent}")
    if file.is_dir():
        raise ValueError(f"{file} cannot be written: it is a folder, and a file is expected")


def check_silence(players: tuple[str, ...], json: bool) -> None:
    """Refuse a person where one JSON object is to be printed and nothing else."""
    if json and any(spec.parse(text).kind == "human" for text in players):
        raise ValueError("human is not possible with --json: a person needs boards and questions on the screen")


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
        check_target(save)
    player = spec.make(opponent)
    try:
        check_size(player, record.width, record.height)
        terminal.play(player, record, Colour[colour.upper()], limit)
    finally:
        player.close()
        if save is not None and record.moves:
            formats.save(record, save)


@app.command
def serve(
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    name: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...")] = (),
    data: Path | None = None,
    runs: Path = Path("runs"),
    htp: Annotated[tuple[str, ...], tyro.conf.arg(metavar="COMMAND ...")] = (),
    searches: int | None = None,
    open: bool = False,
    no_browser: bool = False,
) -> None:
    """Open the web app: play, analyse, learn and watch in a browser. It needs no network and serves this machine only.

    Args:
        port: Where it listens; 8000, or one of the next where that is taken, if not given. 0 takes any.
        host: The address it listens at: with 0.0.0.0, or another address of this machine, whoever in your network has
            the link that is printed can use it; the link holds a token, which is another one at each start.
        name: Other names under which it may be asked for, where it is not served to this machine only.
        data: The folder where games are kept; ~/.local/share/fingal, if not given.
        runs: The folder of training runs that can be watched.
        htp: Commands of HTP engines that may play, for example mohex; pages can start no others.
        searches: How many searches run at a time; as many as there are cores, if not given.
        open: Require no token: serve everyone who can reach the address. There are no accounts.
        no_browser: Do not open a browser.
    """
    try:
        from fingal.serve.web import command
        from fingal.serve.web.app import Options
    except ModuleNotFoundError as error:
        raise ValueError(f"the web app needs {error.name}: install fingal[web]") from None
    folder = command.data_folder() if data is None else data
    options = Options(folder, host, 8000 if port is None else port, name, htp, runs, searches)
    command.serve(options, exactly=port is not None, everyone=open, browser=not no_browser, say=say)


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
        draw.save(draw.picture(board, marks=node.marks, numbers=numbers), output)


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
        draw.save(panels.picture(found), output)


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
    event: OmitArgPrefixes[EventOptions] = EventOptions(),  # noqa: B008
    sprt: tuple[float, float] | None = None,
    json: Json = False,
) -> None:
    """Play a match and print who won how often. Stopped or killed, it goes on when asked again.

    Args:
        sprt: Stop as soon as it is decided whether the first player is the first or the second number of Elo better.
    """
    from fingal.arena import command

    check_silence((first, second), json)
    if command.match(first, second, event, sprt, json, out, notes).forfeited:
        sys.exit(1)


@app.command
def tournament(
    players: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(metavar="PLAYER ...")] = (),
    /,
    *,
    event: OmitArgPrefixes[EventOptions] = EventOptions(),  # noqa: B008
    kind: Literal["round-robin", "gauntlet", "swiss"] = "round-robin",
    heads: int = 1,
    rounds: int | None = None,
    run: Path | None = None,
    checkpoints: int = 12,
    player: str = "net:{}",
    anchor: str | None = None,
    json: Json = False,
) -> None:
    """Play a tournament and print ratings and a cross table. Stopped or killed, it goes on when asked again.

    Args:
        players: The players, for example random resistance uct:sims=1000.
        kind: Everyone against everyone, the first against all others, or rounds of players with like scores.
        heads: Gauntlet: how many of the players, the first ones, play all others.
        rounds: Swiss: how many; as many as it takes to find a winner (log2 of the players), if not given.
        run: A training run's folder: its checkpoints play too.
        checkpoints: How many of the run's checkpoints, evenly spread, the first and the last among them.
        player: How a checkpoint plays: a player's text with {} for the file, for example puct:net={},sims=50.
        anchor: The player whose Elo is 0; the mean is 0, if not given.
    """
    from fingal.arena import command

    entered = (*players, *(command.run_players(run, checkpoints, player) if run is not None else ()))
    check_silence(entered, json)
    if command.tournament(entered, event, kind, heads, rounds, anchor, json, out, notes).forfeited:
        sys.exit(1)


@app.command
def ratings(
    store: Positional[Path],
    /,
    *,
    size: Annotated[str | None, tyro.conf.arg(metavar="N|WxH", help="Games on this board only.")] = None,
    event: str | None = None,
    anchor: str | None = None,
    json: Json = False,
) -> None:
    """Rate the players of the games in a store.

    Args:
        store: A file that 'fingal match' or 'fingal tournament' wrote.
        event: Games of this event only.
        anchor: The player whose Elo is 0; the mean is 0, if not given.
    """
    from fingal.arena import command

    command.ratings(store, None if size is None else parse_size(size), event, anchor, json, out)


@app.command
def exam(
    player: PlayerText,
    /,
    *,
    size: Annotated[str, tyro.conf.arg(metavar="3..7", help="The board: 3, 4, 5, 6 or 7.")] = "5",
    positions: int | None = None,
    every: bool = False,
    seed: int = 1,
    sims: Sims = None,
    time: Seconds = None,
    output: Path | None = None,
    json: Json = False,
) -> None:
    """Measure a player against perfect play, on boards whose positions the solver knows.

    Args:
        positions: How many positions are asked about; all of the set unless given.
        every: Ask about every position there is, on 3x3 and 4x4.
        seed: 1 is the set that comes with Fingal; another number draws a fresh one, and other games.
        output: Write a picture here besides: .svg or .png.
    """
    from fingal.arena.exam import command

    check_silence((player,), json)
    command.exam(player, parse_size(size), positions, every, seed, Limit(sims, time), output, json, out, notes)


@app.command
def report(
    stores: Annotated[Positional[tuple[Path, ...]], tyro.conf.arg(metavar="STORE ...")] = (),
    /,
    *,
    exam: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="FILE ...")] = (),
    run: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="FOLDER ...")] = (),
    swaps: Annotated[tuple[str, ...], tyro.conf.arg(metavar="PLAYER ...")] = (),
    swap_sizes: Annotated[tuple[int, ...], tyro.conf.arg(metavar="N ...")] = (4, 5, 6, 7, 8),
    title: str = "Fingal: what was measured",
    output: Annotated[Path, tyro.conf.arg(aliases=["-o"])] = Path("report.html"),
) -> None:
    """Write one page with ladders, cross tables, curves over training, exams, swap maps and games to replay.

    Args:
        stores: Files of games, as 'fingal match' and 'fingal tournament' write them.
        exam: What 'fingal exam PLAYER --json' has printed, in files.
        run: Folders of training runs.
        swaps: Players whose swap maps are drawn beside the truth.
        swap_sizes: The boards of these maps.
        title: What stands over the page.
        output: The page.
    """
    from fingal.arena.report import command

    command.report(stores, exam, run, swaps, swap_sizes, title, output, notes)


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
    from fingal.serve import solve as serving
    from fingal.solve import report

    for file in (table, proof):
        if file is not None:
            check_target(file)
    record = formats.find(position)
    board = record.board(record.current)
    solver = serving.solver(board, memory, threads, net, table, proving=proof is not None)
    with notes.status("") as status:

        def stopped() -> None:
            say("stopped")

        found = serving.solve(solver, board, find_all, nodes, time, status.update, stopped)
        serving.keep(solver, board, found, table, proof, status.update)
    if json:
        print_json(found.as_dict(board))
    else:
        report.show(found, board, out)


@app.command
def train(algorithm: Positional[str], /) -> None:
    """Train a net; 'fingal train ALGORITHM --help' lists the algorithm's settings."""
    run_learner("train", [algorithm])


@app.command
def sweep(algorithm: Positional[str], /) -> None:
    """Search for good settings of a learner; 'fingal sweep ALGORITHM --help' lists what can be asked for."""
    run_learner("sweep", [algorithm])


LEARNING = {"train": ("command", "training", "learn"), "sweep": ("sweep_command", "a sweep", "sweep")}
"""By command: the file of ``fingal.learn``, what it is called, and the extra with which its needs come."""


def run_learner(name: str, arguments: list[str]) -> None:
    """Train or sweep: the settings after the algorithm's name are the algorithm's own, so it reads them itself."""
    file, what, extra = LEARNING[name]
    try:
        module = importlib.import_module(f"fingal.learn.{file}")
    except ModuleNotFoundError as error:
        raise ValueError(f"{what} needs {error.name}: install fingal[{extra}]") from None
    try:
        module.main(arguments)
    except RuntimeError as error:  # torch has no error of its own for this
        if "allocate memory" not in str(error):
            raise
        raise MemoryError from None


@app.command
def reproduce(
    paper: Positional[str],
    /,
    *,
    figure: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...")] = (),
    scale: str = "small",
    opponent: str | None = None,
    nets: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="FILE ...")] = (),
    runs: Path | None = None,
    player: Annotated[tuple[str, ...], tyro.conf.arg(metavar="PLAYER ...")] = (),
    seed: int = 1,
    jobs: int | None = None,
    folder: Path | None = None,
    json: Json = False,
) -> None:
    """Do a paper's experiments again and write a page with its figures. Stopped or killed, it goes on when asked again.

    Args:
        paper: 000, temporal-difference learners on 3x3; 001, NeuroHex; 002, policy gradients;
            003, generations of deep Q-learning; 004, EZO-CNN.
        figure: These figures and tables only; a wrong name is answered with the right ones.
        scale: smoke (a minute), small (half an hour to two hours on two cores) or paper (the paper's sizes: for a GPU);
            paper 003 has large too (9x9 and 11x11: for a GPU).
        opponent: Papers 001, 002 and 004: the yardstick, for example htp:mohex; a player of Fingal's own, if not given.
        nets: Papers 001, 002 and 004: train nothing, but play the paper's games with these nets and print its table.
        runs: Papers 002 and 003: train nothing, but make figures of the finished runs in this folder.
        player: How the nets play, with {} for a file, where it is not as the paper's protocol has it.
        seed: Start of the random numbers in games with nets: another number for fresh games.
        jobs: Runs, or games, at a time; as many as there are cores, if not given.
        folder: Where everything goes; runs/paper-NNN-SCALE, if not given.
    """
    try:
        import torch  # noqa: F401

        from fingal.experiments import command
        from fingal.experiments.request import Request
    except ModuleNotFoundError as error:
        raise ValueError(f"to reproduce a paper needs {error.name}: install fingal[learn]") from None
    place = folder if folder is not None else Path("runs") / f"paper-{paper}-{'nets' if nets else scale}"
    processes = cores() if jobs is None else jobs
    request = Request(place, scale, figure, opponent, seed, processes, runs)
    command.reproduce(paper, request, json, notes, nets, player)


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
    topic: Positional[Literal["connections", "core", "learn", "search", "selfplay", "serve", "solve", "spread", "uct"]],
    /,
    *,
    seconds: float = 2.0,
    json: Json = False,
) -> None:
    """Measure speed, beside others' programs where there are some.

    Args:
        topic: What to measure: connections, the board, online learners, the tree and the nets, self-play on this
            machine's GPU or CPU, the web app under load, the solver, actors on a cluster, or simulations with playouts.
        seconds: How long to measure each line.
    """
    chosen = importlib.import_module(f"fingal.bench.{topic}")
    check_number("seconds", seconds, 0, MOST_SECONDS)
    results: dict[str, Any] = chosen.measure(seconds)
    if json:
        print_json(results)
    else:
        out.print(chosen.table(results))


def main() -> None:
    """Run a command; bad input is answered with one sentence and exit status 2."""
    try:
        if sys.argv[1:2] and sys.argv[1] in LEARNING:
            return run_learner(sys.argv[1], sys.argv[2:])
        app.cli(
            prog="fingal",
            description="The open platform for the board game Hex.",
            config=(tyro.conf.FlagCreatePairsOff,),
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has read enough. What is left goes nowhere, so that Python's own last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        say("fingal: there is not enough memory: smaller numbers (of games, positions or megabytes) need less", "red")
        sys.exit(2)
    except OSError as error:
        say(f"fingal: {error.filename}: {error.strerror}" if error.filename else f"fingal: {error}", "red")
        sys.exit(2)
    except (ValueError, PlayerError) as error:
        say(f"fingal: {error}", "red")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
