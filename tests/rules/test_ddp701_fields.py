"""DDP701 where a batch is asked whether it has something."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP701"

PROGRAM = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from rows import ROWS


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Linear(4, 4)
        self.ear = nn.Linear(4, 4)

    def forward(self, batch):
        out = self.words(batch["words"])
        sound = batch.get("sound")
        if sound is not None:
            out = out + self.ear(sound)
        return out


dist.init_process_group("gloo")
model = DDP(Reader())
for batch in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    model(batch).sum().backward()
"""
USED = "out = out + self.ear(sound)"
ASKED = "if sound is not None:"
APART = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler
from rows import ROWS

dist.init_process_group("gloo")
words, ear = nn.Linear(4, 4), nn.Linear(4, 4)
fully_shard(words)
fully_shard(ear)
for batch in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    out = words(batch["words"])
    if "sound" in batch:
        out = out + ear(batch["sound"])
    out.sum().backward()
"""


def test_a_field_that_a_batch_may_lack_is_advice() -> None:
    [one] = found_in(PROGRAM, CODE)
    assert (one.severity, at(PROGRAM, CODE)) == (Severity.ADVICE, [USED])


@pytest.mark.parametrize("asked", ['if "sound" in batch:', "if sound:", "if not sound is None:"])
def test_other_ways_to_ask(asked: str) -> None:
    assert at(PROGRAM.replace(ASKED, asked), CODE) == [USED]


def test_handed_over_by_the_caller() -> None:
    text = PROGRAM.replace("forward(self, batch)", "forward(self, words, sound)").replace('batch["words"]', "words")
    text = text.replace('        sound = batch.get("sound")\n', "")
    assert at(text.replace("model(batch)", 'model(batch["words"], batch.get("sound"))'), CODE) == [USED]


def test_models_that_are_wrapped_apart() -> None:
    assert at(APART, CODE) == ['out = out + ear(batch["sound"])']


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("DDP(Reader())", "DDP(Reader(), find_unused_parameters=True)"),
        (f"            {USED}\n", f"            {USED}\n        else:\n            out = out + 0 * self.ear(out)\n"),
        ('batch.get("sound")', 'batch["sound"]'),
        (ASKED, "if self.training:"),
        (", sampler=DistributedSampler(ROWS, drop_last=True)", ""),
        ("    model(batch)", '    if "words" not in batch:\n        continue\n    model(batch)'),
        ("        self.ear = nn.Linear(4, 4)\n", "        self.ear = nn.Linear(4, 4).requires_grad_(False)\n"),
    ],
    ids=[
        "looked for",
        "used either way",
        "a field that is there",
        "a mode",
        "one loader for all",
        "whole step",
        "frozen",
    ],
)
def test_alike(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    assert text != PROGRAM
    if old.startswith("    model"):
        text = text.replace(ASKED, "if True:")
    assert not found_in(text, CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            '    if "sound" in batch:\n        out = out + ear(batch["sound"])\n',
            '    out = out + ear(batch["sound"])\n',
        ),
        ('out = out + ear(batch["sound"])', 'out = out + words(batch["sound"])'),
        ('    out = words(batch["words"])\n    if', "    if"),
    ],
    ids=["always", "of the same model", "the only one"],
)
def test_alike_apart(old: str, new: str) -> None:
    text = APART.replace(old, new)
    assert text != APART
    assert not found_in(
        text.replace('    if "sound" in batch:\n        out = out', '    if "sound" in batch:\n        out = 0'), CODE
    )
