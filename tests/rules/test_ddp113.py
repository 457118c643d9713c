"""DDP113 aliased-receive-list."""

from __future__ import annotations

import pytest

from tests.rules.support import findings, fixed

CODE = "DDP113"

FIRES = {
    "a list times a number": "out = [torch.zeros(1)] * dist.get_world_size()\ndist.all_gather(out, x)\n",
    "a number times a list": "out = dist.get_world_size() * [torch.zeros(1)]\ndist.all_gather(out, x)\n",
    "in the call": "dist.all_gather([torch.zeros(1)] * dist.get_world_size(), x)\n",
    "by keyword": "n = dist.get_world_size()\ndist.all_gather(tensor=x, tensor_list=[torch.zeros(1)] * n)\n",
    "a tensor by its name": "n = dist.get_world_size()\none = torch.zeros(1)\nout = [one] * n\ndist.all_gather(out, x)\n",
    "gathered by one": "n = dist.get_world_size()\ndist.gather(x, [torch.zeros(1)] * n if rank else None)\n"
    "out = [torch.zeros(1)] * n\ndist.gather(x, out)\n",
}
SILENT = {
    "a tensor for each": ("out = [torch.zeros(1) for _ in range(dist.get_world_size())]\ndist.all_gather(out, x)\n"),
    "objects": "out = [None] * dist.get_world_size()\ndist.all_gather_object(out, x)\n",
    "places for tensors": (
        "n = dist.get_world_size()\nout = [None] * n\nfor i in range(n):\n    out[i] = torch.zeros(1)\ndist.all_gather(out, x)\n"
    ),
    "replaced one by one": (
        "n = dist.get_world_size()\nout = [x] * n\nfor i in range(n):\n    out[i] = torch.zeros(1)\ndist.all_gather(out, x)\n"
    ),
    "sent, not received": "n = dist.get_world_size()\ndist.scatter(x, [torch.ones(1)] * n)\n",
    "numbers": "sizes = [3] * dist.get_world_size()\nprint(sizes)\ndist.all_reduce(x)\n",
    "of one": "out = [torch.zeros(1)] * 1\ndist.all_gather(out, x)\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    assert len(findings(program, CODE)) == 1


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, CODE) == []


def test_fix() -> None:
    before = "n = dist.get_world_size()\nout = n * [torch.zeros_like(x)]\ndist.all_gather(out, x)\n"
    after = "n = dist.get_world_size()\nout = [torch.zeros_like(x) for _ in range(n)]\ndist.all_gather(out, x)\n"
    assert fixed(before, CODE, unsafe=True) == after
