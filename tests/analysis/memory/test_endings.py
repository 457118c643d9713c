"""Lists that some ranks have more in than others: what all of them have is gone over by all."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

TRAINER = """\
import os
import torch
import torch.distributed as dist
import torch.nn as nn
from options import options

dist.init_process_group("gloo")


class Saver:
    def after(self, epoch):
        print(epoch)


class Dump:
    def __init__(self, model):
        self.model = model

    def after(self, epoch):
        self.model(torch.ones(3, 3))
        torch.save({}, "dump.pt")


model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))
callbacks = [Dump(model)]
MORE
for epoch in range(3):
    model(torch.ones(3, 3)).sum().backward()
    for callback in callbacks:
        callback.after(epoch)
"""

MORE = {
    "one more on rank 0": """\
        if dist.get_rank() == 0:
            callbacks.append(Saver())
        """,
    "two more, each if asked for": """\
        if dist.get_rank() == 0:
            if options.save:
                callbacks.append(Saver())
            if options.log:
                callbacks.append(Saver())
        """,
    "two more, put there otherwise": """\
        if dist.get_rank() == 0:
            if options.save:
                callbacks += [Saver()]
            if options.log:
                callbacks.extend([Saver()])
        """,
    "nobody knows what more": """\
        if dist.get_rank() == 0:
            callbacks.extend(options.more())
        """,
}


def trainer(more: str) -> str:
    return TRAINER.replace("MORE\n", textwrap.dedent(more))


@pytest.mark.parametrize("name", MORE)
def test_what_all_have_is_done_by_all(name: str) -> None:
    assert found_in(trainer(MORE[name]), "DDP102") == []


@pytest.mark.parametrize("name", [name for name in MORE if name != "nobody knows what more"])
def test_all_ranks_are_told_to_write(name: str) -> None:
    [found] = found_in(trainer(MORE[name]), "DDP201")
    assert found.message.startswith("every rank")


def test_what_rank_0_has_more_is_found() -> None:
    text = trainer("if dist.get_rank() == 0:\n    callbacks.append(Saver())\n").replace(
        "        print(epoch)", "        dist.barrier()"
    )
    [found] = found_in(text, "DDP101", "DDP106")
    assert found.severity.value == "error"
