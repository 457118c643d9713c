"""DDP104 in what frameworks call with a batch, which is each rank's own."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HOOKS = {
    "transformers": (
        "from transformers import Trainer",
        "Trainer",
        "compute_loss(self, model, batch, return_outputs=False)",
    ),
    "lightning": (
        "from lightning import Callback",
        "Callback",
        "on_test_batch_end(self, trainer, module, out, batch, index)",
    ),
    "mmengine": ("from mmengine.model import BaseModel", "BaseModel", "train_step(self, batch, wrapper)"),
    "composer": ("from composer.models import ComposerModel", "ComposerModel", "loss(self, outputs, batch)"),
}
PROGRAM = """\
import torch
import torch.distributed as dist
{imported}


class Mine({base}):
    def {head}:
        if {test}:
            return torch.zeros(1)
        dist.all_reduce(batch["mask"])
        return batch["mask"].mean()
"""
SILENT = {
    "a part is there": 'batch.get("labels") is None',
    "the name of a part": '"labels" not in batch',
    "how large it is": 'batch["mask"].shape[0] == 1',
    "a setting": "self.quick",
}


@pytest.mark.parametrize("name", HOOKS)
def test_finds(name: str) -> None:
    imported, base, head = HOOKS[name]
    program = PROGRAM.format(imported=imported, base=base, head=head, test='batch["mask"].sum() == 0')
    assert [one.code for one in found_in(program, "DDP104")] == ["DDP104"]


@pytest.mark.parametrize("test", SILENT)
@pytest.mark.parametrize("name", HOOKS)
def test_silent(name: str, test: str) -> None:
    imported, base, head = HOOKS[name]
    assert not found_in(PROGRAM.format(imported=imported, base=base, head=head, test=SILENT[test]), "DDP104")
