"""How the paper tests nets, for nets from anywhere: figure 2's games, and searches with a net's prior at equal cost."""

from __future__ import annotations

from fingal.experiments.full_size import Protocol
from fingal.experiments.paper_002.protocol import PAPER, SAMPLED

_SIZES = PAPER.searches.sizes

PROTOCOLS = (
    Protocol("points", "all", None, SAMPLED, opponent=PAPER.opponent),
    Protocol("table-1", "all", None, "uct:prior={},sims=1000", False, "uct:sims=1000", _SIZES),
    Protocol("table-1-9x9", "all", None, "uct:prior={},sims=10000", False, "uct:sims=10000", (9,)),
    Protocol("table-3", "all", None, "uct:prior={},time=1", False, "uct:time=1", _SIZES),
    Protocol("beside", "all", asked=False, opponent=PAPER.opponent),
)
"""Table 1 has 10,000 simulations a move in the paper: here on the net's own board alone."""

BESIDE = ("shortest-path",)
"""Who stands beside the nets, by the games of figure 2."""
