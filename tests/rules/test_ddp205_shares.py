"""DDP205: files that a data set keeps for its elements, drawn by a loader that gives each rank its share, or does not."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """
import os
import sys
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler, RandomSampler

class Files(Dataset):
    def __init__(self, names):
        self.data = []
        for name in names:
            for line in open(name):
                self.data.append({"path": line.strip(), "text": line})

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        one = self.data[index]
        path = PATH
        kept = None
        if os.path.exists(path):
            try:
                kept = torch.load(path)
            except RuntimeError:
                print("broken")
        if kept is None:
            kept = torch.ones(3)
            torch.save(kept, path)
        return kept

dist.init_process_group("gloo")
size = int(os.environ["WORLD_SIZE"])
data = Files(sys.argv[1:])
"""
OWN = 'os.path.join("cache", one["path"].split("/")[-1] + ".pt")'
SHARED = 'os.path.join("cache", "all.pt")'
LOOP = "for kept in loader:\n    print(kept)\n"

LOADERS = {
    "a sampler for all ranks": "loader = DataLoader(data, sampler=DistributedSampler(data))\n",
    "one by the number of ranks": (
        "sampler = None\nif size > 1:\n    sampler = DistributedSampler(data)\nloader = DataLoader(data, sampler=sampler)\n"
    ),
    "with workers": "loader = DataLoader(data, sampler=DistributedSampler(data), num_workers=2)\n",
    "prepared by a framework": (
        "from accelerate import Accelerator\nloader = Accelerator().prepare(DataLoader(data, shuffle=True))\n"
    ),
}
NONE_EACH = {
    "no sampler": "loader = DataLoader(data)\n",
    "an order of its own": "loader = DataLoader(data, shuffle=True)\n",
    "a sampler of one rank": "loader = DataLoader(data, sampler=RandomSampler(data))\n",
    "all of it on each rank": "loader = DataLoader(data, sampler=DistributedSampler(data, num_replicas=1, rank=0))\n",
}


@pytest.mark.parametrize("name", LOADERS)
def test_an_element_of_a_share_is_no_other_ranks(name: str) -> None:
    assert found_in(HEAD.replace("PATH", OWN) + LOADERS[name] + LOOP, "DDP201", "DDP205") == []


@pytest.mark.parametrize("name", NONE_EACH)
def test_elements_of_all_ranks_are(name: str) -> None:
    found = found_in(HEAD.replace("PATH", OWN) + NONE_EACH[name] + LOOP, "DDP205")
    assert [one.code for one in found] == ["DDP205"]


@pytest.mark.parametrize("loader", LOADERS)
def test_a_file_that_does_not_name_the_element_is_of_all(loader: str) -> None:
    found = found_in(HEAD.replace("PATH", SHARED) + LOADERS[loader] + LOOP, "DDP205")
    assert [one.code for one in found] == ["DDP205"]
