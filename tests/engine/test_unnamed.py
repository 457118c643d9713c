"""Errors in files that are walked without being named: the report mentions them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

HELPER = """\
import torch.distributed as dist


def all_mean(value):
    if dist.get_rank() == 0:
        dist.all_reduce(value)
    return value / dist.get_world_size()
"""
TRAINER = """\
import torch
import torch.distributed as dist

from helper import all_mean

dist.init_process_group("gloo")
print(all_mean(torch.ones(1)))
dist.destroy_process_group()
"""
SAID = "warning: 1 error in a file that was not named: helper.py:6 DDP101; check it too\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text(HELPER)
    Path("train.py").write_text(TRAINER)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["--no-cache", *arguments])
    return capsys.readouterr().err


def test_the_error_in_a_helper_is_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "train.py") == SAID


@pytest.mark.parametrize(
    "configured",
    ['exclude = ["helper.py"]', 'ignore = ["DDP101"]', 'per-file-ignores = { "helper.py" = ["DDP101"] }'],
)
def test_what_the_configuration_leaves_out_is_not_mentioned(
    configured: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("ddplint.toml").write_text(configured)
    assert said(capsys, "train.py") == ""


def test_what_a_comment_silences_is_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    Path("helper.py").write_text(HELPER.replace("(value)\n", "(value)  # ddplint: ignore[DDP101] known\n"))
    assert said(capsys, "train.py") == ""


def test_what_the_baseline_knows_is_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--write-baseline", "known.json", "."])
    capsys.readouterr()
    assert said(capsys, "--baseline", "known.json", "train.py") == ""


def test_named_files_are_reported_as_always(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "train.py", "helper.py") == ""
    assert said(capsys, ".") == ""
