"""A dictionary that each rank fills by its data holds something, where all of them have set a key beside that."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from data import files

def agree(found):
    if not found:
        return found
    values = torch.tensor(list(found.values())).cuda()
    dist.all_reduce(values)
    return values

dist.init_process_group("nccl")
model = DistributedDataParallel(torch.nn.Linear(1, 1).cuda())
for batch in DataLoader(files, sampler=DistributedSampler(files)):
    found = {}
    for name in batch["names"]:
        found[name] = found.get(name, 0) + 1
    MORE
    agree(found)
"""
HELD = {
    "set": 'found["rate"] = 0.1',
    "updated": 'found.update({"rate": 0.1})',
    "updated by a keyword": "found.update(rate=0.1)",
    "set on either way": 'found["rate"] = 0.1 if len(sys.argv) > 2 else 0.2',
}
PERHAPS = {
    "nothing": "pass",
    "elsewhere": 'other = {}\n    other["rate"] = 0.1',
    "by an option": 'if len(sys.argv) > 2:\n        found["rate"] = 0.1',
    "by one rank": 'if dist.get_rank() == 0:\n        found["rate"] = 0.1',
    "taken out again": 'found["rate"] = 0.1\n    del found["rate"]',
    "all taken out again": (
        'found["rate"] = 0.1\n    found.clear()\n    for name in batch["names"]:\n        found[name] = 1'
    ),
    "popped again": 'found["rate"] = 0.1\n    found.pop("rate")',
}


@pytest.mark.parametrize("name", HELD)
def test_no_rank_finds_it_empty(name: str) -> None:
    assert found_in(PROGRAM.replace("MORE", HELD[name]), "DDP104") == []


@pytest.mark.parametrize("name", PERHAPS)
def test_a_rank_may(name: str) -> None:
    assert [one.code for one in found_in(PROGRAM.replace("MORE", PERHAPS[name]), "DDP104")] == ["DDP104"]
