"""The 27 planes of triangles, and the narrowing net: by hand, by counting, and against what is published."""

from pathlib import Path

import numpy as np
import pytest
import torch

from fingal.game import Board
from fingal.nets import checkpoint, planes, triangles
from fingal.nets.inference import open_evaluator
from fingal.nets.narrowing import Config, Narrowing
from tests.nets.sample import random_positions

EMPTY, OWN, OPPONENT = 0, 1, 2


def test_planes_of_one_stone_worked_by_hand() -> None:
    # Black a1 on 2x2, White to move: seen from White, an opponent's stone at the top left in
    #   #1 1 1 #2
    #    2 x . 2       1: own ring (top, bottom), 2: the opponent's (left, right), #: both
    #     2 . . 2
    #     #3 1 1 #4
    board = Board(2)
    board.push("a1")

    seen = triangles.encode(planes.positions_of([board]))[0]

    found = {tuple(map(int, place)) for place in np.argwhere(seen)}

    def plane(a: int, b: int, c: int) -> int:
        return 9 * a + 3 * b + c

    assert found == {
        # The top left corner is both, so its triangle is in two planes; so are those with the other two corners.
        (plane(OWN, OWN, OPPONENT), 0, 0),
        (plane(OPPONENT, OWN, OPPONENT), 0, 0),
        (plane(OWN, OWN, OPPONENT), 0, 1),
        (plane(OWN, OWN, EMPTY), 0, 2),
        (plane(OWN, OPPONENT, EMPTY), 0, 2),
        (plane(OPPONENT, OPPONENT, OPPONENT), 1, 0),
        (plane(OPPONENT, EMPTY, EMPTY), 1, 1),
        (plane(EMPTY, OPPONENT, EMPTY), 1, 2),
        (plane(OPPONENT, EMPTY, OWN), 2, 0),
        (plane(OPPONENT, EMPTY, OPPONENT), 2, 0),
        (plane(EMPTY, EMPTY, OWN), 2, 1),
        (plane(EMPTY, OPPONENT, OWN), 2, 2),
    }


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_every_triangle_is_in_a_plane_and_those_with_a_corner_in_two(size: tuple[int, int]) -> None:
    width, height = size
    for _, part in planes.split(random_positions(width, height, 6)):
        seen = triangles.encode(part)
        assert set(np.unique(seen)) <= {0.0, 1.0}
        assert (seen.sum((1, 2, 3)) == (width + 1) * (height + 1) + 3).all()


def test_what_is_the_same_game_looks_the_same() -> None:
    positions = random_positions(5, 5, 20)
    assert np.array_equal(triangles.encode(positions), triangles.encode(planes.mirrored(positions)))
    assert not np.array_equal(triangles.encode(positions), triangles.encode(planes.rotated(positions)))


@pytest.mark.parametrize(
    ("size", "kernels", "parameters"),
    [
        (5, (3, 3, 2), 266_321),
        (7, (3, 3, 3, 2), 413_905),
        (9, (3, 3, 3, 3, 2), 561_489),
        (11, (3, 3, 3, 3, 3, 2), 709_073),
    ],
)
def test_the_net_narrows_as_published(size: int, kernels: tuple[int, ...], parameters: int) -> None:
    net = Narrowing(Config(size))
    assert net.config.kernels == kernels
    assert sum(tensor.numel() for tensor in net.parameters()) == parameters
    assert net(torch.zeros(2, 27, size + 1, size + 1)).shape == (2,)


@pytest.mark.parametrize("size", [2, 4, 6])
def test_an_even_board_narrows_to_a_point_too(size: int) -> None:
    net = Narrowing(Config(size, channels=4, dense=4))
    assert net(torch.zeros(3, 27, size + 1, size + 1)).shape == (3,)


def test_a_net_of_values_is_saved_and_judges_positions(tmp_path: Path) -> None:
    torch.manual_seed(3)
    net = Narrowing(Config(4, channels=8, dense=6))
    card = checkpoint.save(net, tmp_path / "value.safetensors")
    assert (card.architecture, card.encoder, card.head) == ("narrowing", "triangles", "value")
    positions = random_positions(4, 4, 7)

    said = open_evaluator(tmp_path / "value.safetensors")(positions)

    chance = net.chance(torch.from_numpy(triangles.encode(positions))).numpy()
    assert np.allclose(said.value, 2 * chance - 1, atol=1e-6)
    assert said.logits.shape == (7, 16)
    with pytest.raises(ValueError, match="plays on 4x4 only, not on 5x5"):
        open_evaluator(tmp_path / "value.safetensors")(random_positions(5, 5, 1))


@pytest.mark.parametrize("wrong", [{"size": 1}, {"size": 20}, {"channels": 0}, {"dense": 0}])
def test_a_shape_that_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be a whole number"):
        Config(**wrong)
