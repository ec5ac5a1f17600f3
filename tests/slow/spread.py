"""Long work, split over the machine's cores."""

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed


def spread(label: str, work: Callable[[int, int], None], count: int, chunk: int) -> None:
    """Do ``work(seed, count)`` in chunks, each with a seed of its own, and print how far it has come.

    What one of them raises is raised here, and the rest is not begun.
    """
    start, done, shown = time.monotonic(), 0, 0
    sizes = [min(chunk, count - at) for at in range(0, count, chunk)]
    # Not forked: pytest and the sanitizers have threads, which a fork would tear.
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(work, seed, size): size for seed, size in enumerate(sizes)}
        try:
            for future in as_completed(waiting):
                future.result()
                done += waiting[future]
                if done * 10 // count > shown:
                    shown = done * 10 // count
                    print(f"{label}: {done:,} of {count:,}, {time.monotonic() - start:.0f} s", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
