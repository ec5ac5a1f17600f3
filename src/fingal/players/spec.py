"""Players named by text: ``kind`` or ``kind:argument``, with ``key=value`` settings separated by commas.

    random:seed=3       puct:net=fingal-small,sims=400       htp:"mohex --config mohex.htp",timeout=30

A value with commas, quotes or blanks at its ends stands in double quotes; in them, ``\\"`` is a quote and ``\\\\`` a
backslash. The kinds are the files of this package that hold ``Settings`` and ``make``: see ``fingal.players``.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import importlib
import inspect
import math
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import fingal.players
from fingal.players.adjusted import Adjusted
from fingal.players.player import Limit, Player

_ITEMS = re.compile(r'((?:[^",]|"(?:[^"\\]|\\.)*")*)(?:,|\Z)', re.DOTALL)
_ITEM = re.compile(r'(?:([A-Za-z][A-Za-z0-9_-]*)\s*=)?\s*(?:"((?:[^"\\]|\\.)*)"|([^"]*?))', re.DOTALL)
_PLAIN = re.compile(r"[^\s\",=\\]+")
_LIMITS = {"sims": "simulations", "time": "seconds", "nodes": "nodes"}


@dataclass(frozen=True, slots=True)
class Spec:
    """A player's text, taken apart; ``str`` puts it together again."""

    kind: str
    argument: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The text, in the shortest way to write it."""
        items = [] if self.argument is None else [_quoted(self.argument)]
        items += [f"{key}={_quoted(value)}" for key, value in self.settings.items()]
        return f"{self.kind}:{','.join(items)}" if items else self.kind


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a kind."""

    name: str
    type: str
    """'int', 'float', 'text', 'bool', or the texts to choose from: 'a|b'."""
    default: Any
    """None when there is none."""
    doc: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of player."""

    name: str
    doc: str
    """One line."""
    argument: Setting | None
    """What stands right after the colon, if anything does; it must be given."""
    settings: tuple[Setting, ...]
    """Its own, then those that every kind takes, but no temperature where only 0 is possible."""
    module: ModuleType

    @property
    def usage(self) -> str:
        """'random', 'net:NET'."""
        return self.name if self.argument is None else f"{self.name}:{self.argument.name.upper()}"

    def as_dict(self) -> dict[str, Any]:
        """What there is to say about the kind, ready for JSON."""
        argument = None if self.argument is None else dataclasses.asdict(self.argument)
        settings = [dataclasses.asdict(setting) for setting in self.settings]
        return {"name": self.name, "usage": self.usage, "doc": self.doc, "argument": argument, "settings": settings}


@dataclass(frozen=True)
class Common:
    """The settings that every kind takes."""

    epsilon: float = 0.0
    """Probability of a uniformly random legal move instead of the player's own."""
    temperature: float = 0.0
    """0 plays the best move; more draws from the scores, the flatter the higher."""
    seed: int | None = None
    """Start of the random numbers; without one, no two games are alike."""
    name: str | None = None
    """How the player is shown; its text if not given."""

    def __post_init__(self) -> None:
        """Refuse what is no probability and no temperature."""
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon={self.epsilon:g} is not possible: it is a probability, from 0 to 1")
        if self.temperature < 0:
            raise ValueError(f"temperature={self.temperature:g} is not possible: it is 0 or more")


def parse(text: str) -> Spec:
    """Take a player's text apart; ValueError, in one sentence, when it does not follow the grammar."""
    kind, colon, rest = text.strip().partition(":")
    kind = kind.strip()
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", kind):
        raise ValueError(f"{_short(text)} names no player: a text is kind or kind:argument,key=value")
    argument: str | None = None
    settings: dict[str, str] = {}
    for index, item in enumerate(_split(rest, text) if colon else []):
        match = _ITEM.fullmatch(item)
        if match is None or not item:
            raise ValueError(f'cannot read {_short(item)} in {_short(text)}: write key=value, or key="value"')
        key, quoted, bare = match.groups()
        value = bare.strip() if quoted is None else re.sub(r'\\(["\\])', r"\1", quoted)
        if key is None and index == 0:
            argument = value
        elif key is None:
            raise ValueError(f"{_short(item)} in {_short(text)} has no name: only what follows the colon needs none")
        elif (key := key.replace("-", "_")) in settings:
            raise ValueError(f"{key} stands twice in {_short(text)}")
        else:
            settings[key] = value
    return Spec(kind, argument, settings)


def filled(template: str, value: str) -> Spec:
    """A player's text with ``{}`` replaced wherever it stands in a value, as ``net:{}`` by a file.

    >>> str(filled("minimax:net={},depth=2", "my nets/a.safetensors"))
    'minimax:net="my nets/a.safetensors",depth=2'
    """
    told = parse(template)
    if "{}" not in template:
        raise ValueError(f"player={template!r} is not possible: it needs {{}} where the net's file goes")
    argument = None if told.argument is None else told.argument.replace("{}", value)
    return Spec(told.kind, argument, {key: said.replace("{}", value) for key, said in told.settings.items()})


def make(text: str) -> Player:
    """The player that a text names.

    Raises ``ValueError`` when the text is wrong and ``PlayerError`` when the player cannot start.
    """
    spec = parse(text)
    return build(spec, find(spec.kind))


def build(spec: Spec, kind: Kind) -> Player:
    """A player of a kind, which may stand outside this package: ``build(parse("my-kind"), kind_of(module))``."""
    settings, limit, common = check(spec, kind)
    player: Player = kind.module.make(settings)
    drawn = {"epsilon": common.epsilon, "temperature": common.temperature}
    if limit is not None or any(drawn.values()):
        player = Adjusted(player, limit=limit, seed=common.seed, **drawn)
    if common.name:
        player.name = common.name
    elif player.name == kind.name:
        # Two settings of one kind must not look alike in a table; an engine's own name says more than its command.
        player.name = str(spec)
    return player


def check(spec: Spec, kind: Kind) -> tuple[Any, Limit | None, Common]:
    """What a text says of a player that is not opened yet; ValueError, in one sentence, when it cannot be.

    The kind's own ``Settings``, the limit if there is one, and what every kind takes.
    """
    given = dict(spec.settings)
    if spec.argument is not None:
        if kind.argument is None:
            names = ", ".join(setting.name for setting in kind.settings)
            raise ValueError(f"{_short(spec.argument)} needs a name: {kind.name} takes {names}, as key=value")
        if kind.argument.name in given:
            raise ValueError(f"{kind.argument.name} stands twice in {_short(str(spec))}")
        given[kind.argument.name] = spec.argument
    elif kind.argument is not None and kind.argument.name not in given:
        raise ValueError(f"{kind.name} needs {_article(kind.argument.name)}: {kind.usage}")

    known = {setting.name: setting for setting in (kind.argument, *kind.settings) if setting is not None}
    allowed = _COMMON | known
    for key in given:
        if key not in allowed:
            hint = _did_you_mean(key, list(known))
            raise ValueError(f"{kind.name} has no setting {_short(key)}{hint}; it takes {', '.join(known)}")
    values = {key: _read(allowed[key], value) for key, value in given.items()}

    own = {setting.name for setting in dataclasses.fields(kind.module.Settings)}
    common = Common(**{key: value for key, value in values.items() if key in _COMMON_NAMES})
    if common.temperature != 0 and "temperature" not in own:
        raise ValueError(f"{kind.name} has no scores to draw from: temperature must be 0")
    limits = {_LIMITS[key]: value for key, value in values.items() if key in _LIMITS and value is not None}
    limit = Limit(**limits) if limits else None
    return kind.module.Settings(**{k: v for k, v in values.items() if k in own}), limit, common


def kinds() -> list[Kind]:
    """Every kind of this package, by name."""
    return [kind for name in _module_names() if (kind := _kind_in(name)) is not None]


def find(name: str) -> Kind:
    """The kind of that name; ValueError, with the kinds there are, when there is none."""
    module = name.replace("-", "_")
    kind = _kind_in(module) if module in _module_names() else None
    if kind is None:
        names = [known.name for known in kinds()]
        raise ValueError(f"there is no player {_short(name)}{_did_you_mean(name, names)}; there are {', '.join(names)}")
    return kind


def kind_of(module: ModuleType) -> Kind:
    """The kind that a module with ``Settings`` and ``make`` describes."""
    own = _settings_of(module.Settings)
    arguments = [own[item.name] for item in dataclasses.fields(module.Settings) if _has_no_default(item)]
    if len(arguments) > 1:
        raise TypeError(f"{module.__name__}.Settings has {len(arguments)} fields with no default: one at most")
    argument = arguments[0] if arguments else None
    names = [name for name in own if argument is None or name != argument.name]
    # A kind with no scores to draw from knows the temperature 0 only: that is nothing to tell people of.
    shared = [setting for name, setting in _COMMON.items() if name not in own and name != "temperature"]
    settings = [*(own[name] for name in names), *shared]
    doc = (module.__doc__ or "").strip().partition("\n")[0]
    name = Path(inspect.getfile(module)).stem.replace("_", "-")
    return Kind(name, doc, argument, tuple(settings), module)


def _module_names() -> list[str]:
    return _modules_in(tuple(fingal.players.__path__))


@functools.cache
def _modules_in(folders: tuple[str, ...]) -> list[str]:
    return sorted(item.name for item in pkgutil.iter_modules(folders))


@functools.cache
def _kind_in(name: str) -> Kind | None:
    """The kind in a module, if there is one; kept, for a tournament makes thousands of players."""
    module = importlib.import_module(f"fingal.players.{name}")
    return kind_of(module) if hasattr(module, "Settings") and hasattr(module, "make") else None


def _settings_of(cls: type) -> dict[str, Setting]:
    hints, docs = typing.get_type_hints(cls), _field_docs(cls)
    return {
        item.name: Setting(
            item.name,
            _type_name(hints[item.name]),
            None if _has_no_default(item) else item.default,
            docs.get(item.name, ""),
        )
        for item in dataclasses.fields(cls)
    }


def _has_no_default(item: dataclasses.Field[Any]) -> bool:
    return item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING


def _field_docs(cls: type) -> dict[str, str]:
    """The docstrings under a class's fields and those it inherits: Python itself throws them away."""
    docs: dict[str, str] = {}
    for owner in reversed([owner for owner in cls.__mro__ if dataclasses.is_dataclass(owner)]):
        for node in ast.parse(inspect.getsource(sys.modules[owner.__module__])).body:
            if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
                docs |= {
                    above.target.id: inspect.cleandoc(below.value.value)
                    for above, below in zip(node.body, node.body[1:], strict=False)
                    if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name)
                    if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
                    if isinstance(below.value.value, str)
                }
    return docs


def _type_name(hint: Any) -> str:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is Literal:
        return "|".join(typing.get_args(hint))
    return {int: "int", float: "float", str: "text", bool: "bool"}[hint]


def _read(setting: Setting, text: str) -> Any:
    """A setting's value; ValueError naming the type when the text is none of it."""
    lowered = text.lower()
    try:
        match setting.type:
            case "text":
                return text
            case "int":
                return int(text)
            case "float" if math.isfinite(value := float(text)):
                return value
            case "bool" if lowered in ("yes", "true", "1", "on", "no", "false", "0", "off"):
                return lowered in ("yes", "true", "1", "on")
            case choices if text in choices.split("|"):
                return text
    except ValueError:
        pass
    wanted = {"int": "a whole number", "float": "a number", "bool": "yes or no"}
    right = wanted.get(setting.type, "one of " + setting.type.replace("|", ", "))
    raise ValueError(f"{setting.name}={_short(text)} is not possible: {setting.name} is {right}")


def _split(rest: str, text: str) -> list[str]:
    """The items between the commas that stand outside quotes."""
    items, position = [], 0
    while (match := _ITEMS.match(rest, position)) is not None:
        items.append(match[1].strip())
        position = match.end()
        if position == len(rest) and not match[0].endswith(","):
            return items
    raise ValueError(f"a double quote in {_short(text)} is not closed")


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _did_you_mean(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word.lower(), known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _short(text: str) -> str:
    """A text as an error shows it: quoted, on one line, not too long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


_COMMON = _settings_of(Common)
_COMMON_NAMES = frozenset(_COMMON)
