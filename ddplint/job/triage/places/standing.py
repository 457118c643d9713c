"""A place of the program against where ranks stood, and where they called what their recordings end with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ddplint.findings.model import Finding, Place
from ddplint.job.triage.facts import LIBRARY, Code, Evidence, Stack

_DIRECT, _NEAR, _OWN = 12, 4, 4
_DEEPEST = 6
_PARTED = 3

Files = dict[str, set[Path]]
"""For each file that the evidence names those of the source that may be it."""


@dataclass(frozen=True)
class Stood:
    """``worth`` of what a stack says of a place, and a sentence. ``direct``: it goes through a line of the place."""

    worth: int
    text: str
    direct: bool


def stood(finding: Finding, evidence: Evidence, files: Files) -> list[Stood]:
    """What stacks say of a place, the weightiest first; each sentence once."""
    places = {(file_of(place), line_of(place)): role for place, role in _places(finding)}
    functions: set[str] | None = None
    best: dict[str, Stood] = {}
    for stack, parted in _stacks(evidence):
        own = [code for code in stack.frames if code.path in files]
        for depth, code in enumerate(reversed(own)):
            found = _at(stack, code, depth, places, files, parted)
            if found is None and depth == 0 and any(path in files[code.path] for path, _ in places):
                functions = _functions(finding) if functions is None else functions
                found = _in(stack, code, functions)
            if found is not None and found.worth > best.get(found.text, Stood(0, "", False)).worth:
                best[found.text] = found
    return sorted(best.values(), key=lambda one: (-one.worth, one.text))


def _stacks(evidence: Evidence) -> Iterator[tuple[Stack, bool]]:
    """Every stack, and whether it is one at which recordings part."""
    yield from ((stack, False) for stack in evidence.stacks)
    yield from ((stack, True) for fact in evidence.recorded for stack in fact.last)


def _at(
    stack: Stack, code: Code, depth: int, places: dict[tuple[Path, int], str], files: Files, parted: bool
) -> Stood | None:
    role = next((places[path, code.line] for path in files[code.path] if (path, code.line) in places), None)
    if role is None:
        return None
    worth = _DIRECT - min(depth, _DEEPEST) + (_OWN if role == _FINDING else 0) + (_PARTED if parted else 0)
    verb = "was recorded last" if parted else "stood"
    return Stood(worth, f"{_who(stack)} {verb} at {Path(code.path).name}:{code.line}, {role}", True)


def _in(stack: Stack, code: Code, functions: set[str]) -> Stood | None:
    if not code.function or code.function.rpartition(".")[2] not in functions:
        return None
    return Stood(_NEAR, f"{_who(stack)} stood in {code.function}, where ranks part", False)


_FINDING = "the finding's place"


def _places(finding: Finding) -> Iterator[tuple[Place, str]]:
    for note in finding.notes:
        yield note.place, note.text
    for action in finding.actions:
        if action.place is not None:
            yield action.place, f"at {action.what}"
    yield finding.place, _FINDING


def _functions(finding: Finding) -> set[str]:
    import libcst as cst

    names = set()
    for place, _ in _places(finding):
        for node in place.file.ancestors(place.node):
            if isinstance(node, cst.FunctionDef):
                names.add(node.name.value)
                break
    return names


def files_of(evidence: Evidence, files: set[Path]) -> Files:
    """Which of ``files`` each file of a stack may be: those that share the longest end of its path."""
    found: Files = {}
    for path in {code.path for stack, _ in _stacks(evidence) for code in stack.frames}:
        if LIBRARY.search(path):
            continue
        parts = re.split(r"[\\/]", path)
        counts = {file: _shared(parts, file.parts) for file in files if file.name == parts[-1]}
        most = max(counts.values(), default=0)
        if most:
            found[path] = {file for file, count in counts.items() if count == most}
    return found


def _shared(one: list[str], other: tuple[str, ...]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count


def file_of(place: Place) -> Path:
    """The file of a place, links followed."""
    return place.file.real_path


def line_of(place: Place) -> int:
    """Its first line, from 1."""
    return place.range.start_line


def _who(stack: Stack) -> str:
    return "a rank" if stack.rank is None else f"rank {stack.rank}"
