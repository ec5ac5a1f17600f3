"""The tree search: golden trees, the same twice, small boards solved, limits, interrupts."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import count

import numpy as np
import pytest

from fingal.game import WHITE, Board
from fingal.search import crew, tree
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.rollout import RolloutEvaluator
from fingal.search.tree import Search, Settings
from fingal.testing.check_evaluator import check_evaluator
from tests.search.golden import CASES, FOLDER, board_of, central, searched, text

PUCT, GUMBEL = Settings(), Settings(gumbel=True)
KNOWING = Settings(connections=1)


def uniform(positions: Positions) -> Evaluation:
    number, cells = len(positions.white_to_move), positions.width * positions.height
    return Evaluation(np.zeros((number, cells), np.float32), np.zeros(number, np.float32))


@pytest.mark.parametrize("name", CASES)
def test_golden_trees(name: str) -> None:
    assert CASES[name]() == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_golden_tree_is_tested() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(CASES)


LIMITS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 64, 89, 100, 128, 144, 200, 233, 300, 377, 400, 610]


@pytest.mark.parametrize("settings", [PUCT, GUMBEL, Settings(noise=0.25), Settings(gumbel=True, noise=1.0)], ids=str)
@pytest.mark.parametrize("simulations", LIMITS)
def test_the_same_seed_and_limit_give_the_same_tree(settings: Settings, simulations: int) -> None:
    board = board_of("c3", "e4", width=7, height=6)
    trees = [text(searched(board, settings, simulations, seed=5), board) for _ in range(2)]
    assert trees[0] == trees[1]
    assert len(trees[0].splitlines()) >= min(simulations, 10)


def test_another_seed_gives_another_tree() -> None:
    board = Board(6)
    trees = {text(searched(board, Settings(noise=0.25), 100, seed=seed), board) for seed in range(5)}
    assert len(trees) == 5
    assert len({text(searched(board, PUCT, 100, seed=seed), board) for seed in range(5)}) == 1


@cache
def wins(board: Board) -> bool:
    """Whether the side to move wins, by trying everything: slow and obvious."""
    for cell in board.empty_cells:
        after = board.copy()
        after.push(cell)
        if after.is_over() or not wins(after):
            return True
    return False


@pytest.mark.parametrize("settings", [PUCT, GUMBEL, Settings(batch=1), KNOWING], ids=str)
@pytest.mark.parametrize("opening", range(9))
def test_all_openings_of_3x3_are_solved(settings: Settings, opening: int) -> None:
    board = Board(3)
    board.push(opening)
    search = Search(uniform, settings)
    search.set_position(board)
    found = search.finish(simulations=20_000)
    expected = 1 if wins(board) else -1
    assert (found.proof, found.value) == (expected, expected)
    if expected == 1:
        board.push(search.best_move())
        assert board.is_over() or not wins(board)


@pytest.mark.parametrize("settings", [PUCT, GUMBEL, KNOWING, Settings(gumbel=True, connections=5)], ids=str)
def test_proofs_are_right_wherever_there_are_any(settings: Settings) -> None:
    """On positions of random games, not only at the root: every proof in every tree."""
    rng, proofs = random.Random(3), 0
    for _ in range(60):
        width, height = rng.choice([(2, 2), (3, 3), (4, 3), (3, 4), (4, 4)])
        board = Board(width, height)
        for cell in rng.sample(range(board.cells), rng.randrange(board.cells // 4, board.cells // 2)):
            if not board.is_over():
                board.push(cell)
        if board.is_over():
            continue
        search = searched(board, settings, rng.choice([30, 100, 1000]), uniform)
        root = search.analysis()
        assert root.proof in (0, 1 if wins(board) else -1)
        lines: list[tuple[int, ...]] = [()]
        while lines:
            line = lines.pop()
            for found in search.candidates(line):
                after = board.copy()
                for move in (*line, found.move):
                    after.push(move)
                if found.proof != 0:
                    proofs += 1
                    assert found.proof == (1 if after.is_over() or not wins(after) else -1)
                    assert found.value == found.proof
                if len(line) < 2 and not after.is_over():
                    lines.append((*line, found.move))
    # Connections prove many roots at once, and then there is little tree to look at.
    assert proofs > (150 if settings.connections else 300)


def test_connections_win_the_game_to_its_end() -> None:
    """A bridge to each edge: the search sees the win at once, and every reply it makes keeps it."""
    board = Board(7)
    for move in ("d4", "a7", "e2", "a6", "c6", "a5"):
        board.push(move)
    search = Search(uniform, KNOWING)
    rng = random.Random(1)
    while not board.is_over():
        search.set_position(board)
        assert search.finish(simulations=50).proof == 1
        board.push(search.best_move())
        if not board.is_over():
            board.push(rng.choice(list(board.legal_moves)))
    assert board.winner == 0


def test_a_win_in_one_needs_no_simulation() -> None:
    board = board_of("b2", "a1", "b1", "c1", width=3)
    asked: list[int] = []

    def evaluator(positions: Positions) -> Evaluation:
        asked.append(len(positions.white_to_move))
        return uniform(positions)

    found = searched(board, PUCT, 100, evaluator)
    assert found.analysis().proof == 1
    assert board.name(found.best_move()) in ("a3", "b3")
    assert asked == []


@pytest.mark.parametrize("settings", [PUCT, GUMBEL, Settings(batch=1)], ids=str)
@pytest.mark.parametrize("simulations", [1, 2, 7, 100, 333])
def test_simulations_are_exact(settings: Settings, simulations: int) -> None:
    search = searched(Board(9), settings, simulations, uniform)
    assert search.analysis().visits == simulations + 1
    # What the tree holds comes on top.
    search.finish(simulations)
    assert search.analysis().visits == 2 * simulations + 1


def test_nodes_are_those_of_this_run() -> None:
    search = Search(uniform, Settings(batch=4))
    search.set_position(Board(9))
    for run in (1, 2, 3):
        search.finish(nodes=100)
        assert 100 * run <= search.analysis().visits <= 104 * run


@pytest.mark.parametrize("settings", [PUCT, GUMBEL], ids=str)
def test_seconds_are_those_of_the_clock(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(crew.time, "monotonic", lambda: float(next(ticks)))
    search = Search(uniform, settings)
    search.set_position(Board(9))
    search.finish(seconds=50)
    assert search.analysis().visits == pytest.approx(50 * settings.batch, rel=0.2)


def test_the_tree_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MOST_EDGES", 81 * 500)
    search = Search(uniform, PUCT)
    search.set_position(Board(9))
    assert 500 <= search.finish().visits <= 510


@pytest.mark.parametrize("limit", [{"simulations": 0}, {"simulations": -5}, {"seconds": 0.0}, {"nodes": 0}])
def test_a_limit_of_nothing_is_refused(limit: dict[str, int]) -> None:
    search = Search(uniform)
    search.set_position(Board(5))
    with pytest.raises(ValueError, match="is not possible: it must be more than 0"):
        search.finish(**limit)


def test_interrupt_ends_a_run() -> None:
    calls = []

    def evaluator(positions: Positions) -> Evaluation:
        calls.append(len(positions.white_to_move))
        if len(calls) == 5:
            search.interrupt()
        return uniform(positions)

    search = Search(evaluator)
    search.set_position(Board(9))
    found = search.finish()
    assert len(calls) == 5
    assert found.visits == sum(calls)
    # One that comes too early counts as well; the position itself is judged all the same.
    search.set_position(board_of("a1", width=5))
    search.interrupt()
    assert search.finish(simulations=100).visits == 1
    assert search.finish(simulations=100).visits == 101


def test_the_position_is_judged_however_often_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    search, runs = Search(central), count()
    run = search.run

    def interrupted(*limits: float | None, **named: float | None) -> Iterator[None]:
        if next(runs) < 5:
            search.interrupt()
        return run(*limits, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(search, "run", interrupted)
    search.set_position(Board(5))
    assert search.finish(simulations=100).visits == 1


@pytest.mark.parametrize("settings", [PUCT, GUMBEL])
def test_a_number_of_simulations_that_stands_for_no_limit(settings: Settings) -> None:
    search = Search(central, settings)
    search.set_position(Board(9))
    calls = count()
    found = search.finish(simulations=3 * 10**9, look=lambda: search.interrupt() if next(calls) == 50 else None)
    assert 50 < found.visits < 1000


def test_more_simulations_than_one_plan_of_gumbels_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_LONGEST_PLAN", 70)
    search = Search(central, GUMBEL)
    search.set_position(Board(9))
    assert search.finish(simulations=200).visits == 201


def test_a_run_can_be_looked_at_left_and_taken_up_again() -> None:
    search = Search(central, Settings(batch=4))
    search.set_position(Board(7))
    seen = []
    for _ in search.run():
        seen.append(search.analysis().visits)
        if len(seen) == 30:
            break
    assert seen == sorted(set(seen))
    search.finish(simulations=50)
    found = search.analysis()
    assert found.visits == seen[-1] + 50
    assert sum(candidate.visits for candidate in found.candidates) == found.visits - 1
    for candidate in found.candidates:
        line = board_of(width=7)
        for move in candidate.variation:
            line.push(move)
        assert candidate.variation[0] == candidate.move
    assert found.candidates[0].move == search.best_move()


def test_an_evaluator_that_fails_leaves_the_tree_sound() -> None:
    broken = False

    def evaluator(positions: Positions) -> Evaluation:
        if broken:
            raise RuntimeError("no more")
        return central(positions)

    search = Search(evaluator)
    board = Board(6)
    search.set_position(board)
    search.finish(100)
    before = text(search, board)
    broken = True
    with pytest.raises(RuntimeError, match="no more"):
        search.finish(100)
    assert text(search, board) == before
    broken = False
    assert search.finish(100).visits == 201


def test_the_tree_is_kept_from_move_to_move() -> None:
    search, board = Search(central), Board(7)
    search.set_position(board)
    best = search.finish(400).candidates[0]
    board.push(best.move)
    search.set_position(board)
    assert search.analysis().visits == best.visits
    assert search.analysis().value == pytest.approx(-best.value)
    # A move back, another side to move, another board: nothing is known.
    for other in (Board(7), board_of("a1", width=7), Board(5), Board(5, 7)):
        search.set_position(other)
        assert search.analysis().visits == 0
        search.finish(10)
    turned = Board(5, 7)
    turned.turn = WHITE
    search.set_position(turned)
    assert search.analysis().visits == 0
    search.finish(10)
    visits = search.visits
    with pytest.raises(ValueError, match="the game is over"):
        search.set_position(board_of("a1", width=1))
    assert search.analysis().visits == visits  # nothing has changed


def test_gumbel_considers_the_moves_it_is_told_to() -> None:
    search = searched(Board(7), Settings(gumbel=True, considered=4, batch=1), 32)
    visits = sorted(candidate.visits for candidate in search.analysis().candidates)
    assert visits == [4, 4, 12, 12]  # 32 / (2 * 4) each, then 32 / (2 * 2) more for two of them
    policy = search.policy()
    assert policy.sum() == pytest.approx(1)
    assert search.best_move() in policy.argsort()[-2:]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"batch": 0}, "batch must be from 1 to 4096, not 0"),
        ({"considered": 0}, "considered must be from 1 to 2147483647, not 0"),
        ({"noise": 1.5}, "noise must be from 0 to 1, not 1.5"),
        ({"c_init": -1.0}, "c_init must be from 0 to 1000000, not -1.0"),
        ({"c_scale": float("nan")}, "c_scale must be from 0 to 1000000, not nan"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Settings(**settings)  # type: ignore[arg-type]


def test_a_search_without_a_position() -> None:
    with pytest.raises(ValueError, match="set_position first"):
        Search(uniform).analysis()


def test_rollouts_keep_the_contract_of_an_evaluator() -> None:
    check_evaluator(RolloutEvaluator(fills=50), symmetric=False)
    with pytest.raises(ValueError, match="fills must be at least 1"):
        RolloutEvaluator(fills=0)
