"""DDP103 collective-order."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings, fixed, found_in

FIRES = {
    "other kinds": (
        "if rank == 0:\n    dist.barrier()\nelse:\n    dist.all_reduce(x)\n",
        "rank 0 calls barrier where ranks 1, 2, 3 call all_reduce",
    ),
    "another order": (
        (
            "if rank == 0:\n    dist.broadcast(x, 0)\n    dist.all_reduce(x)\n"
            "else:\n    dist.all_reduce(x)\n    dist.broadcast(x, 0)\n"
        ),
        "rank 0 calls broadcast where ranks 1, 2, 3 call all_reduce",
    ),
    "one more": (
        "if rank == 0:\n    dist.all_reduce(x)\n    dist.all_reduce(x)\nelse:\n    dist.all_reduce(x)\n",
        "rank 0 calls all_reduce where ranks 1, 2, 3 have nothing left to call",
    ),
}

SILENT = {
    "equal sequences": (
        "if rank == 0:\n    dist.all_reduce(x)\n    dist.barrier()\nelse:\n    dist.all_reduce(x)\n    dist.barrier()\n"
    ),
    "equal through helpers": (
        "def a():\n    dist.barrier()\ndef b():\n    dist.barrier()\nif rank == 0:\n    a()\nelse:\n    b()\n"
    ),
    "one branch communicates: that is DDP101": "if rank == 0:\n    dist.barrier()\nelse:\n    print(1)\n",
    "complementary": "if rank != 0:\n    dist.barrier()\nif rank == 0:\n    dist.barrier()\n",
    "a uniform choice": "import sys\nif len(sys.argv) > 2:\n    dist.barrier()\nelse:\n    dist.all_reduce(x)\n",
    "groups of their own": (
        "a, b = dist.new_group([0, 1]), dist.new_group([2, 3])\n"
        "if rank < 2:\n    dist.barrier(group=a)\nelse:\n    dist.all_reduce(x, group=b)\n"
    ),
    "point to point": "if rank == 0:\n    dist.send(x, 1)\nelse:\n    dist.recv(x, 0)\n",
    "the same kind on other tensors": (
        "y = torch.zeros(1)\nif rank == 0:\n    dist.broadcast(x, 0)\nelse:\n    dist.broadcast(y, 0)\n"
    ),
}


@pytest.mark.parametrize(("program", "message"), FIRES.values(), ids=FIRES)
def test_fires(program: str, message: str) -> None:
    (finding,) = findings(program, "DDP103")
    assert finding.message == message
    assert finding.severity is Severity.ERROR
    assert finding.fix is None
    assert finding.no_fix
    assert fixed(program, "DDP103", unsafe=True) == program


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP103") == []


def test_what_one_rank_evaluates_besides_is_told_as_that() -> None:
    program = (
        "from models import net\nmodel = DDP(net)\n"
        "def train():\n    model(x).sum().backward()\n"
        "def evaluate():\n    with torch.no_grad():\n        model(x)\n"
        "for epoch in range(3):\n    if rank == 0:\n        train()\n        evaluate()\n    else:\n        train()\n"
    )
    assert [(one.code, one.severity) for one in findings(program, "DDP1")] == [("DDP102", Severity.WARNING)]


def test_two_of_one_name_are_told_by_their_lines() -> None:
    program = """
import torch.distributed as dist


def main(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    pair = dist.new_group([0, 1])
    if rank == 0:
        dist.barrier(pair)
        dist.barrier()
    else:
        dist.barrier()
        if rank == 1:
            dist.barrier(pair)
"""
    (finding,) = found_in(program, "DDP103")
    assert "barrier (line 9) where" in finding.message
    assert "barrier (line 12)" in finding.message


EACH_ASKS = """
import torch
import torch.distributed as dist

def get_batch(data, args):
    def send(item):
        if item is not None:
            dist.broadcast(item, 0)

    if dist.get_rank() == 0:
        batch = next(data)
        send(batch["tokens"].cuda())
        {first}
    else:
        send(torch.empty(4))
        {others}
    return args
"""
MASK = "send(batch['mask'].cuda() if 'mask' in batch else None)"


@pytest.mark.parametrize(
    ("first", "others", "found"),
    [
        (MASK, "send(torch.empty(2) if args.mask else None)", 0),
        ("if args.mask: send(x)", "if args.masked: send(x)", 0),
        (MASK, "pass", 1),
        (MASK, "send(torch.empty(2))", 1),
        ("if args.mask: send(x); send(x)", "if args.masked: send(x)", 1),
        ("if args.mask: dist.barrier()", "if args.masked: send(x)", 1),
        ("if args.mask: dist.barrier()", "if args.masked: raise ValueError", 1),
    ],
)
def test_two_questions_that_go_together(first: str, others: str, found: int) -> None:
    text = EACH_ASKS.format(first=first, others=others).replace("(x)", "(torch.empty(2))")
    assert len(found_in(text, "DDP101", "DDP103")) == found


PARSED = """
import argparse
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--mask", action="store_true")
parser.add_argument("--masked", action="store_true")
args = parser.parse_args()
if dist.get_rank() == 0:
    dist.barrier()
    if args.mask:
        dist.barrier()
else:
    dist.barrier()
    if args.masked:
        dist.barrier()
"""


def test_options_of_one_command_line_stand_by_themselves() -> None:
    assert len(found_in(PARSED, "DDP101", "DDP103")) == 1
    assert found_in(PARSED.replace("args.masked", "args.mask"), "DDP101", "DDP103") == []


MADE = """
import torch
import torch.distributed as dist

def send(item):
    if item is not None:
        dist.broadcast(item, 0)

def get_batch(data, known):
    if dist.get_rank() == 0:
        mask = {made}
        batch = {{"mask": mask}}
        send(batch["mask"])
    else:
        send(torch.empty(4))
"""


@pytest.mark.parametrize(
    ("made", "found"), [("(known(data) < 0.5).cuda()", 0), ("known(data).unsqueeze(0)", 0), ("known(data)", 1)]
)
def test_what_was_worked_out_is_there(made: str, found: int) -> None:
    assert len(found_in(MADE.format(made=made), "DDP101", "DDP103")) == found


ENDED = """
import torch.distributed as dist

class Cache:
    def __init__(self, shared):
        self.shared = shared

    def {method}(self):
        if self.shared:
            {call}
"""


@pytest.mark.parametrize(
    ("method", "call", "found"),
    [
        ("__del__", "dist.barrier()", 1),
        ("__del__", "self.meet()\n\n    def meet(self):\n        dist.barrier()", 1),
        ("close", "dist.barrier()", 0),
        ("__exit__", "dist.barrier()", 0),
        ("__del__", "dist.destroy_process_group()", 0),
        ("__del__", "print(dist.get_rank())", 0),
    ],
)
def test_what_runs_when_garbage_is_collected(method: str, call: str, found: int) -> None:
    assert len(found_in(ENDED.format(method=method, call=call), "DDP103")) == found
