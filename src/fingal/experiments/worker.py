"""The program that trains sweeps in a process of its own: ``python -m fingal.experiments.worker``.

Each line on stdin is a sweep's folder. Lines on stdout say which share of it is done, and then ``done``, or ``refused``
with a sentence when the learner does not take a setting. The program ends with its stdin, whatever it is doing then: so
it does not outlive the one that started it.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from pathlib import Path

from fingal.experiments.sweep import train


def main() -> None:
    """Train what is asked for, one sweep after the other."""
    import torch

    # One core for each process: the nets are too small to gain from more.
    torch.set_num_threads(1)
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            asked.put(line.rstrip("\n"))
        # Files are there whole or not at all, so nothing is lost.
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            train(Path(asked.get()), lambda share: print(f"{share:.4f}", flush=True))
        except ValueError as error:
            print("refused", " ".join(str(error).split()), flush=True)
        else:
            print("done", flush=True)


if __name__ == "__main__":
    main()
