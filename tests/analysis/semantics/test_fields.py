"""Fields of data classes whose defaults each rank works out for itself, and what runs after the fields are set."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

SETTINGS = """
import os
import time
from dataclasses import dataclass, field
import pydantic
import torch
import torch.distributed as dist
from deepspeed.accelerator import get_accelerator


def global_rank():
    return int(os.getenv("RANK", 0))


def local_rank():
    return int(os.getenv("LOCAL_RANK", 0))


@dataclass
class Settings:
    rank: int = {default}
    folder: str = field(default_factory=lambda: time.strftime("%H%M%S"))

    def __post_init__(self):
        {after}


def main():
    settings = Settings()
    get_accelerator().set_device(local_rank())
    dist.init_process_group("nccl")
    {use}
"""


def found(
    code: str, default: str = "field(default_factory=global_rank)", after: str = "pass", use: str = "pass"
) -> int:
    return len(found_in(SETTINGS.format(default=default, after=after, use=use), code))


@pytest.mark.parametrize(
    "default", ["field(default_factory=global_rank)", "pydantic.Field(default_factory=global_rank)"]
)
def test_a_rank_by_default(default: str) -> None:
    assert found("DDP101", default, use="if settings.rank == 0:\n        dist.barrier()") == 1
    assert found("DDP403", default, use="get_accelerator().set_device(settings.rank)") == 1


@pytest.mark.parametrize(
    "default", ["field(default_factory=list)", "field(default=0)", "field(default_factory=local_rank)"]
)
def test_other_defaults(default: str) -> None:
    assert found("DDP403", default, use="get_accelerator().set_device(settings.rank)") == 0


def test_what_runs_after_the_fields_are_set() -> None:
    assert found("DDP101", after="if self.rank == 0:\n            dist.barrier()") == 1
    assert found("DDP101", after="self.rank = 1", use="if settings.rank == 0:\n        dist.barrier()") == 0


def test_a_folder_named_by_default() -> None:
    use = (
        "os.makedirs(settings.folder)\n    if dist.get_rank() == 0:\n        torch.save({}, settings.folder + '/a.pt')"
    )
    assert found("DDP206", use=use) == 1
