"""An error of ours in the index costs what it would have known of one function, and is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.api import check
from ddplint.project.index.linking import Linker
from ddplint.project.index.units import Function

TRAIN = """\
import torch.distributed as dist
from helpers import broken, fine

dist.init_process_group("gloo")
broken()
if dist.get_rank() == 0:
    fine()
"""
HELPERS = "import torch.distributed as dist\n\n\ndef broken():\n    return 1\n\n\ndef fine():\n    dist.barrier()\n"


def test_the_rest_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(linker: Linker, function: Function) -> None:
        if function.name == "broken":
            raise IndexError("string index out of range")
        own(linker, function)

    own = Linker._reads
    monkeypatch.setattr(Linker, "_reads", reads)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "helpers.py").write_text(HELPERS)
    report = check(["."])
    assert [one.code for one in report.findings if one.code == "DDP101"] == ["DDP101"]
    (problem,) = report.problems
    assert problem.message.startswith("internal error in the index: IndexError: string index out of range (at ")
    assert Path(problem.path).name == "helpers.py"
    assert report.exit_code() == 2
