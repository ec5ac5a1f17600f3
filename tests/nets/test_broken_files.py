"""A few hundred broken net files, each batch in a process of its own; ``tests/slow`` has thousands."""

from tests.nets.fuzzing import fuzz_nets
from tests.slow.spread import spread


def test_a_broken_file_gives_finite_numbers_or_a_sentence() -> None:
    spread("files", fuzz_nets, 600, 300)
