"""Learn what local patterns are worth from games: ``python -m fingal.learn.patterns SIZE:MOVES:FILE... [-o OUT]``.

So many moves are drawn from each file of games on boards of that size. The shipped scores are those of
``9:150000:mohex-9x9-games.txt 13:60000:wolve-13x13-games.txt``.

Each line of a file is a game: its moves, Black's first. A number before them says how many were not chosen by a player
(1 if there is none); other words before them are passed over. The moves of a game were chosen from all empty cells;
what is learned is how likely each was, as a softmax of scores (the generalised Bradley-Terry model that MoHex 2.0 fits
by minorisation-maximisation; here by gradients). A move's score is the sum of those of

- its pattern of twelve cells, where that is frequent, and of the six cells that touch it,
- the last move's place, when it is among the twelve, with the six cells that touch,
- for priors alone: the shares of both colours' electric energy in its cell.

Positions are seen in the view of a side to move that joins top and bottom, and turned by 180 degrees they are the same.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fingal import _core
from fingal.game import Board
from fingal.game.board import parse_size
from fingal.nets.planes import joined, positions_of
from fingal.search.evaluator import Positions
from fingal.search.patterns import BINS, FILE, PATTERNS, PLACES, RINGS, STEP, opposite, rotated

FREQUENT = 20
"""A pattern with so many occurrences gets a score of its own."""
BATCH, EPOCHS, RATE, DECAY = 1024, 3, 0.03, 3e-6
"""Of the fit: positions a step, passes, Adam's first rate, and the weight of the squared scores in the loss."""


@dataclass(frozen=True)
class Choices:
    """Moves that were chosen. N positions of one size; features are -1 where there is no move or no such feature."""

    pattern: NDArray[np.int32]
    """[N, cells]: the pattern of twelve, whichever of it and its rotated self is the smaller number."""
    reply: NDArray[np.int32]
    """[N, cells]: the last move's place and the ring, likewise."""
    energy: NDArray[np.int32]
    """[N, cells]"""
    chosen: NDArray[np.int64]
    """[N]: the cell."""
    held_out: NDArray[np.bool_]
    """[N]: whether the position is for testing; every tenth game is."""


def read(size: str, most: int, path: Path, seed: int = 1) -> Choices:
    """At most so many of the moves of a file of games, drawn at random."""
    width, height = parse_size(size)
    games = [moves_of(line, width, height) for line in path.read_text(encoding="utf-8").splitlines()]
    every = [(game, ply) for game, (skip, moves) in enumerate(games) for ply in range(skip, len(moves))]
    drawn = {every[i] for i in np.random.default_rng(seed).permutation(len(every))[:most]}
    parts: list[Positions] = []
    chosen, held_out = [], []
    for game, (_, moves) in enumerate(games):
        board, seen = Board(width, height), []
        for ply, move in enumerate(moves):
            if (game, ply) in drawn:
                seen.append(board.copy())
                chosen.append(move)
                held_out.append(game % 10 == 0)
            board.push(move)
        if seen:
            parts.append(positions_of(seen))
    found = joined(parts)
    features = _core.pattern_features(found.stones, found.white_to_move, found.last, width, height)
    pattern, reply, energy = features
    return Choices(canonical(pattern), canonical_reply(reply), energy, np.array(chosen), np.array(held_out))


def moves_of(line: str, width: int, height: int) -> tuple[int, list[int]]:
    """How many moves of a game were not chosen, and its moves."""
    skip = 1
    moves: list[int] = []
    for word in line.split():
        if word.isdecimal() and not moves:
            skip = int(word)
        elif len(word) > 1:
            moves.append(_core.parse_cell(word, width, height))
    return skip, moves


def canonical(pattern: NDArray[np.int32]) -> NDArray[np.int32]:
    """The smaller of each pattern and its rotated self; -1 stays."""
    both = np.minimum(np.arange(PATTERNS), rotated(np.arange(PATTERNS))).astype(np.int32)
    return np.where(pattern < 0, -1, both[pattern]).astype(np.int32)


def canonical_reply(reply: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same of a place and a ring."""
    place, ring = np.divmod(np.arange(PLACES * RINGS), RINGS)
    turned = np.array([opposite(at) for at in range(PLACES)])[place] * RINGS + rotated(ring, 6)
    both = np.minimum(np.arange(PLACES * RINGS), turned).astype(np.int32)
    return np.where(reply < 0, -1, both[reply]).astype(np.int32)


class Scores:
    """The scores to be learned; index 0 of each is 0 for ever."""

    def __init__(self, frequent: NDArray[np.int64], energy: bool) -> None:
        self.frequent = frequent
        self.index = np.zeros(PATTERNS + 1, np.int64)
        self.index[frequent] = 1 + np.arange(len(frequent))
        rings = np.arange(RINGS)
        self.ring_of = np.append(np.minimum(rings, rotated(rings, 6)), 0)
        sizes = (len(frequent) + 1, RINGS, PLACES * RINGS + 1, BINS * BINS if energy else 0)
        self.pattern, self.ring, self.reply, self.energy = (torch.zeros(size, requires_grad=True) for size in sizes)

    def parameters(self) -> list[Tensor]:
        """All that is learned."""
        return [self.pattern, self.ring, self.reply, self.energy]

    def logits(self, choices: Choices, rows: NDArray[np.int64]) -> Tensor:
        """[rows, cells], minus infinity where there is a stone."""
        pattern, reply = choices.pattern[rows], choices.reply[rows]
        own, answer = torch.from_numpy(self.index[pattern]), torch.from_numpy(reply.astype(np.int64) + 1)
        score = self.pattern[own] * (own > 0) + self.ring[torch.from_numpy(self.ring_of[pattern % RINGS])]
        score = score + self.reply[answer] * (answer > 0)
        if len(self.energy):
            score = score + self.energy[torch.from_numpy(np.maximum(choices.energy[rows], 0).astype(np.int64))]
        return score.masked_fill(torch.from_numpy(pattern < 0), -torch.inf)

    def bytes(self) -> dict[str, NDArray[np.int8]]:
        """The scores as they are kept in the file."""
        turned = rotated(np.arange(RINGS), 6)
        rings = self.ring.detach().numpy()[np.minimum(np.arange(RINGS), turned)]
        replies = self.reply.detach().numpy()[1 + canonical_reply(np.arange(PLACES * RINGS, dtype=np.int32))]
        energy = self.energy.detach().numpy() if len(self.energy) else np.zeros(BINS * BINS)
        kept = {"ring": rings, "pattern": self.pattern.detach().numpy()[1:], "reply": replies, "energy": energy}
        return {name: np.clip(np.round(array / STEP), -127, 127).astype(np.int8) for name, array in kept.items()}


def fit(sources: list[Choices], scores: Scores) -> None:
    """Learn the scores of what was chosen, and tell how well the games held out are foreseen."""
    optimizer = torch.optim.Adam(scores.parameters(), lr=RATE)
    for epoch in range(EPOCHS):
        random, begun = np.random.default_rng(epoch), time.monotonic()
        optimizer.param_groups[0]["lr"] = RATE * 0.4**epoch
        steps: list[tuple[Choices, NDArray[np.int64]]] = []
        for choices in sources:
            rows = random.permutation(np.flatnonzero(~choices.held_out))
            steps += [(choices, rows[i : i + BATCH]) for i in range(0, len(rows), BATCH)]
        for i in random.permutation(len(steps)):
            choices, rows = steps[i]
            loss = torch.nn.functional.cross_entropy(
                scores.logits(choices, rows), torch.from_numpy(choices.chosen[rows])
            )
            loss = loss + DECAY * sum((part**2).sum() for part in scores.parameters())
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        for choices in sources:
            loss_, share = foreseen(choices, scores)
            seconds = time.monotonic() - begun
            print(f"epoch {epoch}: loss {loss_:.3f}, move foreseen {share:.1%}, {seconds:.0f} s", flush=True)


@torch.no_grad()
def foreseen(choices: Choices, scores: Scores) -> tuple[float, float]:
    """On the games held out: the chosen move's mean cross-entropy, and how often it is the likeliest."""
    rows = np.flatnonzero(choices.held_out)
    logits, chosen = scores.logits(choices, rows), torch.from_numpy(choices.chosen[rows])
    right = logits.argmax(1) == chosen
    return float(torch.nn.functional.cross_entropy(logits, chosen)), float(right.float().mean())


def learn(sources: list[Choices], output: Path) -> None:
    """Fit the scores for priors and for playouts, and write them."""
    count = sum(np.bincount(choices.pattern[choices.pattern >= 0], minlength=PATTERNS) for choices in sources)
    frequent = np.flatnonzero(count >= FREQUENT)
    print(f"{len(frequent)} frequent patterns", flush=True)
    kept: dict[str, NDArray[np.generic]] = {"patterns": frequent.astype(np.uint32)}
    for kind in ("prior", "playout"):
        scores = Scores(frequent, energy=kind == "prior")
        fit(sources, scores)
        kept |= {f"{kind}_{name}": array for name, array in scores.bytes().items()}
    np.savez_compressed(output, **kept)  # type: ignore[arg-type]


def main(arguments: list[str]) -> None:
    """Learn from the files named."""
    torch.set_num_threads(1)  # the steps are too small to share
    output = FILE
    if "-o" in arguments:
        at = arguments.index("-o")
        output = Path(arguments[at + 1])
        arguments = arguments[:at] + arguments[at + 2 :]
    named = (argument.split(":", 2) for argument in arguments)
    learn([read(size, int(most), Path(path)) for size, most, path in named], output)


if __name__ == "__main__":
    main(sys.argv[1:])
