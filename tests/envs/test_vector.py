import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from fingal import SWAP, Board
from fingal.envs import HexVectorEnv
from fingal.envs.observation import action_mask, planes
from tests.envs import openspiel


@pytest.mark.parametrize(
    ("size", "swap", "steps"),
    [((3, 3), False, 40), ((3, 3), True, 40), ((5, 5), False, 110), ((5, 5), True, 110), ((7, 9), False, 220)],
)
def test_games_agree_with_openspiel(size: tuple[int, int], swap: bool, steps: int) -> None:
    width, height = size
    env = HexVectorEnv(64, size, swap=swap)
    observations, info = env.reset(seed=3)
    states = [openspiel.new_state(width, height, swap) for _ in range(64)]
    games = swaps = 0
    for _ in range(steps):
        for state, observation, legal in zip(states, observations, info["action_mask"], strict=True):
            expected = openspiel.planes(state, width, height, state.current_player(), swap)
            np.testing.assert_array_equal(observation, expected)
            np.testing.assert_array_equal(legal, openspiel.mask(state, width, height))
        actions = env.sample()
        observations, rewards, terminations, truncations, info = env.step(actions)
        assert not truncations.any()
        for i, action in enumerate(actions):
            mover = states[i].current_player()
            swaps += action == width * height
            states[i].apply_action(action)
            assert terminations[i] == states[i].is_terminal()
            assert rewards[i] == states[i].player_reward(mover)
            if states[i].is_terminal():
                games += 1
                states[i] = openspiel.new_state(width, height, swap)
    assert games > 200
    assert (swaps > 0) == swap


@pytest.mark.parametrize("size", [1, 2, (3, 5), (5, 3), (1, 4), 11, 19])
@pytest.mark.parametrize("swap", [False, True])
def test_games_agree_with_the_board(size: int | tuple[int, int], swap: bool) -> None:
    width, height = size if isinstance(size, tuple) else (size, size)
    if swap and width != height:
        with pytest.raises(ValueError, match="square"):
            HexVectorEnv(2, size, swap=True)
        return
    env = HexVectorEnv(6, size, swap=swap)
    observations, info = env.reset(seed=5)
    boards = [Board(width, height, swap=swap) for _ in range(6)]
    for _ in range(2 * width * height):
        for board, observation, legal in zip(boards, observations, info["action_mask"], strict=True):
            np.testing.assert_array_equal(observation, planes(board, board.turn))
            np.testing.assert_array_equal(legal, action_mask(board))
        positions = env.positions()
        np.testing.assert_array_equal(positions.stones, np.stack([board.packed() for board in boards], axis=1))
        np.testing.assert_array_equal(positions.white_to_move, [board.turn for board in boards])
        actions = env.sample()
        observations, rewards, terminations, _, info = env.step(actions)
        for i, action in enumerate(actions):
            mover = boards[i].turn
            boards[i].push(SWAP if action == env.cells else int(action))
            assert terminations[i] == boards[i].is_over()
            assert rewards[i] == (boards[i].winner is mover)
            if boards[i].is_over():
                boards[i] = Board(width, height, swap=swap)


def test_shapes_and_spaces() -> None:
    env = HexVectorEnv(3, (7, 9))
    observations, info = env.reset(seed=1)
    assert observations.shape == (3, 9, 7, 4)
    assert observations.dtype == np.bool_
    assert observations in env.observation_space
    assert info["action_mask"].shape == (3, 64)
    observations, rewards, terminations, truncations, _ = env.step(env.action_space.sample() % 63)
    assert observations in env.observation_space
    assert (rewards.shape, rewards.dtype) == ((3,), np.float32)
    assert terminations.shape == truncations.shape == (3,)


def test_it_says_that_games_start_again_in_the_same_step() -> None:
    env = HexVectorEnv(2, 1)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    env.reset()
    observations, rewards, terminations, _, _ = env.step([0, 0])
    assert rewards.tolist() == [1, 1]
    assert terminations.all()
    assert not observations.any(), "the new game's empty board, Black to move"


def test_gymnasium_makes_it_and_wraps_it() -> None:
    env = gymnasium.make_vec("fingal/HexSelfPlay-v0", num_envs=8, size=3, swap=True, threads=2)
    assert isinstance(env, HexVectorEnv)
    counted = RecordEpisodeStatistics(env)
    counted.reset(seed=1)
    lengths: list[int] = []
    for _ in range(30):
        *_, info = counted.step(env.sample())
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    assert lengths
    assert set(lengths) <= set(range(5, 11)), "3x3 takes 5 to 9 moves, and perhaps a swap"


def test_the_seed_decides_what_is_sampled_whatever_the_threads() -> None:
    def games(seed: int, threads: int) -> list[list[int]]:
        env = HexVectorEnv(100, 5, swap=True, threads=threads)
        env.reset(seed=seed)
        played = []
        for _ in range(30):
            played.append(env.sample())
            env.step(played[-1])
        return [actions.tolist() for actions in played]

    assert games(1, 1) == games(1, 1) == games(1, 2)
    assert games(1, 1) != games(2, 1)


def test_arrays_are_new_unless_told_otherwise() -> None:
    env = HexVectorEnv(4, 5)
    first, info = env.reset(seed=1)
    kept, legal = first.copy(), info["action_mask"].copy()
    second, reward, over, never, second_info = env.step(env.sample())
    third, *others, _ = env.step(env.sample())
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(info["action_mask"], legal)
    assert not np.shares_memory(second, third)
    assert not np.shares_memory(info["action_mask"], second_info["action_mask"])
    assert not any(np.shares_memory(a, b) for a, b in zip((reward, over, never), others, strict=True))

    env = HexVectorEnv(4, 5, copy=False)
    first, _ = env.reset(seed=1)
    second, *_ = env.step(env.sample())
    assert first is second
    assert first[..., :2].any()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 4], "action 4 in game 2 is illegal: cell b2 is occupied"),
        ([0, 1, 9], "swap-pieces"),
        ([0, 10, 1], "out of range"),
        ([0, -1, 1], "out of range"),
        ([0, 1, 2**32], "out of range"),
        ([0, 1], r"expected integers \[3\]"),
        ([0.0, 1.0, 2.0], "expected integers"),
    ],
)
def test_bad_actions_are_refused_and_no_game_is_stepped(actions: list[float], message: str) -> None:
    env = HexVectorEnv(3, 3)
    env.reset()
    env.step([4, 4, 4])
    before = env.positions()
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    for old, new in zip(before, env.positions(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_positions_can_be_taken_to_another_environment() -> None:
    env, other = HexVectorEnv(50, (7, 9)), HexVectorEnv(50, (7, 9))
    env.reset(seed=1)
    for _ in range(30):
        actions = env.sample()
        observations, _, terminations, _, info = env.step(actions)
    positions = env.positions()
    np.testing.assert_array_equal(positions.last, np.where(terminations, -1, actions))
    loaded, loaded_info = other.load(positions)
    np.testing.assert_array_equal(loaded, observations)
    np.testing.assert_array_equal(loaded_info["action_mask"], info["action_mask"])
    actions = env.sample()
    for mine, theirs in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_positions_hold_the_last_action_and_the_swapped_stone() -> None:
    env = HexVectorEnv(1, 3, swap=True)
    env.reset()
    assert env.positions().last == [-1]
    env.step([1])
    env.step([9])
    positions = env.positions()
    assert positions.last == [9]
    assert positions.stones.tolist() == [[[0]], [[0b1000]]], "b1 became White's a2"
    assert positions.white_to_move.tolist() == [False]


def test_broken_positions_are_refused_and_nothing_is_changed() -> None:
    env = HexVectorEnv(2, 3)
    env.reset()
    env.step([4, 4])
    before = env.positions()

    def stones(black: int, white: int) -> np.ndarray:
        return np.array([[[0], [black]], [[0], [white]]], np.uint64)

    to_move = np.zeros(2, np.bool_)
    for wrong, message in (
        (stones(1, 1), "overlap"),
        (stones(1 << 9, 0), "off the 3x3 board"),
        (stones(0b1001001, 0), "already won"),
        (stones(1, 0)[:1], "expected uint64"),
        (stones(1, 0).astype(np.int64), "expected uint64"),
    ):
        with pytest.raises(ValueError, match=message):
            env.load(before._replace(stones=wrong, white_to_move=to_move))
    with pytest.raises(ValueError, match="are of 9x1, these games are of"):
        env.load(before._replace(width=9, height=1))
    with pytest.raises(ValueError, match="white_to_move"):
        env.load(before._replace(stones=stones(1, 0), white_to_move=np.zeros(2, np.int8)))  # type: ignore[arg-type]
    np.testing.assert_array_equal(env.positions().stones, before.stones)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="20"):
        HexVectorEnv(2, 20)
    with pytest.raises(ValueError, match="at least 1"):
        HexVectorEnv(0)
    with pytest.raises(ValueError, match="threads"):
        HexVectorEnv(2, 3, threads=0)
    with pytest.raises(ValueError, match="reset_mask"):
        HexVectorEnv(2, 3).reset(options={"reset_mask": np.ones(2, np.bool_)})
