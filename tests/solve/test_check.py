"""Proof trees: twenty are accepted, and refused after one node is altered."""

import ast
import copy
import json
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fingal.game import Board
from fingal.solve import check as checker
from fingal.solve import inferior_check
from fingal.solve.check import check
from fingal.solve.dfpn import Settings, Solver
from fingal.solve.inferior_check import Refused
from fingal.solve.proof import prove
from tests.solve.truth import OPENINGS, plain_winner, random_board

Proof = dict[str, Any]
OPENED = [("5x5", ""), ("5x5", "b1"), ("6x6", "a1"), ("6x6", "c3")]
DRAWN = [(f"{side}x{side}", seed) for seed in range(4) for side in (3, 4, 5, 6)]


@cache
def proof_of(size: str, start: str | int) -> Proof:
    """Of a first move, or of a position with a few stones drawn at random."""
    width, height = map(int, size.split("x"))
    board = Board(width, height)
    if isinstance(start, int):
        board = random_board(width, height, width * height // 4, random.Random(f"{size} {start}"))
    elif start:
        board.push(start)
    return prove(Solver(width, height, Settings(memory=64)), board)


@pytest.mark.parametrize(("size", "opening"), OPENED)
def test_proofs_of_openings_are_accepted(size: str, opening: str) -> None:
    position, to_move, winner = check(proof_of(size, opening))
    assert position.count("B") == to_move == (opening != "")
    assert position.count("W") == 0
    assert winner == (0 if opening in ("", *OPENINGS[size]) else 1)


@pytest.mark.parametrize(("size", "seed"), DRAWN)
def test_proofs_of_positions_are_accepted(size: str, seed: int) -> None:
    proof = proof_of(size, seed)
    position, to_move, winner = check(json.loads(json.dumps(proof)))
    if size == "4x4":
        assert winner == plain_winner(4, 4, position, to_move)


def altered(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Every way to make a node wrong by one change."""
    empty = node["position"].index(".")
    changes: list[dict[str, Any]] = [
        {"winner": 1 - node["winner"]},
        {"to_move": 1 - node["to_move"]},
        {"position": node["position"][:empty] + "BW"[node["winner"]] + node["position"][empty + 1 :]},
    ]
    if "connection" in node:
        changes.append({"connection": [step for step in node["connection"] if step[0] != "touch"]})
    if "move" in node:
        changes.append({"move": (node["move"] + 1) % len(node["position"])})
        changes.append({"child": node["child"] - 1})
    if "moves" in node:
        changes.append({"moves": node["moves"][1:]})
        changes.append({"moves": node["moves"][:-1]})
    return [{**node, **change} for change in changes]


@pytest.mark.parametrize(("size", "start"), [*OPENED, *DRAWN])
def test_a_proof_with_one_altered_node_is_refused(size: str, start: str | int) -> None:
    proof = proof_of(size, start)
    rng = random.Random(0)
    numbers = range(len(proof["nodes"]))
    for number in rng.sample(numbers, min(3, len(numbers))):
        for node in altered(proof["nodes"][number]):
            # What comes before the node holds, so only this node and those that may rest on it are looked at.
            wrong = {**proof, "nodes": [*proof["nodes"][:number], node, *proof["nodes"][number + 1 :]]}
            try:
                result = check(wrong)
            except Refused:
                continue
            # A change may happen to leave a proof, of something else.
            assert result != check(proof), (number, node)
            assert number == proof["root"]
            assert len(result[0]) > 16 or plain_winner(*map(int, size.split("x")), *result[:2]) == result[2]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "fingal proof 0"}, "the format is not"),
        ({"root": 10**9}, "the root is no node"),
        ({"nodes": None}, "it has no nodes"),
        ({"nodes": [{}]}, "node 0 is malformed"),
        ({"width": 50}, "no such board"),
        ({"width": 5}, "the position is not one"),
    ],
)
def test_what_is_no_proof_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        check({**copy.deepcopy(proof_of("4x4", 0)), "root": 0, **change})


def test_nodes_may_only_rest_on_earlier_ones() -> None:
    proof = proof_of("6x6", "a1")
    with pytest.raises(Refused, match="no earlier node"):
        check({**proof, "nodes": proof["nodes"][::-1]})


def test_the_checker_imports_nothing_of_the_core() -> None:
    own = {"fingal.solve.inferior_check"}
    for module in (checker, inferior_check):
        assert module.__file__ is not None
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert all(name.split(".")[0] in sys.stdlib_module_names or name in own for name in names)


def test_files_are_checked_from_the_command_line(tmp_path: Path) -> None:
    def run(text: str) -> tuple[int, str]:
        path = tmp_path / "proof.json"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "fingal.solve.check", path], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    proof = proof_of("4x4", 0)
    status, said = run(json.dumps(proof))
    assert status == 0
    assert said.splitlines()[-1].endswith(f"{len(proof['nodes'])} nodes hold.")
    status, said = run(json.dumps({**proof, "root": -1}))
    assert status == 1
    assert "is refused: the root is no node" in said
    status, said = run("nothing")
    assert status == 2
    assert "cannot be read" in said
