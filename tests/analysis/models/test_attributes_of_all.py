"""``hasattr`` of what every object has: no reason to take a helper that unwraps models to give back the wrapper."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

PROGRAM = """\
ddp = DDP(nn.Linear(3, 3))
def inner(model):
    for _ in range(9):
        kind = type(model).__name__ if hasattr(model, "{name}") else str(model)
        if kind == "Linear":
            return model
        if hasattr(model, "module"):
            model = model.module
            continue
        break
    return model
if rank == 0:
    with torch.no_grad():
        inner(ddp)(x)
dist.barrier()
"""


@pytest.mark.parametrize("name", ["__class__", "__doc__", "__init__"])
def test_every_object_has_it(name: str) -> None:
    assert not findings(PROGRAM.replace("{name}", name), "DDP101", "DDP102")
