"""Gradients that were reduced for all parameters are there for each of them."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

PROGRAM = """\
from models import build
class Sharing(torch.optim.Optimizer):
    def step(self):
        for group in self.param_groups:
            params = group["params"]
            size = dist.get_world_size()
            pad = params + [torch.empty_like(params[-1])] * (size - len(params) % size)
            for base in range(0, len(pad), size):
                if base + rank < len(params):
                    p = params[base + rank]
                    grad = p.grad
                    if grad is None:
                        continue
                    p.add_(grad)
                dist.all_gather(pad[base:base + size], pad[base + rank])
model = build()
optimizer = Sharing(model.parameters())
model(x).sum().backward()
{reduced}
optimizer.step()
"""


@pytest.mark.parametrize(
    "reduced",
    [
        "for p in model.parameters():\n    dist.all_reduce(p.grad)",
        "for name, p in model.named_parameters():\n    dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)",
    ],
)
def test_after_all_were_reduced(reduced: str) -> None:
    assert findings(PROGRAM.format(reduced=reduced), "DDP101", "DDP103", "DDP104") == []


@pytest.mark.parametrize(
    "reduced",
    [
        "",
        "for p in model.parameters():\n    if p.grad is not None:\n        dist.all_reduce(p.grad)",
        "for p in model.parameters():\n    dist.all_reduce(p.data)",
        "dist.all_reduce(model.weight.grad)",
        "for p in model.parameters():\n    try:\n        dist.all_reduce(p.grad)\n    except TypeError:\n        pass",
    ],
)
def test_where_some_may_lack(reduced: str) -> None:
    assert findings(PROGRAM.format(reduced=reduced), "DDP101", "DDP103", "DDP104")
