"""What a program takes for granted by asking a value for an attribute."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP
from conf import args, build, check, load, loader

"""
LOADED = """\
def loaded(path, **options):
    if options.pop("quick", False) and not check(path):
        raise ValueError(path)
    if check(path, "strict"):
        raise ValueError(path)
    model = build(path)
    if options.pop("report", False):
        return model, {{"path": path}}
    return model

accelerator = Accelerator()
model = loaded("weights", **args.more)
{use}model, optimizer, data = accelerator.prepare(model, torch.optim.SGD(model.parameters()), loader)
for x in data:
    accelerator.backward(model(x).mean())
    optimizer.step()
"""


def test_what_has_parameters_is_no_tuple() -> None:
    assert found_in(HEAD + LOADED.format(use="model.train()\n"), "DDP601") == []
    assert found_in(HEAD + LOADED.format(use=""), "DDP601") == []


CHOSEN = """\
sampler = None
if args.distributed:
    dist.init_process_group("nccl")
    sampler = torch.utils.data.DistributedSampler(loader.dataset)
{use}
if dist.get_rank() == 0 and {test}:
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("use", "test", "found"),
    [
        ("sampler.set_epoch(1)", "args.distributed", 1),
        ("sampler.set_epoch(1)", "not args.distributed", 0),
        ("try:\n    sampler.set_epoch(1)\nexcept AttributeError:\n    pass", "not args.distributed", 1),
        ("sampler.__class__", "not args.distributed", 1),
        ("check(sampler)", "not args.distributed", 1),
    ],
    ids=["there", "not there", "caught", "everything has it", "not asked"],
)
def test_what_is_asked_for_something_is_there(use: str, test: str, found: int) -> None:
    assert len(found_in(HEAD + CHOSEN.format(use=use, test=test), "DDP101")) == found


def test_what_all_ways_out_of_a_function_share_is_no_choice() -> None:
    """Many tests that only raise, before a function gives one of two results, leave both."""
    tests = "".join(
        f"    if options.pop('o{number}', None):\n        raise ValueError({number})\n" for number in range(12)
    )
    program = LOADED.format(use="").replace("    model = build", tests + "    model = build", 1)
    assert found_in(HEAD + program, "DDP601") == []
