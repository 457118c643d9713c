"""One program: the files that are walked together, in order, and what each walk leaves to the next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.engine import inputs
from ddplint.project.schedule import Plan, Step
from ddplint.project.visits import UNMENTIONED, Visited, merged

if TYPE_CHECKING:
    from ddplint.config.settings import Settings
    from ddplint.engine.records import Outcome
    from ddplint.project.presence import Demand
    from ddplint.source.file import SourceFile


_STATES = 4
"""How many outcomes of a step are kept, for as many states of the program."""

_StepKey = tuple[Path, "frozenset[str] | None", bool]


def _key_of(step: Step) -> _StepKey:
    return step.file.real_path, step.uses, step.among_many


@dataclass(frozen=True, eq=False)
class _Kept:
    """An outcome, and what it came of: the file and the others looked into, and the functions callers had run."""

    file: SourceFile
    seen: list[Visited]
    used: dict[Path, SourceFile | None]
    outcome: Outcome


class Program:
    """One state of the program: its modules, who calls whom, and what the steps walked so far came to."""

    def __init__(self, files: dict[Path, SourceFile], settings: Settings, before: Program | None = None) -> None:
        from ddplint.project.callers import Callers
        from ddplint.project.modules import Project

        asked = list(files.values())
        self._settings = settings
        self._parts: dict[Path, set[_StepKey]] = {} if before is None else before._parts
        self.project: Project = Project(asked, settings)
        if before is not None:
            self.project.take_over(before.project)
        speaking = {path: file for path, file in files.items() if inputs.speaks(file, settings, self.project)}
        self.callers = Callers(self.project, list(speaking.values()))
        if before is not None:
            self.callers.take_over(before.callers)
        self.plan = Plan(self.callers, speaking)
        self.kept: dict[_StepKey, list[_Kept]] = {} if before is None else before.kept
        self.outcomes: dict[Step, Outcome] = {}
        self.done = 0
        self._idle: dict[SourceFile, list[str]] = {}
        self._visits: dict[str, list[tuple[int, Visited]]] = {}

    def note(self, step: Step, outcome: Outcome) -> None:
        """A step is done."""
        kept = self.kept.setdefault(_key_of(step), [])
        kept.append(_Kept(step.file, self.seen(step), self._used(outcome), outcome))
        del kept[:-_STATES]
        self.outcomes[step] = outcome
        self.done |= step.bit
        for path, what, ranks in outcome.reached:
            self._visits.setdefault(path, []).append((step.bit, (what, ranks)))

    def with_file(self, file: SourceFile, files: dict[Path, SourceFile]) -> Program:
        """The program with another content of one file; what that does not touch is not read or walked again."""
        self._note_parts()
        return Program(files, self._settings, self)

    def recalled(self, step: Step, seen: list[Visited]) -> Outcome | None:
        """The outcome of the step in an earlier state of the program, if it saw the same then."""
        for kept in reversed(self.kept.get(_key_of(step), ())):
            same = kept.file is step.file and kept.seen == seen and all(map(self._is_same, kept.used.items()))
            if same and all(self.project.answer(path) == said for path, said in kept.outcome.answers):
                return kept.outcome
        return None

    def _used(self, outcome: Outcome) -> dict[Path, SourceFile | None]:
        """The files that a step looked into."""
        paths = {Path(one.found) for one in outcome.lookups if one.found.endswith(".py")}
        return {path: self.project.held(path) for path in paths}

    def _is_same(self, used: tuple[Path, SourceFile | None]) -> bool:
        return self.project.held(used[0]) is used[1]

    def dependents(self, path: Path) -> set[Path]:
        """The checked files with a step that looked into the file at ``path``, now or in an earlier state."""
        using = {key for key, every in self.kept.items() if key[0] == path or any(path in one.used for one in every)}
        self._note_parts()
        return {other for other, keys in self._parts.items() if using & keys}

    def _note_parts(self) -> None:
        for file, steps in self.plan.parts.items():
            self._parts.setdefault(file.real_path, set()).update(map(_key_of, steps))

    def unseen(self, demand: Demand) -> int:
        """What speaks against a demand on a file of whose callers some were not walked."""
        from ddplint.project.presence import Against

        unknown = any(str(file.real_path) == demand.path for file in self.plan.limits)
        return demand.against & Against.UNSEEN if unknown else 0

    def seen(self, step: Step) -> list[Visited]:
        """What the steps above have done to the definitions of a step's file."""
        defined = self.plan.callers.functions(step.file)
        asked = (one for one in self._visits.get("", ()) if one[1][0].partition(" ")[2] in defined)
        visits = [*self._visits.get(str(step.file.real_path), ()), *asked]
        found = sorted(merged(visited for bit, visited in visits if bit & step.above).items())
        return found + [(f"{UNMENTIONED} {name}", 0) for name in self._unmentioned(step.file)]

    def _unmentioned(self, file: SourceFile) -> list[str]:
        if file not in self._idle:
            self._idle[file] = sorted(self.plan.callers.unmentioned(file))
        return self._idle[file]
