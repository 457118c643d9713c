"""``model.eval()`` decides what ``self.training`` is in the model and its parts."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Head(nn.Module):
    def forward(self, x):
        if self.training and torch.cuda.is_available():
            dist.barrier()
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()

    def similar(self, x):
        return self.head(x)


def evaluate(model, batches):
    inner = model.module.to("cuda")
    {switch}
    with torch.no_grad():
        for batch in batches:
            inner.similar(batch)


dist.init_process_group("gloo")
model = DistributedDataParallel(Net())
if dist.get_rank() == 0:
    evaluate(model, [1, 2])
dist.barrier()
"""


@pytest.mark.parametrize("switch", ["inner.eval()", "model.eval()", "inner.train(False)", "inner.train(mode=False)"])
def test_what_happens_in_training_does_not_in_evaluation(switch: str) -> None:
    assert found_in(PROGRAM.format(switch=switch), "DDP101") == []


@pytest.mark.parametrize("switch", ["inner.train()", "model.train()", "pass"])
def test_else_it_may(switch: str) -> None:
    assert found_in(PROGRAM.format(switch=switch), "DDP101")
