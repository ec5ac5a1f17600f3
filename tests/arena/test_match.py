"""Matches: colours, openings, scores, and what happens when a player fails."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from fingal.arena.match import Game, Match, play, play_game
from fingal.arena.openings import openings
from fingal.game import BLACK, RESIGN, WHITE, Colour, Record, Result, Special, formats
from fingal.players.player import NO_LIMIT, Limit, Player, PlayerError
from tests.serve.scripted import Answers, First

TEXTS = ("one", "two")


class Counted(First):
    """Plays the first empty cell, fails in the games it is told to, and counts what happens to it."""

    made = 0
    closed = 0

    def __init__(self, fails: bool) -> None:
        super().__init__()
        Counted.made += 1
        self.fails = fails

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        if self.fails:
            raise PlayerError("out of ideas")
        return super().choose(record, limit)

    def close(self) -> None:
        Counted.closed += 1


@pytest.fixture(autouse=True)
def _fresh_counts() -> None:
    Counted.made = Counted.closed = 0


def maker(**players: Callable[[], Player]) -> Callable[[str], Player]:
    return lambda text: players[text]()


def moves(record: Record) -> list[str]:
    return [f"{colour.letter} {record.name(move)}" for colour, move in record.moves]


def test_colours_alternate_and_every_opening_is_played_twice_in_a_row() -> None:
    starts = [Record.of(["a1"], 3), Record.of(["c3"], 3)]
    games = list(play(TEXTS, starts, 6, make=maker(one=First, two=First)))
    assert [game.number for game in games] == [1, 2, 3, 4, 5, 6]
    assert [game.black for game in games] == [0, 1, 0, 1, 0, 1]
    assert [moves(game.record)[0] for game in games] == ["B a1", "B a1", "B c3", "B c3", "B a1", "B a1"]


def test_the_winner_is_the_one_who_joined() -> None:
    """Two that play the first empty cell: on 3x3 Black joins c1, b2 and a3, whoever has Black."""
    games = list(play(TEXTS, [Record(3, 3)], 4, make=maker(one=First, two=First)))
    for game in games:
        assert moves(game.record) == ["B a1", "W b1", "B c1", "W a2", "B b2", "W c2", "B a3"]
        assert game.record.result == Result(BLACK)
        assert game.winner == game.black
        assert game.failure == ""
    match = Match(TEXTS, games)
    assert match.rate(0) == match.rate(1) == (2, 4)
    assert [match.rate(0, colour) for colour in Colour] == [(2, 2), (0, 2)]


def test_summary_and_table() -> None:
    record = Record(3, 3)
    games = [Game(1, 0, record, 0), Game(2, 1, record, 0), Game(3, 0, record, 1, "it died")]
    match = Match(("one", "[/two]"), games)
    summary = match.summary()
    assert summary["games"] == 3
    assert summary["win_rate"] == pytest.approx(2 / 3)
    # Wilson's interval for 2/3: (2/3 + 3.841459/6 ± 1.959964 · √(2/27 + 3.841459/36)) / (1 + 3.841459/3).
    assert summary["interval"] == pytest.approx((0.2077, 0.9385), abs=5e-5)
    one, two = summary["sides"]
    assert (one["player"], one["wins"], two["player"], two["wins"]) == ("one", 2, "[/two]", 1)
    assert {colour: (one[colour]["wins"], one[colour]["games"]) for colour in ("black", "white")} == {
        "black": (1, 2),
        "white": (1, 1),
    }
    assert {colour: (two[colour]["wins"], two[colour]["games"]) for colour in ("black", "white")} == {
        "black": (0, 1),
        "white": (1, 2),
    }
    # 1/2: ½ ± 1.959964 / (2 · √5.841459).
    assert one["black"]["interval"] == pytest.approx((0.0945, 0.9055), abs=5e-5)
    assert summary["failures"] == [{"game": 3, "reason": "it died"}]

    console = Console(width=120, file=io.StringIO())
    with console.capture() as capture:
        console.print(match.table())
    shown = capture.get()
    assert "[/two]" in shown
    assert "66.7% [20.8, 93.9]  2/3" in shown


def test_a_player_that_fails_loses_that_game_and_is_made_anew() -> None:
    fails = iter([True, False, True, False])
    make = maker(one=lambda: Counted(next(fails)), two=First)
    games = list(play(TEXTS, [Record(3, 3)], 4, make=make))
    # It fails as Black in game 1 and, made anew, plays on in games 2, 3 and 4: Black wins each of them.
    assert [game.failure for game in games] == ["out of ideas", "", "", ""]
    assert [game.winner for game in games] == [1, 1, 0, 1]
    assert games[0].record.result == Result(WHITE, "forfeit")
    assert moves(games[0].record) == ["B forfeit"]
    assert (Counted.made, Counted.closed) == (2, 2)


def test_a_player_that_cannot_be_made_anew_forfeits() -> None:
    made = iter([Counted(True)])

    def make() -> Player:
        try:
            return next(made)
        except StopIteration:
            raise PlayerError("the engine does not start any more") from None

    games = list(play(TEXTS, [Record(2, 2)], 3, make=maker(one=make, two=First)))
    assert [game.winner for game in games] == [1, 1, 1]
    again = "the engine does not start any more"
    assert [game.failure for game in games] == ["out of ideas", again, again]
    assert Counted.closed == 1


@pytest.mark.parametrize("error", [PlayerError("no such engine"), ValueError("no such player")])
def test_what_cannot_start_at_all_is_an_error(error: Exception) -> None:
    def fail() -> Player:
        raise error

    with pytest.raises(type(error), match="no such"):
        next(play(TEXTS, [Record(3, 3)], 2, make=maker(one=lambda: Counted(False), two=fail)))
    assert Counted.closed == 1


def test_a_player_that_does_not_play_this_size_is_an_error_that_names_it() -> None:
    make = maker(one=lambda: Counted(False), two=lambda: Answers(ValueError("this net knows 11x11 only")))
    with pytest.raises(ValueError, match=r"^oracle does not play here: this net knows 11x11 only$"):
        list(play(TEXTS, [Record(3, 3)], 2, make=make))
    assert Counted.closed == 1


@pytest.mark.parametrize("answer", [0, 99, -1, Special.PASS, Special.FORFEIT])
def test_an_illegal_move_loses(answer: int) -> None:
    record, failure = play_game([First(), Answers(answer)], Record(3, 3))
    assert moves(record) == ["B a1", "W forfeit"]
    assert record.result == Result(BLACK, "forfeit")
    assert failure == f"oracle answered {answer}, which is not a legal move"


def test_resignation() -> None:
    record, failure = play_game([First(), Answers(RESIGN)], Record(3, 3))
    assert moves(record) == ["B a1", "W resign"]
    assert record.result == Result(BLACK, "resign")
    assert failure == ""


def test_limits_reach_both_players() -> None:
    players = [First(), First()]
    play_game(players, Record(3, 3), Limit(simulations=7))
    assert [set(player.limits) for player in players] == [{Limit(simulations=7)}] * 2


def test_swap_is_played_where_the_opening_allows_it() -> None:
    record, _ = play_game([First(), First()], Record.of(["b1"], 3, swap=True))
    assert moves(record)[:3] == ["B b1", "W swap-pieces", "B a1"]


def test_a_game_begins_with_all_of_the_opening_and_leaves_it_alone() -> None:
    """Stones that were set up, and who is to move, count as much as moves do."""
    opening = formats.read("(;FF[4]GM[11]SZ[3]AB[b1]AB[b2]AW[a2]PL[W]RE[B+])")
    before = formats.write(opening)
    record, _ = play_game([First(), First()], opening)
    # White is to move and plays a1; Black's c1 joins nothing; White's c2 neither; Black's a3 joins b1, b2 and a3.
    assert moves(record) == ["W a1", "B c1", "W c2", "B a3"]
    assert record.result == Result(BLACK)
    assert record.players == {BLACK: "first", WHITE: "first"}
    assert formats.write(opening) == before


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 5), (11, 11), (19, 19)])
def test_sizes(width: int, height: int) -> None:
    (game,) = play(("random:seed=1", "random:seed=2"), openings("none", width, height), 1)
    assert game.record.board().winner is not None
    every = openings("all", width, height)
    assert [record.moves for record in every] == [[(BLACK, cell)] for cell in range(width * height)]


def test_openings_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;FF[4]GM[11]SZ[5]AB[c3];W[b2];B[a1])")
    file = tmp_path / "openings.txt"
    file.write_text(f"\ufeffa1 b2\r\n\n#5,c3,d4\n  5: e5\n{tmp_path}/game.sgf@1\n", encoding="utf-8")
    starts = openings(str(file), 5, 5)
    assert [moves(start) for start in starts] == [["B a1", "W b2"], ["B c3"], ["B e5"], ["W b2"]]
    assert starts[3].board().colour_at("c3") is BLACK


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a1\nz9\n", "line 2: move 1: 'z9' is off the board"),
        (b"a1 a1", "line 1: move 2, W a1: cell a1 is occupied"),
        (b"#4,a1", "line 1: a board of 4x4, but the match is on 3x3"),
        (b"a1 c1 a2 c2 a3", "line 1: the game is over: black has won"),
        (b"a1 resign", "line 1: the game is over: white has given up"),
        (b"a1 swap-sides", "line 1: swap-sides has no place in an opening"),
        (b"\n  \n", "holds no openings: one a line is expected"),
        (b"", "holds no openings"),
        (b"\xff\xfe", "cannot read openings: none, all, edge, fair or a text file is expected"),
        (b"a1\0", "line 1: "),
    ],
)
def test_openings_that_are_none(tmp_path: Path, text: bytes, sentence: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=sentence) as caught:
        openings(str(file), 3, 3)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["missing.txt", "", ".", "/dev/zero", "a\0b"])
def test_openings_from_what_is_no_file(source: str) -> None:
    with pytest.raises(ValueError, match=r"^cannot read openings: none, all, edge, fair or a text file is expected \("):
        openings(source, 3, 3)
