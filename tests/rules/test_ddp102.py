"""DDP102 guarded-forward."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Confidence, Safety, Severity
from tests.rules.support import at, findings, fixed, found_in, lines

PLAIN = "model = DDP(nn.Linear(1, 1))\n"
BUFFERS = "model = DDP(nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)))\n"
TRAIN = "for _ in range(3):\n    model(x).sum().backward()\n"

FIRES = {
    "construction": ("if rank == 0:\n    model = DDP(nn.Linear(1, 1))\n", [2]),
    "backward": (PLAIN + "loss = model(x).sum()\nif rank == 0:\n    loss.backward()\n", [4]),
    "forward with gradients": (BUFFERS + "if rank == 0:\n    model(x)\n", [3]),
    "eval is no protection": (BUFFERS + "if rank == 0:\n    model.eval()\n    model(x)\n", [4]),
    "no_grad with buffers": (
        BUFFERS + "if rank == 0:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n",
        [4],
    ),
    "in a helper": (
        BUFFERS + "@torch.no_grad()\ndef evaluate(m):\n    return m(x)\nif rank == 0:\n    evaluate(model)\n",
        [6],
    ),
    "through a bound method": (
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.BatchNorm1d(1)
            def denoise(self, x):
                return self.net(x)
            def sample(self, f):
                return f(x)
        net = Net()
        net.net = DDP(net.net)
        if rank == 0:
            net.sample(net.denoise)
        """,
        [12],
    ),
    "sharded models always": (
        (
            "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            "model = FSDP(nn.Linear(1, 1))\nif rank == 0:\n    with torch.no_grad():\n        model(x)\n"
        ),
        [5],
    ),
}

APEX = "from apex.parallel import DistributedDataParallel as ApexDDP\nmodel = ApexDDP(nn.BatchNorm1d(1))\n"
FIRES["a backward pass through apex's wrapper"] = (
    APEX + "loss = model(x).sum()\nif rank == 0:\n    loss.backward()\n",
    [5],
)

SILENT = {
    "apex's wrapper, whose forward does not communicate": (
        APEX + "if rank == 0:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n"
    ),
    "the module inside": BUFFERS + "if rank == 0:\n    model.module(x)\ndist.barrier()\n",
    "an alias of the module": BUFFERS + "net = model.module\nif rank == 0:\n    net(x)\ndist.barrier()\n",
    "no_grad without buffers": PLAIN + "if rank == 0:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n",
    "buffers that are not handed out": (
        "model = DDP(nn.BatchNorm1d(1), broadcast_buffers=False)\n"
        "if rank == 0:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n"
    ),
    "inference_mode without buffers": PLAIN + "if rank == 0:\n    with torch.inference_mode():\n        model(x)\n",
    "on every rank": BUFFERS + TRAIN + "model(x)\nif rank == 0:\n    print(1)\n",
    "a model that is not wrapped": "model = nn.BatchNorm1d(1)\nif rank == 0:\n    model(x).sum().backward()\ndist.barrier()\n",
    "state dict": BUFFERS + "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\ndist.barrier()\n",
    "both sides": BUFFERS + "if rank == 0:\n    y = model(x)\nelse:\n    y = model(x + 1)\n",
    "train and eval switches": BUFFERS + "if rank == 0:\n    model.eval()\n    model.train()\n",
    "parameters": PLAIN + "if rank == 0:\n    print(sum(p.numel() for p in model.parameters()))\n",
    "a loss of the plain module": BUFFERS + "if rank == 0:\n    model.module(x).sum().backward()\n",
}


@pytest.mark.parametrize(("program", "expected"), FIRES.values(), ids=FIRES)
def test_fires(program: str, expected: list[int]) -> None:
    assert lines(textwrap.dedent(program), "DDP102") == expected


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP101", "DDP102") == []


GRAVITY = {
    "a barrier comes next: sure": ("with torch.no_grad():\n        model(x)\ndist.barrier()\n", Severity.ERROR),
    "training comes next: luck": (f"with torch.no_grad():\n        model(x)\n{TRAIN}", Severity.WARNING),
    "with gradients": (f"model(x)\n{TRAIN}", Severity.ERROR),
    "with a backward pass": (f"model(x).sum().backward()\n{TRAIN}", Severity.ERROR),
}


@pytest.mark.parametrize(("program", "severity"), GRAVITY.values(), ids=GRAVITY)
def test_how_bad_it_is(program: str, severity: Severity) -> None:
    found = findings(f"{BUFFERS}{TRAIN}if rank == 0:\n    {program}", "DDP102")
    assert [one.severity for one in found][:1] == [severity]
    assert found[0].confidence in (Confidence.HIGH, Confidence.MEDIUM)


@pytest.mark.parametrize(("rest", "severities"), [("", []), (".backward()", [Severity.ERROR])])
def test_the_stage_of_zero_is_not_known(rest: str, severities: list[Severity]) -> None:
    program = "import deepspeed\nengine = deepspeed.initialize(model=nn.Linear(1, 1))[0]\n"
    found = findings(f"{program}if rank == 0:\n    engine(x).sum(){rest}\ndist.barrier()\n", "DDP102")
    assert [one.severity for one in found][:1] == severities


FIXES = {
    "where it is called": (
        f"{BUFFERS}if rank == 0:\n    with torch.no_grad():\n        print(model(x))\ndist.barrier()\n",
        f"{BUFFERS}if rank == 0:\n    with torch.no_grad():\n        print(model.module(x))\ndist.barrier()\n",
    ),
    "in the helper that only rank 0 calls": (
        BUFFERS
        + "@torch.no_grad()\ndef evaluate(m):\n    return m(x)\nif rank == 0:\n    evaluate(model)\ndist.barrier()\n",
        BUFFERS
        + "@torch.no_grad()\ndef evaluate(m):\n    return m.module(x)\nif rank == 0:\n    evaluate(model)\ndist.barrier()\n",
    ),
    "at the call where the helper serves all": (
        BUFFERS
        + "@torch.no_grad()\ndef run(m):\n    return m(x)\nrun(model)\nif rank == 0:\n    run(model)\ndist.barrier()\n",
        BUFFERS
        + "@torch.no_grad()\ndef run(m):\n    return m(x)\nrun(model)\n"
        + "if rank == 0:\n    run(model.module)\ndist.barrier()\n",
    ),
    "a callback that hands on": (
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.BatchNorm1d(1)
            def denoise(self, x):
                return self.net(x)
            def loss(self):
                return self.denoise(x).sum()
            @torch.no_grad()
            def sample(self):
                return integrate(self.denoise)
        def integrate(f):
            return f(x)
        model = Net()
        model.net = DDP(model.net)
        model.loss().backward()
        if rank == 0:
            model.sample()
        dist.barrier()
        """,
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.BatchNorm1d(1)
            def denoise(self, x):
                return self.net(x)
            def loss(self):
                return self.denoise(x).sum()
            @torch.no_grad()
            def sample(self):
                return integrate(self.net.module)
        def integrate(f):
            return f(x)
        model = Net()
        model.net = DDP(model.net)
        model.loss().backward()
        if rank == 0:
            model.sample()
        dist.barrier()
        """,
    ),
    "wrapped on some runs only": (
        (
            "import sys\nmodel = nn.BatchNorm1d(1)\nif len(sys.argv) > 1:\n    model = DDP(model)\n"
            "if rank == 0:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n"
        ),
        (
            "import sys\nmodel = nn.BatchNorm1d(1)\nif len(sys.argv) > 1:\n    model = DDP(model)\n"
            'if rank == 0:\n    with torch.no_grad():\n        getattr(model, "module", model)(x)\ndist.barrier()\n'
        ),
    ),
    "with accelerate": (
        (
            "from accelerate import Accelerator\naccelerator = Accelerator()\n"
            "model = accelerator.prepare(nn.BatchNorm1d(1))\n"
            "if accelerator.is_main_process:\n    with torch.no_grad():\n        model(x)\ndist.barrier()\n"
        ),
        (
            "from accelerate import Accelerator\naccelerator = Accelerator()\n"
            "model = accelerator.prepare(nn.BatchNorm1d(1))\n"
            "if accelerator.is_main_process:\n    with torch.no_grad():\n"
            "        accelerator.unwrap_model(model)(x)\ndist.barrier()\n"
        ),
    ),
    "together with a barrier behind the same guard": (
        f"{BUFFERS}if rank == 0:\n    with torch.no_grad():\n        model(x)\n    dist.barrier()\n",
        f"{BUFFERS}if rank == 0:\n    with torch.no_grad():\n        model.module(x)\ndist.barrier()\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), FIXES.values(), ids=FIXES)
def test_fix(before: str, after: str) -> None:
    assert fixed(textwrap.dedent(before), "DDP1") == textwrap.dedent(after)


def test_fix_with_gradients_is_unsafe() -> None:
    program = f"{BUFFERS}if rank == 0:\n    print(model(x))\ndist.barrier()\n"
    (finding,) = findings(program, "DDP102")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE
    assert fixed(program, "DDP1") == program
    assert "model.module(x)" in fixed(program, "DDP1", unsafe=True)


def test_no_fix_ever_adds_a_barrier_to_a_guard() -> None:
    for before, after in FIXES.values():
        assert after.count("barrier()") == before.count("barrier()")


UNFIXED = {
    "a backward pass follows": (f"{PLAIN}if rank == 0:\n    model(x).sum().backward()\n", "copy of the plain module"),
    "construction": ("if rank == 0:\n    model = DDP(nn.Linear(1, 1))\n", "wrap the model on every rank"),
    "the same call serves all ranks": (
        BUFFERS
        + "def step():\n    with torch.no_grad():\n        return model(x)\nstep()\nif rank == 0:\n    step()\n",
        "`step` also serves other ranks",
    ),
    "sharded": (
        (
            "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            "model = FSDP(nn.Linear(1, 1))\nif rank == 0:\n    with torch.no_grad():\n        model(x)\n"
        ),
        "let every rank come to",
    ),
}


@pytest.mark.parametrize(("program", "reason"), UNFIXED.values(), ids=UNFIXED)
def test_says_why_it_is_not_fixed(program: str, reason: str) -> None:
    found = findings(program, "DDP102")
    assert found
    assert found[0].fix is None
    assert reason in found[0].no_fix


FABRIC = """\
import torch
import lightning as L
from lightning.fabric.strategies import DDPStrategy, FSDPStrategy


@torch.no_grad()
def validate(model):
    return model(torch.zeros(1))


def main():
    fabric = L.Fabric(devices=4, strategy={strategy})
    fabric.launch()
    model = fabric.setup_module(torch.nn.Linear(1, 1))
    for step in range(100):
        if step % 10 == 0 and fabric.global_rank == 0:
            validate(model)
        fabric.backward(model(torch.zeros(1)).sum())


main()
"""


@pytest.mark.parametrize("strategy", ["FSDPStrategy()", "'fsdp'", "'deepspeed_stage_3'"])
def test_a_split_model_communicates_without_gradients(strategy: str) -> None:
    assert at(FABRIC.format(strategy=strategy), "DDP102") == ["validate(model)"]


@pytest.mark.parametrize("strategy", ["DDPStrategy()", "'ddp'", "'deepspeed_stage_2'"])
def test_a_whole_model_does_not(strategy: str) -> None:
    assert at(FABRIC.format(strategy=strategy), "DDP102") == []


SHARDED = """
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

class Trainer:
    def __init__(self, model):
        self.model = model
        shard(model)

def shard(model):
    for part in model.modules():
        if isinstance(part, nn.Linear):
            fully_shard(part)
    fully_shard(model)

def main(args):
    rank = dist.get_rank()
    model = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    other = nn.Linear(1, 1)
    {setup}
    if rank == 0:
        {use}
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("setup", "use", "found"),
    [
        ("shard(model)", "model(x)", 1),
        ("trainer = Trainer(model)", "trainer.model(x)", 1),
        ("for one in [model, other]: fully_shard(one)", "other(x)", 1),
        ("if args.shard: shard(model)", "model(x)", 1),
        ("same = model; shard(same)", "model(x)", 1),
        ("shard(model); loss = model(x).sum()", "loss.backward()", 1),
        ("shard(model)", "other(x)", 0),
        ("if args.shard: shard(model); return", "model(x)", 0),
        ("model(x)", "other(x); print(shard)", 0),
        ("shard(model)", "torch.save(model.state_dict(), f'part{rank}.pt')", 0),
    ],
)
def test_a_module_that_a_call_changes_is_changed_for_all_who_hold_it(setup: str, use: str, found: int) -> None:
    assert len(found_in(SHARDED.format(setup=setup, use=use), "DDP102")) == found


def test_it_shows_where_the_model_is_wrapped() -> None:
    (finding,) = findings(BUFFERS + "net = model\nif rank == 0:\n    net(x)\n", "DDP102")
    wrapped = [note.place for note in finding.notes if note.text == "the model is wrapped here"]
    assert [place.file.lines[place.range.start_line - 1] for place in wrapped] == [BUFFERS.rstrip()]
