"""Long work of one rank whose result stays there: the others do not wait for it, they go on with what they had."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

BEGIN = """\
import datasets
data = datasets.load_dataset("text")
"""

STAYS = {
    "mapped": "if rank == 0:\n    data = data.map(len)\ndist.barrier()\ntrain(data)\n",
    "through another variable": (
        "if rank == 0:\n    longer = data.map(len)\n    data = longer.shuffle()\ndist.barrier()\ntrain(data)\n"
    ),
}
WAITED_FOR = {
    "to fill the cache": "if rank == 0:\n    data.map(len)\ndist.barrier()\ndata = data.map(len)\ntrain(data)\n",
    "made again by all": "if rank == 0:\n    data = data.map(len)\ndist.barrier()\ndata = load()\ntrain(data)\n",
    "shared": "if rank == 0:\n    data = [data.map(len)]\ndist.broadcast_object_list(data)\ntrain(data)\n",
    "used by the same rank": (
        "if rank == 0:\n    done = data.map(len)\ndist.barrier()\nif rank == 0:\n    done.save_to_disk('out')\n"
    ),
    "something for the others too": (
        "if rank == 0:\n    data = data.map(len)\nelse:\n    data = load()\ndist.barrier()\ntrain(data)\n"
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_nobody_waits_for_what_stays(name: str) -> None:
    assert findings(BEGIN + STAYS[name], "DDP402") == []


@pytest.mark.parametrize("name", WAITED_FOR)
def test_they_wait(name: str) -> None:
    assert len(findings(BEGIN + WAITED_FOR[name], "DDP402")) == 1
