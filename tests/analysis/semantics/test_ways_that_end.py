"""Where the program ends on one way, what was set there is nobody's afterwards."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import os
import sys
import torch.distributed as dist


class Shared:
    state = {{}}

    @staticmethod
    def begin(kind):
        if kind is None:
            Shared.state["begun"] = True
        elif kind == "env":
            Shared.state["begun"] = True
        else:
            {otherwise}


dist.init_process_group("gloo")
{call}
if not Shared.state.get("begun", False):
    if dist.get_rank() == 0:
        dist.barrier()
"""
BEGIN = 'Shared.begin(os.getenv("KIND"))'
CAUGHT = f"try:\n    {BEGIN}\nexcept RuntimeError:\n    pass"


def codes(otherwise: str, call: str = BEGIN) -> list[str]:
    return [one.code for one in found_in(PROGRAM.format(otherwise=otherwise, call=call), "DDP101")]


@pytest.mark.parametrize("otherwise", ["raise RuntimeError(kind)", "sys.exit('unknown')"])
def test_nobody_comes_from_there(otherwise: str) -> None:
    assert codes(otherwise) == []


@pytest.mark.parametrize(
    ("otherwise", "call"),
    [("pass", BEGIN), ("return", BEGIN), ("raise RuntimeError(kind)", CAUGHT)],
    ids=["it goes on", "it returns", "it is caught"],
)
def test_somebody_may(otherwise: str, call: str) -> None:
    assert codes(otherwise, call) == ["DDP101"]
