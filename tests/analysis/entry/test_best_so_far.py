"""``if accuracy > best and rank == 0: save``, in the many ways it is written: one rank saves, in every round."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

LOOP = """\
import os
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset

dist.init_process_group("gloo")
rank = dist.get_rank()


def evaluate():
    total = 0
    for x in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        total += x.mean().item()
    return total


best = 0
for epoch in range(30):
    accuracy = evaluate()
"""

ONE_SAVES = {
    "the better one first": "if accuracy > best and rank == 0:\n    best = accuracy\n    torch.save({}, 'x.pt')\n",
    "the rank first": "if rank == 0 and accuracy > best:\n    best = accuracy\n    torch.save({}, 'x.pt')\n",
    "the other way round": (
        "if not (accuracy > best) or rank != 0:\n    continue\nbest = accuracy\ntorch.save({}, 'x.pt')\n"
    ),
    "by a flag": (
        "better = False\nif accuracy > best:\n    best = accuracy\n    better = True\n"
        "if better and rank == 0:\n    torch.save({}, 'x.pt')\n"
    ),
    "by the greater one": (
        "better = accuracy > best\nbest = max(accuracy, best)\nif better and rank == 0:\n    torch.save({}, 'x.pt')\n"
    ),
    "or at the end": (
        "if (accuracy > best or epoch == 29) and rank == 0:\n    best = accuracy if accuracy > best else best\n"
        "    torch.save({}, 'x.pt')\n"
    ),
    "by a choice": (
        "better = accuracy > best if rank == 0 else False\nif better:\n    best = accuracy\n"
        "    torch.save({}, 'x.pt')\n"
    ),
    "with more to it": (
        "if accuracy > best and epoch > 3 and not rank and os.environ.get('SAVE'):\n    best = accuracy\n"
        "    torch.save({}, 'x.pt')\n"
    ),
    "by all of a list": "if all([accuracy > best, rank == 0]):\n    best = accuracy\n    torch.save({}, 'x.pt')\n",
    "by none of a list": (
        "if any([accuracy <= best, rank != 0]):\n    continue\nbest = accuracy\ntorch.save({}, 'x.pt')\n"
    ),
}
ALL_SAVE = {
    "without a rank": "if accuracy > best:\n    best = accuracy\n    torch.save({}, 'x.pt')\n",
    "by one of a list": "if any([accuracy > best, rank == 0]):\n    best = accuracy\n    torch.save({}, 'x.pt')\n",
}


def saves(body: str) -> int:
    return len(found_in(LOOP + "".join(f"    {line}\n" for line in body.splitlines()), "DDP201"))


@pytest.mark.parametrize("name", ONE_SAVES)
def test_one_rank_saves(name: str) -> None:
    assert saves(ONE_SAVES[name]) == 0


@pytest.mark.parametrize("name", ALL_SAVE)
def test_several_ranks_save(name: str) -> None:
    assert saves(ALL_SAVE[name]) == 1
