"""DDP110 lone-raise."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed, found_in

CODE = "DDP110"

FIRES = {
    "a check of the options": (
        "def main(args):\n    if rank == 0:\n        if args.size % 4:\n            raise ValueError(args.size)\n"
        "        print(args)\n    dist.barrier()\nmain(x)\n"
    ),
    "an assert": (
        "def main(args):\n    if rank == 0:\n        assert args.size > 3\n        print(args)\n    dist.barrier()\nmain(x)\n"
    ),
}

SILENT = {
    "about what was gathered to rank 0": (
        "class Base:\n    def __init__(self):\n        self.kept = []\n    def add(self, values):\n"
        "        dist.barrier()\n        if dist.get_rank() == 0:\n            self.kept.append(values)\n\n"
        "class Scores(Base):\n    def result(self):\n        if dist.get_rank() == 0:\n"
        "            assert len(self.kept)\n            print(self.kept)\n        dist.barrier()\n\n"
        "scores = Scores()\nscores.add(x)\nscores.result()\n"
    ),
    "an assert for a type checker": (
        "def main(args):\n    if rank == 0:\n        assert args.size is not None\n        assert isinstance(args.size, int)\n"
        "        assert args.writer\n        print(args)\n    dist.barrier()\nmain(x)\n"
    ),
    "on every rank": (
        "def main(args):\n    if args.size % 4:\n        raise ValueError(args.size)\n    dist.barrier()\nmain(x)\n"
    ),
    "about what rank 0 made": (
        "def main(args):\n    if rank == 0:\n        text = open(args.path).read()\n        if not text:\n"
        "            raise ValueError(text)\n    dist.barrier()\nmain(x)\n"
    ),
    "about a file": (
        "import os\nif rank == 0:\n    if not os.path.exists('data'):\n        raise FileNotFoundError('data')\ndist.barrier()\n"
    ),
    "about the rank itself": (
        "if rank == 0:\n    if rank >= dist.get_world_size() - 3:\n        raise ValueError(rank)\ndist.barrier()\n"
    ),
    "a raise without a check": "if rank == 7:\n    raise ValueError(rank)\ndist.barrier()\n",
    "nobody waits afterwards": (
        "def main(args):\n    dist.barrier()\n    if rank == 0:\n        if args.size % 4:\n"
        "            raise ValueError(args.size)\nmain(x)\n"
    ),
    "in a helper of the guard": (
        "def save(args):\n    if not args.path:\n        raise ValueError(args)\n"
        "if rank == 0:\n    save(x)\ndist.barrier()\n"
    ),
    "caught": (
        "def main(args):\n    if rank == 0:\n        try:\n            if args.size % 4:\n                raise ValueError(args)\n"
        "        except ValueError:\n            print(args)\n    dist.barrier()\nmain(x)\n"
    ),
    "a check that does something": (
        "def main(args):\n    if rank == 0:\n        if not download(args):\n            raise ValueError(args)\n"
        "    dist.barrier()\nmain(x)\n"
    ),
    "with another branch": (
        "def main(args):\n    if rank == 0:\n        if args.size % 4:\n            raise ValueError(args.size)\n"
        "        else:\n            print(args)\n    dist.barrier()\nmain(x)\n"
    ),
}


GATHERED = "mine = torch.ones(1)\nsizes = [torch.zeros(1) for _ in range(4)]\ndist.all_gather(sizes, mine)\n"
KNOWN_TO_ALL = {
    "what was gathered, counted by one": (
        "if rank == 0:\n    found = [int(s) for s in sizes]\n    if len(set(found)) > 1:\n        print(found)\n"
        "        raise RuntimeError('uneven')\n    else:\n        print('even')\ndist.barrier()\n"
    ),
    "in the guard itself": "if rank == 0 and max(sizes) != min(sizes):\n    raise RuntimeError('uneven')\ndist.barrier()\n",
    "an extreme": "if rank == 0:\n    if min(s.item() for s in sizes) < 3:\n        raise RuntimeError(sizes)\ndist.barrier()\n",
}
KNOWN_TO_ONE = {
    "what was gathered to one": (
        "dist.gather(mine, sizes)\nsizes = sizes[:1]\nown = [1]\nif rank == 0:\n    if max(own) > 3:\n        print(own)\n"
        "        raise RuntimeError(own)\ndist.barrier()\n"
    ),
    "against a file that one reads": (
        "if rank == 0:\n    wanted = open('n').read()\n    if max(sizes) > int(wanted):\n        print(wanted)\n"
        "        raise RuntimeError(wanted)\ndist.barrier()\n"
    ),
    "nobody waits": "if rank == 0 and max(sizes) != min(sizes):\n    raise RuntimeError('uneven')\n",
    "all check": "if max(sizes) != min(sizes):\n    raise RuntimeError('uneven')\ndist.barrier()\n",
}


@pytest.mark.parametrize("program", KNOWN_TO_ALL.values(), ids=KNOWN_TO_ALL)
def test_a_check_of_what_all_were_handed(program: str) -> None:
    (finding,) = findings(GATHERED + program, "DDP110")
    assert finding.no_fix.startswith("let every rank make the check") or finding.fix is not None


@pytest.mark.parametrize("program", KNOWN_TO_ONE.values(), ids=KNOWN_TO_ONE)
def test_a_check_of_what_one_has(program: str) -> None:
    assert findings(GATHERED + program, "DDP110") == []


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(program, "DDP110")
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("rank 0 raises alone")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP110") == []


def test_fix() -> None:
    before = """\
    def main(args):
        if rank == 0:
            print(args)
            if args.size % 4:
                raise ValueError(args.size)
            print("start")
        dist.barrier()
    main(x)
    """
    after = """\
    def main(args):
        if rank == 0:
            print(args)
        if args.size % 4:
            raise ValueError(args.size)
        if rank == 0:
            print("start")
        dist.barrier()
    main(x)
    """
    assert fixed(textwrap.dedent(before), "DDP1") == textwrap.dedent(after)


MANAGER = """\
import torch.distributed as dist
from contextlib import contextmanager

@contextmanager
def first(rank):
    {}
"""
YIELDS_ON_SOME = [
    "if dist.get_rank() == 0:\n        yield 1\n    dist.barrier()",
    "if dist.get_rank() != 0:\n        return\n    yield",
    "if dist.get_rank() == 0:\n        try:\n            yield\n        finally:\n            print('done')",
]
YIELDS_ON_ALL = [
    "if dist.get_rank() == 0:\n        print('first')\n    yield",
    "if dist.get_rank() == 0:\n        yield 1\n    else:\n        yield 2",
    "if dist.get_rank() != 0:\n        dist.barrier()\n    yield\n    if dist.get_rank() == 0:\n        dist.barrier()",
    "if options:\n        yield",
    "if dist.get_rank() != 0:\n        raise RuntimeError('rank 0 only')\n    yield",
]


@pytest.mark.parametrize("body", YIELDS_ON_SOME)
def test_manager_without_a_yield(body: str) -> None:
    [found] = found_in(MANAGER.format(body), CODE)
    assert "does not yield on ranks 1, 2, 3" in found.message


def test_manager_that_is_used() -> None:
    text = MANAGER.format(YIELDS_ON_SOME[0]) + "\ndef main():\n    with first(dist.get_rank()):\n        print('x')\n"
    assert len(found_in(text, CODE)) == 1


@pytest.mark.parametrize("body", YIELDS_ON_ALL)
def test_manager_that_yields_everywhere(body: str) -> None:
    assert found_in(MANAGER.format(body), CODE) == []


def test_checks_of_each_branch() -> None:
    text = """\
import torch.distributed as dist
rank = dist.get_rank()
def check(result, n):
    if rank == 0:
        assert result == n
        print("first")
    else:
        assert result == n + 1
    dist.barrier()
check(1, 1)
"""
    assert found_in(text, CODE) == []


OWN_LOOP = """\
from torch.utils.data import DataLoader, DistributedSampler
def main(data, net):
    for epoch in range(9):
        steps = 0
        for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
            steps += 1
            if net(x).sum() > 3:
                {}
        counts = [torch.zeros(1) for _ in range(dist.get_world_size())]
        dist.all_gather(counts, torch.tensor([float(steps)]))
        {}
        dist.barrier()
main(SET, NET)
"""
CHECK = """\
if rank == 0:
            every = [one.item() for one in counts]
            if len(set(every)) > 1:
                raise RuntimeError(every)
"""


def test_behind_what_others_left_by() -> None:
    [found] = findings(OWN_LOOP.format("break", CHECK), CODE)
    assert found.message.startswith("rank 0 raises alone")


@pytest.mark.parametrize(
    ("left", "check"),
    [
        ("break", CHECK.replace("if rank == 0:", "if rank == 0 or True:")),
        ("break", CHECK.replace("if rank == 0:", "if net(x).sum() > 1 and rank == 0:")),
        ("break", CHECK.replace("len(set(every)) > 1", "net(x).sum() > 3")),
    ],
)
def test_behind_what_others_left_by_stays_silent(left: str, check: str) -> None:
    assert findings(OWN_LOOP.format(left, check), CODE) == []
