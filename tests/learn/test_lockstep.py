"""Games in lockstep: what the core knows of them, and their boards as the side to move sees them."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fingal import _core
from fingal.analysis.connections import verdicts
from fingal.game import Board
from fingal.learn.parts import lockstep
from fingal.nets import planes
from fingal.solve.dfpn import Settings, Solver
from tests.analysis.exhaustive import Exhaustive


class Said(NamedTuple):
    """What was said of a position, and who won in the end."""

    board: Board
    proof: int
    winning: int
    moves: set[int]
    game: int


def judged(
    games: _core.JudgedGames, going: NDArray[np.int32]
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.bool_]]:
    proof, winning = np.zeros(len(going), np.int8), np.zeros(len(going), np.int32)
    moves = np.zeros((len(going), games.width * games.height), np.bool_)
    games.judge(going, proof, winning, moves)
    return proof, winning, moves


def play_on(games: _core.JudgedGames, seed: int, obedient: float = 1.0) -> tuple[list[Said], list[int]]:
    """Random games in which known wins are played with this chance: what was said of each position, and the winners."""
    rng, said = np.random.default_rng(seed), []
    games.reset()
    boards = [Board(games.width, games.height) for _ in range(games.count)]
    going = np.arange(games.count, dtype=np.int32)
    while len(going):
        proof, winning, moves = judged(games, going)
        cells = []
        for place, game in enumerate(going):
            board = boards[game]
            found = {int(cell) for cell in np.flatnonzero(moves[place])}
            said.append(Said(board.copy(), int(proof[place]), int(winning[place]), found, int(game)))
            obeys = proof[place] > 0 and rng.random() < obedient
            cells.append(int(winning[place]) if obeys else int(rng.choice(board.empty_cells)))
            board.push(cells[-1])
        over = np.zeros(len(going), np.bool_)
        games.play(going, np.array(cells, np.int32), over)
        assert [boards[game].is_over() for game in going] == over.tolist()
        going = np.ascontiguousarray(going[~over])
    return said, [int(board.winner or 0) for board in boards]


def stones(board: Board) -> tuple[set[int], set[int]]:
    colours = [board.colour_at(cell) for cell in range(board.cells)]
    black, white = ({cell for cell, colour in enumerate(colours) if colour == side} for side in (0, 1))
    return black, white


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (3, 5), (4, 4)])
def test_what_is_known_of_small_games_is_true(width: int, height: int) -> None:
    oracle, games = Exhaustive(width, height), _core.JudgedGames(width, height, 6)
    seen = {-1: 0, 0: 0, 1: 0}
    for seed in range(3):
        for board, proof, winning, moves, _ in play_on(games, seed, obedient=0.6)[0]:
            if board.ply < (0, 3, 5)[(width * height > 9) + (width * height > 15)]:
                continue  # there is too much to try for the oracle
            seen[proof] += 1
            wins, empty = oracle.winning_moves(*stones(board), int(board.turn)), set(board.empty_cells)
            if proof == 0:
                assert moves <= empty
                assert moves
                assert not wins or moves & wins  # a win is never left out
            else:
                assert moves == empty
                assert bool(wins) == (proof > 0)
                assert (winning in wins) if proof > 0 else winning == -1
    assert seen[1] > 5
    assert seen[-1] > 5


def test_what_is_known_of_larger_games_is_what_the_solver_says() -> None:
    solver, games = Solver(6, 6, Settings(memory=64)), _core.JudgedGames(6, 6, 8)
    checked = 0
    for seed in range(4):
        # Not always obeyed, so that decided games become open again.
        for board, proof, winning, moves, _ in play_on(games, seed, obedient=0.8)[0]:
            if board.ply < 6:
                continue
            if proof > 0:
                after = board.copy()
                after.push(winning)
                won = after.winner if after.is_over() else solver.solve(after).winner
                assert won == board.turn
            else:
                wins = set(solver.solve(board, find_all=True).winning)
                assert not wins if proof < 0 else not wins or moves & wins
            checked += 1
    assert checked > 250


@pytest.mark.parametrize("size", [7, 11])
def test_who_is_known_to_win_goes_on_to_win(size: int) -> None:
    said, winners = play_on(_core.JudgedGames(size, size, 12), 5)
    owner: dict[int, int] = {}
    for board, proof, _, _, game in said:
        if proof:
            mover = int(board.turn)
            assert owner.setdefault(game, mover if proof > 0 else 1 - mover) == winners[game]
        else:
            assert game not in owner
    assert len(owner) == 12


def test_the_same_is_said_with_more_threads_and_after_other_games() -> None:
    alone, shared = _core.JudgedGames(6, 6, 5), _core.JudgedGames(6, 6, 5, threads=3)
    play_on(shared, 1)
    one, other = play_on(alone, 2), play_on(shared, 2)
    assert [(s.proof, s.winning, s.moves) for s in one[0]] == [(s.proof, s.winning, s.moves) for s in other[0]]
    assert one[1] == other[1]


def test_it_knows_as_much_as_a_search_from_scratch() -> None:
    said, _ = play_on(_core.JudgedGames(7, 7, 10), 8)
    known = scratch = 0
    for board, proof, _, _, _ in said:
        here = planes.positions_of([board])
        found = int(verdicts(here.stones, here.white_to_move, 7, 7).proof[0])
        assert found * proof >= 0
        known += proof != 0
        scratch += found != 0
    # Rarely one of them misses what the other sees: connections are searched with limits.
    assert known >= 0.97 * scratch


def test_without_connections_only_the_end_is_known() -> None:
    said, _ = play_on(_core.JudgedGames(4, 4, 10, connections=False), 4)
    for board, proof, winning, moves, _ in said:
        ends = set()
        for cell in board.empty_cells:
            after = board.copy()
            after.push(cell)
            if after.is_over():
                ends.add(cell)
        assert proof == (1 if ends else 0)
        assert winning in ends if ends else winning == -1
        assert moves == set(board.empty_cells)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (19, 19)])
def test_any_size(width: int, height: int) -> None:
    games = _core.JudgedGames(width, height, 2)
    proof, winning, moves = judged(games, np.arange(2, dtype=np.int32))
    assert moves.any(1).all()
    if width == 1:
        assert proof.tolist() == [1, 1]
        assert winning.tolist() == [0, 0]
    over = np.zeros(1, np.bool_)
    games.play(np.array([1], np.int32), np.array([width * height - 1], np.int32), over)
    assert over.tolist() == [width == 1]


def test_bad_input_changes_nothing() -> None:
    games = _core.JudgedGames(2, 2, 3)
    over = np.zeros(2, np.bool_)

    def play(numbers: list[int], cells: list[int]) -> None:
        games.play(np.array(numbers, np.int32), np.array(cells, np.int32), over)

    for numbers, cells, message in (
        ([0, 3], [0, 0], "game 3 is not one of 3"),
        ([1, 1], [0, 1], "game 1 is named twice"),
        ([0, 1], [0, 4], "cell 4 is not an empty cell of game 1"),
        ([0, 1], [-1, 0], "cell -1 is not an empty cell of game 0"),
    ):
        with pytest.raises(ValueError, match=message):
            play(numbers, cells)
    play([0, 1], [0, 0])  # nothing of the above was played
    with pytest.raises(ValueError, match="cell 0 is not an empty cell of game 0"):
        play([0, 2], [0, 0])
    play([0, 2], [1, 0])
    play([0, 2], [2, 1])
    assert over.tolist() == [True, False]
    with pytest.raises(ValueError, match="game 0 is over"):
        judged(games, np.array([0], np.int32))
    with pytest.raises(ValueError, match="0 games are not possible"):
        _core.JudgedGames(3, 3, 0)
    with pytest.raises(ValueError, match="0 threads are not possible"):
        _core.JudgedGames(3, 3, 1, threads=0)


def canonical(board: Board) -> torch.Tensor:
    """The board as its side to move sees it, bool [1, 2, n, n]."""
    return torch.from_numpy(planes.stones(planes.positions_of([board])))


def on_board(cell: int, board: Board) -> int:
    """A cell that the side to move sees, on the board as it is."""
    row, column = divmod(cell, board.width)
    return cell if int(board.turn) == 0 else column * board.width + row


def test_games_are_seen_by_their_side_to_move() -> None:
    count, rng = 5, np.random.default_rng(6)
    games = lockstep.Games(4, count, True, 1, torch.device("cpu"))
    oracle, named = Exhaustive(4, 4), 0
    boards = [Board(4) for _ in range(count)]
    assert games.known() is None
    while len(games.going):
        going = games.going.tolist()
        assert torch.equal(games.boards, torch.cat([canonical(boards[game]) for game in going]))
        games.ask()
        known = games.known()
        assert known is not None
        cells = []
        for place, game in enumerate(going):
            board = boards[game]
            moves = {on_board(int(cell), board) for cell in known.moves[place].nonzero()}
            assert moves <= set(board.empty_cells)
            seen = {on_board(cell, board): cell for cell in range(16)}
            if known.proof[place] > 0 and board.ply > 4:
                named += 1
                wins = oracle.winning_moves(*stones(board), int(board.turn))
                assert on_board(int(known.winning[place]), board) in wins
            cells.append(seen[int(rng.choice(board.empty_cells))])
            board.push(on_board(cells[-1], board))
        after, ended = games.play(torch.tensor(cells))
        assert ended.tolist() == [boards[game].is_over() for game in going]
        assert torch.equal(after[~ended], games.boards)
    assert named > 5
    games.begin()
    assert games.going.tolist() == list(range(count))
    assert not games.boards.any()


def test_winning_cells_are_those_that_end_the_game() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        board = Board(4)
        while not board.is_over() and rng.random() < 0.93:
            board.push(int(rng.choice(board.empty_cells)))
        if board.is_over():
            continue
        found = lockstep.winning_cells(canonical(board))[0]
        for cell in range(16):
            there = on_board(cell, board)
            after = board.copy()
            if there in board.empty_cells:
                after.push(there)
            assert bool(found[cell]) == after.is_over()


@pytest.mark.parametrize("depth", [1, 2])
def test_the_worth_of_moves_is_minimax(depth: int) -> None:
    weights = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(2))

    def chance(boards: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid((boards * weights).sum((1, 2, 3)))

    def whole(board: torch.Tensor, left: int) -> float:
        """The side to move's chance."""
        if left == 0:
            return float(chance(board))
        best = 0.0
        for cell in lockstep.empty_cells(board)[0].nonzero().flatten():
            if lockstep.winning_cells(board)[0, cell]:
                return 1.0
            after = lockstep.after_moves(board, torch.tensor([0]), cell.view(1))
            best = max(best, 1 - whole(after, left - 1))
        return best

    boards = torch.zeros(2, 2, 3, 3, dtype=torch.bool)
    boards[1, 0, 1, 1] = boards[1, 1, 0, 0] = True
    found = 1 - lockstep.worth(boards, lockstep.empty_cells(boards), chance, depth).amin(1)
    assert [float(one) for one in found] == pytest.approx([whole(board[None], depth) for board in boards])
    none = torch.zeros(2, 9, dtype=torch.bool)
    same = lockstep.worth(boards, lockstep.empty_cells(boards), chance, depth, none)
    assert torch.equal(1 - same.amin(1), found)


def test_a_move_on_a_board_that_lies_transposed_in_memory_is_made() -> None:
    boards = torch.zeros(2, 2, 3, 3, dtype=torch.bool)
    boards[0, 1, 0, 2] = True
    lying = boards.transpose(2, 3).contiguous().transpose(2, 3)
    row, cell = torch.tensor([1, 0]), torch.tensor([5, 7])
    after = lockstep.after_moves(lying, row, cell)
    assert torch.equal(after, lockstep.after_moves(boards, row, cell))
    # The mover's stone on row 1, column 2 is the opponent's on row 2, column 1 for who moves next.
    assert after[0].nonzero().tolist() == [[1, 2, 1]]
    assert after[1].nonzero().tolist() == [[0, 2, 0], [1, 1, 2]]


@pytest.mark.parametrize(
    ("count", "number"), [(1, 256), (256, 256), (257, 512), (2049, 4096), (4097, 8192), (32768, 32768)]
)
def test_a_gpu_sees_few_numbers_of_boards(count: int, number: int) -> None:
    assert lockstep.rounded(count) == number
