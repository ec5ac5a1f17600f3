"""The players with nets and with searches: the contract, swap and openings, limits, temperature, resignation."""

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from fingal.game import RESIGN, SWAP, Board, Record
from fingal.nets import checkpoint
from fingal.nets.residual import Config, Residual
from fingal.players import spec
from fingal.players.net import NetPlayer
from fingal.players.player import NO_LIMIT, Interruptible, Limit
from fingal.players.random import RandomPlayer
from fingal.players.searching import Manner, SearchPlayer, searching, values_after
from fingal.players.uct import opening_values
from fingal.search.evaluator import Evaluation, Evaluator, Positions
from fingal.search.tree import Search, Settings
from fingal.testing import check_player

SIZES = ((1, 1), (2, 2), (3, 5), (11, 11))


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net that has learned nothing, as small as can be."""
    path = tmp_path_factory.mktemp("nets") / "tiny.safetensors"
    config = Config(1, 8, pool_every=1, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        checkpoint.save(Residual(config), path)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "net:NET",
        "net:NET,temperature=1,average=yes",
        "puct:net=NET,sims=16",
        "puct:NET,nodes=20,batch=1,noise=0.25,temperature=0.5,resign=-0.5",
        "gumbel:net=NET,sims=16",
        "gumbel:NET,considered=4,noise=1,batch=3",
        "uct:sims=30",
        "uct:nodes=30,threads=2,knowledge=4,resign=-0.9",
    ],
)
def test_conformance(text: str, net: Path) -> None:
    check_player(text.replace("NET", str(net)), SIZES)


@pytest.mark.parametrize("kind", ["puct:NET,sims=8", "uct:sims=8"])
def test_boards_of_every_shape(kind: str, net: Path) -> None:
    check_player(kind.replace("NET", str(net)), ((1, 2), (2, 1), (1, 19), (19, 1), (19, 19)))


@pytest.mark.parametrize("kind", ["net", "puct", "gumbel"])
def test_a_net_that_is_not_there(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no net 'nobody': give a file, or one of those shipped"):
        spec.make(f"{kind}:nobody")
    with pytest.raises(ValueError, match=r"there is no file .*gone\.onnx"):
        spec.make(f"{kind}:net={tmp_path / 'gone.onnx'}")
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"bad\.safetensors is not a safetensors file"):
        spec.make(f"{kind}:{tmp_path / 'bad.safetensors'}")
    with pytest.raises(ValueError, match=f"{kind} needs a net: {kind}:NET"):
        spec.make(kind)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("uct:sims=0", "a limit of 0 simulations is not possible"),
        ("uct:time=0", "a limit of 0.0 seconds is not possible"),
        ("uct:threads=0", "threads must be from 1 to 256, not 0"),
        ("uct:resign=0.5", "resign=0.5 is not possible: it is a value from -1 to below 0"),
        ("uct:knowledge=-1", "knowledge must be from 0 to 2147483647, not -1"),
        ("uct:solver=on,memory=0", "memory must be from 1 to 100000000, not 0"),
        ("uct:temperature=-1", "temperature=-1 is not possible"),
        ("uct:net=x", "uct has no setting 'net'"),
    ],
)
def test_settings_that_cannot_be(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        spec.make(text)


def judged(value: Callable[[Positions], np.ndarray], favourite: int = 0) -> Evaluator:
    """An evaluator with values of its own, that likes one cell."""

    def evaluator(positions: Positions) -> Evaluation:
        count, cells = len(positions.white_to_move), positions.width * positions.height
        logits = np.zeros((count, cells), np.float32)
        logits[:, favourite] = 2
        return Evaluation(logits, value(positions).astype(np.float32))

    return evaluator


def constant(value: float, favourite: int = 0) -> Evaluator:
    """The same value for the side that moved first in the position asked about: here White, after one stone."""
    return judged(lambda positions: np.where(positions.white_to_move, value, -value), favourite)


def both(evaluator: Evaluator, manner: Manner | None = None, gumbel: bool = False) -> list[NetPlayer | SearchPlayer]:
    manner = manner or Manner(seed=1)
    search = SearchPlayer.with_net("search", evaluator, Settings(gumbel=gumbel), Limit(simulations=40), manner)
    return [NetPlayer(evaluator, manner.temperature, manner.seed), search]


@pytest.mark.parametrize("gumbel", [False, True])
def test_swaps_where_the_side_to_move_is_worse(gumbel: bool) -> None:
    record = Record.of(["c3"], 9, swap=True)  # no table has it
    for player in both(constant(-0.4), gumbel=gumbel):
        assert player.choose(record) == SWAP
    for player in both(constant(0.4), gumbel=gumbel):
        assert player.choose(record) != SWAP
    # Where there is no swap, a bad position has to be played.
    for player in both(constant(-0.4), gumbel=gumbel):
        assert player.choose(Record.of(["c3"], 5)) >= 0


def test_opens_evenly_where_it_may_be_swapped() -> None:
    """Values 0.9, 0.8 and so on for White, by the cell of the first stone; the one nearest to 0 is the tenth."""
    evaluator = judged(lambda positions: np.minimum(0.93 - 0.1 * positions.last, 1.0), favourite=4)
    for player in both(evaluator):
        assert player.choose(Record(5, swap=True, height=5)) == 9
        assert player.choose(Record(5, 5)) == 4
    board = Record(3, 3, swap=True).board()
    assert values_after(evaluator, board) == pytest.approx(0.93 - 0.1 * np.arange(9))
    for player in both(evaluator, Manner(temperature=0.02, seed=1)):
        drawn = Counter(player.choose(Record(5, 5, swap=True)) for _ in range(300))
        assert drawn.most_common(1)[0][0] == 9
        assert set(drawn) <= {8, 9, 10}
        assert len(drawn) > 1


def test_uct_opens_with_something_like_even() -> None:
    player = spec.make("uct:seed=1,sims=10")
    cell = player.choose(Record(7, 7, swap=True))
    assert cell not in (24, 23, 25, 17, 31)  # not in the middle, where Black is sure to win


def test_uct_judges_openings_as_long_as_there_is_time() -> None:
    def judged_for(looks: int) -> NDArray[np.float32] | None:
        looked = itertools.count(1)
        return opening_values(Board(5, swap=True), lambda: next(looked) > looks)

    assert judged_for(12) is None  # 13 openings are different: one has not been looked at
    few, more = judged_for(13 + 5), judged_for(10**6)
    assert few is not None
    assert more is not None
    for values in (few, more):
        assert values.tolist() == values[::-1].tolist()  # turned by 180 degrees
        assert values[12] < -0.4  # White's, after the middle
        assert values[12] < values[0]  # and after the corner
    assert (few != more).any()


def test_an_opening_that_is_interrupted_is_the_customary_one() -> None:
    def opener(board: Board, is_over: Callable[[], bool]) -> None:
        assert not is_over()
        player.interrupt()
        assert is_over()

    evaluator = judged(lambda positions: np.zeros(len(positions.last)))
    player = SearchPlayer("search", lambda seed: Search(evaluator, Settings(), seed), opener, Limit(simulations=10))
    assert Board(11).name(player.choose(Record(11, 11, swap=True))) == "b4"


def test_a_proven_win_is_played_whatever_the_temperature(net: Path) -> None:
    record = Record.of(["b2", "a1", "b1", "c1"], 3)
    for text in (f"puct:{net},temperature=5,sims=5", f"gumbel:{net},temperature=5", "uct:temperature=5"):
        for seed in range(5):
            move = spec.make(f"{text},seed={seed}").choose(record)
            assert record.name(move) in ("a3", "b3")
    assert record.name(spec.make(f"puct:{net}").choose(record, Limit(clock=1e308))) in ("a3", "b3")


def test_temperature_draws_by_visits() -> None:
    evaluator = judged(lambda positions: np.zeros(len(positions.last)), favourite=7)
    record = Record.of(["a1"], 5)

    def moves(temperature: float) -> Counter[int]:
        seeded = [both(evaluator, Manner(temperature, seed=seed)) for seed in range(60)]
        return Counter(player.choose(record) for players in seeded for player in players)

    assert set(moves(0)) == {7}
    assert len(moves(0.25)) < len(moves(1.0))
    assert moves(1.0).most_common(1)[0][0] == 7
    assert len(moves(20.0)) > 15


def test_resigns_only_when_told_to() -> None:
    record = Record.of(["a1", "c3"], 5)
    hopeless = judged(lambda positions: np.where(positions.white_to_move, 0.97, -0.97))
    for resign, expected in ((None, False), (-0.98, False), (-0.9, True)):
        player = SearchPlayer.with_net("search", hopeless, Settings(), Limit(simulations=20), Manner(resign=resign))
        assert (player.choose(record) == RESIGN) == expected


def test_who_may_swap_a_stone_that_loses_does_not_resign() -> None:
    """By the table e4 loses on 5x5, so that White, who leaves it, wins; whatever the net says."""
    hopeless = judged(lambda positions: np.where(positions.white_to_move, -0.97, 0.97))
    player = SearchPlayer.with_net("search", hopeless, Settings(), Limit(simulations=20), Manner(resign=-0.5))
    assert player.choose(Record.of(["e4"], 5, swap=True)) >= 0
    assert player.choose(Record.of(["e4"], 5)) == RESIGN


def test_limits() -> None:
    asked = 0

    def evaluator(positions: Positions) -> Evaluation:
        nonlocal asked
        asked += len(positions.last)
        return constant(0.1)(positions)

    def cost(limit: Limit, default: Limit = Limit(simulations=50)) -> int:  # noqa: B008
        nonlocal asked
        asked = 0
        SearchPlayer.with_net("search", evaluator, Settings(batch=1), default).choose(Record(9, 9), limit)
        return asked

    assert cost(NO_LIMIT) == 51
    assert cost(Limit(simulations=7)) == 8
    assert cost(Limit(nodes=30)) == 31
    assert cost(Limit(simulations=10_000, nodes=25)) == 26
    assert cost(NO_LIMIT, Limit(nodes=12)) == 13


def test_what_a_text_says_goes_before_the_limit_given() -> None:
    player = spec.make("uct:sims=20")
    player.choose(Record(9, 9), Limit(simulations=500))
    inner = searching(player)
    assert inner is not None
    assert inner._search.analysis().visits == 21
    player = spec.make("uct")
    player.choose(Record(9, 9), Limit(simulations=50))
    assert player._search.analysis().visits == 51  # type: ignore[attr-defined]


def test_the_tree_is_kept_between_moves() -> None:
    player = SearchPlayer.with_net("search", constant(0.0), Settings(), Limit(simulations=200))
    record = Record(5, 5)
    for _ in range(3):
        board = record.board()
        record.push(board.turn, player.choose(record))
    assert player._search.analysis().visits > 201
    player.close()
    player.close()


def test_interrupts() -> None:
    for text in ("uct", "uct:sims=100,epsilon=0.1"):
        assert isinstance(spec.make(text), Interruptible)
    calls = 0

    def evaluator(positions: Positions) -> Evaluation:
        nonlocal calls
        calls += 1
        if calls == 10:
            player.interrupt()
        return constant(0.0)(positions)

    player = SearchPlayer.with_net("search", evaluator, Settings(), Limit(simulations=1_000_000))
    assert player.choose(Record(9, 9)) >= 0
    assert calls == 10
    # Too early for one move, it counts for that one and not for the one after, even where nothing is searched.
    player.interrupt()
    player.choose(Record(9, 9, swap=True))
    before = calls
    player.choose(Record(8, 8), Limit(simulations=80))
    assert calls >= before + 10


def test_analysis() -> None:
    player = SearchPlayer.with_net("search", constant(0.2), Settings(), Limit(simulations=10))
    visits = []
    for search in player.analyse(Record.of(["a1"], 5)):
        visits.append(search.analysis().visits)
        if len(visits) == 20:
            break
    assert visits == sorted(visits)
    *_, search = player.analyse(Record.of(["a1"], 5), Limit(simulations=30))
    assert search.analysis().visits == visits[-1] + 30
    won = Record.of(["b2", "a1", "b1", "c1"], 3)
    (search,) = player.analyse(won)
    assert search.analysis().proof == 1
    with pytest.raises(ValueError, match="the game is over"):
        next(iter(player.analyse(Record.of(["a1"], 1))))
    assert searching(RandomPlayer()) is None
    assert searching(spec.make("random:epsilon=0.5")) is None


def test_simulations_make_uct_stronger() -> None:
    """Twenty games on 6x6, both sides of every opening: three hundred simulations against one."""
    strong, weak = spec.make("uct:sims=300,seed=1"), spec.make("uct:sims=1,seed=2")
    won = 0
    for opening in ("a1", "b1", "c1", "d1", "e1", "a2", "f3", "b6", "d6", "e6"):
        for players in ((strong, weak), (weak, strong)):
            record = Record.of([opening], 6)
            while not (board := record.board()).is_over():
                record.push(board.turn, players[board.turn].choose(record))
            won += players[record.board().winner or 0] is strong
    assert won >= 15
