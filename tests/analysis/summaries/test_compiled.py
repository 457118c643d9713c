"""Functions that a library compiles are no models: all ranks have what they return."""

from __future__ import annotations

from tests.rules.support import found_in

LOOP = """
import jax
jax.distributed.initialize()

def train(start, steps, batch):
    start = jax.jit(start)
    step = jax.jit(lambda state, batch: state)
    state = start(0)
    for _ in range(int(state.step), steps):
        state = step(state, batch)
    open("state.txt", "w").write(str(state))
"""


def test_what_a_compiled_function_returns_is_not_the_ranks_own() -> None:
    found = found_in(LOOP, "DDP1", "DDP2")
    assert [finding.code for finding in found] == ["DDP201"]
