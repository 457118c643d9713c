"""Metrics that synchronise when they compute, and keep the result until they are updated."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch.distributed as dist
from torchmetrics import Accuracy, MetricCollection


def main(loader):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    metric = Accuracy(task="multiclass").to(rank)
    for x, y in loader:
        metric.update(x, y)
"""

COMPUTED = "if rank == 0:\n    print(metric.compute())\n"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (COMPUTED, 1),
        ("value = metric.compute()\n" + COMPUTED, 0),
        ("metric.compute()\nmetric.update(1, 1)\n" + COMPUTED, 1),
        ("metric.compute()\nmetric.reset()\n" + COMPUTED, 1),
        ("metric = Accuracy(task='multiclass', sync_on_compute=False)\n" + COMPUTED, 0),
        ("metric = MetricCollection([metric]).cuda()\n" + COMPUTED, 1),
    ],
)
def test_compute_behind_a_guard(body: str, found: int) -> None:
    findings = found_in(HEAD + textwrap.indent(body, "    "), "DDP101")
    assert len(findings) == found


@pytest.mark.parametrize(("devices", "found"), [("1", 0), ("2", 1), ("'auto'", 1), ("1, num_nodes=2", 1)])
def test_an_object_made_for_one_process_waits_for_nobody(devices: str, found: int) -> None:
    program = (
        "import torch\nfrom lightning.fabric import Fabric\n\n\ndef main(net, data, stop):\n"
        f"    fabric = Fabric(devices={devices})\n    model = fabric.setup_module(net)\n"
        "    while True:\n        token = torch.multinomial(model(data), 1)\n"
        "        if token in stop:\n            break\n"
    )
    assert len(found_in(program, "DDP104")) == found
