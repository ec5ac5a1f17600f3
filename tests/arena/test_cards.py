"""The page of cards: what a net's file, its exams and the league say, each where it belongs."""

import pytest

from fingal.arena import cards
from fingal.arena.exam.marks import Answer, Marks
from fingal.nets.card import Card, find
from fingal.nets.checkpoint import card_of

LADDERS = {
    "anchor": "random",
    "commit": "1234567",
    "date": "2026-02-03",
    "sizes": {
        "5": {
            "ladder": [
                {"player": "puct:net=some,sims=100", "elo": 900, "interval": [800, 1000]},
                {"player": "net:some-other", "elo": 700, "interval": [600, 800]},
                {"player": "uct:sims=1000,prior=some", "elo": 500, "interval": [400, 600]},
                {"player": "random", "elo": 0, "interval": [0, 0]},
            ]
        },
        "7": {"ladder": [{"player": "net:some-other", "elo": 800, "interval": [-50, 900]}]},
        "9": {"ladder": [{"player": "puct:net=some,sims=100", "elo": 1100, "interval": [950, 1300]}]},
    },
}


def test_a_card_with_its_exam_and_its_league() -> None:
    card = Card("some", {"blocks": 3}, sizes=("5x5", "9x9"), cost={"h200_minutes": 12.5, "games": 12345}, notes="Good.")
    marks = Marks("net:some", 5, "100", 1)
    marks.answers = [Answer("random", 1, 1.0)] * 99 + [Answer("random", 1, 0.0), Answer("random", 0, 0.0)]
    marks.converted = [True, True, False]
    said = cards.page([(card, [marks])], LADDERS)
    lines = said.splitlines()
    assert "## some" in lines
    assert "- **Cost**: h200 minutes 12.5, games 12,345." in lines
    # Wilson's interval of 99 of 100, and of 2 of 3.
    assert "| 5x5 | 99 of 100 (94.6% to 99.8%) | 2 of 3 (20.8% to 93.9%) |" in lines
    assert [line for line in lines if line.startswith("| `")] == [
        "| `puct:net=some,sims=100` | +900 (+800 to +1000) | +1100 (+950 to +1300) |",
        "| `uct:sims=1000,prior=some` | +500 (+400 to +600) |  |",
    ]


def test_nets_with_no_exam_and_no_league() -> None:
    said = cards.page([(Card("unknown", {}), [])], LADDERS)
    assert "Exam" not in said
    assert "League Elo" not in said


@pytest.mark.parametrize(("name", "sizes"), [("fingal-small", [3, 5]), ("policy-9", [3, 5]), ("ezo-7", [])])
def test_shipped_nets_sit_the_exams_of_the_boards_that_they_play(name: str, sizes: list[int]) -> None:
    marks = cards.exams(card_of(find(name)), (3, 5), positions=2)
    assert [m.size for m in marks] == sizes
    assert all(m.finished and not m.failures for m in marks)
