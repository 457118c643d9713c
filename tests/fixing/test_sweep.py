"""The sweep counts what it fixes, and would see what a fix must not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.fixing.edit.loop import FixedFile
from ddplint.source.file import SourceFile
from tests.fixing.sweep import faults, fixed_in_memory, main, try_one

TRAINER = """\
import torch
import torch.distributed as dist

dist.init_process_group("gloo")  # the group
x = torch.zeros(1)
if dist.get_rank() == 0:
    dist.barrier()
print(x)  # the end
"""


def rewritten(old: str, new: str) -> list[str]:
    """What is wrong with a rewrite that also replaces ``old`` by ``new``."""
    before, done = fixed_in_memory(SourceFile("train.py", TRAINER.encode()))
    (one,) = done.files
    spoilt = one.after.with_text(one.after.text.replace(old, new))
    return list(faults(before, FixedFile(one.before, spoilt, one.fixed)))


def test_a_good_rewrite_has_no_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rewritten("", "") == []
    (tmp_path / "train.py").write_text(TRAINER)
    numbers = try_one(tmp_path / "train.py")
    assert numbers.broken == []
    assert numbers.fixed["DDP101"] == numbers.rewritten == 1
    assert main([str(tmp_path)]) == 0
    assert "1 files rewritten" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("print(x)", "print(", "does not parse"),
        ("  # the end", "", "comments lost"),
        ("x = torch.zeros(1)", "x = torch.ones(1)", "line 5 changed or moved"),
        ("dist.barrier()", "if dist.get_rank() == 0:\n    dist.barrier()", "still there"),
        ("print(x)", "if dist.get_rank() == 1:\n    dist.broadcast(x, 0)\nprint(x)", "would bring DDP101"),
        ("\n", "\r\n", "line ends"),
    ],
)
def test_a_bad_one_is_told(old: str, new: str, said: str) -> None:
    assert any(said in fault for fault in rewritten(old, new))
