"""Whether ddplint still reports what ``docs/found.toml`` says, in clones of the repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.found import Found

ROOT = Path(__file__).parent.parent
# Without the current folder in the path: a repository's own modules must not stand for Python's.
START = "import sys; sys.path.remove(''); from ddplint.cli.main import main; sys.exit(main(sys.argv[1:]))"


def checked(records: Sequence[Found], mirror: Path) -> Iterator[tuple[Found, str]]:
    """Each record with ``still reported``, ``reported otherwise``, ``gone``, or why that cannot be said."""
    for (repository, commit), group in groupby(
        sorted(records, key=lambda one: (one.repository, one.commit)), key=lambda one: (one.repository, one.commit)
    ):
        name = repository.replace("/", "+")
        clone = mirror / name / "repo" if (mirror / name / "repo").is_dir() else mirror / name
        with tempfile.TemporaryDirectory() as folder:
            report = reported(clone, commit, Path(folder)) if clone.is_dir() else None
        for one in group:
            yield one, "not fetched, or no report" if report is None else verdict(one, report)


def verdict(one: Found, report: Sequence[dict[str, Any]]) -> str:
    """What a report says of a record."""
    shown = [f for f in report if not f["suppressed"]]
    here = [f for f in shown if (f["place"]["path"], f["place"]["line"], f["code"]) == one.place]
    return "gone" if not here else "still reported" if any(map(one.same, here)) else "reported otherwise"


def reported(clone: Path, commit: str, folder: Path) -> list[dict[str, Any]] | None:
    """The findings of ddplint at a commit; None if there is no such commit, or no report."""
    tree, output = folder / "tree", folder / "report.json"
    if not lay_out(clone, commit, tree):
        return None
    command = [sys.executable, "-c", START, "--no-cache", "--jobs", "1", "--output", f"json={output}", "."]
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    if not output.exists():
        return None
    findings: list[dict[str, Any]] = json.loads(output.read_text("utf-8"))["findings"]
    return findings


def lay_out(clone: Path, commit: str, tree: Path) -> bool:
    """Write a commit's plain files; False if there is none. A clone may lack large files: they are left out."""
    git = ["git", "-C", str(clone)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", commit], capture_output=True, text=True, check=False)
    entries = [entry.split("\t", 1) for entry in listed.stdout.split("\0") if entry.startswith("100")]
    names = {path: facts.split()[2] for facts, path in entries}
    asked = "\n".join(names.values()).encode()
    given = BytesIO(subprocess.run([*git, "cat-file", "--batch"], input=asked, capture_output=True, check=False).stdout)
    for path in names:
        _, kind, *size = given.readline().split()
        if kind == b"blob":
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(given.read(int(size[0]) + 1)[:-1])
    return bool(names)
