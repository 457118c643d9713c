"""DDP303 unsharded-loader: data sets that hold others, of which nobody knows how many there are."""

import pytest

from tests.rules.support import found_in

TEXT = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, RandomSampler
from setup import options


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Several(Dataset):
    def __init__(self, sets):
        self.sets = sets

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return self.sets[index]


dist.init_process_group("nccl")
torch.manual_seed(options.seed)
MADE
loader = DataLoader(data, sampler=RandomSampler(data), batch_size=2)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in loader:
    model(batch).sum().backward()
    optimizer.step()
"""
OWN = "torch.load(f'part{dist.get_rank()}')"
ALL = "torch.load('all')"
UNDER_KEYS = """\
sets = {}
for path in options.paths:
    sets[path] = Rows(%s)
data = Several(sets)
"""
IN_A_LIST = """\
sets = []
for path in options.paths:
    sets.append(Rows(%s))
data = Several(sets)
"""
ON_ONE_WAY = """\
sets = {}
for path in options.paths:
    if options.parts:
        rows = %s
    else:
        rows = torch.load(path)
    sets[path] = Rows(rows)
data = Several(sets)
"""
MADE = {"under keys": UNDER_KEYS, "in a list": IN_A_LIST, "on one way": ON_ONE_WAY}


@pytest.mark.parametrize("name", MADE)
def test_silent_where_each_rank_reads_its_own(name: str) -> None:
    assert found_in(TEXT.replace("MADE\n", MADE[name] % OWN), "DDP303") == []


@pytest.mark.parametrize("name", MADE)
def test_found_where_all_read_the_same(name: str) -> None:
    assert len(found_in(TEXT.replace("MADE\n", MADE[name] % ALL), "DDP303")) == 1
