"""The shipped nets' cards as one page: what each is, what it cost, and what its play is worth.

``python -m fingal.arena.cards LADDERS PAGE`` lets every net sit the exam with no search, looks up the league's Elo in
the ladders that ``fingal.arena.league`` wrote, and writes the page, in Markdown; ``make cards`` that of the docs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fingal.arena.exam.marks import Marks, Share
from fingal.arena.exam.sitting import Sitting
from fingal.arena.results import read_ladders
from fingal.nets.card import WEIGHTS, Card, shipped
from fingal.nets.checkpoint import card_of

SIZES = (5, 6, 7)
"""Of the exam."""


def player(card: Card) -> str:
    """How a shipped net plays with the least search there is: of a net that has values alone, those of its moves."""
    return f"minimax:net={card.name},depth=1" if card.head == "value" else f"net:{card.name}"


def exams(card: Card, sizes: Sequence[int] = SIZES, positions: int | None = None) -> list[Marks]:
    """The net's exams on the boards that it plays; ``positions`` of each set, all if not given."""
    own = card.config.get("size")  # of a net for one board
    return [Sitting(player(card), size, positions=positions).sit() for size in sizes if own in (None, size)]


def page(entries: Sequence[tuple[Card, Sequence[Marks]]], ladders: dict[str, Any]) -> str:
    """Cards with their exams, and what the ladders say of every player that uses the net."""
    head = _INTRODUCTION.format(anchor=ladders["anchor"], commit=ladders["commit"], date=ladders["date"])
    return "\n".join([head, *(_entry(card, marks, ladders["sizes"]) for card, marks in entries)])


def _entry(card: Card, exams: Sequence[Marks], boards: dict[str, Any]) -> str:
    shape = ", ".join(f"{name} {_number(value)}" for name, value in card.config.items())
    cost = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in card.cost.items())
    files = sorted(WEIGHTS.glob(f"{card.name}.*"))
    lines = [
        f"## {card.name}",
        "",
        f"- **Net**: {card.architecture}: {shape}.",
        f"- **Sees and says**: planes `{card.encoder}`, {card.view} view; head `{card.head}`.",
        f"- **Trained on**: {', '.join(card.sizes)}.",
        f"- **Cost**: {cost}.",
        f"- **Files**: {', '.join(f'`{file.name}` {file.stat().st_size / 2**20:.1f} MiB' for file in files)}.",
        f"- **Made**: {card.date}. {card.notes}",
        "",
    ]
    if exams:
        lines += [
            f"Exam, `{player(card)}`:",
            "",
            "| board | keeps the win | wins won openings against a perfect defender |",
            "|---|---|---|",
            *(f"| {m.size}x{m.size} | {_share(m.keeps_win())} | {_share(m.converts)} |" for m in exams),
            "",
        ]
    used = {
        row["player"]: None for board in boards.values() for row in board["ladder"] if _uses(row["player"], card.name)
    }
    if used:
        sizes = [size for size in boards if any(row["player"] in used for row in boards[size]["ladder"])]
        lines += [
            "League Elo:",
            "",
            "| player | " + " | ".join(f"{size}x{size}" for size in sizes) + " |",
            "|---|" + "--:|" * len(sizes),
            *(f"| `{name}` | " + " | ".join(_elo(boards[size], name) for size in sizes) + " |" for name in used),
            "",
        ]
    return "\n".join(lines)


def _uses(text: str, net: str) -> bool:
    settings = text.partition(":")[2].split(",")
    return net in (setting.rpartition("=")[2] for setting in settings)


def _elo(board: dict[str, Any], name: str) -> str:
    for row in board["ladder"]:
        if row["player"] == name:
            low, high = row["interval"]
            return f"{row['elo']:+} ({low:+} to {high:+})"
    return ""


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{share.total:g} of {share.count} ({100 * low:.1f}% to {100 * high:.1f}%)"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


_INTRODUCTION = """# The shipped nets

What each net is, what it cost, how it does in [the exam](exam.md) with no search, and what players that use it are
worth in [the league](league.md), where `{anchor}` is 0. Intervals are 95%. `make cards` writes this page; the league's
figures are those of commit {commit}, {date}. How the nets were trained is in [training](training.md) and in the papers'
pages.
"""


if __name__ == "__main__":
    ladders_file, page_file = map(Path, sys.argv[1:3])
    cards = [card_of(WEIGHTS / f"{name}.safetensors") for name in shipped()]
    told = page([(card, exams(card)) for card in cards], read_ladders(ladders_file))
    page_file.write_text(told, encoding="utf-8")
