"""The load test itself: a short one, with every kind of client."""

import pytest

from fingal.bench import half_open, serve


def test_a_short_load(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("IDLE", 4), ("ANALYSES", 1), ("PLAYERS", 1), ("MALFORMED", 300), ("OVERSIZED", 5)):
        monkeypatch.setattr(serve, name, count)
    for name, count in (("HALF_OPEN", 30), ("PAGES", 3)):
        monkeypatch.setattr(half_open, name, count)
    found = serve.measure(2.0)
    assert found["idle_sockets"] == 4
    assert found["malformed_sent"] == 300
    assert found["oversized_sent"] == 5
    assert found["foreign_tried"]
    assert found["foreign_served"] == 0
    assert found["moves_sent"] == found["moves_answered"] != 0
    assert found["cut_off"]
    assert found["half_open_opened"]
    for phase in ("calm", "attack"):
        assert found[f"{phase}_moves_sent"] == found[f"{phase}_moves_answered"] != 0
    assert found["median_ratio"] == pytest.approx(found["attack_ms_median"] / found["calm_ms_median"])  # type: ignore[operator]
    assert list(serve.LABELS) == list(found)
    assert serve.table(found).row_count == len(found)
