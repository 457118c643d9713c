"""Functions that a library compiles are no models: all ranks have what they return."""

from __future__ import annotations

import pytest

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


GAME = """
import jax
import numpy as np

def evaluate(apply, params, episodes, game):
    step, done = jax.jit(apply), 0
    while done < episodes:
        step(params, game.state)
        if np.random.normal(0, 1) > 0:
            done += 1

def main(apply, params, game):
    evaluate(apply, params, 10, game)
"""


def test_a_compiled_function_of_one_process_waits_for_nobody() -> None:
    assert found_in(GAME, "DDP1") == []


@pytest.mark.parametrize("start", ["jax.distributed.initialize()", "print(jax.process_index())"])
def test_a_compiled_function_of_several_processes_does(start: str) -> None:
    assert "DDP104" in {
        finding.code for finding in found_in(GAME.replace("import jax\n", f"import jax\n{start}\n"), "DDP1")
    }
