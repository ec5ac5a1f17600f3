"""How the paper tests its net: against MoHex with no search, 1,000 games, the net as first and as second player.

It says nothing of openings. 1,000 is no multiple of 169, so it was no match over all of them: here the net opens as it
likes in one protocol, and every first move is given once with each colour in the other.
"""

from __future__ import annotations

from fingal.experiments.full_size import Protocol

PROTOCOLS = (
    Protocol("free", "none", 1000, "net:{}"),
    Protocol("openings", "all", None, "net:{}"),
    Protocol("beside", "all", None, asked=False),
)
"""'beside' is the mentor, by the same games as 'openings'."""

BESIDE = ("resistance:depth=1",)
"""The resistance heuristic that teaches the net, as a player."""
