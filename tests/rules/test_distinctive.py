"""Names that the tables know on any object: what they do is seen where nobody knows what the object is."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

MADE = "from state import shards\nfrom torch.distributed.tensor import DTensor\n"

FIRES = {
    "the parts of a tensor": "if rank == 0:\n    whole = shards[0].full_tensor()\n",
    "where it has parts": (
        "if rank == 0:\n    whole = shards[0]\n    if isinstance(whole, DTensor):\n        whole = whole.full_tensor()\n"
    ),
    "in a helper": (
        "def collect(states):\n    return {i: t.full_tensor() if isinstance(t, DTensor) else t\n"
        "            for i, t in enumerate(states)}\nif rank == 0:\n    torch.save(collect(shards), 'a.pt')\n"
    ),
}

SILENT = {
    "on every rank": "whole = shards[0].full_tensor()\nif rank == 0:\n    torch.save(whole, 'a.pt')\n",
    "another name": "if rank == 0:\n    whole = shards[0].full_tensors\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert findings(MADE + FIRES[name], "DDP101"), name


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not findings(MADE + SILENT[name], "DDP101"), name


@pytest.mark.parametrize(("group", "found"), [("group=stages", 0), ("", 1)])
def test_a_mesh_may_be_one_of_several_groups(group: str, found: int) -> None:
    program = f"""\
        from setup import stages
        if rank == 0:
            whole = shards[0].full_tensor()
        dist.all_reduce(x, {group})
        """
    assert len(findings(program, "DDP101")) == found
