"""The file that a run goes on from: whole, or refused in one sentence."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from fingal.learn.parts import state


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:4],
        lambda data: data[:30],
        lambda data: data[:-1],
        lambda data: b"\xff" * len(data),
        lambda data: data[:8] + b"[" + data[9:],
        lambda data: data.replace(b'{\\"steps\\"', b'[\\"steps\\"'),
    ],
)
def test_a_spoiled_file_is_one_sentence(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "state.safetensors"
    state.save(file, {"replay.value": torch.arange(5.0)}, {"steps": 4})
    whole = file.read_bytes()
    for read in (lambda: state.load(file), lambda: state.part(file, "replay")):
        file.write_bytes(whole)
        found = read()
        assert found is not None
        assert found[1] == {"steps": 4}
        file.write_bytes(spoiled := spoil(whole))
        assert spoiled != whole
        with pytest.raises(ValueError, match=f"^{re.escape(str(file))} is truncated or damaged$"):
            read()


def test_a_run_without_one_has_none(tmp_path: Path) -> None:
    assert state.load(tmp_path / "state.safetensors") is None
    assert state.part(tmp_path / "state.safetensors", "replay") is None
