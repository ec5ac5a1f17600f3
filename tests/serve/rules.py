"""The board of the Hex Text Protocol, slow and obvious: what an engine has accepted, and what it may accept."""

from __future__ import annotations

import re

Stones = dict[tuple[int, int], str]
_COLOURS = {"b": "B", "black": "B", "w": "W", "white": "W"}
_ROW = re.compile(r"\s*(\d+)[ (]([BW. ()]+?)\d+\s*")


class Model:
    """Follows a dialogue; AssertionError where an answer does not fit the rules."""

    def __init__(self) -> None:
        self.width = self.height = 11
        self.allows_swap = self.may_swap = False
        self.history: list[Stones] = [{}]
        self.is_known = True
        """False after a command that this model does not follow, until the next new board."""

    @property
    def stones(self) -> Stones:
        return self.history[-1]

    def winner(self) -> str | None:
        """By flood fill from an edge: B joins top and bottom, W left and right."""
        for colour, along, end in (("B", 1, self.height - 1), ("W", 0, self.width - 1)):
            waiting = [at for at, stone in self.stones.items() if stone == colour and at[along] == 0]
            seen = set(waiting)
            while waiting:
                column, row = waiting.pop()
                if (column, row)[along] == end:
                    return colour
                for across, down in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                    near = column + across, row + down
                    if near not in seen and self.stones.get(near) == colour:
                        seen.add(near)
                        waiting.append(near)
        return None

    def cell(self, word: str) -> tuple[int, int] | None:
        """The cell that a word names: a letter for the column, a number for the row."""
        match = re.fullmatch(r"([a-z])([1-9][0-9]?)", word.lower(), re.ASCII)
        if match is None:
            return None
        column, row = ord(match[1]) - ord("a"), int(match[2]) - 1
        return (column, row) if column < self.width and row < self.height else None

    def hear(self, words: list[str], accepted: bool, said: str) -> None:
        """Check an answer to a command and follow it."""
        name, arguments = words[0], words[1:]
        if name in ("boardsize", "clear_board") and accepted:
            if name == "boardsize":
                self.width, self.height = int(arguments[0]), int(arguments[-1])
                assert 1 <= min(self.width, self.height) <= max(self.width, self.height) <= 19, words
            self.history, self.is_known = [{}], True
            self.may_swap = self.allows_swap and self.width == self.height
        elif name == "loadsgf" and accepted:
            self.is_known = False
        elif name == "param_game" and accepted and len(arguments) == 2 and arguments[0] == "allow_swap":
            self.allows_swap = arguments[1].lower() in ("1", "true")
            self.may_swap = self.allows_swap and self.width == self.height
        elif self.is_known:
            self._follow(name, arguments, accepted, said)

    def _follow(self, name: str, arguments: list[str], accepted: bool, said: str) -> None:
        match name:
            case "undo":
                assert accepted == (len(self.history) > 1 and not arguments), (name, arguments, said)
                if accepted:
                    self.history.pop()
            case "play" if len(arguments) == 2:
                self._play(*arguments, accepted)
            case "genmove" | "reg_genmove" if accepted and said != "resign":
                before = len(self.history)
                self._play(arguments[0], said, accepted)
                if name == "reg_genmove":
                    del self.history[before:]
            case "showboard" if accepted:
                rows = [match for line in said.split("\n") if (match := _ROW.fullmatch(line))]
                assert [int(row[1]) for row in rows] == list(range(1, self.height + 1)), said
                shown = ["".join(sign for sign in row[2] if sign in "BW.") for row in rows]
                wanted = [
                    "".join(self.stones.get((column, row), ".") for column in range(self.width))
                    for row in range(self.height)
                ]
                assert shown == wanted, f"the board is {wanted}, but the engine shows {shown}"
            case "final_score" if accepted and self.winner() is not None:
                assert said == f"{self.winner()}+", said

    def _play(self, colour_word: str, word: str, accepted: bool) -> None:
        colour, cell, word = _COLOURS.get(colour_word.lower()), self.cell(word), word.lower()
        if word == "resign":
            assert accepted == (colour is not None), (colour_word, word)
            return
        if word in ("swap", "swap-pieces"):
            legal = self.may_swap and colour == "W" and [*self.stones.values()] == ["B"] and self.winner() is None
            assert accepted == legal, f"{colour_word} {word} is {'legal' if legal else 'illegal'} on {self.stones}"
            if legal:
                self.history.append({(row, column): "W" for column, row in self.stones})
            return
        legal = colour is not None and cell is not None and cell not in self.stones and self.winner() is None
        assert accepted == legal, f"{colour_word} {word} is {'legal' if legal else 'illegal'} on {self.stones}"
        if legal:
            assert cell is not None
            assert colour is not None
            self.history.append({**self.stones, cell: colour})
