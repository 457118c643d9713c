"""DDP104: ranks that have nothing to gather."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Severity
from tests.rules.support import found_in

HEAD = """
import torch
import torch.distributed as dist


class Metrics:
    def __init__(self, names):
        self.seen = []
        self.names = list(names)

    def update(self, batch):
        self.seen.append(batch.cpu())

    def finish(self):
        parts = [None] * dist.get_world_size()
"""

FIRES = {
    "leaves": "if not self.seen:\n    return\ndist.all_gather_object(parts, torch.cat(self.seen))\n",
    "asks for the length": "if len(self.seen) == 0:\n    return\ndist.gather_object(self.seen, parts, dst=0)\n",
    "goes in": "if self.seen:\n    local = torch.cat(self.seen)\n    dist.all_gather_object(parts, local)\n",
}
SILENT = {
    "who has nothing takes part": (
        "if not self.seen:\n    dist.all_gather_object(parts, None)\n    return\n"
        "dist.all_gather_object(parts, torch.cat(self.seen))\n"
    ),
    "agreed before": (
        "some = torch.tensor(len(self.seen))\ndist.all_reduce(some)\nif not some.item():\n    return\n"
        "dist.all_gather_object(parts, self.seen)\n"
    ),
    "something else is gathered": (
        "if not self.names:\n    return\ndist.all_gather_object(parts, torch.cat(self.seen))\n"
    ),
    "nothing is gathered": "if not self.seen:\n    return\nprint(torch.cat(self.seen))\n",
    "emptied after it": "dist.all_gather_object(parts, self.seen)\nif self.seen:\n    self.seen.clear()\n",
}


def found(body: str) -> list[Severity]:
    program = HEAD + textwrap.indent(body, " " * 8)
    return [finding.severity for finding in found_in(program, "DDP104")]


@pytest.mark.parametrize("body", FIRES.values(), ids=FIRES)
def test_a_rank_that_has_nothing_leaves(body: str) -> None:
    assert found(body) == [Severity.WARNING]


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_stays_silent(body: str) -> None:
    assert found(body) == []


def test_what_other_methods_fill_may_not_be_empty() -> None:
    body = "for one in self.seen:\n    if dist.get_rank() == 0:\n        dist.broadcast(one, 0)\n"
    program = HEAD + textwrap.indent(body, " " * 8)
    assert [finding.code for finding in found_in(program, "DDP101")] == ["DDP101"]
    assert found_in(program.replace("self.seen.append(batch.cpu())", "pass"), "DDP101") == []
