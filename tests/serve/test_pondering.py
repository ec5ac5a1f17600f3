"""Pondering over HTP: it thinks on, every command ends it, and what it found is kept."""

import io
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from fingal import background
from fingal.players.player import Limit
from fingal.players.searching import SearchPlayer
from fingal.players.spec import make
from fingal.search.evaluator import Evaluation, Positions
from fingal.search.tree import Settings
from fingal.serve.htp import HtpEngine, serve
from tests.search.golden import central


class Waits:
    """An evaluator that says when it has been asked so often."""

    def __init__(self) -> None:
        self.asked, self.until = 0, 0
        self.reached = threading.Event()

    def __call__(self, positions: Positions) -> Evaluation:
        self.asked += len(positions.white_to_move)
        if self.asked >= self.until:
            self.reached.set()
        return central(positions)

    def wait_for(self, more: int) -> None:
        self.reached.clear()
        self.until = self.asked + more
        assert self.reached.wait(20)


def ponderers() -> int:
    """How many searches are at work in the background."""
    return len(background._running)


def is_pondering() -> bool:
    """Whether one is, or is in a moment: a thread takes its time to begin."""
    end = time.monotonic() + 20
    while not ponderers() and time.monotonic() < end:
        time.sleep(0.001)
    return ponderers() == 1


@pytest.fixture
def asked() -> Iterator[Waits]:
    yield Waits()
    assert ponderers() == 0


def tell(engine: HtpEngine, line: str) -> str:
    """As a controller does: its line is answered, and then there is time to ponder."""
    answer = engine.answer(line)
    engine.ponder()
    return answer


def engine_of(asked: Waits, ponders: bool = True) -> HtpEngine:
    player = SearchPlayer.with_net("thinker", asked, Settings(gumbel=True), Limit(simulations=20), None, ponders)
    engine = HtpEngine(player)
    tell(engine, "boardsize 9")
    return engine


def test_it_thinks_on_and_keeps_what_it_found(asked: Waits) -> None:
    engine = engine_of(asked)
    search = engine.player.search  # type: ignore[attr-defined]
    tell(engine, "genmove b")
    asked.wait_for(2000)
    assert is_pondering()
    assert tell(engine, "time_left").startswith("= Black")
    asked.wait_for(100)  # and on, after a command that leaves the position as it is
    tell(engine, "name")
    engine.rest()
    reply = max(search.candidates(), key=lambda candidate: candidate.visits)
    assert reply.visits > 100
    tell(engine, f"play w {engine.board.name(reply.move)}")
    assert ponderers() == 0
    before = asked.asked
    tell(engine, "reg_genmove b")
    assert search.visits >= reply.visits + 20
    assert asked.asked <= before + 21


LINES = """undo|clear_board|boardsize 5|play w a1|play w resign|quit|showboard|nonsense|param_game|genmove w
reg_genmove w|kata-analyze w 10|fingal-analyze w 10|loadsgf nowhere"""


@pytest.mark.parametrize("line", LINES.replace("\n", "|").split("|"))
def test_every_command_answers_as_without(asked: Waits, line: str) -> None:
    plain, pondering = engine_of(Waits(), ponders=False), engine_of(asked)
    answers = []
    for engine in (plain, pondering):
        tell(engine, "play b e5")
        first = tell(engine, "genmove w")
        if engine is pondering:
            asked.wait_for(50)
        told = tell(engine, line)
        # What a search finds depends on what it knew before; that it finds something does not.
        told = told[:8] if "analyze" in line or "genmove" in line else told
        answers.append((first, told.replace(" ", "")[:2] if "genmove" in line else told))
        engine.rest()
        answers.append((engine.board.ply, len(engine.board.empty_cells)))
    assert answers[:2] == answers[2:]
    assert (tell(pondering, "showboard") == tell(plain, "showboard")) or "genmove" in line
    pondering.rest()


def test_it_ends_with_the_input_and_with_the_game(asked: Waits) -> None:
    for sent in (b"boardsize 5\ngenmove b\n", b"boardsize 5\ngenmove b\nquit\n", b"boardsize 1\ngenmove b\n"):
        player = SearchPlayer.with_net("thinker", asked, Settings(), Limit(simulations=5), None, True)
        assert serve(player, io.BytesIO(sent), io.BytesIO()) == 0
        assert ponderers() == 0


def test_the_answer_does_not_wait_for_it(asked: Waits) -> None:
    class Reader(io.BytesIO):
        def write(self, answer: Any) -> int:
            assert ponderers() == 0
            return super().write(answer)

    player = SearchPlayer.with_net("thinker", asked, Settings(), Limit(simulations=5), None, True)
    answers = Reader()
    assert serve(player, io.BytesIO(b"boardsize 5\ngenmove b\n"), answers) == 0
    assert answers.getvalue().count(b"=") == 2


def test_without_it_nothing_is_asked_between_commands(asked: Waits) -> None:
    engine = engine_of(asked, ponders=False)
    tell(engine, "genmove b")
    assert ponderers() == 0


def test_a_net_that_fails_meanwhile_is_heard_of_at_the_next_move(asked: Waits) -> None:
    main = threading.get_ident()

    def evaluator(positions: Positions) -> Evaluation:
        if threading.get_ident() != main:  # where it ponders
            asked.reached.set()
            raise RuntimeError("no more")
        number, cells = len(positions.white_to_move), positions.width * positions.height
        return Evaluation(np.zeros((number, cells), np.float32), np.zeros(number, np.float32))

    player = SearchPlayer.with_net("thinker", evaluator, Settings(), Limit(simulations=20), None, True)
    engine = HtpEngine(player)
    tell(engine, "boardsize 5")
    assert tell(engine, "genmove b").startswith("= ")
    assert asked.reached.wait(20)
    assert tell(engine, "genmove w").startswith("= ")
    engine.rest()


@pytest.mark.parametrize("text", ["puct:net=fingal-small,sims=5,ponder=yes", "uct:sims=20,ponder=yes"])
def test_by_text(text: str) -> None:
    player = make(text)
    engine = HtpEngine(player)
    tell(engine, "boardsize 11")
    for line in ("genmove b", "genmove w", "genmove b"):
        assert tell(engine, line).startswith("= ")
        assert is_pondering()
    player.close()
    assert ponderers() == 0
