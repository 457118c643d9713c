"""What kind of plain data an unknown value is: a number is no tensor, and never ``None``."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

ASKED = """\
import os
import time
from datetime import datetime

import torch
import torch.distributed as dist
from elsewhere import ask

dist.init_process_group("nccl")
x = ask()
value = {value}
if {test} and dist.get_rank() == 0:
    dist.barrier()
"""

TENSOR, TENSORS = "isinstance(value, torch.Tensor)", "torch.is_tensor(value)"
MAY_BE = [
    ("x", TENSOR),
    ("x", TENSORS),
    ("x + 1", TENSOR),
    ("x * x.item()", TENSORS),
    ("round(x, 2)", TENSOR),
    ("max(x, 1)", TENSOR),
    ("x == 2", TENSORS),
    ("x or 0", TENSORS),
    ("sum(x)", TENSOR),
    ("int(x)", "isinstance(value, int)"),
    ("x.numel() / 2", "isinstance(value, (int, float))"),
    ("x.numel() / 2", "isinstance(value, float)"),
    ("not x", "isinstance(value, int)"),
    ("f'{x}'", "isinstance(value, (str, bytes))"),
    ("x", "value is None"),
    ("x.get(1)", "value is None"),
    ("os.environ.get('PLACE')", "value is None"),
]
IS_NEVER = [
    ("1", TENSOR),
    ("None", TENSORS),
    ("[x]", TENSOR),
    ("int(x)", TENSOR),
    ("float(x)", TENSORS),
    ("x.item()", TENSOR),
    ("x.item() * 2 + 1", TENSORS),
    ("len(x) / 3", TENSOR),
    ("round(x.item(), 2)", TENSOR),
    ("max(len(x), 1)", TENSORS),
    ("str(x)", TENSOR),
    ("f'{x}'", TENSORS),
    ("not x", TENSOR),
    ("x is None", TENSOR),
    ("x.item() or 0", TENSORS),
    ("time.time()", TENSOR),
    ("(datetime.now() - datetime.now()).total_seconds() / 3600", TENSORS),
    ("int(x)", "isinstance(value, str)"),
    ("str(x)", "isinstance(value, (int, float))"),
    ("float(x)", "isinstance(value, int)"),
    ("x + 1", "value is None"),
    ("time.time() - x", "value is None"),
]


@pytest.mark.parametrize(("value", "test"), MAY_BE)
def test_what_it_may_be(value: str, test: str) -> None:
    """The barrier behind the test may be reached."""
    assert found_in(ASKED.format(value=value, test=test), "DDP101")


@pytest.mark.parametrize(("value", "test"), IS_NEVER)
def test_what_it_never_is(value: str, test: str) -> None:
    """The barrier behind the test is never reached."""
    assert not found_in(ASKED.format(value=value, test=test), "DDP101")


@pytest.mark.parametrize("step", ["value = value * value + value", "value = value + 1"])
def test_terms_that_share_their_parts_are_asked_once(step: str) -> None:
    """Each line doubles the ways to the first one, or lies one deeper."""
    value = "x.item()\n" + f"{step}\n" * 300
    assert not found_in(ASKED.format(value=value, test=TENSOR), "DDP101")


LAST = """\
import os
import time

import torch
import torch.distributed as dist
from elsewhere import make

dist.init_process_group("nccl")
last = None
for batch in make():
    if last is not None:
        dist.all_reduce(batch)
    last = time.time()
    if {guard}:
        last = {again}
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    ("guard", "again", "found"),
    [
        ("dist.get_rank() == 0 and os.path.exists('stop')", "time.time()", False),
        ("dist.get_rank() == 0 and os.path.exists('stop')", "time.time() + 1", False),
        ("dist.get_rank() == 0", "time.time()", False),
        ("dist.get_rank() == 0", "None", True),
        ("torch.rand(1).item() > 0.5", "None", True),
        ("torch.rand(1).item() > 0.5", "time.monotonic()", False),
    ],
)
def test_what_some_ranks_set_anew_is_there_on_all(guard: str, again: str, found: bool) -> None:
    """A time that some ranks take once more is no reason to go another way than the others; ``None`` is."""
    program = LAST.format(guard=guard, again=again)
    assert bool(found_in(program, "DDP101", "DDP104")) is found
