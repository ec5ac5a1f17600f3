"""What random moves keep on 4x4, in plain Python: every position, with no tricks but a dictionary."""

from tests.arena.exam.test_sitting import sit

NEIGHBOURS = [
    [
        (row + down) * 4 + column + right
        for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        if 0 <= row + down < 4 and 0 <= column + right < 4
    ]
    for row in range(4)
    for column in range(4)
]
SIDES = (([0, 1, 2, 3], {12, 13, 14, 15}), ([0, 4, 8, 12], {3, 7, 11, 15}))


def joined(mask: int, colour: int) -> bool:
    reached = [cell for cell in SIDES[colour][0] if mask >> cell & 1]
    for cell in reached:
        reached += [near for near in NEIGHBOURS[cell] if mask >> near & 1 and near not in reached]
    return any(cell in SIDES[colour][1] for cell in reached)


JOINED = [[joined(mask, colour) for mask in range(1 << 16)] for colour in (0, 1)]


def test_random_moves_on_four_by_four() -> None:
    keeping: dict[int, int] = {}

    def winning(black: int, white: int, turn: int) -> int:
        """How many moves win; each position is looked at once."""
        key = black << 16 | white
        if key not in keeping:
            count = 0
            for cell in range(16):
                if not (black | white) >> cell & 1:
                    after = (black | 1 << cell, white) if turn == 0 else (black, white | 1 << cell)
                    count += JOINED[turn][after[turn]] or winning(*after, 1 - turn) == 0
            keeping[key] = count
        return keeping[key]

    winning(0, 0, 0)
    won, total = 0, 0.0
    for key, count in keeping.items():
        if count:
            won += 1
            total += count / (16 - key.bit_count())
    said = sit("random:seed=1", 4).as_dict()
    assert said["counts"]["won"] == won == 5_896_679
    assert abs(said["keeps_win"] - total / won) < 1e-12
    assert abs(total / won - 0.4931641488084) < 1e-12
