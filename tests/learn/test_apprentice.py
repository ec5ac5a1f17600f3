"""An apprentice: what it learns, how its games go, runs that go on after a kill, figures by hand."""

import json
import math
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fingal import Board, _core, cli
from fingal.learn import command
from fingal.learn.apprentice import PRESETS, Apprentice, Trainer, losses, train
from fingal.learn.parts.actor import judge_for
from fingal.learn.parts.lines import Lines
from fingal.learn.parts.run import Run
from fingal.learn.parts.taught_games import Games, Lesson, improved
from fingal.learn.parts.truth import Truth
from fingal.nets import checkpoint
from fingal.nets.judge import Judge
from fingal.nets.residual import Config, Residual

CPU = torch.device("cpu")
TINY = Config(blocks=2, channels=8, pool_every=2, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)
SHAPE = (
    "--blocks 2 --channels 8 --pool-every 2 --pool-channels 2 --policy-channels 4 --value-channels 4 --value-hidden 8"
)
"""The same for the command line."""


def made(path: Path, seed: int, louder: float = 1.0) -> str:
    """A file with a net that was never trained; its policy can be made more decided."""
    torch.manual_seed(seed)
    net = Residual(TINY)
    with torch.no_grad():
        net.policy_head.out.weight.mul_(louder)
    checkpoint.save(net, path)
    return str(path)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("nets") / "teacher.safetensors", seed=5, louder=40.0)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(made(tmp_path_factory.mktemp("nets") / "start.safetensors", seed=6))


@pytest.fixture(scope="module")
def short(teacher: str) -> Apprentice:
    return Apprentice(teacher=teacher, net=TINY, sizes=(3, 4), batch=32, steps=12, row_steps=4, warm_up=2)


def judge(net: str | Path) -> Judge:
    loaded = checkpoint.load(checkpoint.find(net))[0]
    found = judge_for(loaded, CPU)
    found.refresh(loaded)
    return found


def run(config: Apprentice, folder: Path, start: Path | None, rows: int = 1000) -> list[dict[str, float]]:
    """Train for so many rows at most, with everything saved after every row but the last."""
    kept, given = Run(folder, asdict(config)), []
    try:
        for figures in train(Trainer(config, kept, CPU, start)):
            given.append(figures)
            if len(given) == rows:
                break
    finally:
        kept.close()
    return given


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


def test_losses_worked_by_hand() -> None:
    # 3 to 1 with a stone on the third cell, and 9 to 1 to 1.
    taught = torch.tensor([[math.log(3.0), 0.0, 60.0], [math.log(9.0), 0.0, 0.0]])
    taken = torch.tensor([[False, False, True], [False, False, False]])
    # Even, whatever the stone's cell says, and the same as the teacher.
    said = torch.tensor([[0.0, 0.0, 50.0], [math.log(9.0), 0.0, 0.0]])
    nothing = torch.zeros(2, 3, dtype=torch.int64)
    lesson = Lesson(nothing, nothing, taken, taught, torch.tensor([0.5, 0.5]))
    given = losses(said, torch.tensor([0.0, math.log(3.0)]), lesson)
    away = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    assert float(given["policy"]) == pytest.approx(away, abs=1e-5)
    # A value of 0.5 is a chance of 3 in 4, which a logit of ln 3 says.
    assert float(given["value"]) == pytest.approx(away, abs=1e-5)
    assert int(given["top_1"]) == 2


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


@pytest.mark.parametrize("sure", [1.0, 0.0])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    sure: float, short: Apprentice, start: Path, tmp_path: Path
) -> None:
    """Also one whose games are given up at once, so that openings are drawn anew before and after the stop."""
    config = replace(short, checkpoint_minutes=1e-9, sure=sure, stubborn_share=0.0)
    run(config, tmp_path / "whole", start)
    run(config, tmp_path / "parts", start, rows=2)
    run(config, tmp_path / "parts", None)
    whole, parts = (checkpoint.load(tmp_path / name / "checkpoints/latest.safetensors") for name in ("whole", "parts"))
    other = parts[0].state_dict()
    assert all(torch.equal(tensor, other[name]) for name, tensor in whole[0].state_dict().items())
    assert {**whole[1].cost, "minutes": 0} == {**parts[1].cost, "minutes": 0}


def test_the_seed_decides_how_a_net_grows(short: Apprentice, start: Path, tmp_path: Path) -> None:
    config, made = replace(short, net=replace(TINY, blocks=3), steps=2), []
    for name in ("one", "other"):
        run(config, tmp_path / name, start)
        made.append(checkpoint.load(tmp_path / name / "checkpoints/latest.safetensors")[0].state_dict())
    assert all(torch.equal(tensor, made[1][name]) for name, tensor in made[0].items())


def test_norms_keep_their_statistics(short: Apprentice, start: Path, tmp_path: Path) -> None:
    run(short, tmp_path / "run", start)
    before, after = (checkpoint.load(file)[0] for file in (start, tmp_path / "run/checkpoints/latest.safetensors"))
    assert torch.equal(before.norm.variance, after.norm.variance)
    assert not torch.equal(before.stem.weight, after.stem.weight)


def keeps_win(net: str | Path, size: int) -> float:
    """In what share of won positions a net's best move still wins, by the exam's positions."""
    truth = Truth(size)
    stones, white = truth.positions.stones.view(np.int64), truth.positions.white_to_move
    logits = judge(net)(torch.from_numpy(stones), torch.from_numpy(white), size, size)[0]
    return float(truth.measure(logits.double().numpy()[None])["keeps_win"][0])


def test_a_net_that_knows_nothing_learns_3x3_from_fingal_small(tmp_path: Path, start: Path) -> None:
    config = Apprentice(
        teacher="fingal-small",
        net=TINY,
        sizes=(3,),
        batch=128,
        steps=300,
        row_steps=50,
        warm_up=20,
        learning_rate=0.01,
        averaging=0.98,
        stray=0.5,
        ahead=0,
    )
    rows = run(config, tmp_path / "run", start)
    assert rows[-1]["policy"] < 0.3 * rows[0]["policy"]
    assert rows[-1]["top_1"] > rows[0]["top_1"] + 0.1
    assert keeps_win(start, 3) < 0.8
    assert keeps_win("fingal-small", 3) > 0.95
    assert keeps_win(tmp_path / "run/checkpoints/latest.safetensors", 3) > 0.93


def test_an_apprentice_can_surpass_its_teacher(tmp_path: Path, start: Path) -> None:
    """One that has no idea of moves but foresees results teaches good moves by looking ahead."""
    net, _ = checkpoint.load(checkpoint.find("fingal-small"))
    with torch.no_grad():
        net.policy_head.out.weight.zero_()
    checkpoint.save(net, tmp_path / "teacher.safetensors")
    config = Apprentice(
        teacher=str(tmp_path / "teacher.safetensors"),
        net=TINY,
        sizes=(3,),
        batch=32,
        steps=120,
        row_steps=40,
        warm_up=20,
        learning_rate=0.01,
        averaging=0.98,
        stray=0.5,
        ahead=9,
        plies=1,
        looked=1.0,
    )
    run(config, tmp_path / "run", start)
    assert keeps_win(config.teacher, 3) < 0.8
    assert keeps_win(tmp_path / "run/checkpoints/latest.safetensors", 3) > 0.9


def test_command(
    teacher: str, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"fingal train apprentice --teacher {teacher} --start {start} {SHAPE} --sizes 3 4 --shares 1 3"
    words += " --batch 40 --steps 6 --row-steps 3"
    monkeypatch.setattr(sys, "argv", [*words.split(), "--run", str(tmp_path / "run")])
    cli.main()
    assert capsys.readouterr().out.strip() == str(tmp_path / "run/checkpoints/latest.safetensors")
    rows = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert [row["positions"] for row in rows] == [120, 240]
    assert {"policy_3", "policy_4", "value", "top_1"} <= set(rows[0])
    card = checkpoint.card_of(tmp_path / "run/checkpoints/latest.safetensors")
    assert (card.name, card.sizes, card.cost["positions"]) == ("apprentice", ("3x3", "4x4"), 240)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"sizes": (3, 3)}, "sizes must be different numbers from 2 to 19, not (3, 3)"),
        ({"sizes": (5, 7), "shares": (1.0,)}, "shares must be 2 numbers above 0, one a size, not (1.0,)"),
        (
            {"sizes": (5, 7), "shares": (1.0, 100.0), "batch": 50},
            "batch must have a position of every size, and 50 are too few",
        ),
        ({"sizes": (5, 7), "shares": (math.nan, 1.0)}, "shares must be 2 numbers above 0, one a size, not (nan, 1.0)"),
        ({"sizes": (5, 7), "shares": (1.0, math.inf)}, "shares must be 2 numbers above 0, one a size, not (1.0, inf)"),
        ({"sizes": (5.5,)}, "sizes must be different numbers from 2 to 19, not (5.5,)"),
        ({"batch": 2.5}, "batch must be a whole number, not 2.5"),
        ({"batch": 2_000_000}, "batch must be at most 1048576, not 2000000"),
        ({"heat": -1.0}, "heat must be a number from 0, not -1.0"),
        ({"ahead": 1}, "ahead must be 0 or at least 2, so that there is a choice, not 1"),
        ({"plies": 0}, "plies must be at least 1, not 0"),
        ({"looked": 1.5}, "looked must be from 0 to 1, not 1.5"),
        ({"sure": 1.5}, "sure must be from 0 to 1, not 1.5"),
        ({"opening_stones": 0}, "opening_stones must be at least 1, not 0"),
        ({"opening_spread": 0.0}, "opening_spread must be a number above 0, not 0.0"),
        ({"trust": math.inf}, "trust must be a number from 0, not inf"),
        ({"minutes": math.nan}, "minutes must be a number from 0, not nan"),
        ({"stray": 1.5}, "stray must be from 0 to 1, not 1.5"),
        (
            {"records": ("games.txt",)},
            "'games.txt' is not a board size: 11, or 7x9 for 7 wide and 9 high, is expected",
        ),
        ({"records": ("9x9",)}, "records must be one file a square board, as 9x9=games.txt, not '9x9'"),
        ({"records": ("6x6=a",)}, "records must be of sizes that are played, and 6x6 is not"),
        (
            {"records": ("5x5=a",), "wild_share": 0.9},
            "wild_share and recorded_share must be at most 1 together, not 0.9 and 0.25",
        ),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0, not 0.0"),
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"seed": -1}, "seed must be from 0 to 2**63 - 1, not -1"),
    ],
)
def test_nonsense_is_refused(setting: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        Apprentice(**setting)


def test_a_net_to_begin_from_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="start must name a net"):
        command.main(["apprentice", "--run", str(tmp_path / "run")])


def test_preset_is_whole() -> None:
    for config in PRESETS.values():
        assert sum(config.counts()) <= config.batch < sum(config.counts()) + len(config.sizes)
