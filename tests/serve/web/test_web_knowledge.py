"""What the page is told of a position, on positions whose truth is known by hand."""

import pytest

from fingal.game import Board, Record
from fingal.serve.web.knowledge import Scholar
from fingal.serve.web.messages import Knowledge, Topic

BRIDGE = Record.of(["a4", "a2", "b4", "b2", "d4", "d2"], 4)
"""White needs c2 alone; if Black, to move, plays there it has two ways to the top and two to b4."""


def know(record: Record, *topics: Topic) -> Knowledge:
    return Scholar().know(record.board(), topics, request=7, game="a-game-id", node=3)


def test_the_must_play_is_the_cell_between_the_stones() -> None:
    said = know(BRIDGE, "connections")
    assert said.must_play == ["c2"]
    assert said.connections is not None
    assert said.connections["white"].winning_carrier is None
    assert (said.request, said.node, said.solver, said.policy) == (7, 3, None, None)


def test_a_winning_connection_has_its_carrier() -> None:
    won = Record.of(["a4", "a2", "b4", "b2", "d4", "d2", "c2"], 4)
    said = know(won, "connections")
    assert said.connections is not None
    assert said.connections["black"].winning_carrier == ["c1", "d1", "b3", "c3"]
    assert said.must_play == []
    links = {link.ends: link.carrier for link in said.connections["black"].links}
    assert links["c2", "top"] == ["c1", "d1"]


def test_the_solver_names_every_winning_move() -> None:
    said = know(Record(3, 3), "solver").solver
    assert said is not None
    # As in the published tables of openings.
    assert (said.winner, said.winning) == ("black", ["c1", "a2", "b2", "c2", "a3"])
    assert sorted(said.losing) == ["a1", "b1", "b3", "c3"]
    lost = know(BRIDGE, "solver").solver
    assert lost is not None
    assert lost.winning == ["c2"]
    assert lost.text == "Black is to move and wins: one move is proved to win, the 9 others lose."


def test_dead_cells_and_captured_ones() -> None:
    said = know(Record.of(["b1", "a1"], 3), "inferior").inferior
    assert said is not None
    assert "a1" not in said.fill["black"] + said.fill["white"]
    assert all(cell in {"c1", "a2", "b2", "c2", "a3", "b3", "c3"} for cell in said.pruned)


def test_current_flows_alike_for_both_on_the_empty_board() -> None:
    said = know(Record(5, 5), "resistance").resistance
    assert said is not None
    assert said.black == pytest.approx(said.white)
    assert said.black_value == pytest.approx(0)
    assert sum(said.energy.values()) == pytest.approx(1, abs=1e-3)
    # Turned by 180 degrees, or mirrored with the colours exchanged, the empty board is the same.
    assert said.energy["b1"] == pytest.approx(said.energy["d5"]) == pytest.approx(said.energy["a2"])


def test_a_policy_is_a_distribution_over_empty_cells() -> None:
    said = know(BRIDGE, "policy").policy
    assert said is not None
    assert sum(said.values()) == pytest.approx(1, abs=1e-4)
    assert "a4" not in said
    assert max(said, key=lambda cell: said[cell]) == "c2"


@pytest.mark.parametrize(("width", "height"), [(3, 3), (7, 4), (4, 7)])
def test_stones_stay_whose_they_are(width: int, height: int) -> None:
    record = Record.of(["b2", "a1"], width, height)
    said = know(record, "ownership").ownership
    assert said is not None
    assert (said["b2"], said["a1"]) == (1.0, 0.0)
    assert len(said) == width * height
    assert all(0 <= share <= 1 for share in said.values())


def test_the_winners_column_is_the_winners() -> None:
    # Black has all of column c but c5, and White cannot stop it: b5 and c5 both join.
    record = Record.of(["c1", "a1", "c2", "a2", "c3", "a3", "c4", "a4"], 5)
    said = know(record, "ownership").ownership
    assert said is not None
    assert said["b5"] + said["c5"] > 0.9


def test_all_topics_where_the_game_is_over() -> None:
    over = Record.of(["b1", "a2", "b2", "a3", "b3"], 3)
    said = know(over, "connections", "inferior", "resistance", "solver", "policy", "ownership")
    assert said.policy == {}
    assert said.must_play == []
    assert said.solver is not None
    assert (said.solver.winner, said.solver.text) == ("black", "Black has joined its edges.")
    assert said.resistance is not None
    assert (said.resistance.black, said.resistance.white) == (0.0, None)
    assert said.ownership is not None
    assert (said.ownership["b2"], said.ownership["a2"], said.ownership["c1"]) == (1.0, 0.0, 0.5)


def test_a_cancelled_solver_stops_early() -> None:
    said = Scholar(seconds=600).know(Board(11), ["solver"], request=1, game="a-game-id", node=0, cancelled=lambda: True)
    assert said.solver is not None
    assert said.solver.winner is None
    assert "Not solved" in said.solver.text
