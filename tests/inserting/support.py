"""Programs with something inserted, and runs of programs on two processes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ddplint.cli.main import main
from fixtures.harness.configuration import Configuration
from fixtures.harness.launch import Limits, RawRun, run

__all__ = ["added", "inserted", "run_on_two"]


def inserted(name: str, text: str, folder: Path, *, code: int = 0) -> str:
    """What ``--insert NAME`` makes of a file. A second run must change nothing, and so must ``--diff``."""
    path = folder / "train.py"
    path.write_bytes(text.encode())
    assert main(["--insert", name, "--diff", str(path)]) == code
    assert path.read_bytes() == text.encode()
    assert main(["--insert", name, str(path)]) == code
    after = path.read_bytes()
    assert main(["--insert", name, str(path)]) == code
    assert path.read_bytes() == after
    return after.decode()


def added(before: str, after: str) -> list[str]:
    """The lines that came; none may have gone, and those that stayed are in their order."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    place, came = 0, []
    for line in new:
        if place < len(old) and line == old[place]:
            place += 1
        elif line.strip():
            came.append(line.rstrip("\r\n"))
    assert place == len(old), f"lost or changed: {old[place]!r}"
    return came


def run_on_two(text: str, folder: Path, *, seconds: int = 6) -> RawRun:
    """Run a trainer under torchrun on two processes with gloo; ``seconds`` until a collective gives up."""
    pytest.importorskip("torch")
    script = folder / "train.py"
    script.write_text(textwrap.dedent(text))
    return run(script, folder / "work", Configuration(), Limits(group=seconds, outer=90))


def run_alone(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a trainer as one process without torchrun."""
    pytest.importorskip("torch")
    script = folder / "alone.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(script)], cwd=folder, capture_output=True, text=True, timeout=90, check=False
    )
