"""What is done to a tensor in place: by a helper that reduces it for its callers, and by methods that fill it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

PROGRAM = """
import random
import torch
import torch.distributed as dist


class Comm:
    def reduce(self, tensor, op=None):
        {inner}

    def fresh(self, tensor):
        tensor = tensor.clone()
        dist.all_reduce(tensor)


def plain(value, *, tensor=None):
    {inner}


def twice(one):
    plain(1, tensor=one)


comm = Comm()
dist.init_process_group("gloo")
flag = torch.tensor(random.random())
{call}
if flag.item() > 0.5:
    dist.barrier()
"""
CALLS = {
    "comm.reduce(flag)": False,
    "comm.reduce(op=None, tensor=flag)": False,
    "twice(flag)": False,
    "comm.fresh(flag)": True,
    "comm.reduce(flag + 1)": True,
    "other = torch.tensor(random.random())\ncomm.reduce(other)": True,
    "pass": True,
}


@pytest.mark.parametrize("call", CALLS)
def test_callers_see_it(tmp_path: Path, call: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(inner="dist.all_reduce(tensor)", call=call), "utf-8")
    assert ("DDP104" in [finding.code for finding in ddplint.check([path]).findings]) is CALLS[call]


def test_a_reduction_to_one_rank_is_seen_too(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    program = PROGRAM.replace("torch.tensor(random.random())\n{call}", "torch.ones(1)\n{call}")
    for inner, found in (("pass", False), ("dist.reduce(tensor, 0)", True)):
        path.write_text(program.format(inner=inner, call="twice(flag)"), "utf-8")
        assert ("DDP104" in [finding.code for finding in ddplint.check([path]).findings]) is found


FILLED = """
import torch
import torch.distributed as dist

def train(bad, value):
    flag = torch.tensor(0)
    if dist.get_rank() == 0 and bad:
        flag.{method}
    {between}
    if flag.item() > 0:
        return
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("method", "between", "found"),
    [
        ("fill_(1)", "pass", True),
        ("copy_(torch.tensor(1))", "pass", True),
        ("add_(1)", "pass", True),
        ("zero_()", "pass", False),
        ("add(1)", "pass", False),
        ("fill_(1)", "dist.broadcast(flag, src=0)", False),
        ("fill_(1)", "dist.all_reduce(flag)", False),
        ("fill_(1)", "flag = torch.tensor(0)", False),
    ],
)
def test_a_tensor_that_one_rank_fills(tmp_path: Path, method: str, between: str, found: bool) -> None:
    path = tmp_path / "train.py"
    path.write_text(FILLED.format(method=method, between=between), "utf-8")
    assert bool(ddplint.check([path], select=["DDP101"]).findings) is found
