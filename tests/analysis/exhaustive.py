"""Who wins, by plain search: no connections, no patterns, nothing but the rules."""

from collections.abc import Collection, Iterable

STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class Exhaustive:
    """Searches every move on a board of one size, and remembers what it has seen."""

    def __init__(self, width: int, height: int) -> None:
        self.cells = width * height
        self.full = (1 << self.cells) - 1
        self.near = [0] * self.cells
        for cell in range(self.cells):
            row, column = divmod(cell, width)
            for down, right in STEPS:
                if 0 <= row + down < height and 0 <= column + right < width:
                    self.near[cell] |= 1 << (row + down) * width + column + right
        top, left = (1 << width) - 1, sum(1 << row * width for row in range(height))
        self.edges = ((top, top << width * (height - 1)), (left, left << width - 1))
        self.known: dict[tuple[int, int, int], bool] = {}

    def connected(self, stones: int, colour: int) -> bool:
        start, goal = self.edges[colour]
        seen, todo = 0, stones & start
        while todo:
            if todo & goal:
                return True
            bit = todo & -todo
            seen |= bit
            todo = (todo | self.near[bit.bit_length() - 1] & stones) & ~seen
        return False

    def mover_wins(self, own: int, other: int, colour: int) -> bool:
        """Whether the side to move wins; nobody has won yet."""
        key = (own, other, colour)
        if key not in self.known:
            empty = self.full & ~(own | other)
            self.known[key] = self._search(own, other, colour, empty)
        return self.known[key]

    def _search(self, own: int, other: int, colour: int, empty: int) -> bool:
        moves = [1 << cell for cell in range(self.cells) if empty >> cell & 1]
        if any(self.connected(own | move, colour) for move in moves):
            return True
        return any(not self.mover_wins(other, own | move, 1 - colour) for move in moves)

    def winner(self, black: Iterable[int], white: Iterable[int], to_move: int) -> int:
        stones = [sum(1 << cell for cell in side) for side in (black, white)]
        for colour in (0, 1):
            if self.connected(stones[colour], colour):
                return colour
        return to_move if self.mover_wins(stones[to_move], stones[1 - to_move], to_move) else 1 - to_move

    def decided(self, black: Iterable[int], white: Iterable[int]) -> bool:
        """Whether somebody has won."""
        return any(self.connected(sum(1 << cell for cell in side), i) for i, side in enumerate((black, white)))

    def winning_moves(self, black: Collection[int], white: Collection[int], to_move: int) -> set[int]:
        """The moves that win in a position in which nobody has won."""
        found = set()
        for cell in set(range(self.cells)).difference(black, white):
            sides = [set(black), set(white)]
            sides[to_move].add(cell)
            if self.winner(*sides, 1 - to_move) == to_move:
                found.add(cell)
        return found
