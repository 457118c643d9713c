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


SELECTED = """
import torch
import torch.distributed as dist
from accelerate import Accelerator
accelerator = Accelerator()
def work(values, mask, found):
{}
"""
FIRES_FOR_A_SELECTION = {
    "a mask in brackets": (
        "kept = values[mask]\nif kept.numel() == 0:\n    return values\ntotal = kept.sum()\ndist.all_reduce(total)\n"
    ),
    "a comparison": (
        "kept = values[values > 3].float()\nif len(kept) == 0:\n    return values\naccelerator.gather(kept.mean())\n"
    ),
    "what is not zero": (
        "kept = torch.nonzero(values)\nif kept.shape[0] > 0:\n    dist.all_reduce(kept.float().mean())\n"
    ),
    "how many are told": (
        "if len(found) == 0:\n    return found\nn = torch.tensor([len(found)])\nsizes = [torch.zeros(1)] * 4\n"
        "dist.all_gather(sizes, n)\n"
    ),
}
SILENT_FOR_A_SELECTION = {
    "an element": "kept = values[3]\nif kept.numel() == 0:\n    return values\ndist.all_reduce(kept.sum())\n",
    "who has nothing takes part": (
        "kept = values[mask]\nif kept.numel() == 0:\n    total = torch.zeros(1)\n    dist.all_reduce(total)\nelse:\n"
        "    total = kept.sum()\n    dist.all_reduce(total)\n"
    ),
    "no question": "kept = values[mask]\ntotal = kept.sum()\ndist.all_reduce(total)\n",
    "behind it": (
        "kept = values[mask]\ntotal = kept.sum()\ndist.all_reduce(total)\nif kept.numel() == 0:\n    return values\n"
    ),
    "another thing is summed": (
        "kept = values[mask]\nif kept.numel() == 0:\n    return values\ntotal = values.sum()\ndist.all_reduce(total)\n"
    ),
    "there is a list at all": (
        "if found is None:\n    return found\nn = torch.tensor([len(found)])\nsizes = [torch.zeros(1)] * 4\n"
        "dist.all_gather(sizes, n)\n"
    ),
    "nobody is told how many": "if len(found) == 0:\n    return found\nfor one in found:\n    dist.all_reduce(one)\n",
}


@pytest.mark.parametrize("body", FIRES_FOR_A_SELECTION.values(), ids=FIRES_FOR_A_SELECTION)
def test_a_rank_of_which_nothing_is_selected_leaves(body: str) -> None:
    found = found_in(SELECTED.format(textwrap.indent(body, " " * 4)), "DDP104")
    assert [one.severity for one in found] == [Severity.WARNING]


@pytest.mark.parametrize("body", SILENT_FOR_A_SELECTION.values(), ids=SILENT_FOR_A_SELECTION)
def test_a_selection_that_all_take_part_with(body: str) -> None:
    assert found_in(SELECTED.format(textwrap.indent(body, " " * 4)), "DDP104") == []


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


def test_whether_it_is_none_says_nothing_of_how_much_there_is() -> None:
    """``value is None`` is not the test for emptiness, though what was put together of a list is gathered behind it."""
    program = HEAD + textwrap.indent("value = self.norm()\n" + _NONE, " " * 8) + textwrap.dedent(_NORM)
    assert not found_in(program, "DDP104")


_NONE = """\
if value is None:
    return
if torch.is_tensor(value):
    dist.all_gather(parts, value)
"""
_NORM = """

    def norm(self):
        held = []
        for name in self.names:
            held.append(name)
        if len(held) == 0:
            return 0.0
        return torch.stack(held)


dist.init_process_group("nccl")
Metrics(given).finish()
"""
