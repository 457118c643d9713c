"""DDP302: functions that tell the sampler of whatever loader they are given."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import found_in

START = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

"""

DEAF = {
    "a loader that may have none": """
class Loop:
    def begin(self, epoch):
        loader = self.trainer.loader
        if getattr(loader, "sampler", None) and callable(getattr(loader.sampler, "set_epoch", None)):
            loader.sampler.set_epoch(epoch)
""",
    "what may be a loader": """
def begin(loader, epoch):
    if isinstance(loader, DataLoader) and isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(epoch)
    dist.barrier()
""",
}
SILENT = {
    "its own loaders": """
loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=False))
def begin(loader, epoch):
    if hasattr(loader, "sampler") and hasattr(loader.sampler, "set_epoch"):
        loader.sampler.set_epoch(epoch)
""",
    "the one inside the batch sampler, too": """
def begin(loader, epoch):
    for one in (loader.sampler, getattr(loader.batch_sampler, "sampler", None)):
        if hasattr(one, "set_epoch"):
            one.set_epoch(epoch)
""",
    "asked elsewhere": """
def begin(loader, epoch):
    if isinstance(loader, DataLoader) and isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(epoch)
    elif isinstance(loader.batch_sampler, DistributedSampler):
        loader.batch_sampler.set_epoch(epoch)
""",
    "a loader that has a sampler": """
def begin(loader, epoch):
    if isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(epoch)
""",
    "nothing asked": """
def begin(loader, epoch):
    loader.sampler.set_epoch(epoch)
""",
}


@pytest.mark.parametrize("program", DEAF.values(), ids=DEAF)
def test_a_batch_sampler_is_passed_over(program: str) -> None:
    (found,) = found_in(START + program, "DDP302")
    assert found.severity is Severity.ADVICE
    assert "loader.batch_sampler.sampler" in found.message


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert not found_in(START + program, "DDP302")
