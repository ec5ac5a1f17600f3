"""What a process that works for another does when that one is gone."""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_it() -> None:
    """End this process as soon as the one that began it has ended, however that was."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)  # what is under way may be gone on with by another process at any moment

    threading.Thread(target=watch, daemon=True).start()
