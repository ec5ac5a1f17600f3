"""The games of an apprentice: how they begin, who moves, what the teacher says of them and sees ahead."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal import Board, _core
from fingal.learn.apprentice import Apprentice, losses
from fingal.learn.parts.lines import Lines
from fingal.learn.parts.taught_games import Games, Lesson, improved
from fingal.nets import checkpoint
from fingal.nets.judge import Judge
from tests.learn.untaught import CPU, TINY, judge


def boards(games: Games) -> list[Board]:
    """The games as they stand, by playing their stones in turn."""
    found, kept = [], games.kept()
    for row in range(games.count):
        stones = kept["stones"][:, row].numpy().view(np.uint64)
        cells = [[cell for cell in range(games.size**2) if int(words[cell // 64]) >> cell % 64 & 1] for words in stones]
        assert len(cells[0]) - len(cells[1]) == int(kept["white"][row])
        board = Board(games.size)
        for ply in range(len(cells[0]) + len(cells[1])):
            board.push(cells[ply % 2][ply // 2])
        found.append(board)
    return found


class Table:
    """Games of one size, with two nets that are asked for their moves."""

    def __init__(self, games: Games, apprentice: Path) -> None:
        self.games, self.teacher = games, games.teacher
        self.net = checkpoint.load(apprentice)[0]

    def choose(self) -> tuple[Lesson, Tensor]:
        lesson = self.games.lesson(torch.float32)
        return lesson, self.games.choose(lesson, self.net(lesson.planes).policy)

    def play(self, cells: Tensor) -> int:
        over = self.games.move(cells.numpy())
        self.games.go_on(over)
        return int(over.sum())


def table(size: int, count: int, teacher: str, start: Path, **settings: Any) -> Table:
    config = Apprentice(teacher=teacher, net=TINY, sizes=(size,), batch=count, **settings)
    return Table(Games(size, count, config, judge(teacher), torch.Generator().manual_seed(size)), start)


def test_a_lesson_is_what_the_teacher_says_of_the_board(teacher: str, start: Path) -> None:
    at = table(4, 60, teacher, start, wild_share=1.0)
    for _ in range(3):
        at.play(at.choose()[1])
    lesson, seen = at.games.lesson(torch.float32), boards(at.games)
    turned = 0
    for row, board in enumerate(seen):
        logits, value = at.teacher(
            torch.from_numpy(board.packed().view(np.int64)[:, None]), torch.tensor([board.turn == 1]), 4, 4
        )
        place = lesson.cell[row].tolist()
        assert sorted(place) == list(range(16))
        assert float(lesson.value[row]) == pytest.approx(float(value), abs=1e-5)
        assert lesson.policy[row].tolist() == pytest.approx([float(logits[0, cell]) for cell in place], abs=1e-4)
        assert {place[cell] for cell in range(16) if not lesson.taken[row, cell]} == set(board.legal_moves)
        mine = {place[cell] for cell in range(16) if lesson.planes[row, 0, 1:-1, 1:-1].flatten()[cell] > 0}
        assert mine == {move for ply, move in enumerate(board.moves) if ply % 2 == int(board.turn)}
        turned += place[0] == 15
    assert 15 < turned < 45


def test_games_are_games_of_hex(teacher: str, start: Path) -> None:
    at, ended = table(3, 64, teacher, start), 0
    for _ in range(40):
        before, (_, cells) = boards(at.games), at.choose()
        over = at.play(cells)
        done = 0
        for board, cell, now in zip(before, cells.tolist(), boards(at.games), strict=True):
            assert not board.is_over()
            board.push(cell)
            done += board.is_over()
            if board.is_over():
                assert len(now.moves) in (1, 2)  # with more, somebody might win at once
            else:
                assert board.packed().tolist() == now.packed().tolist()
        assert done == over
        ended += over
    assert ended > 100


def test_games_begin_where_the_teacher_thinks_they_are_even(start: Path) -> None:
    """Most first moves on 9x9 decide the game, and so do most that follow."""
    at = table(9, 60, "fingal-small", start, opening_stones=3)
    found = boards(at.games)
    assert {len(board.moves) for board in found} >= {1, 2, 3}
    assert float(at.games.now.value.abs().median()) < 0.6
    anywhere = table(9, 60, "fingal-small", start, opening_stones=3, opening_spread=1e6)
    assert float(anywhere.games.now.value.abs().median()) > 0.8


def test_an_opening_begins_four_games(teacher: str, start: Path) -> None:
    at, begun = table(5, 12, teacher, start, sure=0.0, stubborn_share=0.0), list[bytes]()
    for _ in range(9):  # every game is given up at once
        begun += [board.packed().tobytes() for board in boards(at.games)]
        assert at.play(at.choose()[1]) == 12
    first, second = begun[:48], begun[48:96]
    assert len(set(first)) <= 12
    assert sorted(first) == sorted(4 * first[:12])
    assert len(set(second) - set(first)) > 6


def test_games_are_given_up_where_the_teacher_is_sure(start: Path) -> None:
    """Values soon are near 1 on 4x4; stubborn players go on to the end."""
    at = table(4, 300, "fingal-small", start, sure=0.9, stubborn_share=0.3)
    assert float(at.games.players.stubborn.float().mean()) == pytest.approx(0.3, abs=0.1)
    ended = {True: 0, False: 0}
    for _ in range(12):
        stubborn, sure = at.games.players.stubborn.squeeze(1), at.games.now.value.abs() > 0.9
        before, (_, cells) = boards(at.games), at.choose()
        assert torch.equal(cells < 0, sure & ~stubborn)
        over = at.games.move(cells.numpy())
        for row, board in enumerate(before):
            if cells[row] >= 0:
                board.push(int(cells[row]))
            assert bool(over[row]) == (board.is_over() or int(cells[row]) < 0)
            ended[board.is_over()] += bool(over[row])
        at.games.go_on(over)
    assert min(ended.values()) > 50


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_who_moves(share: float, teacher: str, start: Path) -> None:
    """With no heat and no random moves a side plays its own best move, the teacher's or the apprentice's."""
    at = table(4, 50, teacher, start, heat=0.0, stray=0.0, wild_share=0.0, teacher_share=share)
    for _ in range(3):
        lesson = at.games.lesson(torch.float32)
        said = at.net(lesson.planes).policy
        best = (lesson.policy if share else said).masked_fill(lesson.taken, -torch.inf).argmax(1)
        cells = at.games.choose(lesson, said)
        assert cells.tolist() == [int(lesson.cell[row, cell]) for row, cell in enumerate(best)]
        at.play(cells)


def test_a_look_ahead_worked_by_hand() -> None:
    # Four cells, of which one has a stone, with chances of 1/2, 1/4 and 1/4; the third was not looked at.
    logits = torch.tensor([[0.5, 0.25, 0.25, 0.9]]).log()
    nothing = torch.zeros(1, 4, dtype=torch.int64)
    taken = torch.tensor([[False, False, False, True]])
    lesson = Lesson(nothing, nothing, taken, logits, torch.tensor([0.3]))
    seen = torch.tensor([[-0.5, 1.0, math.nan, 0.7]])
    learned = improved(lesson, seen, nothing.bool(), trust=math.log(4.0))
    # It counts as (1/2 * -1/2 + 1/4 * 1) / (3/4) = 0, so that chances are as 1/2 / 2 to 1/4 * 4 to 1/4.
    policy = learned.policy.masked_fill(taken, -torch.inf).softmax(1)[0]
    assert policy.tolist() == pytest.approx([1 / 6, 4 / 6, 1 / 6, 0.0], abs=1e-6)
    assert float(learned.value) == pytest.approx((0.3 + (-0.5 / 6 + 4 / 6)) / 2, abs=1e-6)


@pytest.mark.parametrize("result", [1.0, -1.0])
def test_what_is_won_or_lost_for_sure_is_learned(result: float) -> None:
    count, cells = 2000, 50
    logits = torch.randn((count, cells), generator=torch.Generator().manual_seed(0))
    nothing, free = torch.zeros(count, cells, dtype=torch.int64), torch.zeros(count, cells, dtype=torch.bool)
    lesson = Lesson(nothing, nothing, free, logits, torch.full((count,), result))
    learned = improved(lesson, torch.full((count, cells), result), free, trust=4.0)
    said = losses(logits, torch.full((count,), 40 * result), learned)
    assert float(said["value"]) == pytest.approx(0.0, abs=1e-3)
    assert float(said["policy"]) == pytest.approx(0.0, abs=1e-3)


def test_a_lesson_that_nothing_is_seen_of_stays_as_it_is() -> None:
    logits, free = torch.tensor([[0.5, -1.0, 0.25]]), torch.zeros(1, 3, dtype=torch.bool)
    lesson = Lesson(free, free, free, logits, torch.tensor([-0.7]))
    learned = improved(lesson, torch.full((1, 3), math.nan), free, trust=4.0)
    assert learned.policy.softmax(1)[0].tolist() == pytest.approx(logits.softmax(1)[0].tolist(), abs=1e-6)
    assert float(learned.value) == pytest.approx(-0.7, abs=1e-6)


def test_a_win_at_once_is_learned_where_nothing_else_is_seen() -> None:
    # Even chances, a value of -1/2 for all but the second, which wins: with a trust of ln 4 it has 4^1.5 times theirs.
    free, wins = torch.zeros(1, 3, dtype=torch.bool), torch.tensor([[False, True, False]])
    lesson = Lesson(free, free, free, torch.zeros(1, 3), torch.tensor([-0.5]))
    learned = improved(lesson, torch.full((1, 3), math.nan), wins, trust=math.log(4.0))
    assert learned.policy.softmax(1)[0].tolist() == pytest.approx([0.1, 0.8, 0.1], abs=1e-6)
    assert float(learned.value) == pytest.approx((-0.5 + 0.8 - 0.1) / 2, abs=1e-6)


@pytest.mark.parametrize(("size", "plies", "looked"), [(2, 2, 1.0), (4, 1, 0.5), (4, 5, 0.5), (9, 3, 0.25)])
def test_what_the_teacher_sees_ahead(size: int, plies: int, looked: float, start: Path) -> None:
    """Its best move and a rival are played on a board, the teacher plays on, and is asked about the last two."""
    count = 20
    # Nothing is given up: games come to positions that a move wins.
    games = {"wild_share": 1.0, "stubborn_share": 1.0}
    at = table(size, count, "fingal-small", start, ahead=2, plies=plies, looked=looked, trust=3.0, **games)

    def asked(board: Board) -> tuple[dict[int, float], float]:
        stones, white = torch.from_numpy(board.packed().view(np.int64)[:, None]), torch.tensor([board.turn == 1])
        logits, value = at.teacher(stones, white, size, size)
        return {cell: float(logits[0, cell]) for cell in board.legal_moves}, float(value)

    def worth(board: Board, cell: int) -> float:
        line, sign, found = board.copy(), -1, list[float]()
        for _ in range(plies):
            if not line.is_over():
                line.push(cell)
                sign = -sign
            logits, value = asked(line)
            found.append(sign if line.is_over() else -sign * value)
            cell = max(logits, key=lambda move: logits[move], default=-1)
        return sum(found[-2:]) / len(found[-2:])

    wins, rivals, compared = 0, 0, 0
    for _ in range(10):
        lesson, cells = at.choose()
        policy = at.net(lesson.planes).policy
        own = policy.masked_fill(lesson.taken, -torch.inf).argmax(1)
        at.games.look(lesson, policy)
        before = boards(at.games)
        at.games.begin_lines()
        over = at.games.move(cells.numpy())
        for _ in range(plies - 1):
            at.games.lines.go_on()
        learned = at.games.seen(lesson)
        unclear, expected = list[float](), list[list[Lesson]]()
        for row, board in enumerate(before):
            place = {int(cell): at for at, cell in enumerate(lesson.cell[row])}
            logits, value = asked(board)
            best = sorted(logits, key=lambda cell: -logits[cell])[:2]
            winning = [cell for cell in logits if (after := board.copy()).push(cell) or after.is_over()]
            wins += len(winning)
            close = math.exp(logits[best[-1]] - logits[best[0]]) if len(best) == 2 and not winning else 0
            unclear.append((1.001 + value) * close)
            rival = int(lesson.cell[row, own[row]])
            rivals += rival not in best
            alone, won = Lesson(*(part[row : row + 1] for part in lesson)), torch.zeros(1, size**2, dtype=torch.bool)
            won[0, [place[cell] for cell in winning]] = True
            nothing = torch.full((1, size**2), math.nan)
            seen = nothing.clone()
            for cell in {best[0], best[-1] if rival in best else rival}:
                seen[0, place[cell]] = worth(board, cell)
            expected.append([improved(alone, look, won, trust=3.0) for look in (nothing, seen)])
        least = sorted(unclear)[-round(looked * count)]
        for row in range(count):
            if unclear[row] == pytest.approx(least, abs=1e-5):
                continue  # of those that are as clear as each other any may be looked at
            what = expected[row][unclear[row] > least]
            compared += 1
            pairs = (what.policy[0].softmax(0), learned.policy[row].softmax(0)), (what.value[0], learned.value[row])
            assert all(torch.allclose(*pair, atol=1e-3) for pair in pairs)
        at.games.go_on(over)
    assert (wins > 3) == (size < 9)
    assert rivals > 3 or size == 2
    assert compared > 20


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_lines_on_a_gpu_are_those_of_the_cpu() -> None:
    net, worth = checkpoint.load(checkpoint.find("fingal-small"))[0], []
    games, rows = _core.PolicyGames(7, 7, 40), np.arange(40, dtype=np.int32)
    for move in range(4):
        games.play(rows, (rows + 11 * move) % 49)
    for device in (CPU, torch.device("cuda")):
        found = Judge(net.config, device, dtype=torch.float32)
        found.refresh(net.to(device))
        lines = Lines(7, 40, found)
        lines.begin(games, rows, (rows + 44) % 49)
        for _ in range(5):
            lines.go_on()
        worth.append(lines.worth().cpu())
    # Two moves may be so nearly alike that the devices differ.
    assert float(((worth[0] - worth[1]).abs() < 0.05).float().mean()) > 0.9
    assert len(worth[0].unique()) > 20


def test_heat_draws_from_the_policy(teacher: str, start: Path) -> None:
    """With temperatures up to 1 moves are drawn; the mean of a third at 0 and the rest between is known by summing."""
    count = 4000
    at = table(2, count, teacher, start, heat=1.0, stray=0.0, wild_share=0.0, teacher_share=0.0)
    assert not at.games.now.stones.any()  # on so small a board a stone more would decide the game
    lesson = at.games.lesson(torch.float32)
    chances = torch.tensor([0.6, 0.2, 0.1, 0.1])
    logits = chances.log()[lesson.cell]
    heats = torch.linspace(0.0005, 0.9995, 1000)
    drawn = (chances.log() / heats.unsqueeze(1)).softmax(1).mean(0)
    expected = (torch.tensor([1.0, 0.0, 0.0, 0.0]) + 2 * drawn) / 3
    seen = torch.bincount(at.games.choose(lesson, logits), minlength=4) / count
    assert seen.tolist() == pytest.approx(expected.tolist(), abs=0.03)


def test_wild_games_begin_with_many_stones(teacher: str, start: Path) -> None:
    stones = []
    for share in (0.0, 1.0):
        at = table(5, 400, teacher, start, wild_share=share, opening_stones=2)
        stones.append({len(board.moves) for board in boards(at.games)})
    assert stones == [{1, 2}, {1, 2, 3, 4, 5, 6}]


def test_games_begin_in_the_middle_of_those_on_record(start: Path, tmp_path: Path) -> None:
    """Never before the stones that were given, and with two moves to come at least."""
    file, expected = tmp_path / "games.txt", set[bytes]()
    file.write_text("B 2 a1 c2 b2 b3 d1 d2 c3\nW 0 a4 b3 b4 c3 c4 d3\n")
    for moves, given in (("a1 c2 b2 b3 d1", 2), ("a4 b3 b4 c3", 0)):
        names, board = moves.split(), Board(4)
        for ply in range(len(names) + 1):
            if ply >= given:
                expected.add(board.packed().tobytes())
            if ply < len(names):
                board.push(names[ply])
    records, anywhere = (f"4x4={file}",), {"wild_share": 0.0, "opening_spread": 1e6}
    at = table(4, 300, "fingal-small", start, records=records, recorded_share=1.0, **anywhere)
    assert {board.packed().tobytes() for board in boards(at.games)} == expected
    some = table(4, 300, "fingal-small", start, records=records, recorded_share=0.5, **anywhere)
    begun = [board.packed().tobytes() in expected for board in boards(some.games)]
    assert 150 <= sum(begun) < 200  # a random stone or two may be those of a game


def test_games_begin_where_those_on_record_are_even(start: Path, tmp_path: Path) -> None:
    """A stone in the middle of 7x7 has won the game, one at g3 leaves it open."""
    file = tmp_path / "games.txt"
    file.write_text("B 1 d4 e4 c3\nB 1 g3 e4 c3\n")
    at = table(7, 200, "fingal-small", start, records=(f"7x7={file}",), recorded_share=1.0, wild_share=0.0)
    firsts = [board.name(board.moves[0]) for board in boards(at.games)]
    assert firsts.count("g3") > 150
    assert firsts.count("g3") + firsts.count("d4") == 200


def test_a_file_of_records_is_read_before_anything_is_played(start: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    for text, sentence in (("", "has no game to begin in the middle of"), ("a1 z9", "line 1: 'z9' is no empty cell")):
        file.write_text(text)
        with pytest.raises(ValueError, match=sentence):
            table(4, 8, "fingal-small", start, records=(f"4x4={file}",))


def test_strays_are_random_moves(teacher: str, start: Path) -> None:
    """Half of the sides make none, and a side's rate is from 0 to what is set: a quarter of 0.8 in the mean."""
    at = table(5, 3000, teacher, start, heat=0.0, stray=0.8, wild_share=0.0, opening_stones=1, teacher_share=1.0)
    lesson = at.games.lesson(torch.float32)
    best = lesson.policy.masked_fill(lesson.taken, -torch.inf).argmax(1, keepdim=True)
    others = (at.games.choose(lesson, lesson.policy) != lesson.cell.gather(1, best).squeeze(1)).float().mean()
    assert float(others) == pytest.approx(0.2 * 23 / 24, abs=0.03)
