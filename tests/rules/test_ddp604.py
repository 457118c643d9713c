"""DDP604 one-sided-training."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings, lines

SET_UP = """\
model = DDP(nn.Sequential(nn.Linear(1, 1), nn.Dropout()))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
"""
TRAIN = """\
def train():
    for batch in torch.randn(4, 2, 1):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
"""
EPOCHS = SET_UP + TRAIN + "for epoch in range(9):\n    train()\n"


OWN = """\
from lib import load
from torch.utils.data import DataLoader, DistributedSampler
model = DDP(nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
data = load()
sampler = DistributedSampler(data)
loader = DataLoader(data, sampler=sampler)
whole, parts = DataLoader(data), DataLoader(data, sampler=DistributedSampler(data, shuffle=False))
def validate(batches):
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            total += model(batch).mean().item()
            count += 1
    return total / count
for epoch in range(9):
    sampler.set_epoch(epoch)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
"""


def epochs(*added: str) -> str:
    """Epochs with something after each."""
    return EPOCHS + "".join(f"    {line}\n" for line in added)


FIRES = {
    "a scheduler": epochs("if rank == 0:", "    scheduler.step()"),
    "a scheduler, but for one": epochs("if rank == 0:", "    continue", "scheduler.step()"),
    "a scheduler of a metric": (
        EPOCHS.replace("StepLR(optimizer, 1)", "ReduceLROnPlateau(optimizer)")
        + "    if rank == 0:\n        scheduler.step(model.module(x).mean())\n"
    ),
    "the rate itself": epochs(
        "if rank == 0:", "    for group in optimizer.param_groups:", "        group['lr'] *= 0.1"
    ),
    "evaluation": epochs("if rank == 0:", "    model.eval()", "    print(model.module(x))"),
    "evaluation of the module": epochs("if rank == 0:", "    model.module.eval()", "    print(model.module(x))"),
    "evaluation in a helper": (
        "def evaluate(net):\n    net.eval()\n    print(net.module(x))\n"
        + epochs("if rank == 0:", "    evaluate(model)")
    ),
    "evaluation, where all began to train once": (
        SET_UP + TRAIN + "model.train()\nfor epoch in range(9):\n    train()\n    if rank == 0:\n        model.eval()\n"
    ),
    "a loss of the rank's own": OWN + "    scheduler.step(loss)\n",
    "a loss of the rank's own share of the held out data": OWN + "    scheduler.step(validate(parts))\n",
    "weights": SET_UP + "if rank == 0:\n    model.module.load_state_dict(torch.load('a.pt'))\n" + TRAIN + "train()\n",
    "weights of the wrapper": SET_UP
    + "if rank == 0:\n    model.load_state_dict(torch.load('a.pt'))\n"
    + TRAIN
    + "train()\n",
    "weights, where the others go on": (
        "def resume():\n    if rank != 0:\n        return 0\n    kept = torch.load('a.pt')\n"
        "    model.module.load_state_dict(kept['model'])\n    return kept['epoch']\n"
        + SET_UP
        + TRAIN
        + "resume()\ntrain()\n"
    ),
    "the state of the optimizer": (
        SET_UP + "if rank == 0:\n    optimizer.load_state_dict(torch.load('a.pt')['optimizer'])\n" + TRAIN + "train()\n"
    ),
    "a step": SET_UP
    + "for batch in torch.randn(4, 2, 1):\n    model(batch).mean().backward()\n    if rank == 0:\n        optimizer.step()\n",
}
SILENT = {
    "a loss that was reduced": OWN + "    dist.all_reduce(loss)\n    scheduler.step(loss.item() / 2)\n",
    "a loss of all the held out data": OWN + "    scheduler.step(validate(whole))\n",
    "a loss of the held out data that was reduced": (
        OWN + "    mean = torch.tensor(validate(parts))\n    dist.all_reduce(mean)\n    scheduler.step(mean)\n"
    ),
    "a loss that a helper reduces": (
        "from lib import reduce_mean\n" + OWN + "    scheduler.step(reduce_mean(validate(parts)))\n"
    ),
    "the epoch": OWN + "    scheduler.step(epoch)\n",
    "a scheduler of the epoch alone": OWN.replace("ReduceLROnPlateau(optimizer)", "StepLR(optimizer, 1)")
    + "    scheduler.step()\n",
    "an average that one rank evaluates": (
        "import copy\n"
        + SET_UP
        + "average = copy.deepcopy(model.module)\n"
        + TRAIN
        + "for epoch in range(9):\n    train()\n    if rank == 0:\n        average.eval()\n"
    ),
    "every rank": epochs("scheduler.step()"),
    "weights on every rank": SET_UP + "model.module.load_state_dict(torch.load('a.pt'))\n" + TRAIN + "train()\n",
    "weights before the model is wrapped": (
        "plain = nn.Linear(1, 1)\nif rank == 0:\n    plain.load_state_dict(torch.load('a.pt'))\nmodel = DDP(plain)\n"
        "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n" + TRAIN + "train()\n"
    ),
    "weights that are broadcast": (
        SET_UP
        + "if rank == 0:\n    model.module.load_state_dict(torch.load('a.pt'))\n"
        + "for one in model.parameters():\n    dist.broadcast(one.data, 0)\n"
        + TRAIN
        + "train()\n"
    ),
    "weights that the others are sent": (
        SET_UP
        + "box = [torch.load('a.pt') if rank == 0 else None]\ndist.broadcast_object_list(box)\n"
        + "model.module.load_state_dict(box[0])\n"
        + TRAIN
        + "train()\n"
    ),
    "weights from each rank's own arm": (
        SET_UP
        + "if rank == 0:\n    model.module.load_state_dict(torch.load('a.pt'))\n"
        + "else:\n    model.module.load_state_dict(torch.load('b.pt'))\n"
        + TRAIN
        + "train()\n"
    ),
    "the best weights, to evaluate at the end": EPOCHS
    + "if rank == 0:\n    model.module.load_state_dict(torch.load('a.pt'))\n",
    "averaged weights, for an evaluation": epochs(
        "if rank == 0:",
        "    own = model.module.state_dict()",
        "    model.module.load_state_dict(torch.load('average.pt'))",
        "    print(model.module(x))",
        "    model.module.load_state_dict(own)",
    ),
    "weights of a model of one rank's own": (
        "teacher = nn.Linear(1, 1)\n"
        + epochs("if rank == 0:", "    teacher.load_state_dict(model.module.state_dict())")
    ),
    "a state of an optimizer of one rank's own": (
        "probe = nn.Linear(1, 1)\nprobing = torch.optim.SGD(probe.parameters(), 0.1)\n"
        + epochs("if rank == 0:", "    probing.load_state_dict(torch.load('a.pt'))")
    ),
    "printing": epochs("if rank == 0:", "    print(scheduler.get_last_lr())"),
    "in the other arm, too": epochs("if rank == 0:", "    scheduler.step()", "else:", "    scheduler.step()"),
    "the decision is broadcast": epochs(
        "box = [x]", "if rank == 0:", "    scheduler.step()", "dist.broadcast_object_list(box, 0)"
    ),
    "the weights are broadcast": epochs(
        "if rank == 0:", "    scheduler.step()", "for one in model.parameters():", "    dist.broadcast(one.data, 0)"
    ),
    "back to training": epochs("if rank == 0:", "    model.eval()", "    print(model.module(x))", "    model.train()"),
    "all begin every epoch": (
        SET_UP
        + TRAIN
        + "for epoch in range(9):\n    model.train()\n    train()\n    if rank == 0:\n        model.eval()\n"
    ),
    "all begin to train in the function that trains": (
        SET_UP
        + TRAIN.replace("def train():\n", "def train():\n    model.train()\n")
        + "for epoch in range(9):\n    train()\n    if rank == 0:\n        model.eval()\n"
    ),
    "all evaluate": epochs("model.eval()", "if rank == 0:", "    model.eval()", "    print(model.module(x))"),
    "a copy that one rank evaluates": epochs(
        "import copy",
        "if rank == 0:",
        "    copied = nn.Linear(1, 1)",
        "    copied.load_state_dict(model.module.state_dict())",
        "    copied.eval()",
    ),
    "at the end": EPOCHS + "if rank == 0:\n    model.eval()\n    print(model.module(x))\n",
    "an optimizer of one rank's own": (
        "probe = nn.Linear(1, 1)\nprobing = torch.optim.SGD(probe.parameters(), 0.1)\n"
        + epochs("if rank == 0:", "    probe(x).mean().backward()", "    probing.step()")
    ),
    "a scheduler of one rank's own": (
        "probe = nn.Linear(1, 1)\nprobing = torch.optim.SGD(probe.parameters(), 0.1)\n"
        "probes = torch.optim.lr_scheduler.StepLR(probing, 1)\n" + epochs("if rank == 0:", "    probes.step()")
    ),
    "groups that are read": epochs(
        "if rank == 0:", "    for group in optimizer.param_groups:", "        print(group['lr'])"
    ),
    "a note in the groups": epochs(
        "if rank == 0:", "    for group in optimizer.param_groups:", "        group['seen'] = epoch"
    ),
    "the rate, which all set anew": (
        SET_UP
        + TRAIN
        + "for epoch in range(9):\n    for group in optimizer.param_groups:\n        group['lr'] = 0.1\n    train()\n"
        + "    if rank == 0:\n        for group in optimizer.param_groups:\n            group['lr'] = 0.0\n"
    ),
    "a condition that all ranks share": epochs("if epoch > 3:", "    scheduler.step()", "    model.eval()"),
    "no wrapper": epochs("if rank == 0:", "    scheduler.step()").replace("DDP(", "nn.Sequential("),
    "handed to what nobody can follow": (
        "from lib import set_up\n" + epochs("if rank == 0:", "    model.eval()", "set_up(model)")
    ),
    "a step that is left out by all": SET_UP
    + "for i, batch in enumerate(torch.randn(4, 2, 1)):\n    model(batch).mean().backward()\n    if i % 2:\n        optimizer.step()\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (found,) = findings(program, "DDP604")
    assert found.severity is Severity.WARNING
    assert found.fix is None
    assert found.no_fix


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP604") == []


def test_each_place_once() -> None:
    program = epochs("if rank == 0:", "    scheduler.step()", "    model.eval()", "    scheduler.step()")
    above = EPOCHS.count("\n")
    assert lines(program, "DDP604") == [above + 2, above + 3, above + 4]
