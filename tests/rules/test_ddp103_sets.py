"""DDP103: operations in the order of a set."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import found_in

PROGRAM = """
import torch.distributed as dist


def main(model, parents, grads, wanted):
    dist.init_process_group("gloo")
    for one in {over}:
        {body}
"""

FIRES = [
    "{'bias', 'weight'}",
    "{m for parent in parents for m in parent.modules()}",
    "set(model.parameters())",
    "list(set(['bias', 'weight']))",
    "{name for name in ('bias', 'weight')}",
]
SILENT = [
    "sorted({'bias', 'weight'})",
    "{1, 2}",
    "['bias', 'weight']",
    "list(model.parameters())",
    "set(wanted)",
    "{m: 1 for parent in parents for m in parent.modules()}",
]


def found(over: str, body: str = "dist.all_reduce(grads[one])") -> list[Severity]:
    return [finding.severity for finding in found_in(PROGRAM.format(over=over, body=body), "DDP103")]


@pytest.mark.parametrize("over", FIRES)
def test_the_order_of_a_set(over: str) -> None:
    assert found(over) == [Severity.WARNING]


@pytest.mark.parametrize("over", SILENT)
def test_other_orders(over: str) -> None:
    assert found(over) == []


@pytest.mark.parametrize("body", ["dist.barrier()", "print(one)"])
def test_what_does_not_hang_on_the_order(body: str) -> None:
    assert found(FIRES[0], body) == []
