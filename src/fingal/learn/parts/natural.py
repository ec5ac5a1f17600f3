"""The natural gradient's metric, kept as the gradients it is made of.

The metric follows the gradients phi that a run meets,

    G_t = (1 - zeta) G_{t-1} + zeta phi phi^T,   G_0 = I,                                    (10)

and an update's direction d becomes (G_t + kappa I)^-1 d. As a matrix, G has six million entries for the net of paper
000 and its inverse is updated in 20 ms; a sweep cannot afford that. Unrolled,

    G_t = (1 - zeta)^t I + sum_i zeta (1 - zeta)^(t-i) phi_i phi_i^T,

so the last m gradients say all of it for the first m updates, and later all but what is older than m. With these rows,
each times the root of its weight, in U [m, P] and c = (1 - zeta)^t + kappa, Woodbury's identity gives

    (U^T U + c I)^-1 d = (d - U^T (U U^T + c I)^-1 U d) / c                                  (11)

with a system of m equations only.
"""

from __future__ import annotations

import torch
from torch import Tensor

PARTS = ("rows", "products", "age", "met")


class Window:
    """The metrics of R runs, from the last m gradients of each."""

    def __init__(self, state: dict[str, Tensor], rate: float, damping: float, name: str = "metric") -> None:
        """``state`` has what ``empty`` gives, and is changed in place; ``rate`` is zeta, ``damping`` kappa."""
        self.rate, self.damping = rate, damping
        self.rows, self.products, self.age, self.met = (state[f"{name}.{part}"] for part in PARTS)

    @staticmethod
    def empty(runs: int, width: int, window: int, name: str = "metric") -> dict[str, Tensor]:
        """The tensors of metrics that have met no gradient, each [R, ...]."""
        return {
            f"{name}.rows": torch.zeros(runs, window, width),
            f"{name}.products": torch.zeros(runs, window, window),
            f"{name}.age": torch.full((runs, window), -1, dtype=torch.int64),
            f"{name}.met": torch.zeros(runs, dtype=torch.int64),
        }

    def meet(self, phi: Tensor) -> None:
        """Take in a gradient [R, P] of each run."""
        window = self.age.shape[1]
        self.age[self.age >= 0] += 1
        self.met += 1
        # All runs of a stack are updated together, so the oldest row is the same in all.
        at = int(self.met[0] - 1) % window
        self.rows[:, at] = phi
        self.age[:, at] = 0
        new = _along(self.rows, phi)
        self.products[:, at] = new
        self.products[:, :, at] = new

    def solve(self, direction: Tensor) -> Tensor:
        """(G + kappa I)^-1 times a direction [R, P]; equation (11)."""
        keep = 1 - self.rate
        floor = keep ** self.met.to(direction.dtype) + self.damping
        weight = torch.where(self.age >= 0, self.rate * keep ** self.age.clamp(min=0).to(direction.dtype), 0.0)
        root = weight.sqrt()
        system = root.unsqueeze(2) * self.products * root.unsqueeze(1)
        system.diagonal(dim1=1, dim2=2).add_(floor.unsqueeze(1))
        # A run whose gradients are not finite any more must not stop the others.
        lost = ~torch.isfinite(system).all(2).all(1)
        system[lost] = torch.eye(system.shape[1])
        seen = _along(self.rows, direction) * root
        solved = torch.cholesky_solve(seen.unsqueeze(2), torch.linalg.cholesky(system)).squeeze(2) * root
        back = (
            torch.stack([one @ row for row, one in zip(self.rows, solved, strict=True)]) if len(solved) else direction
        )
        return (direction - back) / floor.unsqueeze(1)


def _along(rows: Tensor, vector: Tensor) -> Tensor:
    """Products of rows [R, m, P] with a vector [R, P]: [R, m]. One matrix at a time is faster than a batch of them."""
    return torch.stack([row @ one for row, one in zip(rows, vector, strict=True)])
