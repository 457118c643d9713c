"""The forward pass of one block says which modules the next one of its kind uses: those that it holds itself."""

from __future__ import annotations

from typing import Any

import pytest

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Function, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.semantics.calling import calls as calling
from tests.rules.support import walks_of

PROGRAM = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from conf import loader


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up = nn.Linear(size, 4 * size)
        self.down = nn.Linear(4 * size, size)

    def forward(self, x):
        inner = self.up(self.norm(x))
        for _ in range(4):
            inner = inner.relu() * 2
        return x + self.down(inner)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(8) for _ in range(4)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


dist.init_process_group("nccl")
net = DDP(Net())
for x in loader:
    net(x).mean().backward()
"""


def test_each_block_uses_its_own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    real = calling.run_function

    def counted(w: Interp, function: Function, *rest: Any) -> Value:
        walked.append(f"{function.owner.name}.{function.name}" if function.owner else function.name)
        return real(w, function, *rest)

    monkeypatch.setattr(calling, "run_function", counted)
    (walk,) = walks_of(PROGRAM)
    uses = [event for event in walk.events if event.effect == Effect.PART]
    by_pass = [
        frozenset().union(*(event.details["parts"] for event in uses if event.details["pass_number"] == number))
        for number in sorted({event.details["pass_number"] for event in uses})
    ]
    assert [len(parts) for parts in by_pass] == [12, 12]
    assert by_pass[0] == by_pass[1]
    assert walked.count("Block.forward") < 4  # of eight calls


def test_what_either_way_uses_is_used_either_way() -> None:
    """A module that both ways call, in two places, is used in both when the whole pass is looked up."""
    program = PROGRAM.replace(
        "        for block in self.blocks:\n            x = block(x)\n",
        "        if x.any():\n            return self.blocks[0](x)\n        x = self.blocks[0](x * 0)\n",
    )
    (walk,) = walks_of(program)
    uses = [event for event in walk.events if event.effect == Effect.PART]
    passes = sorted({event.details["pass_number"] for event in uses})
    assert [sum(event.details["pass_number"] == number for event in uses) for number in passes] == [6, 6]
