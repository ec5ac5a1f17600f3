"""Hostile dialogues with engines of every kind; ``make slow`` has a hundred thousand lines of them."""

import pytest

from fingal.serve.htp import HtpEngine
from tests.serve.attacking import PLAYERS, attack_htp, attack_process


@pytest.mark.parametrize("seed", range(len(PLAYERS)), ids=PLAYERS)
def test_every_line_has_its_answer_and_the_board_follows_the_rules(seed: int) -> None:
    attack_htp(seed, 250)


@pytest.mark.parametrize("player", ["random:seed=1", "uct:sims=5,threads=2,ponder=yes"])
def test_the_program_survives_every_line(player: str) -> None:
    attack_process(PLAYERS.index(player), 600)


def play_anywhere(engine: HtpEngine, colour: object, move: int) -> None:
    cell = engine.board.empty_cells[0]
    engine.record.push(colour, cell)  # type: ignore[arg-type]
    engine.board = engine.record.board()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("_push", play_anywhere),
        ("_begin", lambda engine, record: None),
        ("_set_swap", lambda engine, allowed: None),
    ],
)
def test_an_engine_that_breaks_the_rules_is_seen(monkeypatch: pytest.MonkeyPatch, name: str, fault: object) -> None:
    monkeypatch.setattr(HtpEngine, name, fault)
    with pytest.raises(AssertionError, match="seed 0: "):
        attack_htp(0, 2000)


@pytest.mark.parametrize(
    "fault",
    [
        lambda text: text[:-1],
        lambda text: "\n" + text,
        lambda text: text.replace(" ", "", 1),
        lambda text: text.replace("=", "=7", 1),
        lambda text: "",
    ],
)
def test_an_answer_of_another_form_is_seen(monkeypatch: pytest.MonkeyPatch, fault: object) -> None:
    answer = HtpEngine.answer
    monkeypatch.setattr(HtpEngine, "answer", lambda *some, **more: fault(answer(*some, **more)))  # type: ignore[operator]
    with pytest.raises(AssertionError):
        attack_htp(0, 50)
