"""DDP107 rank-dependent-argument."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings, found_in

GROUPS = "groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]\nmine = groups[rank // 2]\n"

FIRES = {
    "the own rank as source": "dist.broadcast(x, src=rank)\n",
    "by position": "dist.broadcast(x, dist.get_rank())\n",
    "the neighbour": "dist.broadcast(x, src=(rank + 1) % 4)\n",
    "the local rank": 'import os\ndist.broadcast(x, src=int(os.environ["LOCAL_RANK"]))\n',
    "as destination": "dist.reduce(x, dst=rank)\n",
    "of objects": "dist.broadcast_object_list([x], src=rank)\n",
    "inside a group": f"{GROUPS}dist.broadcast(x, src=rank, group=mine)\n",
    "no member of the group": (
        "pair = dist.new_group([1, 2])\nif rank in (1, 2):\n    dist.broadcast(x, src=0, group=pair)\n"
    ),
    "the rank in the group": f"{GROUPS}dist.broadcast(x, src=dist.get_rank(mine), group=mine)\n",
    "the rank in the group, as one of the world": (
        f"{GROUPS}dist.broadcast(x, src=dist.get_global_rank(mine, dist.get_rank(mine)), group=mine)\n"
    ),
    "the group of a node, by its name": "def sync(x, mesh):\n    dist.broadcast(x, src=0, group=mesh.local_pg)\n",
    "the group of a node, as a parameter": (
        "def sync(x, intra_node_group):\n    if intra_node_group:\n        dist.reduce(x, 0, group=intra_node_group)\n"
    ),
    "another operation": "dist.all_reduce(x, op=dist.ReduceOp.SUM if rank == 0 else dist.ReduceOp.MAX)\n",
}

SILENT = {
    "the first rank of the node": (
        "def sync(x, mesh):\n    dist.broadcast(x, src=dist.get_rank() // 2 * 2, group=mesh.local_pg)\n"
    ),
    "a group of another name": "def sync(x, mesh):\n    dist.broadcast(x, src=0, group=mesh.data_group)\n",
    "a group of that name that is all ranks": (
        "def sync(x, mesh):\n    mesh.local_group = dist.new_group()\n"
        "    dist.broadcast(x, src=0, group=mesh.local_group)\n"
    ),
    "rank 0": "dist.broadcast(x, src=0)\n",
    "each in turn": "for root in range(dist.get_world_size()):\n    dist.broadcast(x, src=root)\n",
    "an unknown root": "import sys\ndist.broadcast(x, src=int(sys.argv[1]))\n",
    "the first of each group": f"{GROUPS}dist.broadcast(x, src=rank // 2 * 2, group=mine)\n",
    "the first of each group, as the group knows it": (
        f"{GROUPS}dist.broadcast(x, src=dist.get_global_rank(mine, 0), group=mine)\n"
    ),
    "the last of each group, by names": (
        f"{GROUPS}dist.broadcast(x, src=dist.get_global_rank(group=mine, group_rank=1), group=mine)\n"
    ),
    "a number of the world": "dist.broadcast(x, src=dist.get_global_rank(None, 1))\n",
    "the first of a group nobody knows": (
        "def sync(x, group):\n    dist.broadcast(x, src=dist.get_global_rank(group, 0), group=group)\n"
    ),
    "a member of the group": (
        "pair = dist.new_group([1, 2])\nif rank in (1, 2):\n    dist.broadcast(x, src=1, group=pair)\n"
    ),
    "peers of point to point": "dist.send(x, dst=(rank + 1) % 4)\ndist.recv(x, src=(rank - 1) % 4)\n",
    "the gather list": "dist.gather(x, [x] * 4 if rank == 0 else None, dst=0)\n",
    "the scattered list": "dist.scatter(x, [x] * 4 if rank == 0 else None, src=0)\n",
    "the sent object": "dist.broadcast_object_list([1 if rank == 0 else None], src=0)\n",
    "the tensor": "dist.all_reduce(x * rank)\n",
    "a shared operation": "import sys\nop = dist.ReduceOp.SUM if sys.argv else dist.ReduceOp.MAX\ndist.all_reduce(x, op=op)\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    found = findings(program, "DDP107")
    assert found
    assert {one.severity for one in found} == {Severity.ERROR}
    assert all(one.no_fix and one.fix is None for one in found)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP107") == []


def test_says_what_the_ranks_pass() -> None:
    (finding,) = findings(FIRES["the own rank as source"], "DDP107")
    assert finding.message == "broadcast with another root on each rank (rank 0 says 0, rank 1 says 1)"
    (finding,) = findings(FIRES["no member of the group"], "DDP107")
    assert finding.message == "broadcast with root 0 in a group of ranks 1, 2"


def test_two_ranks_are_shown_with_what_each_says() -> None:
    (finding,) = findings(FIRES["the own rank as source"], "DDP107")
    assert [(one.ranks, one.what) for one in finding.actions] == [
        ((0,), "broadcast from rank 0"),
        ((1,), "broadcast from rank 1"),
    ]
    (finding,) = findings(FIRES["as destination"], "DDP107")
    assert [one.what for one in finding.actions] == ["reduce to rank 0", "reduce to rank 1"]
    (finding,) = findings(FIRES["another operation"], "DDP107")
    assert [one.what for one in finding.actions] == ["all_reduce with SUM", "all_reduce with MAX"]
    (finding,) = findings(FIRES["no member of the group"], "DDP107")
    assert finding.actions == ()


HELD = """\
import torch
import torch.distributed as dist

def sync(states, name, rank):
    held = states[name]
    {test}
        dist.broadcast(held, src={root})
    {other}
"""


@pytest.mark.parametrize(
    ("test", "root", "other", "found"),
    [
        ("if isinstance(held, torch.Tensor):", "dist.get_rank()", "else: dist.broadcast(x, src=held)", 0),
        ("if not isinstance(held, int):", "dist.get_rank()", "else: dist.broadcast(x, held)", 0),
        ("if isinstance(held, torch.Tensor):", "dist.get_rank()", "else: dist.all_reduce(x)", 1),
        ("if isinstance(held, torch.Tensor):", "dist.get_rank() + 1", "else: dist.broadcast(x, src=held)", 1),
        ("if isinstance(held, torch.Tensor):", "dist.get_rank()", "dist.broadcast(x, src=held)", 1),
    ],
)
def test_who_holds_it_sends_it(test: str, root: str, other: str, found: int) -> None:
    assert len(found_in(HELD.format(test=test, root=root, other=other), "DDP107")) == found


def test_a_number_in_the_group_tells_who_is_first_in_it() -> None:
    (finding,) = findings(f"{GROUPS}if dist.get_group_rank(mine, rank) == 0:\n    dist.barrier(group=mine)\n", "DDP101")
    assert finding.message == "barrier reached by ranks 0, 2 only"
