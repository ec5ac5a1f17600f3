"""Of which kind a learner's settings are: what comes from a program or a sweep is not read by the command line."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def check_kinds(settings: Any) -> None:
    """ValueError, one sentence, for a setting that has to be a whole number, or true or false, and is not."""
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if setting.type == "bool" and type(value) is not bool:
            raise ValueError(f"{setting.name} must be true or false, not {value!r:.40}")
        if value is None and setting.type == "int | None":
            continue
        if setting.type in ("int", "int | None") and type(value) is not int:
            raise ValueError(f"{setting.name} must be a whole number, not {value!r:.40}")
