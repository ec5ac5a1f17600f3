"""Pieces of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from fingal.game.picture import Picture, svg


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    name: str
    """What links to it: 'ladder'."""
    title: str
    body: str
    short: str = ""
    """What the list of sections calls it, where its title is long."""


def text(value: object) -> str:
    """A text as it stands, whatever signs it has."""
    return escape("".join(sign if sign.isprintable() else " " for sign in str(value)))


def chart(picture: Picture) -> str:
    """A chart; the page's own colours go over its."""
    return f'<figure class="chart">{svg(picture)}</figure>'


def board(picture: Picture, caption: str) -> str:
    """A board with a line below it."""
    return f'<figure class="board">{svg(picture)}<figcaption>{text(caption)}</figcaption></figure>'


def grid(parts: Iterable[str], kind: str = "charts") -> str:
    """Figures beside each other, as many as there is room for."""
    return f'<div class="{kind}">{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; the first cell of a row is its heading. Cells are HTML, and may bring their own ``<td>``."""
    top = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f'<div class="scroll"><table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def tinted(share: float, words: str, hint: str = "") -> str:
    """A cell of a table, the greener the higher a share is and the redder the lower."""
    side = "good" if share >= 0.5 else "bad"
    title = f' title="{text(hint)}"' if hint else ""
    return f'<td class="tint {side}" style="--strength:{2 * abs(share - 0.5):.2f}"{title}>{words}</td>'
