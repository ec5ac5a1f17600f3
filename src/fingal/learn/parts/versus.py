"""Two nets against each other with no search, many games at once."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from fingal import _core
from fingal.nets.planes_torch import encode, layout, to_board
from fingal.nets.residual import Residual
from fingal.nets.ringed import Ringed


@torch.no_grad()
def raw_match(first: Residual | Ringed, second: Residual | Ringed, size: int, games: int, seed: int = 0) -> float:
    """How often the first net wins, playing its policy's best move; every game begins with a random stone.

    Each opening is played twice, once with each net as Black.
    """
    device = next(first.parameters()).device
    pairs = max(1, games // 2)
    opening = np.random.default_rng(seed).permutation(size * size)[np.arange(pairs) % (size * size)].astype(np.int32)
    won = 0
    for black_is_first in (True, False):
        batch = _core.Batch(size, size, pairs)
        reward, over = np.zeros(pairs, np.float32), np.zeros(pairs, np.bool_)
        batch.step(opening, reward, over)
        left = ~over
        order = (1, 0) if black_is_first else (0, 1)  # White moves after the opening stone
        for ply in range(size * size):
            if not left.any():
                break
            mover = order[ply % 2]
            batch.step(_best_moves((first, second)[mover], batch, device), reward, over)
            if mover == 0:
                won += int((left & over).sum())
            left &= ~over
    return won / (2 * pairs)


def _best_moves(
    net: Residual | Ringed, batch: _core.Batch, device: torch.device
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    count, size = batch.count, batch.width
    stones = np.zeros((2, count, batch.words), np.uint64)
    white, last = np.zeros(count, np.bool_), np.zeros(count, np.int32)
    batch.pack(stones, white, last)
    packed: Tensor = torch.from_numpy(stones.view(np.int64)).to(device)
    to_move = torch.from_numpy(white).to(device)
    planes = encode(packed, to_move, layout(to_move, size, size, (size, size)), (size, size))
    logits = to_board(net(planes).policy.float(), to_move, size, size).cpu().numpy()
    taken = np.unpackbits(stones.view(np.uint8), axis=2, bitorder="little")[:, :, : size * size].any(0)
    moves: np.ndarray[tuple[int], np.dtype[np.int32]] = np.where(taken, -np.inf, logits).argmax(1).astype(np.int32)
    return moves
