"""The order of the packages: each imports only from those that stand before it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "fingal"

# "fingal" is the package's own __init__, which shows the game to the world.
ORDER = ["background", "ranges", "game", "fingal", "analysis", "solve", "search", "nets", "players", "envs", "arena"]
ORDER += ["learn", "experiments", "serve", "bench", "testing", "cli"]


def room(module: str) -> str:
    """The package that a module of ours belongs to: 'game' for 'fingal.game.board'."""
    return [*module.split("."), "fingal"][1]


def is_ours(module: str) -> bool:
    """Whether a name is a module or package of ours, rather than something in one."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    return module == "fingal._core" or path.is_dir() or path.with_suffix(".py").is_file()


def imports(text: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every module of ours that a source text imports, wherever the import stands, with its line."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            origin = ".".join([*above, node.module] if node.module else above)
            named = [f"{origin}.{alias.name}" for alias in node.names]
            found = [name if is_ours(name) else origin for name in named] if origin.startswith("fingal") else [origin]
        else:
            continue
        yield from ((node.lineno, name) for name in found if name.split(".")[0] == "fingal")


def wrong(text: str, module: str, is_package: bool = False) -> list[str]:
    """What a module imports though it stands after it."""
    own = room(module)
    found = [(line, name) for line, name in imports(text, module, is_package) if name != "fingal._core"]
    return [
        f"line {line}: {name}"
        for line, name in found
        if room(name) not in ORDER or ORDER.index(room(name)) > ORDER.index(own)
    ]


def sources() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


def test_every_package_has_its_place() -> None:
    rooms = {room(module) for module, _ in sources()}
    assert "game" in rooms
    assert rooms <= set(ORDER), f"say in ORDER, and in docs/design.md, where {rooms - set(ORDER)} stands"


@pytest.mark.parametrize(("module", "path"), sources(), ids=[module for module, _ in sources()])
def test_modules_import_only_from_packages_before_theirs(module: str, path: Path) -> None:
    assert not wrong(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")


@pytest.mark.parametrize(
    "text",
    [
        "import fingal.players",
        "import numpy, fingal.players.spec as s",
        "from fingal import players",
        "from fingal.players import spec",
        "from fingal.players.spec import make",
        "from .. import players",
        "from ..players import spec",
        "def f():\n    from fingal.players import spec",
        "if TYPE_CHECKING:\n    import fingal.players",
        "import fingal",
        "from fingal import Board",
        "from .. import Board",
        "import fingal.unheard_of",
    ],
)
def test_an_import_of_a_later_package_is_seen(text: str) -> None:
    assert wrong(text, "fingal.game.board")


@pytest.mark.parametrize(
    "text",
    [
        "from fingal import _core",
        "import fingal._core",
        "from fingal._core import Board",
        "from fingal.game import Board",
        "from . import draw",
        "from .colour import Colour",
        "import fingal_of_someone_else",
    ],
)
def test_an_import_of_an_earlier_package_is_allowed(text: str) -> None:
    assert not wrong(text, "fingal.game.board")


@pytest.mark.parametrize("module", ["fingal", "fingal.cli"])
def test_what_is_heavy_is_not_loaded_before_it_is_needed(module: str) -> None:
    heavy = ["torch", "gymnasium", "pettingzoo", "onnxruntime", "jax", "pyspiel"]
    code = f"import sys, {module}; print(*[name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
