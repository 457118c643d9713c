"""Tensors and lists that have as many elements as each rank's own data says."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset

for x in DataLoader(dataset, sampler=DistributedSampler(dataset)):
"""

UNEVEN = {
    "what a mask lets through": "y = x[x > 0.5]\nif y.numel() == 0:\n    continue\n",
    "where two masks agree": "y = x[(x > 0.5) & (x < 0.9)]\nif len(y) == 0:\n    continue\n",
    "what is not masked out": "y = x[~(x == 0)].detach().cpu()\nif y.shape[0] == 0:\n    continue\n",
    "by a comparison that is called": "y = x[x.gt(0.5)]\nif not y.numel():\n    continue\n",
    "by a function": "y = x[torch.isnan(x)]\nif len(y) > 0:\n    continue\n",
    "by a method": "y = x.masked_select(x != 0)\nif y.size(0) == 0:\n    continue\n",
    "places": "y = (x > 0.5).nonzero()\nif not len(y):\n    continue\n",
    "places by a function": "y = torch.nonzero(x)\nif len(y) < 2:\n    continue\n",
    "where alone": "y = torch.where(x > 0)[0]\nif len(y) < 1:\n    continue\n",
    "one round for each class": "for y in torch.unique(x):\n    dist.all_reduce(y)\n",
    "a list": "y = []\nfor z in x:\n    if z > 0:\n        y.append(z)\nif y:\n    continue\n",
    "a list of lists": "y = []\nfor z in x:\n    y += [a for a in z if a > 0]\nif len(y) == 0:\n    continue\n",
}

EVEN = {
    "as many as are in a batch": "if len(x) == 0:\n    continue\n",
    "a part of all batches": "y = x[:, 0]\nif y.numel() == 0:\n    continue\n",
    "a number of an element": "y = x[3]\nif y.numel() == 0:\n    continue\n",
    "where one of two": "y = torch.where(x > 0, x, 0)\nif len(y) == 0:\n    continue\n",
    "the parts of a loss over a selection": "for part in losses(x[x > 0]).items():\n    dist.all_reduce(part[1])\n",
    "selected from what all have": "y = table[table > 0]\nif len(y) == 0:\n    continue\n",
    "nothing follows": "y = x[x > 0]\nif len(y) == 0:\n    print('none')\n",
}


def codes(body: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in (body + "dist.barrier()").splitlines())
    text = HEAD.replace("dataset\n\n", "dataset, losses, table\n\n", 1) + lines
    return [one.code for code in ("DDP104", "DDP106") for one in found_in(text, code)]


@pytest.mark.parametrize("name", UNEVEN)
def test_as_many_as_its_data_says(name: str) -> None:
    assert codes(UNEVEN[name])


@pytest.mark.parametrize("name", EVEN)
def test_as_many_as_the_others_have(name: str) -> None:
    assert codes(EVEN[name]) == []


def test_a_list_that_all_batches_fill() -> None:
    text = HEAD.replace("for x in", "kept = []\nfor x in")
    text += "    for y in x:\n        if y > 0:\n            kept.append(y)\nif len(kept) > 0:\n    dist.barrier()\n"
    assert len(found_in(text, "DDP104")) == 1
