"""A picture of a run's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Panel = tuple[str, tuple[str, ...]]
"""A panel's title and the figures that it shows."""


def draw(
    path: Path,
    runs: Sequence[Sequence[Mapping[str, Any]]],
    panels: Sequence[Panel],
    across: str,
    label: str,
    titles: Mapping[str, str] | None = None,
) -> Path | None:
    """Draw runs' rows of figures over the one called ``across``; thin lines are runs, thick ones their means.

    ``label`` stands below the panels, ``titles`` say what figures are called. A figure that no row has is left out.
    None where matplotlib is missing or there is nothing to draw.
    """
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    having = {name for rows in runs for row in rows for name in row}
    drawn = [(title, [name for name in names if name in having]) for title, names in panels]
    drawn = [(title, names) for title, names in drawn if names]
    if not drawn:
        return None
    figure, axes = pyplot.subplots(1, len(drawn), figsize=(5 * len(drawn), 4), layout="constrained", squeeze=False)
    for axis, (title, names) in zip(axes[0], drawn, strict=True):
        for number, name in enumerate(names):
            curves = [[(row[across], row[name]) for row in rows if name in row] for rows in runs]
            curves = [curve for curve in curves if curve]
            for curve in curves if len(curves) > 1 else []:
                axis.plot(*zip(*curve, strict=True), color=f"C{number}", linewidth=0.6, alpha=0.4)
            shortest = min(len(curve) for curve in curves)
            mean = np.mean([curve[:shortest] for curve in curves], axis=0)
            called = (titles or {}).get(name, name.replace("_", " "))
            axis.plot(mean[:, 0], mean[:, 1], color=f"C{number}", marker="." if len(mean) < 40 else "", label=called)
        axis.set_title(title)
        axis.set_xlabel(label)
        axis.legend()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
    return path
