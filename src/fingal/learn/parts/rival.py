"""Who answers a policy that learns: random moves, the policy itself, or a net of those that it has kept."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import torch
from torch import Tensor

from fingal.learn.parts.opponent_games import random_reply
from fingal.learn.parts.policy import sampled
from fingal.nets import checkpoint
from fingal.nets.signed_net import Signed

Kind = Literal["random", "self", "past"]
KINDS: tuple[str, ...] = get_args(Kind)


class Rival:
    """An opponent for ``OpponentGames``; nets' moves are drawn from their policies."""

    def __init__(self, kind: Kind, net: Signed) -> None:
        """``net`` is the policy as it learns; a past self begins as what it is now."""
        self._kind = kind
        self._net = copy.deepcopy(net) if kind == "past" else net

    def reply(self, boards: Tensor, legal: Tensor, lots: Tensor) -> Tensor:
        """The opponent's move, as ``OpponentGames`` asks for it: int64 [B]."""
        if self._kind == "random":
            return random_reply(boards, legal, lots)
        return sampled(self._net(boards.float()), legal, lots[0])

    def change(self, kept: Sequence[Path], generator: torch.Generator) -> None:
        """Let a past self be one of the nets that were kept, each as likely as the others; nothing for other kinds."""
        if self._kind == "past":
            number = torch.randint(len(kept), (), generator=generator, device=generator.device)
            checkpoint.fill(self._net, kept[int(number)])
