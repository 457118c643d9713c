"""A rewrite asks as the file asks: by an imported test that rank 0 alone was seen to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

HELPER = """\
import torch.distributed as dist


def is_lead():
    return not dist.is_initialized() or dist.get_rank() == 0


def is_last():
    return dist.get_rank() == dist.get_world_size() - 1
"""
PROGRAM = """\
import torch
import torch.distributed as dist

from asking import {test}

dist.init_process_group("gloo")
total = torch.zeros(1)
dist.all_reduce(total)
if {test}():
    print(total)
torch.save(torch.rand(4), "last.pt")
"""


@pytest.mark.parametrize(("test", "asked"), [("is_lead", "is_lead()"), ("is_last", "dist.get_rank() == 0")])
def test_what_rank_zero_alone_passed_guards_what_it_alone_is_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: str, asked: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asking.py").write_text(HELPER)
    (tmp_path / "train.py").write_text(PROGRAM.format(test=test))
    main(["--fix", "--unsafe-fixes", "--no-cache", "--select", "DDP201", "train.py"])
    assert f"if {asked}:\n    torch.save" in (tmp_path / "train.py").read_text()
