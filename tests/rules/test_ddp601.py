"""DDP601 forward-bypasses-wrapper."""

from dataclasses import replace

import pytest

from ddplint.analysis.domain.symbols import fresh
from ddplint.rule import Safety, Severity
from ddplint_rules.gradients._helpers.passes import bypasses
from tests.rules.support import at, fixed_in, found_in, walks_of

CODE = "DDP601"

HEAD = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from setup import build, loader, other, teacher

dist.init_process_group("gloo")
rank = dist.get_rank()
plain = build()
model = DDP(plain)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
LOOP = "for x in loader:\n    loss = {}.sum()\n    loss.backward()\n    optimizer.step()\n"


def test_through_the_module() -> None:
    text = HEAD + LOOP.format("model.module(x)")
    [found] = found_in(text, CODE)
    assert found.severity is Severity.ERROR
    assert at(text, CODE) == ["loss = model.module(x).sum()"]


FIRES = {
    "the model before it was wrapped": LOOP.format("plain(x)"),
    "an alias": "raw = model.module\n" + LOOP.format("raw(x)"),
    "a method of the module": LOOP.format("model.module.encode(x)"),
    "a part of the module": "inner = model.module\n" + LOOP.format("inner.head(inner.backbone(x))"),
    "in a helper": "def step(net, x):\n    return net(x)\n" + LOOP.format("step(model.module, x)"),
    "taken off in a loop": (
        "def inner(m):\n    for _ in range(10):\n        if hasattr(m, 'module') and m.module is not None:\n"
        "            m = m.module\n            continue\n        break\n    return m\n" + LOOP.format("inner(model)(x)")
    ),
    "taken off by the name of its class": (
        "raw = model.module if type(model).__name__ == 'DistributedDataParallel' else model\n" + LOOP.format("raw(x)")
    ),
    "taken off by its class": "raw = model.module if type(model) is DDP else model\n" + LOOP.format("raw(x)"),
    "scaled": LOOP.format("model.module(x)").replace(
        "loss.backward()", "torch.amp.GradScaler().scale(loss).backward()"
    ),
    "evaluated through the wrapper": "with torch.no_grad():\n    model(x)\n" + LOOP.format("model.module(x)"),
}


PREPARED = """\
import torch
from accelerate import Accelerator
from lib import build, loader, loss_of
from torch.nn.parallel import DistributedDataParallel as DDP
accelerator = Accelerator()
model = build()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
"""
STEP = "    accelerator.backward(loss)\n    optimizer.step()\n"

PAST = {
    "unwrapped by the library": "raw = accelerator.unwrap_model(model)\nfor x in loader:\n    loss = raw(x).sum()\n",
    "by its class": "raw = model.module if type(model) is DDP else model\nfor x in loader:\n    loss = raw(x).sum()\n",
}
NOT_PAST = {
    "through the wrapper": "for x in loader:\n    loss = model(x).sum()\n",
    "to look at": (
        "raw = accelerator.unwrap_model(model)\nfor x in loader:\n    with torch.no_grad():\n        print(raw(x))\n"
        "    loss = model(x).sum()\n"
    ),
    "to generate": (
        "raw = accelerator.unwrap_model(model)\nfor x in loader:\n    loss = loss_of(model, raw.generate(x))\n"
    ),
    "where another computes the loss with the wrapper": (
        "raw = accelerator.unwrap_model(model)\nfor x in loader:\n    loss = loss_of(model, raw(x))\n"
    ),
}


@pytest.mark.parametrize("name", PAST)
def test_past_what_a_library_prepared(name: str) -> None:
    assert found_in(PREPARED + PAST[name] + STEP, CODE)


@pytest.mark.parametrize("name", NOT_PAST)
def test_not_past_what_a_library_prepared(name: str) -> None:
    assert found_in(PREPARED + NOT_PAST[name] + STEP, CODE) == []


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert found_in(HEAD + FIRES[name], CODE)


def test_a_wrapper_that_is_lost_at_once_is_reported_where_it_is_lost() -> None:
    plain = HEAD.replace("model = DDP(plain)", "DDP(plain)").replace("model.parameters", "plain.parameters")
    lost = plain + LOOP.format("plain(x)")
    assert found_in(lost, CODE) == []
    assert len(found_in(lost, "DDP603")) == 1
    assert found_in(lost.replace("DDP(plain)\n", "DDP(plain)\nmodel = DDP(other)\n"), CODE)


def test_class_of_the_project() -> None:
    net = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n\n"
    text = HEAD.replace("plain = build()", net + "plain = Net()") + LOOP.format("model.module(x)")
    assert len(found_in(text, CODE)) == 1


SILENT = {
    "a loss made by the same factory": (
        "from factory import build\nnet, criterion = build(**options), build(**others)\nddp = DDP(net)\n"
        "for x in loader:\n    loss = criterion(net=ddp, x=x)\n    loss.backward()\n"
    ),
    "through the wrapper": LOOP.format("model(x)"),
    "a loss of the module on the wrapper's output": LOOP.format("model.module.criterion(model(x))"),
    "evaluation": "with torch.no_grad():\n    for x in loader:\n        model.module(x)\n",
    "a teacher without gradients": "for x in loader:\n    with torch.no_grad():\n        target = model.module(x)\n"
    "    other(x, target).backward()\n",
    "on one rank": "if rank == 0:\n    for x in loader:\n        model.module(x).sum().backward()\n",
    "saving": "for x in loader:\n    model(x).sum().backward()\n    torch.save(model.module.state_dict(), 'm.pt')\n",
    "gradients reduced by hand": LOOP.format("model.module(x)").replace(
        "    optimizer", "    for p in plain.parameters():\n        dist.all_reduce(p.grad)\n    optimizer"
    ),
    "the reducer is called past the wrapper": "reducer = model.reducer\n"
    + LOOP.format("plain(x)").replace(
        "    loss.backward", "    reducer.prepare_for_backward([loss])\n    loss.backward"
    ),
    "another model": LOOP.format("other(x)"),
    "inside the wrapped model": LOOP.format("model(x)").replace("loss.backward", "(loss + other(x)).backward"),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


def test_silent_without_a_wrapper() -> None:
    assert found_in((HEAD + LOOP.format("model(x)")).replace("DDP(plain)", "plain"), CODE) == []


def test_fix() -> None:
    text = HEAD + LOOP.format("model.module(x)")
    [found] = found_in(text, CODE)
    assert found.fix is not None
    assert found.fix.safety is Safety.UNSAFE
    assert fixed_in(text, CODE, unsafe=True) == HEAD + LOOP.format("model(x)")


def test_no_fix_for_methods() -> None:
    text = HEAD + LOOP.format("model.module.encode(x)")
    assert fixed_in(text, CODE, unsafe=True) == text


CHOSEN = """\
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from setup import build, loader, options

torch.distributed.init_process_group("gloo")
if options.one_device:
    model = build()
else:
    bare = build()
    model = DDP(bare)
inner = model.module if hasattr(model, "module") else model
for x in loader:
    loss = {loss}
    loss.backward()
"""


def test_the_model_of_runs_in_which_nothing_is_wrapped() -> None:
    assert found_in(CHOSEN.format(loss="inner.loss(model(x))"), CODE) == []


def test_gradients_that_are_only_looked_at() -> None:
    looked_at = LOOP.format("model.module(x)").replace("    optimizer.step()\n", "    print(x.grad)\n")
    assert found_in(HEAD + looked_at, CODE) == []


@pytest.mark.parametrize(("wrapped", "count"), [(True, 1), (False, 0)])
def test_a_backward_pass_where_the_model_is_not_wrapped_bypasses_nothing(wrapped: bool, count: int) -> None:
    """A program that wraps for one backend, and differentiates past the wrapper for another."""
    option = fresh("wrapped")
    [walk] = [walk for walk in walks_of(HEAD + LOOP.format("model.module(x)")) if walk.events]
    taken = {"construct": {option: True}, "backward": {option: wrapped}}
    walk.events[:] = [replace(event, path=taken.get(event.effect, event.path)) for event in walk.events]
    assert len({id(found.forward.node) for found in bypasses(walk)}) == count


def test_a_method_whose_result_nobody_takes_computes_no_loss() -> None:
    text = HEAD + LOOP.format("helper(x)").replace(
        "    optimizer", "    model.module.clip(optimizer, x)\n    optimizer"
    )
    assert found_in(text, CODE) == []


def test_a_walk_that_was_cut_may_have_missed_the_wrapper() -> None:
    (walk, *_) = walks_of(HEAD + LOOP.format("model.module(x)"))
    assert not walk.cut
    assert len(list(bypasses(walk))) == 1
    walk.cut = True
    assert list(bypasses(walk)) == []
