"""DDP201: what a rank writes about its own data as it gives up is no error of all ranks."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """
import math
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from data import make

dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(1, 1))
for batch in make(dist.get_rank()):
    loss = model(batch).mean()
"""
SAVE = 'torch.save(batch, "debug.pt")'
LAST = {
    "it exits": f"    if not math.isfinite(loss.item()):\n        {SAVE}\n        sys.exit(1)\n",
    "it raises": f"    if not math.isfinite(loss.item()):\n        {SAVE}\n        raise ValueError(loss)\n",
    "in a helper": (
        f"    def look():\n        {SAVE}\n        print(batch)\n"
        "    if loss.item() > 9:\n        look()\n        sys.exit(1)\n"
    ),
}
MORE = {
    "it goes on": f"    if not math.isfinite(loss.item()):\n        {SAVE}\n",
    "behind an exit": f"    if not math.isfinite(loss.item()):\n        sys.exit(1)\n    {SAVE}\n",
    "all of them": f"    {SAVE}\n",
    "all of them, as they end": f"    if len(sys.argv) > 2:\n        {SAVE}\n        sys.exit(1)\n",
}


@pytest.mark.parametrize("name", LAST)
def test_a_last_look_is_a_warning(name: str) -> None:
    [found] = found_in(HEAD + LAST[name], "DDP201")
    assert (found.severity.value, found.confidence.value) == ("warning", "medium")


@pytest.mark.parametrize("name", MORE)
def test_what_ranks_write_as_they_go_is_an_error(name: str) -> None:
    [found] = found_in(HEAD + MORE[name], "DDP201")
    assert found.severity.value == "error"
