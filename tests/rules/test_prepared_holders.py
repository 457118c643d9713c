"""``accelerator.prepare`` hands a dict of modules back as it is: nothing is wrapped, nothing communicates."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch
from accelerate import Accelerator
from helpers import build, get_loader
{more}
accelerator = Accelerator()
{made}
loader = get_loader()
model, loader = accelerator.prepare(model, loader)
for batch in loader:
    loss = {loss}
    if torch.isnan(loss):
        continue
    accelerator.backward(loss)
torch.save({{}}, "out/state.pt")
"""

HELD = {
    "a dict": ("", 'model = {"net": torch.nn.Linear(2, 2)}', 'model["net"](batch)'),
    "a Munch": ("from munch import Munch", "model = Munch(net=torch.nn.Linear(2, 2))", "model.net(batch)"),
    "indexed": ("", "model = build()", 'model["net"](batch)'),
    "gone over": ("", "model = build()\nfor key in model:\n    model[key].train()", "model.net(batch)"),
}
WRAPPED = {
    "a module": ("", "model = torch.nn.Linear(2, 2)", "model(batch)"),
    "a sequence of modules": ("", "model = torch.nn.Sequential(torch.nn.Linear(2, 2))", "model(batch)"),
    "unknown": ("", "model = build()", "model(batch)"),
    "one of the dict by itself": (
        "",
        'model = {"net": torch.nn.Linear(2, 2)}\nnet = accelerator.prepare(torch.nn.Linear(2, 2))',
        "net(batch)",
    ),
}


def _codes(case: tuple[str, str, str]) -> set[str]:
    more, made, loss = case
    return {one.code for one in found_in(PROGRAM.format(more=more, made=made, loss=loss), "DDP104", "DDP601")}


@pytest.mark.parametrize("name", HELD)
def test_nobody_waits_and_nothing_is_averaged(name: str) -> None:
    assert _codes(HELD[name]) == {"DDP601"}


@pytest.mark.parametrize("name", WRAPPED)
def test_what_is_wrapped_communicates(name: str) -> None:
    assert _codes(WRAPPED[name]) == {"DDP104"}


def test_a_method_of_what_may_be_no_module_silences_nothing() -> None:
    more, made, loss = WRAPPED["unknown"]
    program = PROGRAM.format(more=more, made=made, loss=loss) + "model.save_everything('out')\n"
    assert [one.code for one in found_in(program, "DDP201")] == ["DDP201"]
