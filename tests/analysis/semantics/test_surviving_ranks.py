"""Where a rank that decides for itself may only end the program, those who are left agree."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import os
import torch.distributed as dist

def save(state, name):
    wanted = False
    if state.sharded:
        wanted = state.other
    elif dist.get_rank() == 0:
        wanted = True
    if wanted:
        {check}
        return name
    else:
        return None

if __name__ == "__main__":
    dist.init_process_group("gloo")
    kept = save(state, "x")
    if kept:
        dist.barrier()
"""


@pytest.mark.parametrize(
    "check", ["print(name)", "assert os.path.exists(name)", "if not os.path.exists(name): raise ValueError(name)"]
)
def test_what_a_function_returns_behind_a_check(check: str) -> None:
    assert [one.message for one in found_in(PROGRAM.format(check=check), "DDP1")] == ["barrier reached by rank 0 only"]


def test_a_check_that_is_caught_leaves_each_rank_its_own() -> None:
    caught = PROGRAM.replace("    kept = save", "    try:\n        kept = save").replace(
        "    if kept", "    except AssertionError:\n        kept = None\n    if kept"
    )
    found = found_in(caught.format(check="assert os.path.exists(name)"), "DDP1")
    assert all(one.code != "DDP101" or one.confidence.value != "high" for one in found)
