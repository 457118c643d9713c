"""DDP108 partial-new-group."""

from __future__ import annotations

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed

FIRES = {
    "on one rank": "if rank == 0:\n    group = dist.new_group([0, 1])\n",
    "in the members only": "if rank in (0, 1):\n    group = dist.new_group([0, 1])\n",
    "of one member": "if rank == 0:\n    group = dist.new_group([0])\ndist.barrier()\n",
    "in a helper": "def pair():\n    return dist.new_group([0, 1])\nif rank < 2:\n    group = pair()\n",
    "its own pair": "group = dist.new_group([rank, rank ^ 1])\n",
    "each group by its members": (
        "for ranks in ([0, 1], [2, 3]):\n    if rank in ranks:\n        group = dist.new_group(ranks)\n"
    ),
    "each group of a list that is not known": (
        "def make(args, on):\n    for ranks in args.groups:\n        if on and dist.get_rank() in ranks:\n"
        "            return dist.new_group(ranks=ranks)\n"
    ),
    "its own list": "members = [0, 1] if rank < 2 else [2, 3]\ngroup = dist.new_group(members)\n",
}

SILENT = {
    "on every rank": "group = dist.new_group([0, 1])\n",
    "all of them, keeping one": (
        "for ranks in ([0, 1], [2, 3]):\n    made = dist.new_group(ranks)\n    if rank in ranks:\n        group = made\n"
    ),
    "synchronised among the members": (
        "if rank in (0, 1):\n    group = dist.new_group([0, 1], use_local_synchronization=True)\n"
    ),
    "its own pair, synchronised locally": (
        "group = dist.new_group([rank // 2 * 2, rank // 2 * 2 + 1], use_local_synchronization=True)\n"
    ),
    "each rank alone": "group = dist.new_group(ranks=[dist.get_rank()])\n",
    "without members": "group = dist.new_group()\n",
    "with a backend": 'group = dist.new_group(backend="gloo")\n',
    "under a uniform condition": "import sys\nif len(sys.argv) > 2:\n    group = dist.new_group([0, 1])\n",
    "used by its members only": (
        "group = dist.new_group([0, 1])\nif rank in (0, 1):\n    dist.all_reduce(x, group=group)\n"
    ),
    "unknown members": "import sys\ngroup = dist.new_group([int(arg) for arg in sys.argv[1:]])\n",
    "each group by its members, synchronised locally": (
        "for ranks in ([0, 1], [2, 3]):\n    if rank in ranks:\n"
        "        group = dist.new_group(ranks, use_local_synchronization=True)\n"
    ),
    "the others make it elsewhere": (
        "def make(groups):\n    for ranks in groups:\n        if rank in ranks:\n            mine = dist.new_group(ranks)\n"
        "        else:\n            dist.new_group(ranks)\n    return mine\n"
    ),
    "a member of something else": (
        "def make(names, ranks):\n    if args.rank_name in names:\n        return dist.new_group(ranks)\n"
    ),
    "both branches": "if rank < 2:\n    group = dist.new_group([0, 1])\nelse:\n    group = dist.new_group([0, 1])\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(program, "DDP108")
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP101", "DDP108") == []


def test_fix() -> None:
    before = "group = None\nif rank in (0, 1):\n    group = dist.new_group([0, 1])\n    print(group)\n"
    after = "group = None\ngroup = dist.new_group([0, 1])\nif rank in (0, 1):\n    print(group)\n"
    (finding,) = findings(before, "DDP108")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert fixed(before, "DDP1") == after


@pytest.mark.parametrize("program", [FIRES["its own pair"], FIRES["its own list"]])
def test_members_that_differ_are_not_fixed(program: str) -> None:
    (finding,) = findings(program, "DDP108")
    assert finding.fix is None
    assert "create all groups" in finding.no_fix
    assert fixed(program, "DDP108", unsafe=True) == program
