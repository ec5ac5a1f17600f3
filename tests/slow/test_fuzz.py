"""A million broken inputs, and a hundred thousand lines to engines: each is answered, none is a crash."""

from collections.abc import Callable

import pytest

from tests.game.fuzzing import fuzz_formats
from tests.nets.fuzzing import fuzz_check, fuzz_onnx, fuzz_safetensors
from tests.serve.attacking import attack_htp, attack_process
from tests.serve.fuzzing import fuzz_htp
from tests.slow.spread import spread

INPUTS = 500_000
DIALOGUES, LINES = 104, 1_000


@pytest.mark.parametrize("fuzz", [fuzz_htp, fuzz_formats])
def test_fuzzed_inputs(fuzz: Callable[[int, int], None]) -> None:
    print()
    spread(fuzz.__name__, fuzz, INPUTS, 12_500)


@pytest.mark.parametrize(("fuzz", "files"), [(fuzz_safetensors, 10_000), (fuzz_check, 20_000), (fuzz_onnx, 2_000)])
def test_fuzzed_nets(fuzz: Callable[[int, int], None], files: int) -> None:
    print()
    spread(fuzz.__name__, fuzz, files, files // 20)


@pytest.mark.parametrize("attack", [attack_htp, attack_process])
def test_hostile_dialogues(attack: Callable[[int, int], None]) -> None:
    print()
    spread(attack.__name__, attack, DIALOGUES * LINES, LINES)
