"""DDP112 unset-on-some-ranks."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

CODE = "DDP112"
HEAD = "import os\nimport torch\nimport torch.distributed as dist\ndist.init_process_group()\nrank = dist.get_rank()\n"

FIRES = {
    "a name": ("if rank == 0:\n    log = open('log')\nlog.write('x')\n", "log is not set on ranks 1, 2, 3"),
    "a name in a text": ("if rank == 0:\n    n = 3\nprint(f'{n} steps')\n", "n is not set on ranks 1, 2, 3"),
    "on the first rank of each node": (
        "local = int(os.environ['LOCAL_RANK'])\nif rank == 0:\n    log = open('log')\nif local == 0:\n    log.write('x')\n",
        "log is not set on rank 2",
    ),
    "a tracker, where the batch is divided by the number of ranks": (
        (
            "import wandb\ndef main(args):\n    if rank == 0:\n        wandb.init()\n    assert args.batch % args.nranks == 0\n"
            "    wandb.log({'a': 1})\nmain(read())\n"
        ),
        "wandb.log is called on ranks 1, 2, 3",
    ),
    "a tracker, where there are several ranks": (
        (
            "import wandb\ndef main(args):\n    if rank == 0:\n        wandb.init()\n    if args.nranks > 1:\n"
            "        wandb.log({'a': 1})\nmain(read())\n"
        ),
        "wandb.log is called on ranks 1, 2, 3",
    ),
    "None on the others": (
        "log = open('log') if rank == 0 else None\nlog.write('x')\n",
        "log is None on ranks 1, 2, 3",
    ),
    "None that is reckoned with": (
        "n = 3 if rank == 0 else None\nprint(n * 2)\n",
        "n is None on ranks 1, 2, 3, which raise TypeError here",
    ),
    "None that is measured": ("n = 'abc' if rank == 0 else None\nprint(len(n))\n", "n is None on ranks 1, 2, 3"),
    "None that is looked into": ("n = [3] if rank == 0 else None\nprint(n[0])\n", "n is None on ranks 1, 2, 3"),
    "None that is gone through": (
        "n = open('x') if rank == 0 else None\nfor line in n:\n    print(line)\n",
        "n is None on ranks 1, 2, 3",
    ),
    "what nobody keeps of a broadcast": (
        (
            "where = None\nif rank == 0:\n    where = input()\ndist.broadcast_object_list([where], src=0)\n"
            "torch.save({}, where + str(rank))\n"
        ),
        "where is None on ranks 1, 2, 3",
    ),
    "an attribute": (
        (
            "class Job:\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
            "    def step(self):\n        self.log.write('x')\nJob().step()\n"
        ),
        "self.log is not set on ranks 1, 2, 3",
    ),
    "behind an option": (
        (
            "def main(args):\n    if args.track and rank == 0:\n        run = start()\n    for step in range(args.steps):\n"
            "        if args.track and step % args.every == 0:\n            run.log(step)\nmain(read())\n"
        ),
        "run is not set on ranks 1, 2, 3",
    ),
    "in a function that leaves early elsewhere": (
        "def main():\n    if rank == 1:\n        return\n    if rank == 0:\n        n = 3\n    print(n)\nmain()\n",
        "n is not set on ranks 2, 3",
    ),
    "a tracker": (
        "import wandb\nif rank == 0:\n    wandb.init(project='x')\nfor i in range(3):\n    wandb.log({'i': i})\n",
        "wandb.log is called on ranks 1, 2, 3, where wandb.init was not: it raises there",
    ),
    "a tracker behind an option": (
        (
            "import wandb\ndef main(args):\n    if args.track and rank == 0:\n        wandb.init()\n    if args.track:\n"
            "        wandb.log({'a': 1})\nmain(read())\n"
        ),
        "wandb.log is called on ranks 1, 2, 3",
    ),
    "after a loop": (
        "for name in names():\n    if rank == 0:\n        best = name\nprint(best)\n",
        "best is not set on ranks 1, 2, 3",
    ),
    "in a function that communicates": (
        (
            "def evaluate(model):\n    if rank == 0:\n        scores = []\n    for x in data():\n        y = model(x)\n"
            "        dist.all_reduce(y)\n        scores.append(y)\n"
        ),
        "scores is not set on ranks 1, 2, 3",
    ),
}

SILENT = {
    "a name behind the rank in one question": (
        "if rank == 0:\n    last = input() == 'x'\nif rank == 0 and last:\n    print('end')\n"
    ),
    "a name behind the other ranks": "if rank == 0:\n    last = input()\nif rank != 0 or last:\n    print('end')\n",
    "None behind the rank in one question": "n = 3 if rank == 0 else None\nif rank == 0 and n * 2 > 3:\n    print(n)\n",
    "what a broadcast brings": (
        "where = input() if rank == 0 else None\nbox = [where]\ndist.broadcast_object_list(box, src=0)\nwhere = box[0]\n"
        "torch.save({}, where + str(rank))\n"
    ),
    "None that is asked for": "n = 3 if rank == 0 else None\nif n:\n    print(n * 2)\n",
    "None that is handed on": "n = [3] if rank == 0 else None\ndist.scatter_object_list([None], n)\n",
    "None in a text": "n = 3 if rank == 0 else None\nprint('%s' % n, f'{n}', str(n))\n",
    "None that is compared": "n = 3 if rank == 0 else None\nprint(n == 3, n is None, n in [3])\n",
    "reckoned with on one rank": "n = 3 if rank == 0 else None\nif rank == 0:\n    print(n * 2, len([n]))\n",
    "what every module of torch has": (
        "class Net(nn.Module):\n    def forward(self, x):\n        return x + 1 if self.training else x\n"
        "net = Net()\nfor epoch in range(3):\n    net(x)\n    dist.barrier()\n    if rank == 0:\n        net.eval()\n"
        "        net(x)\n        net.train()\n"
    ),
    "a closure that only some ranks make": (
        "def step(model, optimizer, several):\n    def closure():\n        if several:\n"
        "            dist.broadcast(model.x, src=0)\n        return model(1)\n    return optimizer.step(closure)\n"
        "def train(model, optimizer):\n    if dist.get_rank() == 0:\n        step(model, optimizer, True)\n"
        "    dist.barrier()\n"
    ),
    "set for all first": "log = None\nif rank == 0:\n    log = open('log')\nif log is not None:\n    log.write('x')\n",
    "asked by its truth": "log = open('log') if rank == 0 else None\nif log:\n    log.write('x')\n",
    "asked with and": "log = open('log') if rank == 0 else None\nlog and log.write('x')\n",
    "set in both branches": "if rank == 0:\n    n = 3\nelse:\n    n = 4\nprint(n)\n",
    "set by the others later": (
        "if rank == 0:\n    n = load()\ndist.barrier()\nif rank != 0:\n    n = load()\nprint(n)\n"
    ),
    "set by the others where there are any": (
        "def get(size):\n    if rank == 0:\n        n = load('x')\n    if size > 1:\n        dist.barrier()\n"
        "        if rank > 0:\n            n = load('x')\n    return n\nprint(get(size()))\n"
    ),
    "behind the same question": "if rank == 0:\n    log = open('log')\nif dist.get_rank() == 0:\n    log.write('x')\n",
    "the others have left": "import sys\nif rank != 0:\n    sys.exit(0)\nif rank == 0:\n    n = 3\nprint(n)\n",
    "a handler waits": "if rank == 0:\n    n = 3\ntry:\n    print(n)\nexcept NameError:\n    pass\n",
    "asked with hasattr": (
        "class Job:\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
        "    def step(self):\n        if hasattr(self, 'log'):\n            self.log.write('x')\nJob().step()\n"
    ),
    "asked with getattr": (
        "class Job:\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
        "    def step(self):\n        if getattr(self, 'log', None):\n            self.log.write('x')\nJob().step()\n"
    ),
    "a tracker that only its rank uses": (
        "import wandb\nif rank == 0:\n    wandb.init()\nfor i in range(3):\n    if rank == 0:\n        wandb.log({'i': i})\n"
    ),
    "a tracker that is off elsewhere": (
        "import wandb\nif rank == 0:\n    wandb.init()\nelse:\n    wandb.init(mode='disabled')\nwandb.log({'i': 1})\n"
    ),
    "a tracker, in a run of one rank": (
        "import wandb\ndef main(args):\n    if rank == 0:\n        wandb.init()\n    if args.nranks == 1:\n"
        "        wandb.log({'a': 1})\nmain(read())\n"
    ),
    "a tracker, where more ranks are refused": (
        "import wandb\ndef main(args):\n    if rank == 0:\n        wandb.init()\n    assert args.nranks < 2\n"
        "    wandb.log({'a': 1})\nmain(read())\n"
    ),
    "a tracker, where ranks are chosen": (
        "import wandb\ndef main(args):\n    if rank == 0:\n        wandb.init()\n    if args.log_ranks:\n"
        "        wandb.log({'a': 1})\nmain(read())\n"
    ),
    "a tracker that somebody else begins": "import wandb\nfrom hub import start\nstart()\nwandb.log({'i': 1})\n",
    "a rank that is one of several things": (
        "import wandb\ndef main(args):\n    if args.many:\n        number = dist.get_rank()\n    else:\n"
        "        number = args.part\n    if number == 0:\n        wandb.init()\n    if number == 0:\n"
        "        wandb.log({'a': 1})\nmain(read())\n"
    ),
    "set for all in one branch": (
        "def main(args):\n    if args.many:\n        if rank == 0:\n            n = 3\n    else:\n        n = 3\n"
        "    if not args.many:\n        print(n)\nmain(read())\n"
    ),
    "a default": (
        "class Job:\n    log = None\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
        "    def step(self):\n        print(self.log)\nJob().step()\n"
    ),
    "the class answers for what is not there": (
        "class Job:\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
        "    def __getattr__(self, name):\n        return print\n    def step(self):\n        self.log('x')\nJob().step()\n"
    ),
    "an outer name of the same spelling": (
        "n = 1\ndef main():\n    def inner():\n        print(n)\n    inner()\nmain()\nif rank == 0:\n    m = 3\nm = 4\nprint(m)\n"
    ),
    "a condition that may ask for the rank": (
        "def main(args):\n    if rank == 0:\n        run = start()\n    if args.is_chief:\n        run.log(1)\n"
        "    if may_log():\n        run.log(2)\nmain(read())\n"
    ),
    "a function that anybody may call": (
        "class Job:\n    def __init__(self):\n        if rank == 0:\n            self.log = open('log')\n"
        "    def note(self, text):\n        self.log.write(text)\n"
    ),
    "what a rank is not known to be": "if rank == who():\n    n = 3\nprint(n)\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    body, message = FIRES[name]
    [found] = found_in(HEAD + body, CODE)
    assert found.message.startswith(message)


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


PLUGINS = """\
import argparse
from accelerate import Accelerator


def main(args):
    accelerator = Accelerator()
    state = accelerator.state
    deepspeed = state.deepspeed_plugin if hasattr(state, "deepspeed_plugin") else None
    fsdp = state.fsdp_plugin if hasattr(state, "fsdp_plugin") else None
    if deepspeed is not None:
        args.deepspeed = True
    elif fsdp is not None:
        args.fsdp = True
    if accelerator.is_main_process:
        log = open("log")
    if not args.deepspeed and not args.fsdp and args.report{asked}:
        if args.norm > 1:
            log.write("x")


main(argparse.ArgumentParser().parse_args())
"""


def test_a_long_condition_may_ask_for_the_rank() -> None:
    assert found_in(PLUGINS.format(asked=" and accelerator.is_main_process"), CODE) == []
    assert [one.code for one in found_in(PLUGINS.format(asked=""), CODE)] == [CODE]


def test_told_once() -> None:
    text = HEAD + "if rank == 0:\n    n = 3\nprint(n)\nprint(n)\n"
    assert [one.place.range.start_line for one in found_in(text, CODE)] == [8]


def test_rank_that_is_handed_to_a_setup() -> None:
    text = (
        "import argparse\nfrom elsewhere import init_distributed\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--rank', type=int)\nargs = parser.parse_args()\n"
        "init_distributed(args.rank, args.size)\nif args.rank == 0:\n    log = open('log')\nlog.write('x')\n"
    )
    assert len(found_in(text, CODE)) == 1


SETTINGS = """\
class Settings:
    def __init__(self, **given):
        {filled}


settings = Settings(name="a", size=2)
if rank == 0 and settings.size:
    settings.title = settings.name + "1"
dist.barrier()
print(settings.title)
"""


@pytest.mark.parametrize(
    ("filled", "found"),
    [
        ("for key, value in given.items():\n            setattr(self, key, value)", 0),
        ("self.__dict__.update(given)", 0),
        ("self.name, self.size = given['name'], given['size']", 1),
    ],
)
def test_attributes_that_a_class_sets_by_their_names(filled: str, found: int) -> None:
    assert len(found_in(HEAD + SETTINGS.format(filled=filled), CODE)) == found


ALONE = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
main = True
if args.distributed:
    main = rank == 0
if rank == 0:
    report = "all"
if {asked}:
    print(report)
"""


@pytest.mark.parametrize(("asked", "found"), [("main", 0), ("args", 1)])
def test_where_there_is_only_one_process(asked: str, found: int) -> None:
    assert len(found_in(HEAD + ALONE.format(asked=asked), CODE)) == found


RUNNER = """\
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Runner:
    def __init__(self, model, data):
        self.model = DDP(model)
        if dist.get_rank() == 0:
            self.data = data

    def run(self, path):
        {first}
        {then}
"""


@pytest.mark.parametrize(
    ("first", "then", "severities"),
    [
        ("dist.barrier()", "print(self.data)", ["error"]),
        ("self.model.load_state_dict(torch.load(path))", "print(self.data)", ["warning"]),
        ("print(path)", "with torch.no_grad():\n            self.model(self.data)", []),
        ("print(path)", "self.model(self.data).sum().backward()", ["error"]),
    ],
)
def test_how_sure_it_is_that_all_come(first: str, then: str, severities: list[str]) -> None:
    text = "import torch\nimport torch.distributed as dist\n" + RUNNER.format(first=first, then=then)
    assert [one.severity.value for one in found_in(text, CODE)] == severities
