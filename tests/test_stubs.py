"""The committed stub of the compiled module is the one that the module gives now."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parent.parent / "src" / "fingal" / "_core.pyi"


def test_the_stub_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", "fingal._core", "-o", str(fresh)]
    subprocess.run(command, check=True, timeout=60)
    assert fresh.read_text(encoding="utf-8") == STUB.read_text(encoding="utf-8"), "run 'make stubs'"
