"""Names that modules import from each other in a circle are unknown, and the walk comes through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ddplint

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = """\
import torch.distributed as dist
from one import model

dist.init_process_group("gloo")
{use}
if {asked}:
    dist.barrier()
"""


@pytest.mark.parametrize("use", ["[model.pop(k) for k in ['a', 'b']]", "model.update(width=2)", "print(model)"])
@pytest.mark.parametrize(("asked", "count"), [("model", 0), ("dist.get_rank() == 0", 1)])
def test_names_that_go_in_a_circle(tmp_path: Path, use: str, asked: str, count: int) -> None:
    (tmp_path / "one.py").write_text("from two import model\n")
    (tmp_path / "two.py").write_text("from three import model\n")
    (tmp_path / "three.py").write_text("from two import model\n")
    (tmp_path / "train.py").write_text(TRAIN.format(use=use, asked=asked))
    report = ddplint.check([tmp_path], select=["DDP101"])
    assert len(report.findings) == count
    assert not report.limits
