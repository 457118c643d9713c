"""DDP602 no-sync-on-last-step."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import found_in

CODE = "DDP602"

HEAD = """\
import torch
import torch.distributed as dist
from contextlib import nullcontext
from torch.nn.parallel import DistributedDataParallel as DDP
from setup import build, every, last, loader, plain

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DDP(build())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""

BRANCHES = """\
for i, x in enumerate(loader):
    if {}:
        with model.no_sync():
            model(x).sum().backward()
    else:
        model(x).sum().backward()
    if (i + 1) % every == 0:
        optimizer.step()
        optimizer.zero_grad()
"""
CHOSEN = """\
for i, x in enumerate(loader):
    context = model.no_sync() if {} else nullcontext()
    with context:
        model(x).sum().backward()
    if (i + 1) % every == 0:
        optimizer.step()
"""
ALWAYS = """\
for i, x in enumerate(loader):
    with model.no_sync():
        {}
    if (i + 1) % every == 0:
        optimizer.step()
"""
FLAG = """\
for i, x in enumerate(loader):
    model.require_backward_grad_sync = {}
    model(x).sum().backward()
    if (i + 1) % every == 0:
        optimizer.step()
        optimizer.zero_grad()
"""
TRAINER = """\
class Trainer:
    def __init__(self, every):
        self.every, self.step, self.ddp = every, 0, dist.is_initialized()
        self.model = build()
        if self.ddp:
            self.model = DDP(self.model)

    def pass_over(self, x):
        self.model(x).sum().backward()

    def run(self):
        for x in loader:
            if self.ddp:
                self.model.require_backward_grad_sync = {}
            self.pass_over(x)
            if self.step % self.every == 0:
                optimizer.step()
            self.step += 1

Trainer(every).run()
"""
FIRES = {
    "the wrong way round": BRANCHES.format("(i + 1) % every == 0"),
    "chosen the wrong way round": CHOSEN.format("(i + 1) % every == 0"),
    "always": ALWAYS.format("model(x).sum().backward()"),
    "forward alone": ALWAYS.format("loss = model(x).sum()").replace("    if", "    loss.backward()\n    if"),
    "the flag, the wrong way round": FLAG.format("(i + 1) % every != 0"),
    "the flag, never on": FLAG.format("False"),
    "the flag, of a trainer": TRAINER.format("self.step % self.every != 0"),
    "the flag, one round too early": FLAG.format("i % every == 0"),
    "the flag, one round too late": FLAG.format("(i + 1) % every == 0").replace("if (i + 1) %", "if i %"),
    "chosen in all but the last of the data": CHOSEN.format("i % every != 0 and i != len(loader) - 1"),
    "chosen by another remainder": CHOSEN.format("i % every != every - 2"),
    "by the end of the data, and a round too early": FLAG.format("i % every == 0 or i == len(loader) - 1"),
    "a step in every round": BRANCHES.format("(i + 1) % every != 0").replace(
        "    if (i + 1) % every == 0:\n        optimizer.step()\n        optimizer.zero_grad()", "    optimizer.step()"
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    [found] = found_in(HEAD + FIRES[name], CODE)
    assert found.severity is Severity.ERROR


SILENT = {
    "the flag, the right way round": FLAG.format("(i + 1) % every == 0"),
    "the flag, always on": FLAG.format("True"),
    "the flag, by the last remainder": FLAG.format("i % every == every - 1"),
    "the flag, by what is left": FLAG.format("not (i + 1) % every"),
    "the flag, more often than there are steps": FLAG.format("(i + 1) % every == 0").replace(
        "% every == 0:", "% (2 * every) == 0:"
    ),
    "the flag, at the end of the data too": FLAG.format("(i + 1) % every == 0 or i == len(loader) - 1"),
    "chosen by the last remainder": CHOSEN.format("i % every != every - 1"),
    "the flag of a trainer, the right way round": TRAINER.format("self.step % self.every == 0"),
    "the flag, on again before the last one": "for x in loader:\n    for i in range(every):\n"
    "        model.require_backward_grad_sync = i == every - 1\n        model(x[i]).sum().backward()\n"
    "    optimizer.step()\n",
    "the flag, on a model that is not wrapped": FLAG.format("False").replace("model.req", "plain.req"),
    "parts of a batch, the last one with it": "for x in loader:\n    parts = (len(x) + every - 1) // every\n"
    "    for i in range(parts):\n        if i < parts - 1:\n            with model.no_sync():\n"
    "                model(x[i]).sum().backward()\n        else:\n            model(x[i]).sum().backward()\n"
    "    optimizer.step()\n",
    "the right way round": BRANCHES.format("(i + 1) % every != 0"),
    "chosen the right way round": CHOSEN.format("(i + 1) % every != 0"),
    "a condition of its own": CHOSEN.format("not last(i)"),
    "backward alone": "for x in loader:\n    loss = model(x).sum()\n    with model.no_sync():\n        loss.backward()\n"
    "    optimizer.step()\n",
    "a known number of micro-batches": "for x in loader:\n    for i in range(4):\n"
    "        with model.no_sync() if i < 3 else nullcontext():\n            model(x).sum().backward()\n"
    "    optimizer.step()\n",
    "local steps": "with model.no_sync():\n    for x in loader:\n        model(x).sum().backward()\n        optimizer.step()\n",
    "local steps where there are others": "alone = model.no_sync() if many else nullcontext()\nwith alone:\n    for x in loader:\n"
    "        model(x).sum().backward()\n        optimizer.step()\n",
    "without no_sync": "for x in loader:\n    model(x).sum().backward()\n    optimizer.step()\n",
    "reduced by hand": ALWAYS.format("model(x).sum().backward()").replace(
        "        optimizer",
        "        for p in model.parameters():\n            dist.all_reduce(p.grad)\n        optimizer",
    ),
    "no step": "for x in loader:\n    with model.no_sync():\n        model(x).sum().backward()\n",
    "last pass outside": "for x in loader:\n    with model.no_sync():\n        model(x).sum().backward()\n"
    "    model(x).sum().backward()\n    optimizer.step()\n",
    "scheduler": "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)\nfor x in loader:\n"
    "    with model.no_sync():\n        model(x).sum().backward()\n    schedule.step()\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []
