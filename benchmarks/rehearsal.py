"""Adoption, rehearsed on public repositories: ``python -m benchmarks.rehearsal CLONE… --record FILE``.

For each clone, at its HEAD, in a copy: a baseline is written and committed, and the gate must pass (exit 0). A pull
request puts a barrier under a rank test right behind a backward pass: the gate must report that one and nothing else
(exit 1). ``--fix``, or where that does nothing the same by hand, and the gate must pass again. Seconds are processor
time, and memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.planted import FAULT, put, put_right, spot
from docs.found_again import ROOT, START, lay_out

BASELINE = "ddplint-baseline.json"


@dataclass
class Rehearsal:
    """What was seen in one repository."""

    repository: str
    commit: str = ""
    files: int = 0
    left_out: list[str] = field(default_factory=list)
    known: int = 0
    place: str = ""
    exits: list[int] = field(default_factory=list)
    reported: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    mended: str = ""
    seconds: list[float] = field(default_factory=list)
    megabytes: int = 0
    broke: str = ""


class Broke(Exception):
    """A step did not end as it has to."""


class Project:
    """A copy of a repository, and ddplint in it."""

    def __init__(self, seen: Rehearsal, tree: Path, limit: float) -> None:
        self.seen, self.tree, self.limit = seen, tree, limit

    def git(self, *arguments: str) -> str:
        """What git prints."""
        own = ("git", "-c", "user.name=rehearsal", "-c", "user.email=rehearsal@example.org", *arguments)
        return subprocess.run(own, cwd=self.tree, check=True, capture_output=True, text=True).stdout

    def commit(self) -> None:
        """All that is there; also what the repository's own files ignore."""
        self.git("add", "--all", "--force", ":!.ddplint_cache")
        self.git("commit", "--quiet", "--allow-empty", "--message", "step")

    def ddplint(self, *arguments: str) -> dict[str, Any]:
        """The JSON report of a run over the whole repository."""
        output = self.tree.parent / "report.json"
        output.unlink(missing_ok=True)
        excluded = ("--exclude", ",".join(self.seen.left_out)) if self.seen.left_out else ()
        command = [sys.executable, "-c", START, *arguments, *excluded, "--output", f"json={output}", "."]
        path = os.pathsep.join([str(ROOT), str(ROOT / "rules"), os.environ.get("PYTHONPATH", "")])
        with (self.tree.parent / "printed").open("w") as printed:
            child = subprocess.Popen(
                ["timeout", str(self.limit), *command],
                cwd=self.tree,
                env={**os.environ, "PYTHONPATH": path},
                stdout=printed,
                stderr=printed,
            )
            _, status, usage = os.wait4(child.pid, 0)
        self.seen.exits.append(os.waitstatus_to_exitcode(status))
        self.seen.seconds.append(round(usage.ru_utime + usage.ru_stime, 1))
        self.seen.megabytes = max(self.seen.megabytes, usage.ru_maxrss // 1024)
        if not output.exists() and "--write-baseline" not in arguments:
            raise Broke((self.tree.parent / "printed").read_text("utf-8", "replace")[-200:])
        report: dict[str, Any] = json.loads(output.read_text("utf-8")) if output.exists() else {}
        return report


def rehearse(clone: Path, limit: float) -> Rehearsal:
    """All steps in one repository."""
    seen = Rehearsal(clone.name.replace("+", "/"))
    source = clone / "repo" if (clone / "repo").is_dir() else clone
    said = subprocess.run(["git", "-C", str(source), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    seen.commit = said.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        lay_out(source, seen.commit, tree)
        seen.files = len(list(tree.rglob("*.py")))
        try:
            adopt(Project(seen, tree, limit))
        except Broke as error:
            seen.broke = str(error)
    return seen


def adopt(project: Project) -> None:
    """Baseline, gate, pull request, fix, gate."""
    seen = project.seen
    project.git("init", "--quiet")
    project.commit()
    project.ddplint("--write-baseline", BASELINE)
    problems = project.ddplint("--baseline", BASELINE)["problems"]
    if problems:  # files that are no Python, which a team would exclude
        seen.left_out = sorted({one["path"] for one in problems})
        project.ddplint("--write-baseline", BASELINE)
    seen.known = len(json.loads((project.tree / BASELINE).read_text("utf-8"))["findings"])
    project.commit()
    expect(project, 0, [])
    place = spot(project.tree)
    if place is None:
        raise Broke("no backward pass in it")
    path, line, indent = place
    seen.place = f"{path}:{line + 1}"
    put(project.tree / path, line, indent)
    project.commit()
    expect(project, 1, [f"{path}:{line + len(FAULT)}"])
    mend(project, path, line, indent)
    expect(project, 0, [])


def mend(project: Project, path: str, line: int, indent: str) -> None:
    """``--fix``, ``--unsafe-fixes``, or by hand: the first that changes the file, and no other file."""
    for words in (("--fix",), ("--fix", "--unsafe-fixes")):
        project.ddplint("--baseline", BASELINE, *words)
        changed = project.git("diff", "--name-only").split("\n")[:-1]
        if changed:
            project.seen.mended = " ".join(words)
            if changed != [path]:
                raise Broke(f"{project.seen.mended} changed {', '.join(changed)}")
            project.commit()
            return
    put_right(project.tree / path, line, indent)
    project.seen.mended = "by hand"
    project.commit()


def expect(project: Project, exit_code: int, places: list[str]) -> None:
    """The gate must end like this, with one finding for each place: there, or on the way there."""
    report = project.ddplint("--baseline", BASELINE)
    found = [one for one in report["findings"] if not one["suppressed"]]
    project.seen.reported = [f"{spoken(one['place'])} {one['code']}" for one in found]
    right = len(found) == len(places) and all(map(leads_to, found, places))
    if project.seen.exits[-1] != exit_code or not right:
        raise Broke(f"exit {project.seen.exits[-1]} and {project.seen.reported} instead of {exit_code} and {places}")
    project.seen.said = project.seen.reported or project.seen.said


def leads_to(finding: dict[str, Any], place: str) -> bool:
    """Whether a finding stands at a place, or names it in its calls."""
    return place in {spoken(one) for one in (finding["place"], *(call["place"] for call in finding["calls"]))}


def spoken(place: dict[str, Any]) -> str:
    """A path and a line."""
    return f"{place['path']}:{place['line']}"


def main() -> int:
    """Rehearse all; the record is written after each. 1 where one broke."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rehearsal", description=__doc__)
    add = parser.add_argument
    add("clones", nargs="+", type=Path, metavar="CLONE", help="a git repository, or a folder with one named repo")
    add("--record", type=Path, metavar="FILE", help="the record, which is added to")
    add("--timeout", type=float, default=120, metavar="S", help="seconds for one run of ddplint (default: 120)")
    given = parser.parse_args()
    old = json.loads(given.record.read_text("utf-8")) if given.record and given.record.exists() else []
    records = {one["repository"]: one for one in old}
    for clone in given.clones:
        seen = rehearse(clone, given.timeout)
        records[seen.repository] = asdict(seen)
        said = seen.broke or "as it has to be"
        print(
            f"{seen.repository:40} {sum(seen.seconds):6.1f} s {seen.megabytes:5} MiB {seen.mended:22} {said}",
            flush=True,
        )
        if given.record:
            given.record.write_text(json.dumps([records[name] for name in sorted(records)], indent=1) + "\n", "utf-8")
    return int(any(one["broke"] for one in records.values()))


if __name__ == "__main__":
    sys.exit(main())
