"""Groups made in a loop over lists of ranks that nobody knows: every rank ends up in one of them."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

USUAL = "from settings import lists, size\nmine = None\n"

LOOPS = {
    "lists from elsewhere": (
        "for ranks in lists:\n    group = dist.new_group(ranks)\n    if rank in ranks:\n        mine = group\n"
    ),
    "gathered lists": (
        "every = [None] * dist.get_world_size()\ndist.all_gather_object(every, lists[rank])\n"
        "for ranks in sorted(set(tuple(sorted(one)) for one in every)):\n"
        "    group = dist.new_group(ranks=ranks, backend='gloo')\n    if rank in ranks:\n        mine = group\n"
    ),
    "stretches of a size": (
        "for i in range(dist.get_world_size() // size):\n    ranks = range(i * size, (i + 1) * size)\n"
        "    group = dist.new_group(ranks)\n    if rank in ranks:\n        mine = group\n"
    ),
    "copied lists": (
        "for ranks in lists:\n    group = dist.new_group(list(ranks))\n    if rank in ranks:\n        mine = group\n"
    ),
    "out of a function": (
        "def make():\n    for ranks in lists:\n        group = dist.new_group(ranks)\n        if rank in ranks:\n"
        "            found = group\n    return found\nmine = make()\n"
    ),
}

SILENT = {
    "a collective of the own group": "dist.all_reduce(x, group=mine)\ndist.barrier()\n",
    "one that counts its group": (
        "if dist.get_world_size(mine) > 1:\n    dist.all_reduce(x, group=mine)\ndist.barrier()\n"
    ),
    "a count that is reduced in the group": (
        "n = torch.tensor([rank])\ndist.all_reduce(n, group=mine)\nif n.item() == dist.get_world_size(mine):\n"
        "    dist.barrier(group=mine)\n"
    ),
    "nothing but the first of each group prints": (
        "if dist.get_rank(mine) == 0:\n    print(1)\ndist.barrier(group=mine)\n"
    ),
}

FIRES = {
    "a barrier of all on one rank": "if rank == 0:\n    dist.barrier()\n",
    "the first of each group alone": "if dist.get_rank(mine) == 0:\n    dist.all_reduce(x, group=mine)\n",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("use", SILENT)
def test_every_rank_is_in_one(loop: str, use: str) -> None:
    assert findings(USUAL + LOOPS[loop] + SILENT[use], "DDP101", "DDP103", "DDP104") == []


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("use", FIRES)
def test_ranks_part_all_the_same(loop: str, use: str) -> None:
    assert findings(USUAL + LOOPS[loop] + FIRES[use], "DDP101", "DDP103", "DDP104")


def test_one_list_parts_the_ranks() -> None:
    """Without a loop there are ranks outside of the group."""
    program = "from settings import ranks\ngroup = dist.new_group(ranks)\nif rank in ranks:\n    dist.barrier()\n"
    assert findings(program, "DDP101")


def test_known_lists_are_what_they_are() -> None:
    program = (
        "for ranks in [[0, 1], [2, 3]]:\n    group = dist.new_group(ranks)\n"
        "    if rank in ranks:\n        mine = group\n"
        "if dist.get_rank(mine) == 0:\n    dist.barrier(group=mine)\n"
    )
    assert findings(program, "DDP101")
