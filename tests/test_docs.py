"""The pages say what is true: their snippets run, their links lead somewhere, and every page is in the navigation."""

import doctest
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from urllib.parse import unquote

import pytest

from fingal.game.formats import FORMATS
from fingal.serve.htp import COMMANDS

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "cpp" / "README.md", *DOCS]
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""With ``fingal``, as the pages write it, in it."""

FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[a-z]*).*?\n(?P<body>.*?)^(?P=indent)```$", re.M | re.S)
LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)\n]*\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def only(text: str, spans: list[tuple[int, int]]) -> str:
    """A text of which everything outside the spans is blank, so that lines keep their numbers."""
    keep = [False] * len(text)
    for start, end in spans:
        keep[start:end] = [True] * (end - start)
    return "".join(sign if kept or sign == "\n" else " " for sign, kept in zip(text, keep, strict=True))


def sessions(page: Path) -> str:
    """What a person types into Python on a page, with the answers."""
    text = page.read_text(encoding="utf-8")
    spans = [fence.span("body") for fence in FENCE.finditer(text) if ">>> " in fence["body"]]
    # A line that is blank here ends an expected answer.
    return "\n".join(line.rstrip() for line in only(text, spans).split("\n"))


def commands(page: Path) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with the output that the page shows."""
    blocks = [fence["body"] for fence in FENCE.finditer(page.read_text(encoding="utf-8")) if fence["kind"] == "console"]
    found = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(command, output) for command, _, output in found]


def slug(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = doctest.DocTestParser().get_doctest(sessions(page), {}, name(page), str(page), 0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", PATH)
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    assert not failed, "".join(report)


@pytest.mark.parametrize("page", [page for page in DOCS if commands(page)], ids=name)
def test_console_snippets_run(page: Path, tmp_path: Path) -> None:
    """In a page's console blocks, commands follow each other in one folder; blocks of other kinds are not run."""
    for command, output in commands(page):
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": PATH, "COLUMNS": "120", "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, f"{command}: {ran.stderr}"
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        shown = doctest.OutputChecker().check_output(output, ran.stdout, options)
        assert shown, f"{command}\nthe page shows:\n{output}\nbut it prints:\n{ran.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = FENCE.sub("", text)
    for link in LINK.findall(re.sub(r"`[^`\n]*`", "", prose)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)}: {link} leads nowhere"
        if anchor and target.suffix == ".md":
            headings = HEADING.findall(FENCE.sub("", target.read_text(encoding="utf-8")))
            assert anchor in map(slug, headings), f"{name(page)}: {link} names no heading"


def test_every_page_is_in_the_navigation() -> None:
    _, _, navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    listed = re.findall(r"^ *- .*?(\S+\.md)$", navigation, re.M)
    assert sorted(listed) == sorted(page.relative_to(ROOT / "docs").as_posix() for page in DOCS)


def test_htp_page_names_every_command() -> None:
    text = (ROOT / "docs" / "htp.md").read_text(encoding="utf-8")
    missing = [command.usage for command in COMMANDS.values() if f"`{command.usage}`" not in text]
    assert not missing


def test_formats_page_names_every_format() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    missing = [kind for kind, entry in FORMATS.items() if f"`{kind}`" not in text or f"`{entry.suffix}`" not in text]
    assert not missing


def test_the_recipe_for_a_player_is_the_example() -> None:
    recipe = (ROOT / "docs" / "add-a-player.md").read_text(encoding="utf-8")
    example = (ROOT / "examples" / "my_player.py").read_text(encoding="utf-8")
    blocks = [textwrap.dedent(fence["body"]) for fence in FENCE.finditer(recipe) if fence["kind"] == "python"]
    *shown, check = blocks
    assert [block.splitlines()[-1] for block in shown if block not in example] == []
    assert "check_player(" in check
    assert len(shown) == 3
