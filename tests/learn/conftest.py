from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.learn.untaught import made


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Nets as small as these are slower with more, and with one thread everything is reproducible."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a net that is sure of its moves."""
    return made(tmp_path_factory.mktemp("nets") / "teacher.safetensors", seed=5, louder=40.0)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a net that an apprentice may begin from."""
    return Path(made(tmp_path_factory.mktemp("nets") / "start.safetensors", seed=6))
