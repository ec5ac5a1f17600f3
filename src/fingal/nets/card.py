"""A net's card: what it is, what it sees, what it says and what it cost. It travels inside the net's file.

Reading one needs no torch. Text that comes from a file is hostile until ``Card.parse`` has been through it.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from fingal.game.board import MAX_SIDE
from fingal.nets.planes import ENCODER

FORMAT = 1
"""The version of the card and of what stands beside it in the file."""

KEY = "fingal"
"""The card's key in the metadata of a safetensors or ONNX file."""

MAX_BYTES = 64 << 20
"""Nothing larger is opened."""

WEIGHTS = Path(__file__).parents[1] / "weights"
"""Where the shipped nets are."""

_MAX_TEXT = 64 << 10
_MAX_NAME = 255


class CheckpointError(ValueError):
    """A file that is not a net this build can use; the message is one sentence for the person who chose it."""


@dataclass(frozen=True)
class Card:
    """What a net's file says of itself."""

    name: str
    """The net's name, for people and tables."""
    config: dict[str, Any]
    """The architecture's settings."""
    architecture: str = "residual"
    """The file of ``fingal.nets`` that builds it: ``residual``, ``hexagonal`` or another that ``checkpoint`` finds."""
    encoder: str = ENCODER
    """The planes it sees."""
    view: str = "canonical"
    """Whose view they give: ``canonical`` is the side to move as Black, ``absolute`` the board as it is."""
    head: str = "policy_value"
    """What it says: ``policy_value``; ``q``, a value of every move; or ``policy``, logits of the moves alone."""
    precision: str = "float32"
    """How the weights are stored: ``float32``, ``float16`` or ``int8``."""
    sizes: tuple[str, ...] = ()
    """The boards it was trained on, as '11x11' (width x height)."""
    cost: dict[str, float | str] = field(default_factory=dict)
    """What the training cost, in whatever units say it best: ``{"h200_minutes": 27.0, "positions": 3e7}``."""
    date: str = field(default_factory=lambda: date.today().isoformat())
    """The day it was made."""
    notes: str = ""
    """Anything else worth knowing."""
    format: int = FORMAT
    """The version of the card."""

    def text(self) -> str:
        """The card as JSON."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def parse(cls, text: object, source: str) -> Card:
        """Read a card. ``source`` is named in the CheckpointError that anything wrong raises."""
        if not isinstance(text, str):
            raise CheckpointError(f"{source} has no card: it is not a net of Fingal's")
        known = _json_object(text, source)
        version = known.get("format")
        if type(version) is not int or version != FORMAT:
            raise CheckpointError(
                f"{source} has a card of version {_short(version)}, and this build of Fingal reads version {FORMAT}"
            )
        unknown = sorted(set(known) - {entry.name for entry in fields(cls)})
        if unknown:
            raise CheckpointError(f"{source}: the card has an entry {_short(unknown[0])} that version {FORMAT} has not")
        for key in ("name", "config"):
            if key not in known:
                raise CheckpointError(f"{source}: the card says nothing of its {key}")
        for key in ("name", "architecture", "encoder", "view", "head", "precision", "date", "notes"):
            if not isinstance(known.get(key, ""), str):
                raise CheckpointError(f"{source}: the card's {key} is not text")
        sizes, cost = known.get("sizes", []), known.get("cost", {})
        if not isinstance(known["config"], dict):
            raise CheckpointError(f"{source}: the card's config is not an object")
        if not known["name"].isprintable() or not 1 <= len(known["name"]) <= _MAX_NAME:
            raise CheckpointError(f"{source}: the card's name {_short(known['name'])} is not a line of text")
        if not isinstance(sizes, list) or not all(map(_is_size, sizes)):
            raise CheckpointError(f"{source}: the card's sizes are not a list of boards such as '11x11'")
        if not isinstance(cost, dict) or not all(_is_number(v) or isinstance(v, str) for v in cost.values()):
            raise CheckpointError(f"{source}: the card's cost is not an object of numbers and texts")
        return cls(**{**known, "sizes": tuple(sizes)})

    def require(
        self,
        source: str,
        architectures: Sequence[str] | None = None,
        encoder: str | None = ENCODER,
        head: str | None = "policy_value",
        view: str | None = "canonical",
    ) -> None:
        """CheckpointError unless the architecture is one of these, and planes, view and head are these; None: any."""
        for what, value, known in (
            ("architecture", self.architecture, architectures),
            ("planes", self.encoder, None if encoder is None else (encoder,)),
            ("view", self.view, None if view is None else (view,)),
            ("head", self.head, None if head is None else (head,)),
        ):
            if known is not None and value not in known:
                raise CheckpointError(f"{source} has {what} {_short(value)} where {' or '.join(known)} is expected")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """A file's content; CheckpointError when it is missing, no file, or larger than any net."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise CheckpointError(f"{path} is larger than {MAX_BYTES >> 20} MiB, the most that a net may have")
    return data


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that, whatever happens, ``path`` holds either all of it or what it held before."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if os.name == "posix":
        # The new name, too, has to reach the disk.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def shipped() -> list[str]:
    """The names of the nets that come with Fingal."""
    return sorted(
        {path.name.partition(".")[0] for path in WEIGHTS.glob("*") if path.suffix in (".onnx", ".safetensors")}
    )


def is_shipped(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of those that come with Fingal."""
    return Path(path).resolve().parent == WEIGHTS.resolve()


def find(name: str | os.PathLike[str], endings: Sequence[str] = (".safetensors", ".onnx")) -> Path:
    """The file of a net: a path as it is, or a shipped net's name with the first of ``endings`` that exists."""
    path = Path(name)
    if path.suffix or len(path.parts) > 1 or path.is_file():
        if not path.is_file():
            raise CheckpointError(f"there is no file {path}")
        return path
    for ending in endings:
        candidate = WEIGHTS / f"{path.name}{ending}"
        if candidate.is_file():
            return candidate
    names = ", ".join(shipped()) or "none"
    raise CheckpointError(f"there is no net {_short(path.name)}: give a file, or one of those shipped ({names})")


def _json_object(text: str, source: str) -> dict[str, Any]:
    if len(text) > _MAX_TEXT:
        raise CheckpointError(f"{source}: the card is longer than {_MAX_TEXT >> 10} KiB")
    try:
        value = json.loads(text, parse_constant=lambda name: float("inf"))
    except (ValueError, RecursionError):
        raise CheckpointError(f"{source}: the card is not JSON") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{source}: the card is not a JSON object")
    return value


def _is_size(value: object) -> bool:
    if not isinstance(value, str) or re.fullmatch(r"[1-9]\d?x[1-9]\d?", value, re.ASCII) is None:
        return False
    return max(map(int, value.split("x"))) <= MAX_SIDE


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
