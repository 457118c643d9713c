"""DDP302 where a walk loses sight of the loader between the sampler and the loop over epochs."""

from __future__ import annotations

import pytest

from tests.rules.support import at

PROGRAM = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from data import datasets, model


def loader_of(part, training):
    sampler = DistributedSampler(part, shuffle=training)
    return DataLoader(part, batch_size=4, sampler=sampler)


def run(model, loader, training):
    for batch in loader:
        loss = model(batch)
        if training:
            loss.backward()


def main(options):
    dist.init_process_group("gloo")
    wrapped = DDP(model)
    loaders = {name: loader_of(part, name == "train") for name, part in datasets(options).items()}
    for epoch in range(options.epochs):
        for name, loader in loaders.items():
            run(wrapped, loader, name == "train")


main(options)
"""
MADE = "sampler = DistributedSampler(part, shuffle=training)"


def test_nobody_tells_it() -> None:
    assert at(PROGRAM, "DDP302") == [MADE]


SILENT = {
    "somebody does": ("def main(", "def begin(loader, epoch):\n    loader.sampler.set_epoch(epoch)\n\n\ndef main("),
    "it keeps the order": ("shuffle=training", "shuffle=False"),
    "a framework may": ("import torch\n", "import torch\nimport lightning\n"),
    "nothing is trained": ("            loss.backward()\n", "            print(loss)\n"),
    "there is one pass": ("for epoch in range(options.epochs):", "for turn in [options]:"),
    "there are two": (f"    {MADE}\n", f"    {MADE}\n    other = DistributedSampler(part, seed=3)\n"),
    "it is made anew": (
        "    for epoch in range(options.epochs):\n",
        (
            "    for epoch in range(options.epochs):\n"
            "        loaders = {name: loader_of(part, True) for name, part in datasets(epoch).items()}\n"
        ),
    ),
    "these are trials": ("for batch in loader:", "for batch in val_loader:"),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    old, new = SILENT[name]
    assert old in PROGRAM
    assert at(PROGRAM.replace(old, new), "DDP302") == []
