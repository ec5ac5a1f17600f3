"""The page: what it must show, that it stands alone, and that nothing in a name or a record is run."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fingal.arena.exam.sitting import Sitting
from fingal.arena.report.command import write
from fingal.arena.report.page import Report, page
from fingal.arena.report.replays import sample, steps
from fingal.arena.report.sources import Trained, read_exam, read_games, read_run
from fingal.arena.report.swaps import SwapMap, ask_player, drawn, truth
from fingal.arena.store import Store, StoredGame
from fingal.game import BLACK, WHITE, Colour, Record, formats
from tests.conftest import Run

EVIL = 'random:name="</script><img src=x onerror=\\"alert(1)\\">"'
"""A player's text whose name would do harm if it were not shown as text."""


def game(black: str, white: str, winner: Colour, moves: int = 5, number: int = 1, failure: str = "") -> StoredGame:
    """A game on 3x3 that Black has joined; who is said to have won does not matter to the record."""
    record = Record.of(["a1", "b1", "a2", "b2", "a3"], 3)
    text = formats.write(record, "sgf")
    return StoredGame("e", number, black, white, 3, 3, "a1", winner, "", failure, moves, (1.0, 1.0), text, str(number))


class Reader(HTMLParser):
    """Notes the elements of a page, and whether all that are opened are closed."""

    VOID = frozenset({"meta", "br", "input", "img", "link", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def full() -> Report:
    games = [game("ann", "bob", BLACK), game("bob", "ann", WHITE, 7, 2), game("ann", EVIL, WHITE, 5, 3)]
    result = json.loads(json.dumps(Sitting("solver", 3).sit().as_dict()))
    trained = Trained("mine", {"loss": [(0, 1.0), (10, 0.5)], "time": [(0, 1.0), (10, 2.0)]})
    return Report("All of it", games, [result, {**result, "player": EVIL}], [trained], [ask_player("random:seed=1", 3)])


def test_a_page_with_everything() -> None:
    text = page(full())
    reader = Reader(text)
    assert reader.open == []
    sections = [attributes["id"] for tag, attributes in reader.elements if tag == "section"]
    assert sections == ["ladder", "training", "exam", "swaps", "games"]
    links = [attributes["href"] for tag, attributes in reader.elements if tag == "a"]
    assert links == [f"#{name}" for name in sections]
    for words in ("All of it", "ann", "3×3", "loss", "Brier score", "the truth: 5 of 9 solved moves win"):
        assert words in text


def test_it_stands_alone_and_runs_nothing_foreign() -> None:
    text = page(full())
    reader = Reader(text)
    for tag, attributes in reader.elements:
        assert tag not in ("img", "link", "iframe")
        assert not {"src", "srcset", "onerror"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", text)
    assert sum(tag == "script" for tag, _ in reader.elements) == 2


def test_ids_are_unique_and_everything_has_a_name() -> None:
    elements = Reader(page(full())).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in elements:
        if tag in ("button", "input"):
            assert attributes.get("aria-label")
        if tag == "svg" and attributes.get("aria-hidden") is None:
            assert attributes["role"] == "img"


def test_what_has_no_source_has_no_section() -> None:
    text = page(Report(maps=[SwapMap("x", 3, frozenset())]))
    assert [attributes["id"] for tag, attributes in Reader(text).elements if tag == "section"] == ["swaps"]


def test_checkpoints_have_a_curve() -> None:
    texts = [f'net:x,name="step {step}"' for step in (100, 200, 1000)]
    games = [game(one, two, WHITE, number=n) for n, (one, two) in enumerate(pairwise(texts), 1)]
    text = page(Report(games=games))
    assert "Elo over training" in text
    assert "step 1000" in text
    assert "Elo over training" not in page(full())


def test_a_game_as_steps() -> None:
    record = Record(3, 3, swap=True)
    for colour, move in ((BLACK, 1), (WHITE, -1), (BLACK, 4), (WHITE, -4)):
        record.push(colour, move)
    said = steps(record, "ann", "bob")
    # b1 mirrored in the long diagonal is a2.
    assert [(step["put"], step["side"], step["off"]) for step in said["steps"]] == [
        ("b1", "B", None),
        ("a2", "W", "b1"),
        ("b2", "B", None),
        (None, "", None),
    ]
    assert said["steps"][1]["say"] == "White (bob) swaps"
    assert said["won"] == "Black (ann) wins"
    joined = steps(Record.of(["a1", "b1", "a2", "b2", "a3"], 3), "ann", "bob")
    assert joined["chain"] == ["a1", "a2", "a3"]


def test_stones_that_were_set_up_are_shown() -> None:
    said = steps(formats.read("(;FF[4]GM[11]SZ[3]AB[b2]AW[a1]PL[B];B[b1])"), "ann", "bob")
    assert [(step["put"], step["side"]) for step in said["steps"]] == [("b2", "B"), ("a1", "W"), ("b1", "B")]


def test_the_games_that_are_worth_a_look() -> None:
    games = [game("ann", "bob", BLACK, 5, number) for number in range(1, 6)]
    games += [game("ann", "bob", BLACK, 9, 6), game("bob", "ann", BLACK, 7, 7)]
    games += [game("bob", "ann", BLACK, 99, 8, failure="it died")]
    assert [(reason, chosen.number) for reason, chosen in sample(games)] == [
        ("longest of its pair", 6),
        ("greatest upset", 7),
    ]


def test_a_swap_map() -> None:
    """On 3x3 five first moves win; a player that swaps the middle alone is right there and on the four that lose."""
    found = SwapMap("x", 3, frozenset({4}))
    assert found.right == (5, 9)
    rings = [shape for shape in drawn(found).shapes if shape.kind == "cell wrong"]
    assert {shape.cell for shape in rings} == {"c1", "a2", "c2", "a3"}
    assert ask_player("solver", 3).right == (9, 9)
    assert SwapMap("x", 9, frozenset()).right == (0, 0)
    marks = [shape.cell for shape in truth(8).shapes if shape.kind == "label"]
    assert marks, "on 8x8 the truth is not known everywhere"


def test_a_runs_figures(tmp_path: Path) -> None:
    lines = [{"step": 0, "loss": 2}, {"step": 10, "loss": 1.5, "note": "x"}, {"step": 5, "loss": 1}]
    lines.append({"step": 6, "loss": float("nan")})
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert read_run(tmp_path).curves == {"loss": [(0, 2.0), (10, 1.5), (15, 1.0)]}
    (tmp_path / "metrics.jsonl").write_text('{"step": 1}\n{"st', encoding="utf-8")
    with pytest.raises(ValueError, match="line 2 is no line of figures"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        "x",
        {"player": 3},
        {"size": "5"},
        {"intervals": {}},
        {"keeps_win": "much"},
        {"by_source": {"own": {"share": 1}}},
        {"calibration": [{"share": 1, "interval": [0, 1]}]},
    ],
)
def test_what_is_no_exam_is_refused(tmp_path: Path, content: Any) -> None:
    whole = Sitting("solver", 3, positions=20).sit().as_dict()
    (tmp_path / "x.json").write_text(json.dumps(whole), encoding="utf-8")
    assert read_exam(tmp_path / "x.json")["player"] == "solver"
    wrong = {**whole, **content} if content and isinstance(content, dict) else content
    (tmp_path / "x.json").write_text(json.dumps(wrong), encoding="utf-8")
    with pytest.raises(ValueError, match="is no result of an exam"):
        read_exam(tmp_path / "x.json")


def test_from_files_to_a_file(tmp_path: Path) -> None:
    with Store(tmp_path / "x.db", create=True) as store:
        store.begin("match", {}, "e")
        store.add(game("ann", "bob", BLACK))
    output = tmp_path / "page.html"
    write([tmp_path / "x.db"], [], [], ["solver"], [3], "A page", output, lambda text: None)
    text = output.read_text(encoding="utf-8")
    assert "<title>A page</title>" in text
    assert "solver: right on 9 of 9" in text
    assert not list(tmp_path.glob("*.part"))


def test_a_store_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        with Store(tmp_path / name, create=True) as store:
            store.begin("match", {}, "e")
            store.add(game("ann", "bob", BLACK))
    (tmp_path / "link.db").symlink_to(tmp_path / "a.db")
    assert len(read_games([tmp_path / "a.db", tmp_path / "link.db", tmp_path / "b.db", tmp_path / "a.db"])) == 2


def test_how_large_the_page_is(fingal: Run, tmp_path: Path) -> None:
    ran = fingal("report", "--swaps", "random:seed=1", "--swap-sizes", 3, "-o", "page.html")
    assert ran.status == 0
    number = re.fullmatch(r"page\.html: ([0-9]+) kB\n", ran.err)
    assert number is not None
    assert float(number[1]) == pytest.approx((tmp_path / "page.html").stat().st_size / 1000, abs=0.5)


def test_a_store_without_games_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "x.db", create=True).close()
    with pytest.raises(ValueError, match=r"there are no games in .*x\.db"):
        write([tmp_path / "x.db"], [], [], [], [], "", tmp_path / "page.html", lambda text: None)
