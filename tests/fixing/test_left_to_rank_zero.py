"""Rank 0 alone writes, starts a run or downloads: what the others still need speaks against it."""

from __future__ import annotations

import pytest

from tests.rules.support import report_of

PROGRAM = """\
import json
import torch
import torch.distributed as dist
import wandb
from torchvision.datasets.utils import download_url

dist.init_process_group("gloo")
{body}
dist.barrier()
"""
SAFE = [
    "torch.save({}, 'a.pt')",
    "json.dump({}, open('a.json', 'w'))",
    "torch.save({}, 'a.pt')\nprint(torch.load('b.pt'))",
    "print(torch.load('a.pt'))\ntorch.save({}, 'a.pt')",
    "torch.save({}, 'a.pt')\nif dist.get_rank() == 0:\n    print(torch.load('a.pt'))",
]
UNSAFE = [
    "wandb.init()",
    "wandb.init()\nif dist.get_rank() == 0:\n    wandb.config.x = 1\n    wandb.watch(None)",
    "torch.save({}, 'a.pt')\ndist.barrier()\nprint(torch.load('a.pt'))",
    "download_url('http://x/y.json', 'data')",
]
NONE = [
    "wandb.init()\nwandb.watch(None)",
    "wandb.init()\nwandb.config.update({'x': 1})",
    "wandb.init()\nwandb.config.x = 1",
    "wandb.init()\nprint(wandb.run.name)",
]


def _changed(body: str, *, unsafe: bool) -> bool:
    return bool(report_of(PROGRAM.format(body=body), "DDP201", "DDP112", unsafe=unsafe).files)


@pytest.mark.parametrize("body", SAFE)
def test_nobody_else_needs_it(body: str) -> None:
    assert _changed(body, unsafe=False)


@pytest.mark.parametrize("body", UNSAFE)
def test_others_may_need_it(body: str) -> None:
    assert not _changed(body, unsafe=False)
    assert _changed(body, unsafe=True)


@pytest.mark.parametrize("body", NONE)
def test_all_ranks_use_the_run(body: str) -> None:
    assert not _changed(body, unsafe=True)
