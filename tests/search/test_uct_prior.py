"""A net's policy as the priors of the search with playouts, and the minimum as back-up."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fingal import _core
from fingal.game import Board, Record
from fingal.nets import checkpoint
from fingal.nets.convolutional import Config, Convolutional
from fingal.nets.narrowing import Config as NarrowingConfig
from fingal.nets.narrowing import Narrowing
from fingal.nets.planes import positions_of, unpack
from fingal.players import spec
from fingal.players.uct import open_prior
from fingal.search import patterns
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.uct import Search, Settings
from fingal.solve import tables
from fingal.testing.player import check_player


class Patterns:
    """A net that says what the shipped patterns say of the moves, worked out from their features in numpy."""

    def __init__(self) -> None:
        with np.load(patterns.FILE) as file:
            every = np.arange(patterns.PATTERNS)
            self.pattern = file["prior_ring"].astype(np.float32)[every % patterns.RINGS]
            keys, own = file["patterns"], file["prior_pattern"].astype(np.float32)
            self.pattern[keys] += own
            turned = patterns.rotated(keys)
            self.pattern[turned[turned != keys]] += own[turned != keys]
            self.reply, self.energy = (
                file[f"prior_{name}"].astype(np.float32).reshape(-1) for name in ("reply", "energy")
            )
        self.asked: list[Positions] = []

    def __call__(self, positions: Positions) -> Evaluation:
        self.asked.append(positions)
        pattern, reply, energy = _core.pattern_features(
            positions.stones, positions.white_to_move, positions.last, positions.width, positions.height
        )
        logits = self.pattern[pattern] + self.energy[energy] + np.where(reply < 0, 0, self.reply[reply])
        return Evaluation(patterns.STEP * logits.astype(np.float32), np.zeros(len(logits), np.float32))


class Fixed:
    """A net that always says the same of a cell."""

    def __init__(self, logits: NDArray[np.float32]) -> None:
        self.logits = logits
        self.batches: list[int] = []
        self.positions: list[Positions] = []

    def __call__(self, positions: Positions) -> Evaluation:
        count = len(positions.last)
        self.batches.append(count)
        self.positions.append(positions)
        return Evaluation(np.tile(self.logits, (count, 1)), np.zeros(count, np.float32))


def opened(width: int, height: int, *moves: str) -> Board:
    board = Board(width, height)
    for move in moves:
        board.push(move)
    return board


def tree(search: Search) -> list[tuple[object, ...]]:
    return [dataclasses.astuple(candidate) for candidate in search.analysis().candidates]


@pytest.mark.parametrize("size", [(5, 5), (9, 9), (6, 8), (1, 3)])
@pytest.mark.parametrize("backup", ["mean", "min"])
def test_a_net_that_says_what_patterns_say_changes_nothing(size: tuple[int, int], backup: str) -> None:
    settings = Settings(knowledge=0, backup=backup)  # type: ignore[arg-type]
    net = Patterns()
    trees = []
    for search in (Search(settings, seed=3), Search(settings, seed=3, net=net)):
        board = opened(*size, "a2")
        found = []
        for simulations in (600, 300, 200):
            if not board.is_over():
                search.set_position(board)
                search.finish(simulations)
                found.append(tree(search))
                board.push(search.best_move())
        trees.append(found)
    assert trees[0] == trees[1]
    assert size == (1, 3) or len(net.asked) > 50


@pytest.mark.parametrize("settings", [Settings(batch=1), Settings(batch=5, ask=3), Settings(backup="min")])
def test_the_same_seed_gives_the_same_tree(settings: Settings) -> None:
    trees = []
    for _ in range(2):
        search = Search(settings, seed=7, net=Patterns())
        search.set_position(opened(7, 7, "b2"))
        search.finish(500)
        trees.append(tree(search))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("flat", [1.0, 2.5])
def test_priors_are_the_softmax_of_what_the_net_says_of_the_moves(flat: float) -> None:
    logits = np.linspace(-1, 2, 20, dtype=np.float32)
    search = Search(Settings(knowledge=0, flat=flat), net=Fixed(logits))
    search.set_position(opened(5, 4, "c2", "a1"))
    found = search.finish(50)
    legal = [cell for cell in range(20) if cell not in (7, 0)]
    weights = np.exp(logits[legal].astype(np.float64) / flat)
    expected = dict(zip(legal, weights / weights.sum(), strict=True))
    assert len(found.candidates) > 3
    for candidate in found.candidates:
        assert candidate.prior == pytest.approx(expected[candidate.move], abs=1e-6)


def test_a_net_that_is_sure_is_followed_where_a_few_games_say_little() -> None:
    logits = np.zeros(81, np.float32)
    logits[57] = 12
    search = Search(Settings(knowledge=0, bias=20), seed=1, net=Fixed(logits))
    search.set_position(opened(9, 9, "a2"))
    found = search.finish(60)
    assert found.candidates[0].move == 57
    assert found.candidates[0].visits > 50


@pytest.mark.parametrize("knowledge", [0, 20])
def test_positions_are_asked_for_as_they_are_on_the_board(knowledge: int) -> None:
    net = Patterns()
    search = Search(Settings(knowledge=knowledge), net=net)
    board = opened(9, 8, "b2", "f5")
    search.set_position(board)
    search.finish(800)
    root = unpack(board.packed(), 72)
    asked = {}
    for positions in net.asked:
        black, white = unpack(positions.stones, 72)[:, 0]
        # Nothing is filled in: stones alternate, those of the root are among them, and the last move is the opponent's.
        assert black.sum() - white.sum() == int(positions.white_to_move[0])
        assert (root[0] <= black).all()
        assert (root[1] <= white).all()
        assert (black if positions.white_to_move[0] else white)[positions.last[0]] == 1
        asked[positions.stones.tobytes(), int(positions.last[0])] = True
    assert len(asked) > 30


def test_the_more_visits_it_takes_the_less_the_net_is_asked() -> None:
    counts = []
    for ask in (1, 5, 30):
        net = Fixed(np.zeros(81, np.float32))
        search = Search(Settings(ask=ask, knowledge=0), net=net)
        search.set_position(opened(9, 9, "a2"))
        search.finish(400)
        counts.append(sum(net.batches))
    assert counts[0] > 2 * counts[1] > 4 * counts[2] >= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_are_filled_and_never_too_large(threads: int) -> None:
    net = Fixed(np.zeros(81, np.float32))
    search = Search(Settings(batch=8, threads=threads, knowledge=0), net=net)
    search.set_position(opened(9, 9, "a2"))
    found = search.finish(600)
    assert max(net.batches) == 8 if threads == 1 else max(net.batches) <= 8
    assert np.mean(net.batches) > 5
    assert found.visits == 601
    assert sum(candidate.visits for candidate in found.candidates) == 600


@pytest.mark.parametrize("batch", [1, 8])
def test_openings_of_5x5_are_proven_with_any_net(batch: int) -> None:
    known = tables.openings(5, 5)
    for cell in range(0, 13, 2):
        search = Search(
            Settings(batch=batch), seed=2, net=Fixed(np.random.default_rng(cell).normal(size=25).astype(np.float32))
        )
        board = Board(5)
        board.push(cell)
        search.set_position(board)
        assert search.finish(20_000).proof == (-1 if known[cell] else 1)


def test_a_net_must_say_finite_numbers_of_empty_cells() -> None:
    for wrong in (np.inf, -np.inf, np.nan):
        said = np.zeros(25, np.float32)
        said[12] = wrong
        search = Search(net=Fixed(said))
        search.set_position(opened(5, 5, "a2"))
        with pytest.raises(ValueError, match="must be finite"):
            search.finish(300)
        search.set_position(opened(5, 5, "c3"))  # where it stands, a stone may have anything
        assert search.finish(300).visits


def test_a_net_that_sees_the_last_move_is_remembered_with_it(net: Path) -> None:
    prior = open_prior(str(net), "cpu")
    seen = positions_of([opened(5, 5, "c2", "e1", "b4", "c3")])  # White has just broken into Black's bridge
    blind = seen._replace(last=np.array([-1], np.int32))
    assert not np.array_equal(prior(seen).logits, prior(blind).logits)


def test_a_net_that_fails_leaves_a_tree_with_which_to_go_on() -> None:
    net = Fixed(np.zeros(49, np.float32))
    wrong: list[bool] = [False]

    def failing(positions: Positions) -> Evaluation:
        if wrong[0] and len(net.batches) > 40:
            raise RuntimeError("out of order")
        return net(positions)

    search = Search(Settings(batch=4, knowledge=0), net=failing)
    search.set_position(opened(7, 7, "a2"))
    wrong[0] = True
    with pytest.raises(RuntimeError, match="out of order"):
        search.finish(2000)
    before = search.analysis()
    assert sum(candidate.visits for candidate in before.candidates) == before.visits - 1
    wrong[0] = False
    assert search.finish(100).visits == before.visits + 100


def test_answers_that_do_not_fit_are_refused() -> None:
    settings = Settings().core(net=True)
    tree = _core.UctSearch(opened(4, 4, "a1"), patterns.model(), settings)
    assert len(tree.waiting()[2]) == 0
    assert tree.run(10, 1.0, 1000) == 0
    stones, white, last = tree.waiting()
    assert stones.shape == (2, 1, 1)
    assert (white.tolist(), last.tolist()) == ([1], [0])
    with pytest.raises(ValueError, match="15 logits do not answer what was asked: 16 are expected"):
        tree.answer(np.zeros(15, np.float32))
    tree.answer(np.zeros((1, 16), np.float32))
    assert tree.run(1, 1.0, 1000) == 1


@pytest.mark.parametrize("backup", ["mean", "min"])
def test_openings_of_3x3_whatever_is_backed_up(backup: str) -> None:
    known = tables.openings(3, 3)
    for cell in range(5):
        search = Search(Settings(knowledge=0, backup=backup), seed=1)  # type: ignore[arg-type]
        board = Board(3)
        board.push(cell)
        search.set_position(board)
        assert search.finish(20_000).proof == (-1 if known[cell] else 1)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"ask": 0}, "ask must be from 1 to 2147483647, not 0"),
        ({"batch": 0}, "batch must be from 1 to 256, not 0"),
        ({"batch": 257}, "batch must be from 1 to 256"),
        ({"backup": "max"}, "backup must be mean or min, not 'max'"),
        ({"least_reply": 0}, "least_reply must be from 1 to 2147483647, not 0"),
        ({"flat": 0}, "flat must be from 1e-06 to 1000000, not 0"),
    ],
)
def test_settings_that_cannot_be(setting: dict[str, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Settings(**setting)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "small.safetensors"
    torch.manual_seed(1)
    checkpoint.save(Convolutional(Config(layers=2, channels=8)), path)
    return path


def test_the_player_keeps_the_contract_with_a_net(net: Path) -> None:
    sizes = ((1, 1), (2, 2), (3, 5), (7, 7))
    check_player(lambda: spec.make(f"uct:sims=30,prior={net}"), sizes)
    check_player(lambda: spec.make(f"uct:sims=30,prior={net},batch=4,threads=2,backup=min"), sizes)


def test_the_uniform_prior_likes_all_moves_alike() -> None:
    search = Search(net=open_prior("uniform"))
    search.set_position(opened(6, 5, "c3"))
    for candidate in search.finish(50).candidates:
        assert candidate.prior == pytest.approx(1 / 29)


def test_shipped_nets_give_priors_too() -> None:
    assert spec.make("uct:sims=20,prior=fingal-small,device=cpu").choose(Record(6, 5)) in range(30)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("uct:prior=nobody", "there is no net 'nobody'"),
        ("uct:prior={}/missing.safetensors", "there is no file"),
        ("uct:prior={}/value.safetensors", "value judges positions alone, and priors are of moves"),
        ("uct:prior={}/text.onnx", "text.onnx is not an ONNX file"),
        ("uct:backup=max", "backup='max' is not possible"),
    ],
)
def test_nets_that_give_no_priors(text: str, sentence: str, tmp_path: Path) -> None:
    checkpoint.save(Narrowing(NarrowingConfig(size=5, channels=4, dense=4)), tmp_path / "value.safetensors")
    (tmp_path / "text.onnx").write_text("not a net")
    with pytest.raises(ValueError, match=sentence):
        spec.make(text.format(tmp_path))
