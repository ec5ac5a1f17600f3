"""Games by messages: what one page does all see, and it is there after a restart."""

from pathlib import Path

from fingal.game import Board

from .pages import client, new_game, page


def test_two_people_play_a_whole_game(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        game = new_game(server, width=3, height=3)
        with page(server, game) as one, page(server, game) as other:
            one.play(game, "b2", "a1", "b1", "c1", "b3")
            oracle = Board(3)
            for move in ("b2", "a1", "b1", "c1", "b3"):
                oracle.push(move)
            for each in (one, other):
                last = each.find(lambda message: message["type"] == "change" and message["status"]["winner"])
                assert last["status"]["winner"] == str(oracle.winner)
                assert last["status"]["how"] == "connection"
                assert set(last["status"]["chain"]) == {"b1", "b2", "b3"}
