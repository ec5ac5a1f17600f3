"""The load test itself: a short one, with every kind of client."""

import pytest

from fingal.bench import serve


def test_a_short_load(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("IDLE", 4), ("ANALYSES", 1), ("PLAYERS", 1), ("MALFORMED", 300), ("OVERSIZED", 5)):
        monkeypatch.setattr(serve, name, count)
    found = serve.measure(2.0)
    assert found["idle_sockets"] == 4
    assert found["malformed_sent"] == 300
    assert found["oversized_sent"] == 5
    assert found["foreign_tried"]
    assert found["foreign_served"] == 0
    assert found["moves_sent"] == found["moves_answered"] != 0
    assert found["cut_off"]
    assert list(serve.LABELS) == list(found)
    assert serve.table(found).row_count == len(found)
