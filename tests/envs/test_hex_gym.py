import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from fingal import BLACK, RESIGN, SWAP, WHITE
from fingal.envs import HexEnv
from fingal.players.player import Limit, PlayerError
from tests.envs import openspiel
from tests.envs.opponents import Failing, Scripted


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"size": (3, 5), "colour": "white"},
        {"size": 5, "swap": True, "colour": "random"},
        {"size": 1},
        {"size": 1, "colour": "white"},
        {"size": 2},
        {"size": 19},
    ],
)
def test_gymnasiums_checker_passes(settings: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    check_env(gymnasium.make("fingal/Hex-v0", **settings).unwrapped)
    assert capsys.readouterr().out, "the checker also shows it to a human"


def test_the_checker_passes_whatever_it_samples() -> None:
    # On 2x2 every fifth action is the swap and the second one often hits a stone.
    env = gymnasium.make("fingal/Hex-v0", size=2, colour="random")
    for _ in range(30):
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("size", "swap"), [((3, 3), True), ((5, 5), False), ((5, 5), True), ((7, 9), False)])
def test_games_agree_with_openspiel(size: tuple[int, int], swap: bool) -> None:
    width, height = size
    env = gymnasium.make("fingal/Hex-v0", size=size, swap=swap, colour="random")
    hexes = env.unwrapped
    assert isinstance(hexes, HexEnv)
    env.action_space.seed(1)
    colours, rewards, swaps = set(), set(), 0
    for game in range(60):
        state = openspiel.new_state(width, height, swap)
        observation, info = env.reset(seed=game)
        done, reward = 0, 0.0
        while True:
            for mover, move in hexes.record.moves[done:]:
                assert state.current_player() == mover
                state.apply_action(width * height if move == SWAP else move)
                swaps += move == SWAP
            done = len(hexes.record.moves)
            expected = openspiel.planes(state, width, height, hexes.colour, swap)
            np.testing.assert_array_equal(observation, expected)
            if state.is_terminal():
                break
            assert reward == 0
            assert state.current_player() == hexes.colour
            np.testing.assert_array_equal(info["action_mask"], openspiel.mask(state, width, height))
            np.testing.assert_array_equal(hexes.action_masks(), info["action_mask"])
            action = env.action_space.sample(mask=info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
        assert terminated
        assert not truncated
        assert reward == state.player_return(hexes.colour)
        assert not info["action_mask"].any()
        colours.add(hexes.colour)
        rewards.add(reward)
    assert colours == {BLACK, WHITE}
    assert rewards == {1, -1}
    assert (swaps > 0) == swap


def test_a_reset_with_a_seed_repeats_everything() -> None:
    def games(env: gymnasium.Env[np.ndarray, np.int64], seed: int) -> list[object]:
        seen: list[object] = []
        for game in range(5):
            _, info = env.reset(seed=seed) if game == 0 else env.reset()
            over = False
            while not over:
                _, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
                seen.append(reward)
            seen.append((env.unwrapped.colour, env.unwrapped.record.moves))
        return seen

    settings = {"size": 4, "colour": "random", "opponent": "random:epsilon=0.5"}
    env = gymnasium.make("fingal/Hex-v0", **settings)
    first = games(env, 7)
    assert games(env, 7) == first, "in the same environment, whatever was played before"
    assert games(gymnasium.make("fingal/Hex-v0", **settings), 7) == first
    assert games(env, 8) != first
    assert env.unwrapped.opponent.name == "random:epsilon=0.5"


def test_the_opponents_own_seed_stays_its_own() -> None:
    env = HexEnv(5, "random:seed=3", colour="white")
    firsts = []
    for seed in (1, 2):
        env.reset(seed=seed)
        firsts.append(env.record.moves)
    assert firsts[0] == firsts[1]


def test_a_player_handed_in_is_seeded_limited_and_not_closed() -> None:
    opponent, limit = Scripted(1, 2), Limit(simulations=5)
    env = HexEnv(3, opponent, limit=limit)
    env.reset(seed=1)
    env.reset(seed=1)
    env.reset()
    env.step(0)
    assert len(opponent.seeds) == 2
    assert opponent.seeds[0] == opponent.seeds[1]
    assert opponent.asked == [limit]
    env.close()
    assert opponent.closed == 0


@pytest.mark.parametrize("action", [4, 1, 9])
def test_an_illegal_action_loses(action: int) -> None:
    env = HexEnv(3, Scripted(1, 2))
    env.reset()
    env.step(4)
    before = env.board
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal"]) == (-1, True, False, True)
    assert not info["action_mask"].any()
    assert observation in env.observation_space
    assert env.board == before
    assert env.record.winner() is WHITE
    with pytest.raises(ValueError, match="call reset first"):
        env.step(0)


@pytest.mark.parametrize(
    ("action", "message"), [(4, "cell b2 is occupied"), (1, "cell b1 is occupied"), (9, "swap-pieces is only")]
)
def test_an_illegal_action_raises_where_asked_for(action: int, message: str) -> None:
    env = HexEnv(3, Scripted(1, 2, 5), illegal="raise")
    env.reset()
    env.step(4)
    before, moves = env.board, env.record.moves
    with pytest.raises(ValueError, match=message):
        env.step(action)
    assert env.board == before
    assert env.record.moves == moves
    _, _, terminated, _, info = env.step(7)
    assert not terminated, "the game goes on"
    assert "illegal" not in info


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize("action", [-1, 10, 1000])
def test_an_action_outside_the_space_always_raises(illegal: str, action: int) -> None:
    env = HexEnv(3, Scripted(1), illegal=illegal)  # type: ignore[arg-type]
    env.reset()
    with pytest.raises(ValueError, match="from 0 to 9"):
        env.step(action)
    assert not env.step(4)[2]


def test_an_opponent_that_resigns_loses() -> None:
    env = HexEnv(3, Scripted(1, RESIGN))
    env.reset()
    assert env.step(4)[1:3] == (0, False)
    observation, reward, terminated, _, info = env.step(8)
    assert (reward, terminated) == (1, True)
    assert observation[..., 0].sum() == 2
    assert not info["action_mask"].any()
    assert env.record.winner() is BLACK


@pytest.mark.parametrize(("size", "opponent", "outcome"), [(1, Scripted(0), -1), (5, Scripted(RESIGN), 1)])
def test_a_game_that_ends_before_the_learner_moves_is_told_by_the_first_step(
    size: int, opponent: Scripted, outcome: float
) -> None:
    env = HexEnv(size, opponent, colour="white", illegal="raise")
    _, info = env.reset()
    assert not info["action_mask"].any()
    assert env.step(0)[1:4] == (outcome, True, False)
    with pytest.raises(ValueError, match="call reset first"):
        env.step(0)


def test_both_sides_can_swap() -> None:
    env = HexEnv(3, Scripted(1, 0), colour="white", swap=True)
    observation, info = env.reset()
    assert observation[..., 3].all()
    assert info["action_mask"].tolist() == [1, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    observation, *_ = env.step(9)
    assert env.board.colour_at("a2") is WHITE
    assert np.argwhere(observation[..., 0]).tolist() == [[1, 0]], "own stones: the mirrored one"
    assert np.argwhere(observation[..., 1]).tolist() == [[0, 0]], "and Black moved again"

    env = HexEnv(3, Scripted(SWAP), swap=True)
    env.reset()
    observation, *_ = env.step(1)
    assert not observation[..., 0].any()
    assert np.argwhere(observation[..., 1]).tolist() == [[1, 0]]


def _die() -> int:
    raise PlayerError("the engine died")


@pytest.mark.parametrize(("act", "message"), [(lambda: 4, "no legal move"), (_die, "the engine died")])
def test_an_opponent_that_fails_is_an_error_and_a_reset_helps(act: object, message: str) -> None:
    opponent = Failing(act)  # type: ignore[arg-type]
    env = HexEnv(3, opponent)
    env.reset()
    with pytest.raises(PlayerError, match=message):
        env.step(4)
    with pytest.raises(ValueError, match="call reset first"):
        env.step(5)
    opponent.act = lambda: 0
    env.reset()
    assert not env.step(4)[2]


def test_it_is_drawn_as_text_and_as_pixels() -> None:
    env = gymnasium.make("fingal/Hex-v0", size=(3, 5), render_mode="ansi", opponent=Scripted(1))
    env.reset()
    env.step(0)
    text = env.render()
    assert isinstance(text, str)
    assert text.count("B") == 2, "the stone and 'Black to move'"
    env = gymnasium.make("fingal/Hex-v0", size=(3, 5), render_mode="rgb_array", opponent=Scripted(1))
    env.reset()
    empty = env.render()
    env.step(0)
    played = env.render()
    assert isinstance(empty, np.ndarray)
    assert isinstance(played, np.ndarray)
    assert played.dtype == np.uint8
    assert played.ndim == 3
    assert played.shape == empty.shape
    assert (played != empty).any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour": "red"}, "colour='red'"),
        ({"illegal": "ignore"}, "illegal='ignore'"),
        ({"render_mode": "window"}, "render_mode='window'"),
        ({"size": 0}, "0"),
        ({"size": (3, 5), "swap": True}, "square"),
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": "random:strength=3"}, "strength"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HexEnv(**settings)  # type: ignore[arg-type]
