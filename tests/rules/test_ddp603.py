"""DDP603 wrap-lost."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP603"

HEAD = """\
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
from setup import build, loader, register

dist.init_process_group("gloo")
rank = dist.get_rank()
model = build()
"""
TRAIN = "for x in loader:\n    model(x).sum().backward()\n"


def test_not_kept() -> None:
    text = HEAD + "DDP(model)\n" + TRAIN
    [found] = found_in(text, CODE)
    assert found.severity is Severity.ERROR
    assert at(text, CODE) == ["DDP(model)"]


@pytest.mark.parametrize("name", ["model", "trainer.model"])
def test_taken_off_again(name: str) -> None:
    head = HEAD + ("trainer = build()\n" if "." in name else "")
    text = f"{head}{name} = DDP(model)\n{name} = {name}.module\n" + TRAIN.replace("model(x)", f"{name}(x)")
    assert at(text, CODE) == [f"{name} = {name}.module"]
    assert found_in(text, "DDP601") == []


def test_taken_off_in_the_caller() -> None:
    text = HEAD + "def train(net):\n    for x in loader:\n        net(x).sum().backward()\n\n"
    text += "model = DDP(model)\nmodel = model.module\ntrain(model)\n"
    assert at(text, CODE) == ["model = model.module"]


SILENT = {
    "kept": "model = DDP(model)\n" + TRAIN,
    "kept under another name": "wrapped = DDP(model)\n" + TRAIN.replace("model(x)", "wrapped(x)"),
    "weights handed out where nothing is trained": "def wrap(net):\n    if any(p.requires_grad for p in net.parameters()):\n"
    "        net = DDP(net)\n    else:\n        DDP(net)\n    return net\n\nmodel = wrap(model)\n" + TRAIN,
    "handed on": "register(DDP(model))\n" + TRAIN,
    "wrapped in place": "fully_shard(model)\n" + TRAIN,
    "taken off after training": "model = DDP(model)\n" + TRAIN + "model = model.module\ntorch.save(model, 'm.pt')\n",
    "taken off to save": "def save(net):\n    net = net.module\n    torch.save(net.state_dict(), 'm.pt')\n"
    "model = DDP(model)\n" + TRAIN + "save(model)\n",
    "taken off to evaluate": "model = DDP(model)\n"
    + TRAIN
    + "model = model.module\nwith torch.no_grad():\n    model(x)\n",
}


def test_a_group_of_one_process() -> None:
    alone = HEAD.replace('"gloo"', '"gloo", world_size=1, rank=0')
    assert found_in(alone + "DDP(model)\n", CODE) == []


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


def test_kept_where_nothing_reads_it() -> None:
    text = HEAD + (
        "class Trainer:\n"
        "    def __init__(self, net):\n"
        "        self.net = net\n"
        "        self.network = DDP(self.net)\n\n"
        "    def train(self, optimizer):\n"
        "        for x in loader:\n"
        "            self.net(x).sum().backward()\n"
        "            optimizer.step()\n\n"
        "Trainer(model).train(build())\n"
    )
    assert at(text, CODE) == ["self.network = DDP(self.net)"]
    assert found_in(text, "DDP601") == []
    read = text.replace("self.net(x)", "self.network(x)")
    assert found_in(read, CODE) == []
    elsewhere = text + "print(Trainer(model).network)\n"
    assert found_in(elsewhere, CODE) == []
    assert len(found_in(elsewhere, "DDP601")) == 1
