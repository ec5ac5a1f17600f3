"""JSON files that Fingal wrote and reads again: whatever else they hold is an error of one sentence with their name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

MAX_BYTES = 256 << 20
"""Nothing larger is read."""


def read_json(path: Path, expected: str) -> Any:
    """Read a JSON file; ValueError, with the file's name and what is ``expected`` there, when it is not JSON."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) <= MAX_BYTES:
            return json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} cannot be read: it is not JSON, where {expected} is expected ({error})") from None
    except ValueError:
        raise ValueError(f"{path} cannot be read: it is not JSON, where {expected} is expected") from None
    except RecursionError:
        raise ValueError(f"{path} cannot be read: it is nested too deep, where {expected} is expected") from None
    raise ValueError(f"{path} cannot be read: {expected} is expected, and no more than {MAX_BYTES >> 20} MiB")


def read_object(path: Path, expected: str) -> dict[str, Any]:
    """Read a JSON file that holds an object; ValueError, with the file's name, when it holds something else."""
    value = read_json(path, expected)
    if not isinstance(value, dict):
        raise ValueError(f"{path} cannot be read: it is no JSON object, where {expected} is expected")
    return value


def read_rows(path: Path, *, live: bool = False, pure: bool = False) -> list[dict[str, Any]]:
    """Read a run's rows of figures, one JSON object a line, each with a number called ``step``.

    ValueError, with the file's name and the line's number, when a line is something else. With ``live`` a last line
    that has no end yet is left out: it is being written, or a kill cut it short. With ``pure`` a row holds numbers
    alone, as those that a learner of Fingal's logs; such a number may be NaN.
    """
    data = path.read_bytes()
    if live:
        data = data[: data.rfind(b"\n") + 1]
    rows = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not is_finite(row.get("step")):
            raise ValueError(f"{path}, line {number} is no line of figures: an object with a step is expected")
        if pure and not all(isinstance(value, float) or is_finite(value) for value in row.values()):
            raise ValueError(f"{path}, line {number} is no line of figures: it holds something else than numbers")
        rows.append(row)
    return rows


def is_finite(value: object) -> bool:
    """Whether a value from JSON is a number that a float can hold."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
