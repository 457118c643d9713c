"""A flag that ranks agree on in some rounds, and that counts in those rounds alone."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from build import loader, model, options

dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
model = DistributedDataParallel(model)
state = {{"stop": False, "count": 0}}
for batch in loader:
    loss = model(batch)
    loss.backward()
    if not torch.isfinite(loss):
        state["stop"] = True
    state["count"] += 1
    {agree}
    if {test}:
        break
    dist.barrier()
"""
AGREED = """\
if state["count"] % 32 == 0:
        state["stop"] = torch.as_tensor([state["stop"]], device="cuda")
        dist.all_reduce(state["stop"], dist.ReduceOp.MAX)"""
QUIET = {
    "the round first": 'state["count"] % 32 == 0 and state["stop"]',
    "the flag first": 'state["stop"] and state["count"] % 32 == 0',
    "said the other way round": 'not (not state["stop"] or state["count"] % 32 != 0)',
    "with another condition": 'state["stop"] and options.stops and state["count"] % 32 == 0',
    "beside one that all share": 'state["count"] >= options.last or (state["stop"] and state["count"] % 32 == 0)',
}
FOUND = {
    "in other rounds too": 'state["stop"] and state["count"] % 16 == 0',
    "in every round": 'state["stop"] or state["count"] % 32 == 0',
    "the others alone": 'state["stop"] and state["count"] % 32 != 0',
}


@pytest.mark.parametrize("test", QUIET)
def test_the_rounds_in_which_they_agreed(test: str) -> None:
    assert not found_in(TRAINER.format(agree=AGREED, test=QUIET[test]), "DDP104")


@pytest.mark.parametrize("test", FOUND)
def test_rounds_in_which_they_did_not(test: str) -> None:
    assert found_in(TRAINER.format(agree=AGREED, test=FOUND[test]), "DDP104")


@pytest.mark.parametrize("test", [one for one in QUIET if one != "with another condition"])
def test_nothing_is_agreed_on(test: str) -> None:
    assert found_in(TRAINER.format(agree="", test=QUIET[test]), "DDP104")
