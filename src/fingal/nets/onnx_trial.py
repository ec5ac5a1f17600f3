"""A program that opens an ONNX model from its standard input and runs it on every square board.

``python onnx_trial.py SIDE SECONDS MEGABYTES``: the largest board's side, the processor's time, and the memory on top
of ONNX Runtime's own. It imports nothing of Fingal, so that it starts in a tenth of a second; ``onnx_check.try_model``
starts it. The exit status is 0 when the model runs, or one of these.
"""

from __future__ import annotations

import math
import sys
import time

NO_MODEL = 3
"""ONNX Runtime does not open it."""
DOES_NOT_RUN = 4
"""It was opened and failed."""
NO_MEMORY = 5
"""It needed more memory."""
NO_TIME = -24
"""It needed more time: Linux has sent SIGXCPU."""


def _limit(seconds: int, megabytes: int) -> None:
    if not sys.platform.startswith("linux"):  # elsewhere there is the parent's clock alone
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limits = {
        resource.RLIMIT_AS: used + (megabytes << 20),
        resource.RLIMIT_CPU: math.ceil(time.process_time()) + seconds,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        _, allowed = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if allowed == resource.RLIM_INFINITY else min(most, allowed), allowed))


def _status(error: Exception, otherwise: int) -> int:
    """An exit status: the runtime has no exception of its own for memory."""
    return NO_MEMORY if isinstance(error, MemoryError) or "alloc" in str(error) else otherwise


def main(side: int, seconds: int, megabytes: int) -> int:
    """Try the model; gives the exit status."""
    import numpy as np
    import onnxruntime  # type: ignore[import-untyped]

    model = sys.stdin.buffer.read()
    _limit(seconds, megabytes)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False  # it takes more than it needs
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"], enable_fallback=0)
    except Exception as error:
        return _status(error, NO_MODEL)
    try:
        (planes,) = session.get_inputs()
        for length in range(1, side + 1):
            seen = np.zeros((1, planes.shape[1], length + 2, length + 2), np.float32)
            session.run(None, {planes.name: seen})
    except Exception as error:
        return _status(error, DOES_NOT_RUN)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
