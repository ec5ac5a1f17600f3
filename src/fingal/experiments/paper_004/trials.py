"""How the paper tests its nets: against MoHex, every opening within two rows of a side once with each colour."""

from __future__ import annotations

from fingal.experiments.full_size import Protocol

PROTOCOLS = (
    Protocol("depth-1", "edge", None, "minimax:net={},depth=1"),
    Protocol("depth-2", "edge", None, "minimax:net={},depth=2"),
    Protocol("lines", "edge"),
    Protocol("openings", "all", None, "minimax:net={},depth=2", asked=False),
)
"""'lines' are the players beside the nets, which the paper draws as lines. 'openings' is not the paper's: nets are
trained and tested on openings near the sides, and this is every opening."""

BESIDE = ("resistance:depth=2", "characteristics:depth=2")
"""Wolve's part, and ours instead of EZO's, whose features are not published."""
