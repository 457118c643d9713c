"""DDP201: a path that is one of several: each of them is judged."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

STORE = """\
import os
import torch
import torch.distributed as dist
from elsewhere import choose


def index_name(fast):
    return "fast.idx" if fast else "slow.idx"


class Store:
    def dump(self, folder, parts, fast=False, name=None, key=0):
        if dist.get_rank() == 0:
            torch.save(parts, os.path.join(folder, "parts.bin"))
        with open({path}, "w") as file:
            file.write("x")
"""


def is_reported(path: str) -> bool:
    return bool(found_in(STORE.format(path=path), "DDP201"))


@pytest.mark.parametrize(
    "path",
    [
        "os.path.join(folder, index_name(fast))",
        "os.path.join(folder, 'fast.idx' if fast else 'slow.idx')",
        "folder + ('/a.idx' if key > 3 else '/b.idx')",
        "os.path.join(folder, 'all.idx')",
    ],
)
def test_each_of_the_names_is_fixed(path: str) -> None:
    assert is_reported(path)


@pytest.mark.parametrize(
    "path",
    [
        "os.path.join(folder, name)",
        "os.path.join(folder, name or 'all.idx')",
        "os.path.join(folder, name if name is not None else 'all.idx')",
        "os.path.join(folder, 'all.idx' if fast else name)",
        "os.path.join(folder, f'{name}.idx' if fast else f'{name}.txt')",
        "name if fast else folder",
        "os.path.join(folder, f'fast-{dist.get_rank()}.idx' if fast else f'slow-{dist.get_rank()}.idx')",
        "choose(folder, fast)",
    ],
)
def test_some_of_the_names_is_chosen_by_the_caller_or_the_ranks_own(path: str) -> None:
    assert not is_reported(path)


DECORATED = """\
import torch
import torch.distributed as dist
{imports}

dist.init_process_group("gloo")
model = torch.nn.Linear(2, 2)

{decorator}
def save(epoch):
    torch.save(model.state_dict(), "model.pt")

for epoch in range(3):
    dist.barrier()
    save(epoch)
"""


@pytest.mark.parametrize(
    ("imports", "decorator", "mended"),
    [
        ("from unseen import once", "@once", False),
        ("from unseen import engine", '@engine.on("epoch")', False),
        ("import unseen", "@unseen.wrap(1)", False),
        ("", "@torch.no_grad()", True),
        ("from beartype import beartype", "@beartype", True),
    ],
)
def test_what_a_decorator_that_nobody_has_seen_made_of_it_gets_no_fix(
    imports: str, decorator: str, mended: bool
) -> None:
    """It may run on the first rank alone, which would wait in the barrier of the fix."""
    found = found_in(DECORATED.format(imports=imports, decorator=decorator), "DDP201")
    assert [one.fix is not None for one in found] == [mended]
