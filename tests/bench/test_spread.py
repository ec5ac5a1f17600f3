"""What a learner needs, by numbers worked by hand; bytes that are those of the arrays."""

import sys
from pathlib import Path

import pytest

from fingal.bench import spread
from fingal.game.picture import svg


def test_needs_by_hand() -> None:
    found = spread.needs(
        10,
        judgements_per_s=1_000_000,
        judgements_a_position=20,
        judgements_a_game=600,
        games_at_once=5_000,
        position_bytes=400,
        weights_bytes=2_000_000,
        take_us_a_position=2,
        learned_per_s=100_000,
        reuse=2,
        batch=1000,
        publish_steps=20,
    )
    # 10 GPUs x 1,000,000 / 20 = 500,000 positions; twice each in batches of 1,000: 1,000 steps, 50 publications.
    assert found.positions_per_s == 500_000
    assert found.steps_per_s == 1_000
    assert found.bytes_in_per_s == 200e6
    assert found.bytes_out_per_s == 10 * 2e6 * 50
    assert found.cores == 1
    assert found.learners == 10
    # A game lasts 5,000 x 600 / 1,000,000 = 3 s; half an interval is 0.01 s.
    assert found.seconds_behind == pytest.approx(3.01)
    assert found.steps_behind == pytest.approx(3010)
    # At 200 judgements a position there are 50,000 positions, learned from twice: what one GPU learns.
    assert found.balanced == 200


def test_a_position_weighs_what_its_arrays_do() -> None:
    found = spread.taken(5)
    # 25 policies of 2 bytes, four boards of 8; the rest is a few numbers, the game's name and its moves.
    assert 25 * 2 + 4 * 8 < found["position_bytes"] < 150
    assert found["position_bytes_deflated"] < found["position_bytes"]
    assert 1 <= found["positions_a_game"] <= found["moves_a_game"] <= 25


def test_the_picture_shows_every_measurement() -> None:
    drawn = svg(spread.picture({"games_per_s_1": 10.0, "games_per_s_2": 19.0, "games_per_s_4": 20.0}))
    assert drawn.count("<circle") == 3 + 2  # points, and the names' marks
    assert "in step with actors" in drawn


@pytest.mark.parametrize(("arguments", "message"), [([], "required: file"), (["spread.txt"], "spread.txt")])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spread, "measure", lambda: pytest.fail("it measured"))
    monkeypatch.setattr(sys, "argv", ["spread", *arguments])
    with pytest.raises(SystemExit) as left:
        spread.main()
    assert left.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("games", [None, 9.5])
def test_figures_are_printed_with_or_without_a_picture(
    games: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = {"weights_bytes_small": 1_803_673} | {f"games_per_s_{actors}": games for actors in (1, 2, 4)}
    monkeypatch.setattr(spread, "measure", lambda: measured)
    monkeypatch.setattr(sys, "argv", ["spread", str(tmp_path / "spread.svg")])
    spread.main()
    assert "1803673" in capsys.readouterr().out
    assert (tmp_path / "spread.svg").exists() == (games is not None)  # None is what there is without Ray
