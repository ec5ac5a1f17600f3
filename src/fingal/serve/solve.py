"""What ``fingal solve`` does between its arguments and what it prints."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

from fingal.game import Board
from fingal.solve import proof as proofs
from fingal.solve import report
from fingal.solve.dfpn import Settings, Solution, Solver

Tell = Callable[[str], None]


def solver(board: Board, memory: int, threads: int, net: str | None, table: Path | None, *, proving: bool) -> Solver:
    """A solver for a board's size that knows what the table's file holds; a net's policy may order its moves.

    One whose proof is to be written does without edge templates: a proof would have to prove them too.
    """
    policy = None
    if net is not None:
        from fingal.nets.inference import open_evaluator
        from fingal.search.policy import move_policy

        policy = move_policy(open_evaluator(net), board.width, board.height)
    settings = Settings(memory=memory, threads=threads, templates=not proving)
    made = Solver(board.width, board.height, settings, policy)
    if table is not None and table.exists():
        made.load(table)
    return made


def solve(
    asked: Solver,
    board: Board,
    find_all: bool,
    nodes: int | None,
    seconds: float,
    tell: Tell,
    stopped: Callable[[], None],
) -> Solution:
    """Search, telling how far it has come; Ctrl-C ends it, and ``stopped`` is called."""

    def stop(*_: object) -> None:
        stopped()
        asked.interrupt()

    before = signal.signal(signal.SIGINT, stop)
    try:
        return asked.solve(
            board,
            find_all=find_all,
            nodes=nodes,
            seconds=seconds,
            progress=lambda progress: tell(report.line(progress)),
        )
    finally:
        signal.signal(signal.SIGINT, before)


def keep(asked: Solver, board: Board, found: Solution, table: Path | None, proof: Path | None, tell: Tell) -> None:
    """Write the table and the proof, where files are named; ValueError where nothing is proved."""
    if table is not None:
        asked.save(table)
    if proof is not None:
        if found.winner is None:
            raise ValueError(f"there is no proof to write: {report.verdict(found, board)}")
        tell("writing the proof")
        proof.write_text(json.dumps(proofs.prove(asked, board)) + "\n", encoding="utf-8")
