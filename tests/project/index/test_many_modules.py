"""Behind the most modules that a walk loads for their imports, it follows those that calls lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.analysis.domain import limits
from ddplint.cli.main import main

RUN = """\
import torch.distributed as dist

from big import finish

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    finish()
dist.destroy_process_group()
"""
PART = "import torch.distributed as dist\n\n\ndef part{n}():\n    return dist.get_rank()\n"
LAST = "import torch.distributed as dist\n\n\ndef finish():\n    {does}\n\n\ndef other():\n    dist.barrier()\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that imports a package whose table names more modules than are loaded, the one it calls last."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(limits, "MODULES", 4)
    (tmp_path / "big").mkdir()
    numbers = range(8)
    for n in numbers:
        (tmp_path / "big" / f"part{n}.py").write_text(PART.format(n=n))
    imports = "".join(f"from .part{n} import part{n}\n" for n in numbers)
    table = ", ".join(f"part{n}" for n in numbers)
    (tmp_path / "big" / "__init__.py").write_text(f"{imports}TABLE = [{table}]\nfrom .last import finish\n")
    (tmp_path / "run.py").write_text(RUN)
    return tmp_path


def _said(capsys: pytest.CaptureFixture[str]) -> str:
    main(["--jobs", "1", "--verbose", "--select", "DDP101", "--output-format", "concise", "run.py"])
    both = capsys.readouterr()
    return both.out + both.err


@pytest.mark.parametrize(("does", "found"), [("dist.barrier()", True), ("print(dist.get_rank())", False)])
def test_what_calls_lead_to_is_followed(
    does: str, found: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "big" / "last.py").write_text(LAST.format(does=does))
    said = _said(capsys)
    assert ("run.py:7:5: warning: DDP101" in said) is found
    assert "more than 4 modules: further ones not followed, but those that calls lead to" in said


def test_nothing_is_found_where_all_ranks_call(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "big" / "last.py").write_text(LAST.format(does="dist.barrier()"))
    (project / "run.py").write_text(RUN.replace("if dist.get_rank() == 0:\n    finish", "finish"))
    assert "DDP101" not in _said(capsys)


def test_where_calls_lead_is_asked_again_when_files_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = project / "big" / "last.py"
    for does, found in (("dist.barrier()", True), ("pass", False), ("dist.barrier()", True)):
        last.write_text(LAST.format(does=does))
        assert ("DDP101" in _said(capsys)) is found
