"""What EZO-CNN reaches on 4x4 and 5x5 in a few minutes of one core, and what it does not with the printed target."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from fingal.arena.play import play_game
from fingal.game import Board, Colour, Record
from fingal.learn.ezo import PRESETS, Ezo, Trainer, train
from fingal.learn.parts.run import Run
from fingal.players.spec import make

FIVE = PRESETS["cpu-5x5"]
FOUR = Ezo(size=4, channels=32, dense=64, games=100, epochs=200, latest_turn=8, connections=False, decay_from=0.6)


def trained(config: Ezo, folder: Path) -> tuple[Path, dict[str, float]]:
    """A run's last net, and its last figures of each kind."""
    torch.set_num_threads(1)
    run = Run(folder, asdict(config))
    last: dict[str, float] = {}
    for figures in train(Trainer(config, run, torch.device("cpu"))):
        last |= figures
    run.close()
    return run.checkpoints / "latest.safetensors", last


def first_wins(net: Path, size: int) -> bool:
    """Whether it wins as Black against every defence, with no search but one move and no connections."""
    player = make(f"minimax:net={net},depth=1,connections=no")
    seen: dict[bytes, bool] = {}

    def wins(board: Board, moves: list[int]) -> bool:
        key = board.packed().tobytes()
        if key not in seen:
            move = player.choose(Record.of(list(moves), size))
            after = board.copy()
            after.push(move)
            seen[key] = after.is_over() or all(_answered(after, [*moves, move], reply) for reply in after.empty_cells)
        return seen[key]

    def _answered(board: Board, moves: list[int], reply: int) -> bool:
        after = board.copy()
        after.push(reply)
        return not after.is_over() and wins(after, [*moves, reply])

    found = wins(Board(size), [])
    player.close()
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_4x4_is_played_perfectly_with_the_repaired_target_and_not_with_the_printed_one(
    seed: int, tmp_path: Path
) -> None:
    net, last = trained(replace(FOUR, seed=seed), tmp_path / "repaired")
    other, printed = trained(replace(FOUR, seed=seed, target="literal", epochs=100), tmp_path / "printed")
    print(f"4x4, seed {seed}: {last['sign']}, {last['keeps_win']}; printed {printed['sign']}, {printed['keeps_win']}")
    assert first_wins(net, 4)
    assert not first_wins(other, 4)
    assert last["keeps_win"] > 0.95 > printed["keeps_win"]


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, float]]:
    return trained(FIVE, tmp_path_factory.mktemp("ezo") / "five")


def score(player: str, opponent: str, openings: list[list[int | str]], times: int = 1) -> list[float]:
    """The share of games that a player wins as first and as second, from every opening so many times."""
    shares = []
    for colour in Colour:
        won = 0
        for number, opening in enumerate(openings * times):
            players = [make(player), make(opponent.format(seed=number))]
            record, failed = play_game(players if colour == Colour.BLACK else players[::-1], Record.of(opening, 5))
            assert not failed
            assert record.result is not None
            won += record.result.winner == colour
            for one in players:
                one.close()
        shares.append(won / len(openings) / times)
    return shares


@pytest.mark.parametrize("settings", ["depth=1", "depth=1,connections=no", "depth=2", "depth=2,connections=no"])
def test_5x5_against_random_moves_and_shortest_path(settings: str, five: tuple[Path, dict[str, float]]) -> None:
    player = f"minimax:net={five[0]},{settings}"
    random = score(player, "random:seed={seed}", [[]], 100)
    openings: list[list[int | str]] = [[cell] for cell in range(25)]
    path = score(player, "shortest-path:seed={seed}", openings)
    print(f"5x5, {settings}: against random {random}, against shortest-path {path}")
    assert min(random) >= 0.99
    # 13 of the 25 openings win for who makes them: as second player perfect play is sure of 12 wins only, and the
    # solver, which is perfect, gets 14: 78% over both colours. Two moves deep by its values alone the net gets more.
    assert path[0] >= 0.9
    assert sum(path) / 2 >= (0.9 if settings == "depth=2,connections=no" else 0.78)


def test_5x5_it_knows_who_wins(five: tuple[Path, dict[str, float]]) -> None:
    print(f"5x5: sign {five[1]['sign']}, keeps_win {five[1]['keeps_win']}, {five[1]['minutes']:.2f} minutes")
    assert five[1]["sign"] >= 0.85
    assert five[1]["keeps_win"] >= 0.9
