"""How much of the mined cases is found: ``python -m tests.evidence.mined.score --mirror DIR [--only TEXT]``.

``DIR`` holds clones as ``owner+name/repo``; cases of other repositories are left out. Each file is checked inside the
tree of its commit, as a user would: the place is found where a finding, its guard or a related place lies within three
lines of it, and the class where one of those findings is of a rule that says what the class is about.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .cases import CODES, DIFFICULTIES, Case, load

NEAR = 3
"""Lines between a place and what is still said of it."""

ROOT = Path(__file__).parents[3]

TOOL = str(Path(sys.executable).with_name("ddplint"))
"""The script, not ``python -m``: that would import modules of the tree in which it runs."""

LIMIT = 300
"""Seconds for one file."""

WANTED = ("*.py", "*.sh", "*.yaml", "*.yml", "*.toml", "*.cfg", "*.slurm")
"""What is laid out of a tree: sources, and what starts them."""


@dataclass(frozen=True)
class Score:
    """What was found of one case."""

    id: str
    kind: str
    name: str
    difficulty: str
    near: tuple[str, ...]
    findings: int
    failed: str = ""

    @property
    def place(self) -> bool:
        """Whether something is reported there."""
        return bool(self.near)

    @property
    def both(self) -> bool:
        """Whether what is reported there is of the right class."""
        return self.place and (not CODES[self.name] or bool(CODES[self.name] & set(self.near)))


def lay_out(clone: Path, commit: str, folder: Path) -> None:
    """The tree of a commit, without a work tree of the clone; once for each folder."""
    if folder.is_dir():
        return
    names = subprocess.run(
        ["git", "-C", str(clone), "ls-tree", "-r", "--name-only", "-z", commit], check=True, capture_output=True
    ).stdout.split(b"\0")
    kept = [name.decode("utf-8", "replace") for name in names]
    kept = [name for name in kept if any(Path(name).match(pattern) for pattern in WANTED)]
    folder.mkdir(parents=True)
    for start in range(0, len(kept), 500):
        archive = ["git", "-C", str(clone), "archive", commit, "--", *kept[start : start + 500]]
        with subprocess.Popen(archive, stdout=subprocess.PIPE) as git:
            subprocess.run(["tar", "-x", "-C", str(folder)], stdin=git.stdout, check=True)


def places(node: object, path: str = "") -> Iterator[tuple[str, int, int]]:
    """Every file and range that a finding names, wherever the report keeps it."""
    if isinstance(node, list):
        for value in node:
            yield from places(value, path)
    elif isinstance(node, dict):
        path = str(node.get("path") or node.get("file") or path)
        first, last = node.get("line"), node.get("end_line")
        if isinstance(first, int):
            yield path, first, last if isinstance(last, int) else first
        for value in node.values():
            yield from places(value, path)


def near(case: Case, findings: Iterable[dict[str, object]]) -> tuple[str, ...]:
    """The rules that report something at the place of a case."""
    low, high = case.lines[0] - NEAR, case.lines[1] + NEAR
    return tuple(
        sorted(
            {
                str(finding["code"])
                for finding in findings
                if any(p.endswith(case.path) and a <= high and b >= low for p, a, b in places(finding))
            }
        )
    )


def score(case: Case, mirror: Path, work: Path, tool: list[str]) -> Score | None:
    """One case; nothing if its repository is not there."""
    clone = mirror / case.repo.replace("/", "+") / "repo"
    if not clone.is_dir():
        return None
    tree = work / f"{case.repo.replace('/', '+')}@{case.commit[:12]}"
    lay_out(clone, case.commit, tree)
    known = (case.id, case.kind, case.name, case.difficulty)
    ours = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "rules")))}
    command = [*tool, "--output-format", "json", case.path]
    try:
        run = subprocess.run(command, cwd=tree, env=ours, capture_output=True, text=True, timeout=LIMIT)
        findings = json.loads(run.stdout)["findings"]
    except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
        return Score(*known, (), 0, type(error).__name__)
    return Score(*known, near(case, findings), len(findings))


def summary(scores: list[Score]) -> Iterator[str]:
    """The table: all faults, each difficulty, each class, and the look-alikes."""
    faults = [one for one in scores if one.kind == "bug"]
    rows = [("faults", faults), *((d, [s for s in faults if s.difficulty == d]) for d in DIFFICULTIES)]
    for title, group in [*rows, *((f"  {name}", [s for s in faults if s.name == name]) for name in CODES)]:
        if group:
            found, both = sum(one.place for one in group), sum(one.both for one in group)
            yield f"{title:26} place {found:3}/{len(group):<3} place and class {both:3}/{len(group):<3}"
    alike = [one for one in scores if one.kind == "clean"]
    yield f"{'look-alikes':26} quiet {sum(not one.place for one in alike):3}/{len(alike):<3}"
    yield from (f"{one.id}: {one.failed}" for one in scores if one.failed)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "ddplint-mined")
    parser.add_argument("--tool", default=TOOL, help="the command to be measured")
    parser.add_argument("--only", default="", help="cases whose name or class contains this")
    parser.add_argument("--out", type=Path, help="the result of each case, as JSON lines")
    asked = parser.parse_args()
    cases = [case for case in load() if asked.only in case.id + case.name]
    found = [one for case in cases if (one := score(case, asked.mirror, asked.work, asked.tool.split()))]
    if asked.out:
        asked.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in found), "utf-8")
    print(f"{len(found)} of {len(cases)} cases are in the mirror")
    print("\n".join(summary(found)))


if __name__ == "__main__":
    main()
