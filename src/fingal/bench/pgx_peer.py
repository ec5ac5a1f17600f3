"""pgx's Hex, measured in a process of its own: ``python -m fingal.bench.pgx_peer SIZE BATCH...``.

It is a process of its own because XLA reads its flags and counts the cores once, at the start. For each line with a
number of seconds that it reads, it works for about so long and writes one line: steps per CPU second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

STEPS_PER_CALL = 16_384
"""Steps, over all games, in one call of the compiled loop: long enough that calling it costs nothing."""


class PgxPeer:
    """The process, from the side of the one that asks; a context manager. RuntimeError when pgx fails."""

    def __init__(self, size: int, batches: Sequence[int], trial_seconds: float) -> None:
        """Start the process, which tries every batch size for so many CPU seconds and stays with the best."""
        command = [sys.executable, "-m", "fingal.bench.pgx_peer", str(size), str(trial_seconds), *map(str, batches)]
        flags = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
        environment = os.environ | {"XLA_FLAGS": flags.strip(), "JAX_PLATFORMS": "cpu"}
        self._process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        # Not to measure anything while it compiles.
        self._read("ready")

    def measure(self, seconds: float) -> float:
        """Steps per CPU second, worked for about so many of them."""
        assert self._process.stdin is not None
        try:
            print(seconds, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            self._read("")
        return float(self._read(""))

    def __enter__(self) -> Self:
        """Nothing more to start."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._process.communicate()

    def _read(self, expected: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line or not line.startswith(expected):
            self._process.kill()
            self._process.communicate()
            raise RuntimeError(f"pgx is installed but failed, with exit status {self._process.returncode}")
        return line


def main(size: int, trial_seconds: float, batches: Sequence[int]) -> None:
    """Answer until the input ends."""
    if hasattr(os, "sched_setaffinity"):
        # XLA starts one thread per core it may use: work shared among threads costs more CPU time than it saves here.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    meters = [_meter(size, batch) for batch in batches]
    best = max(meters, key=lambda meter: meter(trial_seconds))
    print("ready", flush=True)
    for line in sys.stdin:
        print(best(float(line)), flush=True)


def _meter(size: int, batch: int) -> Callable[[float], float]:
    """Random legal actions with pgx's own auto-reset, as one compiled loop; compiled when this returns."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset
    from pgx.hex import Hex

    env = Hex(size=size)
    step = jax.vmap(auto_reset(env.step, env.init))
    length = max(1, STEPS_PER_CALL // batch)

    def choose(key: Any, legal: Any) -> Any:
        # One random number per game, where pgx's own act_randomly draws one per action and takes three times as long.
        seen = jnp.cumsum(legal.astype(jnp.int32), axis=1)
        pick = jnp.floor(jax.random.uniform(key, (batch,)) * seen[:, -1]).astype(jnp.int32)
        return jnp.sum(seen <= pick[:, None], axis=1)

    def ply(carry: Any, _: None) -> tuple[Any, Any]:
        state, key = carry
        key, for_actions, for_games = jax.random.split(key, 3)
        action = choose(for_actions, state.legal_action_mask)
        state = step(state, action, jax.random.split(for_games, batch))
        # The observation is part of the state, so it is made in every step.
        return (state, key), None

    loop = jax.jit(lambda carry: jax.lax.scan(ply, carry, None, length=length)[0])
    start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))
    carry = [jax.block_until_ready(loop((start, jax.random.PRNGKey(1))))]

    def meter(seconds: float) -> float:
        begin, steps = time.process_time(), 0
        while True:
            carry[0] = jax.block_until_ready(loop(carry[0]))
            steps += batch * length
            spent = time.process_time() - begin
            if spent >= seconds:
                return steps / spent

    return meter


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), [int(batch) for batch in sys.argv[3:]])
