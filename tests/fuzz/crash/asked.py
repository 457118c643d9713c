"""Asks ddplint about trainers and keeps what it says of its own errors."""

from __future__ import annotations

import io
import json
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from ddplint.cli.main import main as ddplint

MEMORY = 6 << 30
"""Bytes of address space: whoever builds a text of a tera byte is stopped here, and not by the machine."""

_PLACE = re.compile(r"\(at ([^,]+), ddplint")


@dataclass(frozen=True)
class Crash:
    """What went wrong: the message, and the place in our code, by which crashes of one kind are counted."""

    number: int
    message: str

    @property
    def kind(self) -> str:
        """The place in our code, or the message where there is none."""
        found = _PLACE.search(self.message)
        return found[1] if found is not None else self.message[:80]


@dataclass(frozen=True)
class Answer:
    """``crashes``, of which program each; ``findings`` in all; ``seconds``, of all programs together."""

    crashes: tuple[Crash, ...]
    findings: int
    seconds: float


def bounded() -> None:
    """Bound this process's memory for good."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def asked(sources: Sequence[str], *, fixing: bool = False) -> Answer:
    """What ddplint says of programs; with ``fixing`` it also works out every fix, and writes none."""
    with tempfile.TemporaryDirectory(prefix="crash") as folder:
        paths = []
        for number, source in enumerate(sources):
            paths.append(Path(folder, f"trainer_{number}", "train.py"))
            paths[-1].parent.mkdir()
            paths[-1].write_text(source, encoding="utf-8")
        began, report = time.perf_counter(), Path(folder, "report.json")
        words = ["--diff", "--unsafe-fixes"] if fixing else ["--output-format=concise"]
        said = _run(["--no-cache", "--jobs=1", f"--output=json={report}", *words, *map(str, paths)])
        seconds = time.perf_counter() - began
        whole = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {"findings": [], "problems": []}
    crashes = [Crash(_number(str(one["path"])), str(one["message"])) for one in whole["problems"] if one["fatal"]]
    if "internal error" in said or not report.name:
        crashes += [Crash(-1, line) for line in said.splitlines() if "internal error" in line and not crashes]
    return Answer(tuple(crashes), len(whole["findings"]), seconds)


def _run(words: list[str]) -> str:
    """What a run of the command line prints."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        ddplint(words)
    return out.getvalue()


def _number(path: str) -> int:
    found = re.search(r"trainer_(\d+)", path)
    return int(found[1]) if found is not None else -1
