"""Fixes of advice: applied in a file that is named, over a folder only where somebody asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

ADVICE = """\
import torch.distributed as dist

dist.init_process_group("gloo")
dist.barrier()
dist.destroy_process_group()
"""
APPLIED = [(["."], False), (["train.py"], True), ([".", "--fix-advice"], True), ([".", "train.py"], True)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(ADVICE)
    return tmp_path


@pytest.mark.parametrize(("words", "applied"), APPLIED)
def test_where_advice_is_applied(folder: Path, words: list[str], applied: bool) -> None:
    main(["--fix", "--no-cache", *words])
    assert ("timedelta" in (folder / "train.py").read_text()) == applied


def test_what_the_report_promises(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--no-cache", "--show-advice", "."])
    over = capsys.readouterr().out
    assert "--fix --fix-advice: Pass a timeout" in over
    assert "Fixable with --fix:" not in over
    assert "Advice that --fix-advice applies: 1." in over
    main(["--no-cache", "--show-advice", "train.py"])
    assert "--fix: Pass a timeout" in capsys.readouterr().out


def test_a_setting_says_so_too(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.ddplint]\nfix-advice = true\n")
    main(["--fix", "--no-cache", "."])
    assert "timedelta" in (folder / "train.py").read_text()
