"""Launch files through the command line: found, silenced, fixed, skipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main

SCRIPT = """\
#!/bin/bash
# keep   this
export NCCL_BLOCKING_WAIT=1   # and this
torchrun train.py
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["--output-format", "concise", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_folder_and_a_named_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter_bash")
    (project / "run.sh").write_text(SCRIPT)
    for path in (".", "run.sh"):
        code, out, err = run(capsys, path)
        assert code == 1
        assert "run.sh:3:8: warning: DDP502" in out
        assert "warning" not in err


def test_a_fix_keeps_everything_else(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter_bash")
    data = SCRIPT.replace("\n", "\r\n").encode("utf-8-sig")
    (project / "run.sh").write_bytes(data)
    code, out, _ = run(capsys, "--diff", "run.sh")
    assert code == 1
    assert "+export TORCH_NCCL_BLOCKING_WAIT=1   # and this" in out
    assert (project / "run.sh").read_bytes() == data
    run(capsys, "--fix", "run.sh")
    fixed = data.replace(b"NCCL_BLOCKING_WAIT", b"TORCH_NCCL_BLOCKING_WAIT")
    assert (project / "run.sh").read_bytes() == fixed
    run(capsys, "--fix", "run.sh")
    assert (project / "run.sh").read_bytes() == fixed


@pytest.mark.parametrize(
    "text",
    [
        "export NCCL_BLOCKING_WAIT=1 # ddplint: ignore[DDP502] old torch",
        "# ddplint: ignore[variable-renamed] old torch\nexport NCCL_BLOCKING_WAIT=1",
        "#!/bin/sh\n# ddplint: ignore-file[DDP502] old torch\n\ntrue\nexport NCCL_BLOCKING_WAIT=1",
    ],
)
def test_comments_silence(text: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter_bash")
    (project / "run.sh").write_text(text + "\n")
    code, out, err = run(capsys, ".", "--select", "DDP502")
    assert code == 0, out + err
    assert "unused" not in err


def test_a_comment_that_silences_nothing_is_told_of(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter_bash")
    (project / "run.sh").write_text("export NCCL_TIMEOUT=1  # ddplint: ignore[DDP502] why\n")
    code, out, err = run(capsys, ".")
    assert "DDP501" in out
    assert "unused suppression of DDP502" in err


def test_without_the_extra_it_is_said_once(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.launch import shell

    shell._parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    for name in ("a.sh", "b.sh"):
        (project / name).write_text(SCRIPT)
    (project / "Dockerfile").write_text("ENV NCCL_BLOCKING_WAIT=0\n")
    code, out, err = run(capsys, ".")
    assert code == 1
    assert "Dockerfile:1:5: warning: DDP502" in out
    assert err.count("pip install tree-sitter") == 1
    assert "warning: 2 launch files" in err


def test_a_launch_file_that_is_named_and_cannot_be_read_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.launch import shell

    shell._parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    (project / "a.sh").write_text(SCRIPT)
    code, out, err = run(capsys, "a.sh")
    assert (code, out) == (2, "No findings in 0 files.\n")
    assert err.startswith("a.sh: error: not checked: that needs tree_sitter_bash, which is not installed (pip install ")
    assert run(capsys, ".")[:2] == (0, "No findings in 0 files.\n")


def test_files_that_mention_nothing_are_not_parsed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    (project / "run.sh").write_text("export NCCL_SOCKET_IFNAME=eth0\n")
    (project / "a.yaml").write_text("a: 1\n")
    (project / "a.py").write_text("a = 1\n")
    code, _, err = run(capsys, ".")
    assert (code, err) == (0, "")
