"""What ``accelerator.prepare`` is given: a model is what the optimizer beside it takes its parameters from."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch
from accelerate import Accelerator
from helpers import get_optimizer

class Run:
    def __init__(self, cfm, other, data):
        self.accelerator = Accelerator()
        self.cfm = cfm
        self.optim = {optim}
        self.cfm, self.optim = self.accelerator.prepare(self.cfm, self.optim)

    def step(self, batch):
        loss = self.cfm(batch)
        self.accelerator.backward(loss)
        self.optim.step()
        if self.accelerator.is_main_process:
            with torch.no_grad():
                print({asked}(batch))
"""


@pytest.mark.parametrize(
    "optim",
    [
        "torch.optim.Adam(cfm.parameters(), lr=1e-3)",
        "get_optimizer(cfm.parameters())",
        "torch.optim.SGD([{'params': cfm.parameters()}])",
    ],
)
def test_fires(optim: str) -> None:
    (found,) = found_in(PROGRAM.format(optim=optim, asked="self.cfm"), "DDP102")
    assert "prepared model forward" in found.message


@pytest.mark.parametrize(
    ("optim", "asked"),
    [
        ("get_optimizer(cfm)", "self.cfm"),
        ("get_optimizer(other.parameters())", "self.cfm"),
        ("torch.optim.Adam(other.cfm.parameters())", "self.cfm"),
        ("torch.optim.Adam(cfm.parameters())", "self.accelerator.unwrap_model(self.cfm)"),
        ("torch.optim.Adam(cfm.parameters())", "self.optim.state_dict().get"),
    ],
)
def test_silent(optim: str, asked: str) -> None:
    assert found_in(PROGRAM.format(optim=optim, asked=asked), "DDP102") == []
