"""Paper 003's AlphaZero for 3x3 as it describes it, and with the two mistakes of the public code, one at a time.

Every iteration plays games with a search of few simulations a move, without proofs, noise or resignation, and learns
from all games so far. A board of 3x3 has 3^9 ways to be filled, so a board is a number, its moves are a table, and a
net judges all boards at once before the games of an iteration begin.

- Without ``reflect`` the search shows the second player the board with the colours exchanged and no more. Then both
  players try to join top and bottom, in the search and to the net; who has really won is still judged rightly.
- With ``fixed_result`` the first player's positions are learned as lost and the second's as won, whatever happened.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from fingal.learn.parts.mirror import play_stones
from fingal.learn.parts.truth import Truth
from fingal.nets import planes
from fingal.nets.feedforward import Config, Feedforward
from fingal.nets.signed_net import from_stones

SIZE, CELLS = 3, 9

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Small:
    """The paper's settings."""

    iterations: int = 20
    """Rounds of playing and learning."""
    games: int = 40
    """Games in each."""
    simulations: int = 20
    """Simulations for each move."""
    epochs: int = 10
    """How often each iteration learns from all positions so far."""
    exploration: float = 1.0
    """The weight c of the policy in the search."""
    hidden: tuple[int, ...] = (128, 128)
    """The net's layers: 19,082 parameters, as in the public code."""
    batch: int = 64
    """Positions in a step of learning."""
    learning_rate: float = 1e-3
    """Adam's."""
    reflect: bool = True
    """Whether the second player's board is mirrored, so that he too joins top and bottom."""
    fixed_result: bool = False
    """Whether the first player has always lost, as far as the net is told."""
    seed: int = 1
    """Decides everything."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("iterations", "games", "simulations", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("exploration", "learning_rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {getattr(self, name)}")


class Boards(NamedTuple):
    """All 3^9 boards by number, each seen by the side to move, who joins top and bottom; also those no game reaches."""

    signed: Tensor
    """[boards, 3, 3]: 1 the side to move's, -1 the opponent's, 0 empty."""
    legal: NDArray[np.bool_]
    """[boards, cells]"""
    wins: NDArray[np.bool_]
    """[boards, cells]: whether the move joins top and bottom."""
    child: Numbers
    """[boards, cells]: the board after the move for the next player, mirrored so that he too joins top and bottom."""
    turned: Numbers
    """[boards]: the same board with rows and columns exchanged."""


def number_of(stones: Tensor) -> Numbers:
    """The numbers [B] of boards bool [B, 2, 3, 3]: the side to move's stones and the opponent's."""
    digits = stones.flatten(2).long()
    found: Numbers = ((digits[:, 0] + 2 * digits[:, 1]) * 3 ** torch.arange(CELLS)).sum(1).numpy()
    return found


@functools.cache
def boards() -> Boards:
    """The tables."""
    count = 3**CELLS
    digit = (torch.arange(count).unsqueeze(1) // 3 ** torch.arange(CELLS)) % 3
    stones = torch.stack((digit == 1, digit == 2), 1).view(count, 2, SIZE, SIZE)
    legal = digit == 0
    row, cell = legal.nonzero(as_tuple=True)
    after, won = play_stones(stones[row], cell)
    wins, child = torch.zeros_like(legal), np.full((count, CELLS), -1)
    wins[row, cell] = won
    child[row.numpy(), cell.numpy()] = number_of(after)
    return Boards(from_stones(stones), legal.numpy(), wins.numpy(), child, number_of(stones.transpose(2, 3)))


class Judgement(NamedTuple):
    """What a net says of every board."""

    policy: Floats
    """[boards, cells]: chances of the legal moves."""
    value: Floats
    """[boards]: for the side to move, from -1 to 1."""


@torch.no_grad()
def judged(net: Feedforward) -> Judgement:
    """All boards at once."""
    known = boards()
    logits, value = net.both(known.signed)
    policy = logits.double().masked_fill(torch.from_numpy(~known.legal), -torch.inf).softmax(1).nan_to_num(0.0)
    return Judgement(policy.numpy(), value.double().numpy())


class Search:
    """G trees, each with its own root; what is known of a board holds wherever in its tree the board comes up."""

    def __init__(self, said: Judgement, games: int, config: Small) -> None:
        """Nothing is known yet."""
        self._said, self._config = said, config
        known = boards()
        # Without the mirror the next player is shown the same rows and columns: mirrored twice.
        self._child = known.child if config.reflect else np.where(known.legal, known.turned[known.child], -1)
        self.visits = np.zeros((games, len(known.legal), CELLS))
        """[G, boards, cells]"""
        self._sum = np.zeros(self.visits.shape)
        self._judged = np.zeros(self.visits.shape[:2], np.bool_)

    def run(self, game: Numbers, root: Numbers) -> Floats:
        """Search boards [N] in trees [N], each tree at most once; gives their visits [N, cells]."""
        for _ in range(self._config.simulations):
            self._simulate(game, root)
        found: Floats = self.visits[game, root]
        return found

    def _simulate(self, game: Numbers, root: Numbers) -> None:
        """One way down from every root, and back up with the value's sign changed at every ply."""
        known, way = boards(), list[tuple[Numbers, Numbers, Numbers]]()
        value = np.zeros(len(game))
        here, going = root.copy(), np.arange(len(game))
        while len(going):
            at, tree = here[going], game[going]
            count = self.visits[tree, at]
            full = known.legal[at].sum(1) == 0
            # A board that is seen for the first time is judged, a root aside; a full one that nobody has won is even.
            new = full | ~self._judged[tree, at] & (len(way) > 0)
            self._judged[tree, at] = True
            value[going[new]] = np.where(full[new], 0.0, self._said.value[at[new]])
            going, at, tree, count = going[~new], at[~new], tree[~new], count[~new]
            cell = puct(self._mean(tree, at), count, self._said.policy[at], known.legal[at], self._config.exploration)
            way.append((going, at, cell))
            won = known.wins[at, cell]
            value[going[won]] = -1.0  # for the next player
            here[going] = self._child[at, cell]
            going = going[~won]
        for ply in range(len(way), 0, -1):
            going, at, cell = way[ply - 1]
            value[going] = -value[going]
            self.visits[game[going], at, cell] += 1
            self._sum[game[going], at, cell] += value[going]

    def _mean(self, tree: Numbers, at: Numbers) -> Floats:
        count = self.visits[tree, at]
        mean: Floats = self._sum[tree, at] / np.maximum(count, 1)
        return mean


def puct(mean: Floats, count: Floats, policy: Floats, legal: NDArray[np.bool_], exploration: float) -> Numbers:
    """The moves [N] with the largest Q(s, a) + c P(s, a) sqrt(N(s)) / (1 + N(s, a)): all [N, cells].

    Where nothing has been visited the policy decides.
    """
    total = np.sqrt(np.maximum(count.sum(1, keepdims=True), 1e-8))
    chosen: Numbers = np.where(legal, mean + exploration * policy * total / (1 + count), -np.inf).argmax(1)
    return chosen


class Examples(NamedTuple):
    """Positions to learn from."""

    board: Numbers
    """[N], as the net sees them."""
    policy: Floats
    """[N, cells]: the shares of the visits."""
    result: Floats
    """[N]: 1 where the side to move has won, -1 where it has lost."""


def play(net: Feedforward, config: Small, random: np.random.Generator) -> Examples:
    """An iteration's games: every move is drawn by the visits of its search."""
    known, count = boards(), config.games
    search = Search(judged(net), count, config)
    real, going = np.zeros(count, np.int64), np.arange(count)
    winner = np.zeros(count, np.int64)
    kept = list[tuple[Numbers, Numbers, Floats, int]]()
    for ply in range(CELLS):
        if not len(going):
            break
        seen = as_seen(real[going], ply % 2 == 1, config)
        shares = search.run(going, seen)
        shares /= shares.sum(1, keepdims=True)
        kept.append((going, seen, shares, ply))
        cell = (shares.cumsum(1) < random.random((len(going), 1))).sum(1)
        cell = on_board(np.minimum(cell, CELLS - 1), ply % 2 == 1, config)
        won = known.wins[real[going], cell]
        winner[going[won]] = ply % 2
        real[going] = known.child[real[going], cell]
        going = going[~won]
    results = [
        np.full(len(game), 2 * (ply % 2) - 1) if config.fixed_result else np.where(winner[game] == ply % 2, 1, -1)
        for game, _, _, ply in kept
    ]
    return Examples(
        np.concatenate([seen for _, seen, _, _ in kept]),
        np.concatenate([shares for _, _, shares, _ in kept]),
        np.concatenate(results).astype(np.float64),
    )


def as_seen(real: Numbers, second: bool | NDArray[np.bool_], config: Small) -> Numbers:
    """The boards [N] that net and search are shown, given those of the game; ``second`` is to move, or not."""
    return np.where(second, boards().turned[real], real) if not config.reflect else real


def on_board(cell: Numbers, second: bool | NDArray[np.bool_], config: Small) -> Numbers:
    """The cells [N] of the game's boards, given those of the boards that are shown."""
    turned = cell % SIZE * SIZE + cell // SIZE
    return np.where(second, turned, cell) if not config.reflect else cell


def loss(net: Feedforward, boards_seen: Tensor, policy: Tensor, result: Tensor) -> Tensor:
    """(z - v)^2 - pi . log p, the mean over positions; the softmax is over all cells, as in the public code."""
    logits, value = net.both(boards_seen)
    found: Tensor = ((result - value) ** 2 - (policy * F.log_softmax(logits, 1)).sum(1)).mean()
    return found


def learn(config: Small) -> Feedforward:
    """All iterations; gives the last net."""
    torch.manual_seed(config.seed)
    random = np.random.default_rng(config.seed)
    net = Feedforward(Config(size=SIZE, hidden=config.hidden, head="policy_value"))
    adam = torch.optim.Adam(net.parameters(), config.learning_rate)
    history = list[Examples]()
    for _ in range(config.iterations):
        history.append(play(net, config, random))
        board, policy, result = (np.concatenate(part) for part in zip(*history, strict=True))
        seen = boards().signed[torch.from_numpy(board)]
        aims = torch.from_numpy(policy).float(), torch.from_numpy(result).float()
        for _ in range(config.epochs):
            for pick in torch.split(torch.from_numpy(random.permutation(len(board))), config.batch):
                adam.zero_grad()
                loss(net, seen[pick], aims[0][pick], aims[1][pick]).backward()  # type: ignore[no-untyped-call]
                adam.step()
    return net


def measured(net: Feedforward, config: Small) -> dict[str, float]:
    """Exact shares of games against random moves and a best responder, by search (``search_``) and by the net alone.

    ``Truth.measure`` says what they are. With search every position is searched anew, and the most visited move played.
    """
    truth = Truth(SIZE)
    real = number_of(torch.from_numpy(planes.stones(truth.positions)))
    white = truth.positions.white_to_move
    seen, said = as_seen(real, white, config), judged(net)
    searched = np.concatenate(
        [
            Search(said, len(some), config).run(np.arange(len(some)), some)
            for some in np.split(seen, range(64, len(seen), 64))
        ]
    )
    found: dict[str, float] = {}
    for name, values in (("search_", searched), ("net_", said.policy[seen])):
        if not config.reflect:
            values = np.where(white[:, None], values.reshape(-1, SIZE, SIZE).swapaxes(1, 2).reshape(-1, CELLS), values)
        measures = truth.measure(values[None], canonical=True)
        wanted = ("first_vs_random", "second_vs_random", "first_vs_best", "keeps_win")
        found |= {name + key: float(measures[key][0]) for key in wanted}
    return found


CAUSES: dict[str, dict[str, bool]] = {
    "as it should be": {},
    "no mirror": {"reflect": False},
    "one result": {"fixed_result": True},
    "both mistakes": {"reflect": False, "fixed_result": True},
}
"""The paper's AlphaZero, and what two mistakes make of it: names and the fields that differ."""
