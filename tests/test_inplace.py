"""What a helper reduces in place is reduced for its callers too."""

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
