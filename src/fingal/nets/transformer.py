"""The transformers of paper 003, one token a cell, and one of ours.

What a token knows of its place is ``positions``:

==========  ====================================================================================================
cube        the cell's cube coordinates beside its stone: Linear 4 -> width, LayerNorm, ReLU. Plays any board.
learned     a learned vector for each stone and one for each cell, added. Plays one board size.
relative    as cube; besides, each head of each layer has a learned number for every offset between two cells, added
            to its attention. It begins as minus the distance in steps of the board times a slope, from 1 for the
            first head to 1/8 for the last: a cell begins by looking at its neighbours. Plays any board.
==========  ====================================================================================================

The layers are torch's encoder layers, with all their initial weights: attention, then two dense layers with a ReLU,
each added to what came in. The paper normalises after each sum (``norm="post"``); ``pre`` normalises what goes into
each part and once more at the end. A ReLU and a dense layer make a number of every token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fingal.nets.attention import nearness, offsets
from fingal.nets.signed_net import Kind, Signed, Value, cube

Places = Literal["cube", "learned", "relative"]


@dataclass(frozen=True)
class Config(Kind):
    """The shape of a transformer."""

    positions: Places = "cube"
    """How a token knows its place."""
    size: int | None = None
    """The board's side where positions are learned; None otherwise, for any board."""
    width: int = 128
    """Numbers of a token."""
    heads: int = 8
    """Heads of attention, each ``width / heads`` wide."""
    layers: int = 4
    """Encoder layers."""
    dense: int = 512
    """Numbers between a layer's two dense parts."""
    norm: Literal["post", "pre"] = "post"
    """Whether sums are normalised, or what goes into the parts."""
    reach: int = 10
    """Offsets of more rows or columns than this count as so many, where positions are relative."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        super().__post_init__()
        for field, known in (("positions", ("cube", "learned", "relative")), ("norm", ("post", "pre"))):
            if getattr(self, field) not in known:
                raise ValueError(f"{field} must be one of {', '.join(known)}, not {getattr(self, field)!r:.40}")
        self.whole(width=(1, 1024), heads=(1, 64), layers=(1, 64), dense=(1, 8192), reach=(1, 18))
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads, {self.heads}, not {self.width}")
        if self.positions == "learned":
            self.whole(size=(1, 19))
        elif self.size is not None:
            raise ValueError(f"size must be left out where positions are {self.positions}: the net plays any board")


PAPER = Config()
"""The paper's Transformer: 794,113 parameters."""
LEARNED = Config(positions="learned", size=7)
"""The paper's Transformer2 on 7x7: 799,873 parameters."""
RELATIVE = Config(positions="relative", norm="pre")
"""Ours."""


class Layer(nn.Module):
    """Attention among the tokens, then two dense layers for each."""

    def __init__(self, config: Config) -> None:
        """Initial weights as ``torch.nn.TransformerEncoderLayer`` has them."""
        super().__init__()
        self.config = config
        width = config.width
        self.attention = nn.Linear(width, 3 * width)
        self.mixed = nn.Linear(width, width)
        self.dense1, self.dense2 = nn.Linear(width, config.dense), nn.Linear(config.dense, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        nn.init.xavier_uniform_(self.attention.weight)
        nn.init.zeros_(self.attention.bias)
        nn.init.zeros_(self.mixed.bias)
        relative = config.positions == "relative"
        self.offsets = nn.Parameter(nearness(config.heads, config.reach)) if relative else None

    def forward(self, x: Tensor, offset: Tensor | None) -> Tensor:
        """Tokens [B, N, width] to the same; ``offset`` int64 [N, N] is the number of the way from one to another."""
        if self.config.norm == "pre":
            x = x + self._attend(self.norm1(x), offset)
            x = x + self._think(self.norm2(x))
            return x
        x = self.norm1(x + self._attend(x, offset))
        x = self.norm2(x + self._think(x))
        return x

    def _attend(self, x: Tensor, offset: Tensor | None) -> Tensor:
        count, tokens, width = x.shape
        parts = self.attention(x).view(count, tokens, 3, self.config.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind(0)
        near = None if self.offsets is None or offset is None else self.offsets[:, offset].unsqueeze(0).to(query.dtype)
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=near)
        mixed: Tensor = self.mixed(found.transpose(1, 2).reshape(count, tokens, width))
        return mixed

    def _think(self, x: Tensor) -> Tensor:
        thought: Tensor = self.dense2(F.relu(self.dense1(x)))
        return thought


class Transformer(Signed):
    """Attention from every cell to every other."""

    def __init__(self, config: Config = PAPER) -> None:
        """Torch's own initial weights; those of offsets as ``nearness`` says."""
        super().__init__()
        self.config = config
        width = config.width
        if config.positions == "learned":
            assert config.size is not None
            self.stones = nn.Embedding(3, width)
            self.places = nn.Embedding(config.size**2, width)
        else:
            self.entry = nn.Linear(4, width)
            self.entry_norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width) if config.norm == "pre" else None
        self.out = nn.Linear(width, 1)
        self.value = Value(width) if config.valued else None

    @property
    def rounds(self) -> bool:
        """Not where sums are normalised: with cube coordinates that never beat the random player in bfloat16."""
        return bool(self.config.norm == "pre")

    def say(self, boards: Tensor) -> tuple[Tensor, Tensor | None]:
        """Boards [B, rows, columns] to [B, cells], and [B] if the net has a value."""
        rows, columns = boards.shape[1:]
        x = self._tokens(boards)
        offset = offsets(rows, columns, self.config.reach, boards) if self.config.positions == "relative" else None
        for layer in self.layers:
            x = layer(x, offset)
        if self.norm is not None:
            x = self.norm(x)
        x = F.relu(x)
        numbers: Tensor = self.out(x).squeeze(2)
        return numbers, None if self.value is None else self.value(x)

    def _tokens(self, boards: Tensor) -> Tensor:
        """[B, cells, width]"""
        count, rows, columns = boards.shape
        if self.config.positions == "learned":
            tokens: Tensor = self.stones((boards.flatten(1) + 1).long()) + self.places.weight
            return tokens
        where = cube(rows, columns, boards).expand(count, -1, -1, -1)
        seen = torch.cat((boards.unsqueeze(1), where), 1)
        entered: Tensor = F.relu(self.entry_norm(self.entry(seen.flatten(2).mT)))
        return entered
