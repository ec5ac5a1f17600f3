"""How far two evaluators agree, and positions to ask them about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fingal.game.board import Board
from fingal.nets.planes import joined, positions_of, take, unpack
from fingal.search.evaluator import Evaluation, Evaluator, Positions


def own_play(evaluator: Evaluator, width: int, height: int, count: int, seed: int = 0) -> Positions:
    """``count`` positions of games that an evaluator's policy plays with itself, at every stage of the game.

    Each game begins with a random stone; the first moves are drawn from the policy, later ones mostly follow it.
    """
    random = np.random.default_rng(seed)
    parts: list[Positions] = []
    total = 0
    while total < count:
        games = [Board(width, height) for _ in range(min(32, count))]
        while games:
            positions = positions_of(games)
            parts.append(positions)
            total += len(games)
            if games[0].ply == 0:
                chosen = random.integers(width * height, size=len(games))
            else:
                logits = legal_logits(evaluator(positions), positions)
                noise = random.gumbel(size=logits.shape) * (1.0 if games[0].ply < 8 else 0.3)
                chosen = (logits + noise).argmax(1)
            for game, move in zip(games, chosen, strict=True):
                game.push(int(move))
            games = [game for game in games if not game.is_over()]
    return take(joined(parts), random.permutation(total)[:count])


def agreement(first: Evaluator, second: Evaluator, positions: Positions) -> float:
    """The share of positions on which two evaluators have the same best legal move."""
    moves = [legal_logits(evaluator(positions), positions).argmax(1) for evaluator in (first, second)]
    return float((moves[0] == moves[1]).mean())


def legal_logits(evaluation: Evaluation, positions: Positions) -> NDArray[np.float32]:
    """The policy's logits [B, cells], minus infinity on occupied cells."""
    occupied = unpack(positions.stones, positions.width * positions.height).any(0)
    return np.where(occupied, np.float32(-np.inf), evaluation.logits)
