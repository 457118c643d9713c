"""A tensor that is filled by way of its ``data`` is filled itself: what a module has begun once is not begun again."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

MODULE = """
import sys
import torch
import torch.distributed as dist
from torch import nn

class Book(nn.Module):
    def __init__(self, learned):
        super().__init__()
        self.register_buffer("done", torch.Tensor([not learned]))
        self.register_buffer("size", torch.zeros(1))

    def forward(self, x):
        if not self.done:
            dist.all_reduce(x)
            FILL
        return x

dist.init_process_group("nccl")
book, x = Book(len(sys.argv) > 2), torch.ones(3).cuda()
for _ in range(10):
    book(x)
if dist.get_rank() == 0:
    book(x)
"""
DONE = (
    "self.done.data.copy_(torch.Tensor([True]))",
    "self.done.data.copy_(torch.tensor(True))",
    "self.done.data.fill_(True)",
    "self.done.copy_(torch.Tensor([True]))",
    "self.done = torch.tensor(True)",
)
NOT_DONE = (
    "self.size.data.copy_(torch.Tensor([True]))",
    "self.done.data.fill_(False)",
    "self.done.data.zero_()",
    "x.data.fill_(True)",
    "pass",
)


@pytest.mark.parametrize("fill", DONE)
def test_all_ranks_have_begun(fill: str) -> None:
    assert found_in(MODULE.replace("FILL", fill), "DDP1") == []


@pytest.mark.parametrize("fill", NOT_DONE)
def test_it_begins_again(fill: str) -> None:
    assert [one.code for one in found_in(MODULE.replace("FILL", fill), "DDP1")] == ["DDP101"]
