"""How calls into the compiled core are made whose arguments belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingal import _core
from tests.core_arguments import Arguments, Live, Plan, model, scores


def _out(*shape: int, dtype: Any) -> NDArray[Any]:
    return np.zeros(shape, dtype)


def _handed_out(most: int, words: int) -> list[NDArray[Any]]:
    return [_out(2, most, words, dtype=np.uint64), _out(most, dtype=np.bool_), _out(most, dtype=np.int32)]


def _sized_positions(a: Arguments, *, last: bool) -> list[Any]:
    width, height = a.size()
    found = a.positions(a.rng.randint(0, 3), width, height)
    return [*(found if last else found[:2]), width, height]


def _judged(a: Arguments) -> list[Any]:
    stones, white, width, height = _sized_positions(a, last=False)
    outs = [
        _out(len(white), dtype=np.int8),
        _out(len(white), dtype=np.int32),
        _out(len(white), width * height, dtype=np.bool_),
    ]
    return [stones, white, width, height, *outs, a.rng.randint(1, 2)]


def _bridged(a: Arguments) -> list[Any]:
    stones, white, last, width, height = _sized_positions(a, last=True)
    out = _out(len(last), 12, height + 2, width + 2, dtype=np.uint8)
    return [stones, white, last, width, height, a.rng.choice([None, out])]


def _stepped(a: Arguments, live: Live) -> list[Any]:
    action = _out(live.object.count, dtype=np.int32)
    live.object.random_actions(a.rng.randrange(2**32), action)
    return [action, _out(len(action), dtype=np.float32), _out(len(action), dtype=np.bool_)]


def _played(a: Arguments, live: Live) -> list[Any]:
    rows = a.rows(live)
    going = rows[live.object.winner(rows) < 0]
    return [going, np.array([a.rng.choice(np.flatnonzero(row)) for row in live.object.empty(going)], np.int32)]


def _updated(a: Arguments, live: Live) -> list[Any]:
    batch, count = a.rng.choice([*live.batches.items()] or [(0, 0)])
    live.batches.pop(batch, None)
    return [a.logits(count, live.cells), a.values(count), batch]


def _claimed(a: Arguments, live: Live) -> list[Any]:
    """Two ends and a carrier, where there is one of the connection's own."""
    ends = [a.rng.randrange(live.cells + 2) for _ in range(2)]
    try:
        carriers = live.object.between(*ends, a.rng.random() < 0.5)
    except ValueError:  # an end that is the opponent's
        carriers = []
    return [*ends, a.rng.choice(carriers) if carriers else a.named("carrier", live)]


def _copied(a: Arguments, live: Live) -> list[Any]:
    rows = a.rows(live)
    return [
        rows,
        np.array(a.rng.sample(range(live.object.count), len(rows)), np.int32),
        a.rng.choice([None, live.object]),
    ]


def _mostly_open(a: Arguments, live: Live) -> list[Any]:
    return [a.rng.choice(live.object.empty_cells or [0])]


def _cases(a: Arguments, live: Live) -> list[Any]:
    stones, white, last = a.positions(len(rows := a.rows(live)), live.width, live.height)
    return [rows, stones, white, last]


def _small(a: Arguments, most: int = 4) -> Any:
    return a.board(Live(None, *a.size(most)))


def _measured(a: Arguments) -> list[Any]:
    stones, _, width, height = _sized_positions(a, last=False)
    return [stones, width, height, a.rng.random() < 0.3]


PLANS: dict[str, Plan] = {
    "cell_name": lambda a, _: [a.rng.randrange(9), a.rng.randint(3, 6), a.rng.randint(3, 6)],
    "parse_cell": lambda a, _: [a.rng.choice(["a1", "B2", "c3", "a10"]), a.rng.randint(3, 6), a.rng.randint(3, 19)],
    "Board.__init__": lambda a, _: [*a.size(), a.rng.random() < 0.1],
    "Board.__init__/2": lambda a, _: [a.live("Board").object],
    "Board.push": _mostly_open,
    "Board.push/2": lambda a, live: [_core.cell_name(_mostly_open(a, live)[0], live.width, live.height)],
    "Board.__eq__": lambda a, live: [a.rng.choice([live.object, a.board(live), 5])],
    "Board._set_stone": lambda a, live: [a.rng.randrange(live.cells), a.rng.randint(-1, 1)],
    "random_games": lambda a, _: [*a.size(), a.rng.randint(0, 5), a.rng.randrange(2**64), a.rng.randint(1, 2)],
    "random_fills": lambda a, _: [*a.size(), a.rng.randint(0, 5), a.rng.randrange(2**64), a.rng.randint(1, 2)],
    "fill_values": lambda a, _: [*_sized_positions(a, last=False), a.rng.randint(1, 4), a.rng.randrange(2**64)],
    "bridge_planes": lambda a, _: _bridged(a),
    "pattern_features": lambda a, _: _sized_positions(a, last=True),
    "pattern_playouts": lambda a, _: [a.board(), model(0), a.rng.randint(0, 4), a.rng.randrange(2**64)],
    "judge_by_connections": lambda a, _: _judged(a),
    "measure_resistance": lambda a, _: _measured(a),
    "measure_distance": lambda a, _: _measured(a),
    "resistance_value": lambda a, _: [a.rng.uniform(0, 3), a.rng.uniform(0.1, 3)],
    "search_alphabeta": lambda a, _: [
        *(_small(a), a.rng.randint(1, 2), a.rng.randint(1, 4), a.rng.random() < 0.5),
        a.rng.choice([_core.StopFlag(), a.live("StopFlag").object]),
    ],
    "fewest_moves": lambda a, _: [a.board(), a.rng.randint(0, 100)],
    "longest_defence": lambda a, _: [a.board(), a.rng.randint(0, 100)],
    "considered_visits": lambda a, _: [a.rng.randint(1, 32), a.rng.randint(0, 100)],
    "Batch.__init__": lambda a, _: [*a.size(), a.rng.randint(1, 5), False, a.rng.randint(1, 2)],
    "Batch.step": _stepped,
    "Batch.observe": lambda a, live: [
        _out(live.object.count, live.height, live.width, 4, dtype=np.bool_),
        _out(live.object.count, live.cells + 1, dtype=np.bool_),
    ],
    "Batch.random_actions": lambda a, live: [a.rng.randrange(2**64), _out(live.object.count, dtype=np.int32)],
    "Batch.pack": lambda a, live: _handed_out(live.object.count, live.words),
    "Batch.unpack": lambda a, live: list(a.positions(live.object.count, live.width, live.height)[:2]),
    "PolicyGames.__init__": lambda a, _: [*a.size(), a.rng.randint(1, 6), a.rng.randint(1, 2)],
    "PolicyGames.reset": lambda a, live: [a.rng.choice([None, a.rows(live)])],
    "PolicyGames.set": _cases,
    "PolicyGames.copy": _copied,
    "PolicyGames.play": _played,
    "PolicyGames.planes": lambda a, live: [
        rows := a.rows(live),
        a.rng.choice([None, _out(len(rows), 12, live.height + 2, live.width + 2, dtype=np.uint8)]),
    ],
    "PolicyGames.empty": lambda a, live: [
        rows := a.rows(live),
        a.rng.choice([None, _out(len(rows), live.cells, dtype=np.bool_)]),
    ],
    "PolicyGames.pack": lambda a, live: [a.rows(live)],
    "PolicyGames.winning": lambda a, live: [a.rows(live)],
    "PolicyGames.winner": lambda a, live: [a.rows(live)],
    "JudgedGames.__init__": lambda a, _: [*a.size(), a.rng.randint(1, 4), a.rng.random() < 0.8, a.rng.randint(1, 2)],
    "JudgedGames.play": lambda a, live: [
        rows := a.rows(live),
        np.array([a.rng.randrange(live.cells) for _ in rows], np.int32),
        _out(len(rows), dtype=np.bool_),
    ],
    "JudgedGames.judge": lambda a, live: [
        rows := a.rows(live),
        *(_out(len(rows), dtype=np.int8), _out(len(rows), dtype=np.int32), _out(len(rows), live.cells, dtype=np.bool_)),
    ],
    "TreeSearch.__init__": lambda a, _: [a.board(), a.settings("SearchSettings"), a.rng.randrange(2**64)],
    "TreeSearch.select": lambda a, live: [
        most := a.rng.randint(0, 4),
        a.rng.randint(0, 200),
        *_handed_out(most, live.words),
        a.rng.randint(0, 2),
    ],
    "TreeSearch.update": _updated,
    "TreeSearch.run_constant": lambda a, live: [a.rng.randint(0, 100)],
    "SelfplayPool.__init__": lambda a, _: [
        *(a.rng.randint(2, 4), a.rng.randint(2, 4), a.rng.randint(1, 3), a.settings("SelfplaySettings")),
        *(a.rng.randrange(2**64), a.rng.randint(1, 2)),
    ],
    "SelfplayPool.set_openings": lambda a, live: [[[], [a.rng.randrange(live.cells)]][: a.rng.randint(1, 2)]],
    "SelfplayPool.select": lambda a, live: _handed_out(live.object.count, live.words),
    "SelfplayPool.update": lambda a, live: [a.logits(live.object.count, live.cells), a.values(live.object.count)],
    "SelfplayPool.restore": lambda a, live: [a.state(live)],
    "TemplateFinder.find": lambda a, _: [_small(a), a.rng.randint(0, 1)],
    "TemplateFinder.shrunk": lambda a, _: [".O/**", a.rng.sample([0, 1, 3, 4], a.rng.randint(0, 4))],
    "TemplateFinder.__init__": lambda a, _: [
        a.named(name, Live(None)) for name in ("highest", "most_cells", "most_positions")
    ],
    "Connections.__init__": lambda a, _: [
        *(a.board(is_open=False), a.rng.randint(0, 1), [], [], a.rng.randint(1, 30), a.rng.randint(1, 90)),
        *(a.rng.random() < 0.7, a.rng.random() < 0.5),
    ],
    "Connections.build": lambda a, live: [a.board(live, is_open=False), [], []],
    "Connections._derivation": _claimed,
    "Connections.holds": lambda a, live: [*_claimed(a, live), a.rng.random() < 0.5],
    "Solver.__init__": lambda a, _: [*a.size(4), a.settings("SolverSettings")],
    "Solver.run": lambda a, live: [
        *(a.board(live, is_open=False), a.rng.randint(0, 60), a.rng.choice([0.0, 0.02])),
        a.rng.choice([None, live.object.stops]),
    ],
    "Solver.look_up": lambda a, live: [a.board(live, is_open=False)],
    "Solver.set_policy": lambda a, live: [a.policy(live)],
    "Solver.save": lambda a, live: [a.path(live, reading=False)],
    "Solver.load": lambda a, live: [a.path(live, reading=True)],
    "PatternScores.__init__": lambda a, _: [
        np.full(size, a.rng.uniform(-1, 1), np.float32) for size in (3**12, 12 * 3**6, 144)
    ],
    "PatternModel.__init__": lambda a, _: [scores(0), scores(1), a.rng.uniform(0.1, 2)],
    "UctSearch.__init__": lambda a, _: [
        *(a.board(), model(0), a.settings("UctSettings"), a.rng.randrange(2**64), a.rng.randint(1, 2)),
    ],
    "UctSearch.run": lambda a, _: [
        *(a.rng.randint(0, 40), a.rng.choice([0.0, 0.005, 0.01]), a.rng.randint(0, 400)),
        a.rng.choice([0.01, float("inf")]),
    ],
    "UctSearch.answer": lambda a, live: [a.logits(len(live.object.waiting()[2]), live.cells)],
    "UctSearch.prove": lambda a, _: [a.rng.choice([-1, 1]), -1],
}
"""How calls are made whose arguments belong together."""
