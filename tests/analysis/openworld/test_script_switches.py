"""Settings that people edit in a script decide whether it runs as several processes: it is read either way."""

from __future__ import annotations

import pytest

from tests.rules import support

SCRIPT = """\
import torch
import torch.distributed as dist

{above}
if __name__ == "__main__":
    {here}
    if {test}:
        {setup}
        rank = dist.get_rank()
    else:
        rank = 0
    {between}
    model = torch.nn.Linear(2, 2)
    if rank == 0 and distributed:
        dist.barrier()
    torch.save(model.state_dict(), "last.pt")
"""
SETUP = 'dist.init_process_group("nccl")'


def codes(**parts: str) -> list[str]:
    text = SCRIPT.format(**{"above": "", "here": "pass", "test": "distributed", "setup": SETUP, "between": "", **parts})
    return [one.code for one in support.found_in(text, "DDP101", "DDP201")]


@pytest.mark.parametrize("place", ["above", "here"])
def test_a_setting_that_is_off_may_be_on(place: str) -> None:
    assert codes(**{place: "distributed = False"}) == codes(**{place: "distributed = True"}) == ["DDP101", "DDP201"]


@pytest.mark.parametrize(
    "parts",
    [
        {"here": "distributed = False", "between": "distributed = False"},
        {"here": "distributed = False", "setup": "torch.manual_seed(0)"},
        {"here": "distributed = 0"},
    ],
)
def test_other_names_are_what_stands_there(parts: dict[str, str]) -> None:
    assert codes(**parts) == []
