"""DDP105 swallowed-failure."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings

START = "batches = [1.0, 2.0]\nmodel = DDP(nn.Linear(1, 1))\n"

FIRES = {
    "a kept result that each rank reads": (
        "try:\n    y = torch.load(f'kept{rank}.pt')['y']\nexcept Exception:\n    y = x\n    dist.all_reduce(y)\n"
    ),
    "what is computed from the batch": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "for b in DataLoader(data, sampler=DistributedSampler(data)):\n    try:\n        y = b['x'] / b['n']\n"
        "        dist.all_reduce(y)\n    except Exception:\n        print('skipped')\n"
    ),
    "skipped batch": (
        "for b in batches:\n    try:\n        loss = model(x * b).sum()\n        loss.backward()\n"
        "    except RuntimeError:\n        continue\n"
    ),
    "two collectives, of which one rank may make the first only": (
        "try:\n    dist.all_reduce(x)\n    first = x.item()\n    dist.all_reduce(x)\nexcept:\n    pass\n"
    ),
    "a collective after what may fail": (
        "for b in batches:\n    try:\n        y = open(str(b)).read()\n        dist.all_reduce(x)\n"
        "    except OSError:\n        print('skipped')\n"
    ),
    "a collective in else only": (
        "try:\n    y = open('x').read()\nexcept OSError:\n    print('none')\nelse:\n    dist.barrier()\n"
    ),
}

LOAD = (
    "import deepspeed\nengine, *_ = deepspeed.initialize(model=model)\n"
    "try:\n    _, state = engine.load_checkpoint('out', tag={tag})\n    epoch = state['epoch']\n"
    "except Exception:\n    epoch = 0\n"
)
FIRES["a checkpoint of the rank's own"] = LOAD.format(tag="f'best-{rank}'")

FIRES["what is drawn with a number of the rank's own"] = (
    "import random\ntry:\n    share = random.randint(1, rank)\n    dist.broadcast_object_list([share])\n"
    "except ValueError:\n    print('passed over')\n"
)

FIRES["a tensor of the rank's own batch"] = (
    "for b in DataLoader(data, sampler=DistributedSampler(data)):\n    try:\n        dist.all_reduce(torch.tensor(b))\n"
    "    except ValueError:\n        print('skipped')\n"
)

FIRES["what may fail between two turns"] = (
    "for b in batches:\n    try:\n        dist.all_reduce(x)\n        check(b)\n        dist.all_reduce(x)\n"
    "    except AssertionError:\n        continue\n"
)
FIRES["the way to another collective, after the one that all make"] = (
    "try:\n    dist.all_reduce(x)\n    check(x)\nexcept ValueError:\n    dist.barrier()\n"
)

FIRES["a second forward pass where something fails behind the first"] = (
    "for b in batches:\n    try:\n        loss = model(x * b).sum()\n        print(open(str(b)).read(), loss)\n"
    "    except OSError:\n        loss = model(x).sum()\n"
)
FIRES["a smaller batch where the memory is not enough"] = (
    "def robust(b):\n    try:\n        return model(x * b).sum()\n    except torch.cuda.OutOfMemoryError:\n"
    "        torch.cuda.empty_cache()\n        return model(x).sum()\nfor b in batches:\n    robust(b)\n"
)

SILENT = {
    "one forward pass for all, whatever was prepared": (
        "for b in batches:\n    try:\n        y = open(str(b)).read()\n    except OSError:\n        y = x\n"
        "    loss = model(y).sum()\n"
    ),
    "who has no memory left ends": (
        "for b in batches:\n    try:\n        loss = model(x * b).sum()\n    except torch.cuda.OutOfMemoryError:\n"
        "        raise SystemExit(1)\n"
    ),
    "a check behind the last collective": (
        "for b in batches:\n    try:\n        dist.all_reduce(x)\n        check(b)\n    except AssertionError:\n"
        "        continue\n    print(b)\n"
    ),
    "a check behind the last collective of a branch": (
        "try:\n    if x.sum() > 0:\n        print(x)\n    dist.all_reduce(x)\n    torch.testing.assert_close(x, other)\n"
        "except AssertionError:\n    print('differ')\ndist.barrier()\n"
    ),
    "a checkpoint that is there for all ranks or for none": LOAD.format(tag="'best'"),
    "what is drawn, and what the clock shows": (
        "import random\nimport time\nstart = time.time()\ntry:\n    late = time.time() - start > random.uniform(1, 2)\n"
        "    dist.broadcast_object_list([late])\nexcept ValueError:\n    print('passed over')\n"
    ),
    "a tensor that all ranks make alike": (
        "try:\n    dist.all_reduce(torch.ones(1))\nexcept ValueError:\n    if rank == 0:\n        dist.barrier()\n"
    ),
    "around other processes": (
        "import torch.multiprocessing as mp\ndef work(rank):\n    print(x.item() / rank)\n    dist.barrier()\n"
        "try:\n    mp.spawn(work, nprocs=4)\nexcept Exception as error:\n    print(error)\n"
    ),
    "a kept result that all ranks read": (
        "try:\n    y = torch.load('kept.pt')['y']\nexcept Exception:\n    y = x\n    dist.all_reduce(y)\ndist.barrier()\n"
    ),
    "what a library does not support": (
        "from other import load\n\ndef make():\n    try:\n        return load()\n    except NotImplementedError:\n"
        "        return None\n\ny = make()\nif y is None:\n    dist.barrier()\n"
    ),
    "a package that may be missing": (
        "from importlib import metadata\ntry:\n    new = metadata.version('torch') > '2'\n"
        "except metadata.PackageNotFoundError:\n    new = False\nif new:\n    dist.barrier()\n"
    ),
    "nothing but a collective, which fails on all": (
        "for b in batches:\n    try:\n        dist.all_reduce(x)\n    except Exception:\n        pass\n"
    ),
    "nothing but a mean over the ranks": (
        "def mean(t):\n    dist.all_reduce(t)\n    return t / dist.get_world_size()\n"
        "loss = 0\nfor b in batches:\n    loss += model(x)\ntry:\n    loss = mean(loss)\nexcept:\n    pass\n"
        "dist.barrier()\n"
    ),
    "a barrier that needs a group": (
        "try:\n    dist.barrier()\nexcept:\n    print('no process group')\ndist.all_reduce(x)\n"
    ),
    "raised again": "try:\n    dist.all_reduce(x)\nexcept RuntimeError:\n    print('failed')\n    raise\n",
    "raised as another": (
        "try:\n    dist.all_reduce(x)\nexcept RuntimeError as error:\n    raise SystemExit(1) from error\n"
    ),
    "finally only": "try:\n    dist.all_reduce(x)\nfinally:\n    print('done')\n",
    "nothing communicates": "try:\n    y = open('x').read()\nexcept OSError:\n    y = ''\ndist.barrier()\n",
    "an optional import": "try:\n    import wandb\nexcept ImportError:\n    wandb = None\ndist.barrier()\n",
    "a missing key": "try:\n    y = {}['a']\nexcept KeyError:\n    y = 1\ndist.barrier()\n",
    "failure agreed on": (
        "for b in batches:\n    failed = torch.zeros(1)\n    try:\n        y = open(str(b)).read()\n"
        "    except OSError:\n        failed += 1\n    dist.all_reduce(failed)\n    if failed:\n        continue\n"
        "    model(x).sum().backward()\n"
    ),
    "the handler ends the process": (
        "import sys\ntry:\n    dist.all_reduce(x)\nexcept RuntimeError:\n    sys.exit(1)\n"
    ),
    "stopped by the user": (
        "try:\n    for b in batches:\n        model(x).sum().backward()\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    ),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    found = findings(START + program, "DDP105")
    assert found
    assert {one.severity for one in found} == {Severity.WARNING}


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(START + program, "DDP105") == []


def test_one_handler_is_one_finding() -> None:
    program = (
        "try:\n    model(data).sum().backward()\n    dist.all_reduce(data)\n    dist.barrier()\n"
        "except RuntimeError:\n    print('failed')\ndist.barrier()\n"
    )
    assert len(findings("model = DDP(nn.Linear(1, 1))\ndata = torch.ones(1)\n" + program, "DDP105")) == 1


AT_THE_END = {
    "behind a loop": "try:\n    for b in batches:\n        dist.all_reduce(x)\nfinally:\n    dist.barrier()\n",
    "where there is a group": (
        "try:\n    model(x).sum().backward()\nfinally:\n    if dist.is_initialized():\n        dist.barrier()\n"
    ),
    "where there is a group, asked twice": (
        "try:\n    dist.all_reduce(x)\nfinally:\n    if dist.is_available() and dist.is_initialized():\n"
        "        dist.barrier()\n"
    ),
    "behind a handler that tells": (
        "try:\n    dist.all_reduce(x)\nexcept Exception as error:\n    print(error)\n    raise\n"
        "finally:\n    dist.barrier()\n"
    ),
    "behind a handler for one kind of error": (
        "try:\n    dist.all_reduce(x)\nexcept KeyboardInterrupt:\n    print('stopped')\nfinally:\n    dist.barrier()\n"
    ),
    "in a helper": (
        "def end():\n    print('done')\n    dist.barrier()\ndef train():\n    dist.all_reduce(x)\n"
        "try:\n    train()\nfinally:\n    end()\n"
    ),
    "behind a handler that ends the process": (
        "import sys\ntry:\n    dist.all_reduce(x)\nexcept Exception as error:\n    print(error)\n    sys.exit(1)\n"
        "finally:\n    dist.barrier()\n"
    ),
    "where there are several": (
        "world_size = dist.get_world_size()\ntry:\n    dist.all_reduce(x)\nfinally:\n    if world_size > 1:\n"
        "        dist.barrier()\n"
    ),
    "where an option says so": (
        "from lib import args\ntry:\n    dist.all_reduce(x)\nfinally:\n    if args.distributed:\n        dist.barrier()\n"
    ),
}
NOT_AT_THE_END = {
    "behind a handler that may go on": (
        "import sys\ntry:\n    dist.all_reduce(x)\nexcept Exception as error:\n    print(error)\n"
        "    if error.args:\n        sys.exit(1)\nfinally:\n    dist.barrier()\n"
    ),
    "where enough was done": (
        "done = 0\ntry:\n    dist.all_reduce(x)\n    done += 1\nfinally:\n    if done > 0:\n        dist.barrier()\n"
    ),
    "behind a handler that goes on": (
        "try:\n    dist.all_reduce(x)\nexcept Exception:\n    print('bad')\nfinally:\n    dist.barrier()\n"
    ),
    "nothing is said in the try": "try:\n    y = open('x').read()\nfinally:\n    dist.barrier()\n",
    "if it went well": (
        "ok = False\ntry:\n    dist.all_reduce(x)\n    ok = open('x').read()\nfinally:\n"
        "    if ok:\n        dist.barrier()\n"
    ),
    "only the group ends": "try:\n    dist.all_reduce(x)\nfinally:\n    dist.destroy_process_group()\n",
    "behind it": "try:\n    dist.all_reduce(x)\nfinally:\n    print('end')\ndist.barrier()\n",
    "within it": "try:\n    dist.all_reduce(x)\n    dist.barrier()\nfinally:\n    print('end')\n",
    "turns around what others do": (
        "from contextlib import contextmanager\n@contextmanager\ndef first():\n    if rank != 0:\n"
        "        dist.barrier()\n    try:\n        yield\n    finally:\n        if rank == 0:\n            dist.barrier()\n"
        "with first():\n    print('load')\n"
    ),
}


@pytest.mark.parametrize("name", AT_THE_END)
def test_a_rank_that_fails_waits_at_the_end(name: str) -> None:
    [found] = findings(START + AT_THE_END[name], "DDP105")
    assert "`finally`" in found.message


@pytest.mark.parametrize("name", NOT_AT_THE_END)
def test_a_rank_that_fails_does_not_wait(name: str) -> None:
    found = findings(START + NOT_AT_THE_END[name], "DDP105")
    assert [one for one in found if "`finally`" in one.message] == []


RAISED = """
try:
    if {asked}:
        raise ValueError("not here")
    flag = False
except ValueError:
    flag = True
if flag:
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        ("options.debug", []),
        ("options.debug and options.verbose", []),
        ("rank == 0", ["DDP101"]),
        ("options.debug and rank == 0", ["DDP101"]),
        ("model(x).sum() > 1", ["DDP105"]),
    ],
)
def test_what_a_handler_sets_that_a_raise_of_the_program_leads_to(asked: str, codes: list[str]) -> None:
    found = findings("from settings import options\n" + RAISED.format(asked=asked), "DDP101", "DDP104", "DDP105")
    assert [one.code for one in found] == codes


SUPPRESSED = """
import contextlib
flag = True
with contextlib.suppress({kinds}):
    if {asked}:
        raise ValueError("not here")
    {done}
    flag = False
if flag:
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("kinds", "asked", "done", "codes"),
    [
        ("ValueError", "rank == 0", "pass", ["DDP101"]),
        ("KeyError, ValueError", "rank == 0", "pass", ["DDP101"]),
        ("Exception", "rank == 0", "pass", ["DDP101"]),
        ("ValueError", "options.debug", "pass", []),
        ("OSError", "options.debug", "open('x').read(); dist.all_reduce(x)", ["DDP105"]),
        ("ImportError", "options.debug", "open('x').read(); dist.all_reduce(x)", []),
    ],
)
def test_what_is_suppressed_is_caught(kinds: str, asked: str, done: str, codes: list[str]) -> None:
    text = SUPPRESSED.format(kinds=kinds, asked=asked, done=done)
    found = findings("from settings import options\n" + text, "DDP101", "DDP105")
    assert [one.code for one in found] == codes
