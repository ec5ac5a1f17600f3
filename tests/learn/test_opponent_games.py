"""Games against an opponent in the environment, held against boards of the game itself."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from fingal.game import Board, Colour
from fingal.learn.parts import opponent_games
from fingal.learn.parts.joined_stones import TensorStones, stones_on
from fingal.learn.parts.mirror import random_cell
from fingal.learn.parts.opponent_games import MirrorGames, OpponentGames, mirrored, random_reply, wins

CPU = torch.device("cpu")


def tensors(size: int, count: int, device: torch.device) -> TensorStones:
    return TensorStones(size, count, device)


@pytest.fixture(params=["core", "tensors"])
def stones(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of finding out who has won; a GPU has the second."""
    if request.param == "tensors":
        monkeypatch.setattr(opponent_games, "stones_on", tensors)
    return str(request.param)


def as_seen(board: Board) -> Tensor:
    """A board as int8 [n, n], 1 for Black."""
    seen = torch.zeros(board.width * board.height, dtype=torch.int8)
    for number, colour in ((1, Colour.BLACK), (-1, Colour.WHITE)):
        for cell in range(len(seen)):
            if board.colour_at(cell) == colour:
                seen[cell] = number
    return seen.view(board.height, board.width)


@pytest.mark.usefixtures("stones")
@pytest.mark.parametrize(("size", "games"), [(3, 400), (5, 600)])
def test_games_end_when_and_as_the_games_own_rules_say(size: int, games: int) -> None:
    generator = torch.Generator().manual_seed(size)
    replies: list[Tensor] = []

    def remembered(boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
        replies.append(random_reply(boards, legal, lots))
        return replies[-1]

    table = OpponentGames(size, 20, remembered, generator, first_stone="random")
    ended = won = 0
    # A White who begins is a Black who begins on the transposed board, so that is what is played there.
    boards, turned = [Board(size) for _ in range(20)], [False] * 20

    def begin(number: int) -> None:
        seen = table.boards[number]
        boards[number], turned[number] = Board(size), bool((seen == -1).any())
        if turned[number]:
            boards[number].push(int((seen.T.flatten() == -1).nonzero()))

    for number in range(20):
        begin(number)
    while ended < games:
        cell = random_cell(table.legal, torch.rand(20, generator=generator))
        step = table.step(cell)
        for number, board in enumerate(boards):
            row, column = divmod(int(cell[number]), size)
            board.push(column * size + row if turned[number] else row * size + column)
            if not board.is_over():
                row, column = divmod(int(replies[-1][number]), size)  # the opponent's own view is transposed
                board.push(row * size + column if turned[number] else column * size + row)
            learner = Colour.WHITE if turned[number] else Colour.BLACK
            assert bool(step.done[number]) == board.is_over()
            if board.is_over():
                assert float(step.reward[number]) == (1 if board.winner == learner else -1)
                ended, won = ended + 1, won + (board.winner == learner)
                begin(number)
                continue
            assert float(step.reward[number]) == 0
            seen = as_seen(board)
            assert torch.equal(step.boards[number], mirrored(seen.unsqueeze(0))[0] if turned[number] else seen)
    assert 0.4 < won / ended < 0.6


@pytest.mark.usefixtures("stones")
def test_games_with_itself_are_seen_by_the_side_to_move() -> None:
    generator = torch.Generator().manual_seed(1)
    table = MirrorGames(4, 10, generator, random_starts=0.0)
    boards, ended = [Board(4) for _ in range(10)], 0
    while ended < 100:
        cell = random_cell(table.legal, torch.rand(10, generator=generator))
        step = table.step(cell)
        for number, board in enumerate(boards):
            row, column = divmod(int(cell[number]), 4)
            board.push(column * 4 + row if board.turn == Colour.WHITE else row * 4 + column)
            assert bool(step.done[number]) == board.is_over() == (float(step.reward[number]) == 1)
            if board.is_over():
                boards[number], ended = Board(4), ended + 1
            seen = as_seen(boards[number])
            turn = boards[number].turn
            assert torch.equal(step.boards[number], seen if turn == Colour.BLACK else -seen.T)


def test_the_view_of_the_other_side_is_its_own_inverse_and_keeps_who_has_won() -> None:
    generator = torch.Generator().manual_seed(1)
    for _ in range(1000):
        board = Board(4)
        while not board.is_over():
            legal = sorted(board.empty_cells)
            board.push(legal[int(torch.randint(len(legal), (1,), generator=generator))])
        seen = as_seen(board).unsqueeze(0)
        assert torch.equal(mirrored(mirrored(seen)), seen)
        assert joined(seen[0]) == (board.winner == Colour.BLACK)
        assert joined(mirrored(seen)[0]) == (board.winner == Colour.WHITE)


def joined(board: Tensor) -> bool:
    """Whether the 1s of int8 [n, n] join top and bottom, by a search of its own."""
    size = len(board)
    found = {(0, column) for column in range(size) if board[0, column] == 1}
    left = list(found)
    while left:
        row, column = left.pop()
        for down, along in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            there = (row + down, column + along)
            if min(there) >= 0 and max(there) < size and there not in found and board[there] == 1:
                found.add(there)
                left.append(there)
    return any(row == size - 1 for row, _ in found)


@pytest.mark.usefixtures("stones")
@pytest.mark.parametrize(("second", "share"), [(False, 2 / 3), (True, 1 / 3)])
def test_random_players_win_on_three_by_three_as_often_as_they_should(second: bool, share: float) -> None:
    generator = torch.Generator().manual_seed(1)

    def choose(boards: Tensor, legal: Tensor) -> Tensor:
        return random_cell(legal, torch.rand(len(boards), generator=generator))

    games = 3000
    found = wins(choose, random_reply, 3, games, generator, second=second)
    assert abs(found / games - share) < 4 * math.sqrt(share * (1 - share) / games)


@pytest.mark.usefixtures("stones")
def test_who_begins_and_where() -> None:
    def begun(starts: float, choose: bool) -> Tensor:
        def corner(boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
            return torch.full((len(boards),), 2)

        generator = torch.Generator().manual_seed(1)
        first = "chosen" if choose else "random"
        table = OpponentGames(4, 2000, corner, generator, opponent_starts=starts, first_stone=first)  # type: ignore[arg-type]
        return table.boards.clone()

    assert int(begun(0.0, False).abs().sum()) == 0
    half = begun(0.5, False)
    assert 900 < int((half == -1).sum()) < 1100
    assert int((half == -1).sum(0).min()) > 30  # of 62 or so on each cell
    chosen = begun(1.0, True)
    assert int((chosen[:, 2, 0] == -1).sum()) == 2000  # row 0, column 2 as the opponent sees it
    assert int(chosen.abs().sum()) == 2000


def test_first_stones_are_asked_for_only_where_games_begin() -> None:
    def boards_shown(looks: bool) -> tuple[int, list[Tensor]]:
        asked = 0

        def remembered(boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
            nonlocal asked
            asked += int(legal.all())
            return random_reply(boards, legal, lots)

        generator = torch.Generator().manual_seed(3)
        table = OpponentGames(4, 3, remembered, generator, first_stone="chosen")
        table.looks = looks
        shown, ended = [], 0
        for _ in range(60):
            step = table.step(random_cell(table.legal, torch.rand(3, generator=generator)))
            shown.append(step.boards.clone())
            ended += bool(step.done.any())
        assert asked == 1 + (ended if looks else 60)
        return ended, shown

    (ended, shown), (_, others) = boards_shown(True), boards_shown(False)
    assert 0 < ended < 40
    assert torch.equal(torch.stack(shown), torch.stack(others))  # what is drawn does not depend on it


Games = Callable[[torch.Generator], OpponentGames | MirrorGames]


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize(
    "make", [lambda lots: OpponentGames(4, 8, random_reply, lots), lambda lots: MirrorGames(4, 8, lots)]
)
def test_games_go_on_from_what_was_kept(
    make: Games, others: bool, stones: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = torch.Generator().manual_seed(1)
    first = make(generator)
    for _ in range(7):
        first.step(random_cell(first.legal, torch.rand(8, generator=generator)))
    kept = {name: tensor.clone() for name, tensor in first.state().items()}
    lots = generator.get_state()
    after = [first.step(first.legal.float().argmax(1)) for _ in range(9)][-1].boards.clone()
    if others:  # on another kind of device than before
        monkeypatch.setattr(opponent_games, "stones_on", stones_on if stones == "tensors" else tensors)
    again = make(torch.Generator().manual_seed(2))
    again.restore(kept)
    again.generator.set_state(lots)
    for _ in range(9):
        again.step(again.legal.float().argmax(1))
    assert torch.equal(again.boards, after)
