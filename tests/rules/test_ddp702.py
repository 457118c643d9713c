"""DDP702 shard-taken-as-whole: the fix is offered only where every call has the method that it calls."""

from __future__ import annotations

import pytest

from tests.rules.support import fixed_in, found_in

CODE = "DDP702"
START = """\
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

dist.init_process_group("gloo")


def step(model, optimizer):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


big = FSDP(torch.nn.Linear(2, 2))
of_big = torch.optim.SGD(big.parameters(), lr=0.1)
big(torch.ones(2)).sum().backward()
step(big, of_big)
"""
OTHERS = {
    "a plain model, too": """\
small = torch.nn.Linear(2, 2)
of_small = torch.optim.SGD(small.parameters(), lr=0.1)
small(torch.ones(2)).sum().backward()
step(small, of_small)
""",
    "one rank alone, too": """\
if dist.get_rank() == 0:
    probe = torch.nn.Linear(2, 2)
    probe(torch.ones(2)).sum().backward()
    step(probe, torch.optim.SGD(probe.parameters(), lr=0.1))
""",
}


def test_the_wrapper_clips_by_the_norm_of_the_whole() -> None:
    assert "    model.clip_grad_norm_(1.0)\n" in fixed_in(START, CODE, unsafe=True)


@pytest.mark.parametrize("name", OTHERS)
def test_no_fix_where_a_call_brings_another_model(name: str) -> None:
    text = START + OTHERS[name]
    (finding,) = found_in(text, CODE)
    assert finding.fix is None
    assert finding.no_fix.startswith("call clip_grad_norm_ of the wrapped model")
