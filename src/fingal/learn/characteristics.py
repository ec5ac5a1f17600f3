"""Learn to foresee winners from network characteristics: ``python -m fingal.learn.characteristics SIZE:COUNT:FILE...``.

So many positions are drawn from each file of games on boards of that size; a file is as for ``fingal.learn.patterns``,
and every game ends with the winner's move. Printed are the weights of a logistic regression, the side to move's six
characteristics first, and how well it foresees the winners of games held out. The shipped weights, in
``fingal.players.characteristics``, are those of ``9:60000:mohex-9x9-games.txt 13:40000:wolve-13x13-games.txt``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from fingal.game import Board
from fingal.game.board import parse_size
from fingal.learn.patterns import moves_of
from fingal.nets.planes import joined, positions_of
from fingal.players.characteristics import seen

DECAY = 1e-4
"""The weight of the squared weights in the loss."""


class Positions(NamedTuple):
    """Positions and who won."""

    features: NDArray[np.float64]
    """[N, 12], as the side to move sees them."""
    won: NDArray[np.bool_]
    """[N]: whether the side to move did."""
    held_out: NDArray[np.bool_]
    """[N]: whether the position is for testing; those of every tenth game are."""


def read(size: str, most: int, path: Path, seed: int = 1) -> Positions:
    """At most so many positions of a file of games, drawn at random."""
    width, height = parse_size(size)
    games = [moves_of(line, width, height)[1] for line in path.read_text(encoding="utf-8").splitlines()]
    every = [(game, ply) for game, moves in enumerate(games) for ply in range(1, len(moves))]
    drawn = {every[at] for at in np.random.default_rng(seed).permutation(len(every))[:most]}
    parts, won, held_out = [], [], []
    for game, moves in enumerate(games):
        board, found = Board(width, height), []
        for ply, move in enumerate(moves):
            if (game, ply) in drawn:
                found.append(board.copy())
                won.append((len(moves) - ply) % 2 == 1)
                held_out.append(game % 10 == 0)
            board.push(move)
        if found:
            parts.append(positions_of(found))
    return Positions(seen(joined(parts)), np.array(won), np.array(held_out))


def fit(features: NDArray[np.float64], won: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logistic regression: twelve weights and what is added to all, [13]."""
    x = np.c_[features, np.ones(len(features))]
    sign = np.where(won, 1.0, -1.0)

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (x @ w)
        slope = -sign / (1 + np.exp(margin))
        return float(np.logaddexp(0, -margin).mean() + DECAY * (w @ w)), x.T @ slope / len(x) + 2 * DECAY * w

    found: NDArray[np.float64] = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def foreseen(weights: NDArray[np.float64], positions: Positions) -> float:
    """In how many of the positions held out the likelier winner won, as a share."""
    x = positions.features[positions.held_out]
    said = x @ weights[:-1] + weights[-1] > 0
    return float((said == positions.won[positions.held_out]).mean())


def main(arguments: list[str]) -> None:
    """Learn from the files named."""
    named = [argument.split(":", 2) for argument in arguments]
    sources = [read(size, int(most), Path(path)) for size, most, path in named]
    training = [(source.features[~source.held_out], source.won[~source.held_out]) for source in sources]
    weights = fit(np.concatenate([x for x, _ in training]), np.concatenate([won for _, won in training]))
    print(np.round(weights, 3).tolist())
    for (size, _, path), source in zip(named, sources, strict=True):
        print(f"{path}, {size}: winner foreseen in {foreseen(weights, source):.1%} of {source.held_out.sum()}")


if __name__ == "__main__":
    main(sys.argv[1:])
