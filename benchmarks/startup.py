"""Start-up: what commands that need no tree cost, and that they do not import LibCST."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.trees import ROOT

__all__ = ["HEADINGS", "imports", "measure"]

HEADINGS = ("command", "CPU", "÷ python -c pass", "more than it")
_ROUNDS = 11
_NOTHING = "import os\n\n\ndef size(path: str) -> int:\n    return os.stat(path).st_size\n"


def measure() -> list[tuple[str, ...]]:
    """The rows of the table: medians of rounds in which every command runs once."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {"python -c pass": ("-c", "pass"), **_light(folder)}
        rounds = [[_child_cpu(arguments) for arguments in commands.values()] for _ in range(_ROUNDS)]
    rows: list[tuple[str, ...]] = []
    for number, name in enumerate(commands):
        seconds = median(row[number] for row in rounds)
        ratio = median(row[number] / row[0] for row in rounds)
        more = median(row[number] - row[0] for row in rounds)
        rows.append((name, f"{1000 * seconds:.0f} ms", f"{ratio:.2f}", f"{1000 * more:.0f} ms"))
    return rows


def imports() -> list[tuple[str, int, bool, bool]]:
    """For each command: its name, how many modules it imports, whether LibCST is one of them, whether that is right.

    The last command checks a relevant file: it must import LibCST, or else the question was asked wrongly.
    """
    with tempfile.TemporaryDirectory() as folder:
        light = [(name, *_imported(arguments)) for name, arguments in _light(folder).items()]
    relevant = _imported(("-m", "ddplint", "fixtures/guarded_barrier/train.py"))
    rows = [(name, count, libcst, not libcst) for name, count, libcst in light]
    return [*rows, ("ddplint, a relevant file", *relevant, relevant[1])]


def _light(folder: str) -> dict[str, tuple[str, ...]]:
    """Commands that need no tree. ``folder`` gets a file that mentions nothing relevant."""
    Path(folder, "nothing.py").write_text(_NOTHING, "utf-8")
    return {
        "ddplint --version": ("-m", "ddplint", "--version"),
        "ddplint, nothing relevant": ("-m", "ddplint", folder),
    }


def _child_cpu(arguments: tuple[str, ...]) -> float:
    """Seconds of processor time of one Python process, the system's part included."""
    child = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed with exit code {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def _imported(arguments: tuple[str, ...]) -> tuple[int, bool]:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"python {' '.join(arguments)} failed: {run.stderr[-500:]}")
    lines = [line for line in run.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip() for line in lines[1:]}
    return len(names), any(name.partition(".")[0] == "libcst" for name in names)
