"""Ranges of numbers in settings: what is outside of one is rejected by the setting's name, before it reaches the core.

The core counts in 32 and 64 bits and computes scores in 32-bit floats; operating systems count seconds in 64 bits.
"""

from __future__ import annotations

import math
from typing import Any

MOST_INT = 2**31 - 1
"""The largest number of a setting that the core holds in 32 bits."""
MOST_COUNT = 10**18
"""The largest limit of simulations and of positions: they are counted in 64 bits, with those of earlier searches."""
MOST_SECONDS = 10**9
"""The longest time, about 31 years."""
MOST_THREADS = 256
MOST_BATCH = 4096
"""Positions that a net evaluates at once: each needs memory in every thread."""
MOST_MEMORY = 10**8
"""The most megabytes of a solver's table."""
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 10**6
"""Factors of a formula: beyond these, a 32-bit float loses the other part of a sum, or is infinite."""


def check_range(settings: Any, least: float, most: float, *names: str) -> None:
    """Reject settings that are not from ``least`` to ``most``, NaN among them; None, for no setting, may stand."""
    for name in names:
        check_number(name, getattr(settings, name), least, most)


def check_number(name: str, value: float | None, least: float, most: float) -> None:
    """Reject a number that is not from ``least`` to ``most`` with a ValueError that names it; None may stand."""
    if value is not None and not least <= value <= most:
        raise ValueError(f"{name} must be from {shown(least)} to {shown(most)}, not {shown(value)}")


def shown(number: float) -> str:
    """A number as an error message shows it: a whole number of more than 40 digits by its power of ten."""
    if isinstance(number, int) and abs(number) >= 10**40:
        return f"{'-' if number < 0 else ''}10^{int(math.log10(abs(number)))}"
    return str(number)
