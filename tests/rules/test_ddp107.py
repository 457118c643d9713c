"""DDP107 rank-dependent-argument."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings

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
    "another operation": "dist.all_reduce(x, op=dist.ReduceOp.SUM if rank == 0 else dist.ReduceOp.MAX)\n",
}

SILENT = {
    "rank 0": "dist.broadcast(x, src=0)\n",
    "each in turn": "for root in range(dist.get_world_size()):\n    dist.broadcast(x, src=root)\n",
    "an unknown root": "import sys\ndist.broadcast(x, src=int(sys.argv[1]))\n",
    "the first of each group": f"{GROUPS}dist.broadcast(x, src=rank // 2 * 2, group=mine)\n",
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


@pytest.mark.parametrize(
    "program",
    [
        "def f(t, intra_node_group):\n    dist.broadcast(t, src=0, group=intra_node_group)\n",
        "class A:\n    def f(self, t):\n        dist.broadcast(t, 0, self.get_dp_group())\n",
    ],
)
def test_rank_0_in_a_part_of_the_world_is_a_warning(program: str) -> None:
    (finding,) = findings(program, "DDP107")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "program",
    [
        "def f(t, group):\n    dist.broadcast(t, src=0, group=group)\n",
        "def f(t, dp_group):\n    dist.broadcast(t, src=dist.get_global_rank(dp_group, 0), group=dp_group)\n",
        "def f(t, tp_group):\n    dist.all_reduce(t, group=tp_group)\n",
        'gloo_group = dist.new_group(backend="gloo")\ndist.broadcast(x, src=0, group=gloo_group)\n',
    ],
)
def test_other_groups_are_not_accused(program: str) -> None:
    assert findings(program, "DDP107") == []
