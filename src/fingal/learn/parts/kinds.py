"""What a learner's settings may be: each check is a ValueError, one sentence that names the setting.

What comes from a program or a sweep is not read by the command line, so kinds are checked too.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from fingal.ranges import MOST_COUNT, check_number

MOST_GAMES = 1 << 20
"""More at once would need more memory than there is."""


def check_kinds(settings: Any) -> None:
    """Refuse a setting that has to be a whole number, or true or false, and is not."""
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if setting.type == "bool" and type(value) is not bool:
            raise ValueError(f"{setting.name} must be true or false, not {value!r:.40}")
        if value is None and setting.type == "int | None":
            continue
        if setting.type in ("int", "int | None") and type(value) is not int:
            raise ValueError(f"{setting.name} must be a whole number, not {value!r:.40}")


def check_numbers(settings: Any) -> None:
    """Reject whole numbers that 64 bits do not hold, with room for what is added to them while a run counts."""
    for setting in fields(settings):
        if type(value := getattr(settings, setting.name)) is int:
            check_number(setting.name, value, -MOST_COUNT, MOST_COUNT)


def check_least(settings: Any, least: int, *names: str) -> None:
    """Refuse less than ``least``."""
    for name in names:
        if getattr(settings, name) < least:
            raise ValueError(f"{name} must be at least {least}, not {getattr(settings, name)}")


def check_most(settings: Any, most: int, *names: str) -> None:
    """Refuse more than ``most``."""
    for name in names:
        if getattr(settings, name) > most:
            raise ValueError(f"{name} must be at most {most}, not {getattr(settings, name)}")


def check_from_0(settings: Any, *names: str) -> None:
    """Refuse what is below 0, endless or no number."""
    for name in names:
        if not 0 <= getattr(settings, name) < math.inf:
            raise ValueError(f"{name} must be a number from 0, not {getattr(settings, name)}")


def check_above_0(settings: Any, *names: str) -> None:
    """Refuse the same, and 0."""
    for name in names:
        if not 0 < getattr(settings, name) < math.inf:
            raise ValueError(f"{name} must be a number above 0, not {getattr(settings, name)}")


def check_shares(settings: Any, *names: str) -> None:
    """Refuse what is no share of a whole."""
    for name in names:
        if not 0 <= getattr(settings, name) <= 1:
            raise ValueError(f"{name} must be from 0 to 1, not {getattr(settings, name)}")


def check_seed(settings: Any, bits: int) -> None:
    """Refuse a seed of more bits, or below 0."""
    if not 0 <= settings.seed < 2**bits:
        raise ValueError(f"seed must be from 0 to 2**{bits} - 1, not {settings.seed}")


def check_sizes(settings: Any) -> None:
    """Refuse board sides that are none, and weights in ``shares`` that are not one a side."""
    sizes, shares = settings.sizes, settings.shares
    possible = all(type(size) is int and 2 <= size <= 19 for size in sizes)
    if not sizes or not possible or len(set(sizes)) < len(sizes):
        raise ValueError(f"sizes must be different numbers from 2 to 19, not {sizes}")
    if shares and (len(shares) != len(sizes) or not 0 < min(shares) <= sum(shares) < math.inf):
        raise ValueError(f"shares must be {len(sizes)} numbers above 0, one a size, not {shares}")
