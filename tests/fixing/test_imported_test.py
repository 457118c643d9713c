"""A rewrite asks as the file asks: by an imported test that rank 0 alone was seen to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

HELPER = """\
import sys

import torch.distributed as dist

SAVE = len(sys.argv) > 1


def is_lead():
    return not dist.is_initialized() or dist.get_rank() == 0


def is_saver():
    return SAVE and dist.get_rank() == 0


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


def test_a_helper_that_asks_for_an_option_too_guards_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the option held, rank 0 alone passed; elsewhere nobody would write."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asking.py").write_text(HELPER)
    asked = PROGRAM.format(test="is_saver").replace("import is_saver", "import SAVE, is_saver")
    (tmp_path / "train.py").write_text(asked.replace("if is_saver():\n    ", "if SAVE:\n    if is_saver():\n        "))
    main(["--fix", "--unsafe-fixes", "--no-cache", "--select", "DDP201", "train.py"])
    assert "if dist.get_rank() == 0:\n    torch.save" in (tmp_path / "train.py").read_text()


def test_the_attribute_of_a_module_is_a_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asking.py").write_text(HELPER)
    asked = PROGRAM.format(test="is_lead").replace("from asking import is_lead", "import asking")
    (tmp_path / "train.py").write_text(asked.replace("if is_lead", "if asking.is_lead"))
    main(["--fix", "--unsafe-fixes", "--no-cache", "--select", "DDP201", "train.py"])
    assert "if asking.is_lead():\n    torch.save" in (tmp_path / "train.py").read_text()
