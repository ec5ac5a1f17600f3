"""A million broken inputs: each is answered, none is a crash."""

from collections.abc import Callable

import pytest

from tests.game.fuzzing import fuzz_formats
from tests.serve.fuzzing import fuzz_htp
from tests.slow.spread import spread

INPUTS = 500_000


@pytest.mark.parametrize("fuzz", [fuzz_htp, fuzz_formats])
def test_fuzzed_inputs(fuzz: Callable[[int, int], None]) -> None:
    print()
    spread(fuzz.__name__, fuzz, INPUTS, 12_500)
