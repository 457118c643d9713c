"""A name of a module that another module sets: what its own functions see is what was set last."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.source.file import SourceFile

STATE = """\
import torch.distributed as dist
LEADER = None
def go():
    if LEADER is None:
        if dist.get_rank() == 0:
            dist.barrier()
"""
TRAIN = """\
import torch.distributed as dist
import state
def main():
    dist.init_process_group("gloo")
    {body}
if __name__ == "__main__":
    main()
"""


def _found(folder: Path, body: str) -> list[str]:
    (folder / "state.py").write_text(STATE)
    (folder / "train.py").write_text(TRAIN.format(body=body))
    files = [SourceFile.read(folder / name) for name in ("state.py", "train.py")]
    return [one.code for one in Checker(Settings(select=("DDP101",))).run(files).findings]


@pytest.mark.parametrize(
    "body",
    [
        "state.LEADER = 1; state.go()",
        "setattr(state, 'LEADER', 1); state.go()",
        "state.go; state.LEADER = 1; state.go()",
    ],
)
def test_set_before_the_module_is_asked(tmp_path: Path, body: str) -> None:
    assert _found(tmp_path, body) == []


@pytest.mark.parametrize("body", ["state.go()", "state.OTHER = 1; state.go()", "state.LEADER = None; state.go()"])
def test_not_set(tmp_path: Path, body: str) -> None:
    assert _found(tmp_path, body) == ["DDP101"]
