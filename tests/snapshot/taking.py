"""Takes a snapshot: each unit is checked in one of several processes, without a cache."""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.engine.inputs import opened
from ddplint.findings.results import Report
from ddplint.rule import Confidence
from ddplint.source.file import SourceFile
from ddplint.util.stack import on_deep_stack
from tests.fuzz.modules import split
from tests.fuzz.programs import random_program
from tests.snapshot.pinned import Unit
from tests.snapshot.probe import Probe
from tests.snapshot.records import finding_record

__all__ = ["Snapshot", "checked", "take"]

Snapshot = dict[str, Any]


def take(wanted: Sequence[Unit], jobs: int = 1) -> Snapshot:
    """What is found in each unit, and what all of it cost together."""
    if jobs > 1 and len(wanted) > 1:
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            found = list(pool.imap(_of_unit, wanted, chunksize=1))
    else:
        found = [_of_unit(unit) for unit in wanted]
    entries = [entry for parts, _ in found for part in parts.values() for entry in part["entries"]]
    costs = {
        "walker steps": sum(entry["steps"] for entry in entries),
        "comparison steps": sum(entry["compared"] for entry in entries),
        "peak memory in MB": max((memory for _, memory in found), default=0),
    }
    return {"programs": {name: part for parts, _ in found for name, part in parts.items()}, "costs": costs}


def _of_unit(unit: Unit) -> tuple[dict[str, Any], int]:
    before = Path.cwd()
    os.chdir(unit.root)
    try:
        return dict(_parts(unit)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    finally:
        os.chdir(before)


def _parts(unit: Unit) -> list[tuple[str, dict[str, Any]]]:
    if unit.seeds:
        sources = [(f"program {seed}", random_program(seed).source) for seed in unit.seeds]
        return [(name, checked(_files(name, source))) for name, source in sources]
    if unit.alone:
        return [(path, checked([opened(SourceFile.read(path))])) for path in unit.paths]
    return [(unit.name, checked(unit.paths))]


def _files(program: str, source: str) -> list[SourceFile]:
    texts = split(source)
    names = {name: f"{program}/{name or 'train'}.py" if len(texts) > 1 else f"{program}.py" for name in texts}
    return [SourceFile(names[name], text.encode()) for name, text in texts.items()]


def checked(what: Sequence[SourceFile] | Sequence[str]) -> dict[str, Any]:
    """The record of one run over files, or over paths that are looked for."""
    with Probe() as probe:
        checker = Checker(Settings(min_confidence=Confidence.LOW, jobs=1))
        files = [one for one in what if isinstance(one, SourceFile)]
        report = checker.run(files) if files else checker.check([str(one) for one in what])
        record: dict[str, Any] = on_deep_stack(lambda: _record(report))
    record["entries"] = probe.entries
    return record


def _record(report: Report) -> dict[str, Any]:
    return {
        "findings": [finding_record(one) for one in report.findings],
        "silenced": [[one.by, finding_record(one.finding)] for one in report.silenced],
        "limits": sorted([one.path, one.entry, one.text] for one in report.limits),
        "problems": sorted(map(str, report.problems)),
    }
