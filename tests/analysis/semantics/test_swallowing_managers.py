"""A manager of the project whose ``__exit__`` takes what the body raises: the program goes on behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

PROGRAM = """\
import torch.distributed as dist
class Tolerant:
    def __init__(self):
        self.failed = False
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        self.failed = kind is not None
        return {says}
def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    with Tolerant() as tolerant:
        {body}
    {behind}
main()
"""
ALONE = 'if rank == 0:\n            raise ValueError("mine")\n        dist.barrier()'
ALL = 'raise ValueError("all of us")\n        dist.barrier()'
FIRST = 'if rank == 0:\n            raise ValueError("mine")\n        print("work")'
SILENT = {
    "all raise": ("kind is ValueError", ALL, "dist.barrier()"),
    "nothing collective inside": ("True", FIRST, "dist.barrier()"),
    "another class": ("isinstance(value, OSError)", ALONE, "pass"),
    "it takes nothing": ("False", ALONE, "pass"),
    "both come to it behind": ("kind is not None", FIRST, "if tolerant.failed or rank > 0:\n        dist.barrier()"),
    "the other ranks, complementary": (
        "issubclass(kind, ValueError)",
        FIRST,
        "dist.barrier() if tolerant.failed else dist.barrier()",
    ),
}
FOUND = {
    "by its class": ("kind is ValueError", ALONE, "pass"),
    "by a test of it": ("kind is not None and issubclass(kind, ValueError)", ALONE, "pass"),
    "by a test of the value": ("isinstance(value, ValueError)", ALONE, "pass"),
    "whatever it is": ("kind is not None", ALONE, "pass"),
    "all raise, then one": ("kind is ValueError", ALL, "if rank == 0:\n        dist.barrier()"),
    "what is noted": ("kind is not None", FIRST, "if tolerant.failed:\n        dist.barrier()"),
}


def _codes(folder: Path, case: tuple[str, str, str]) -> set[str]:
    says, body, behind = case
    (folder / "train.py").write_text(PROGRAM.format(says=says, body=body, behind=behind))
    return {one.code for one in check([str(folder)], Settings()).findings if one.code.startswith("DDP1")}


@pytest.mark.parametrize("case", SILENT.values(), ids=SILENT)
def test_silent(tmp_path: Path, case: tuple[str, str, str]) -> None:
    assert not _codes(tmp_path, case)


@pytest.mark.parametrize("case", FOUND.values(), ids=FOUND)
def test_found(tmp_path: Path, case: tuple[str, str, str]) -> None:
    assert _codes(tmp_path, case)
