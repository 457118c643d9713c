"""In which order files are walked: callers before what they call, so that it is known what they have run already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.project import limits
from ddplint.project import starts as started
from ddplint.project.missing import look_again, missing
from ddplint.project.pool import is_test
from ddplint.project.records import Limit

if TYPE_CHECKING:
    from ddplint.project.callers import Callers
    from ddplint.project.starts import Start
    from ddplint.source.file import SourceFile


Reached = tuple[str, str, int]
"""The real path of a file, what was done to which definition of it (``"ran 12"``), and the ranks that did it."""


@dataclass(frozen=True, eq=False)
class Step:
    """The walks that begin in one file.

    ``uses``, for a file that nobody asked about, are the names for whose sake it is walked. ``above`` has the bits of
    the ``number`` of all steps whose walks may have run functions of the file; they come earlier. ``among_many``: a
    file that imports it knows of other ranks. ``once`` is a command line of the project that starts the file as one
    process, where no launcher starts it as several, and it neither asks which one it is nor starts others. ``shown`` is
    one of the launchers' command lines for a file that asks, where each of them starts one process; ``on_one_node``:
    where each starts its processes on one node; ``says_one``: and says so. ``partly``: some callers of a file that is
    no script were not followed. ``lacks`` is a module of the project that the file imports, though it is not there.
    """

    file: SourceFile
    uses: frozenset[str] | None = None
    number: int = 0
    above: int = 0
    among_many: bool = False
    once: Start | None = None
    partly: bool = False
    lacks: str = ""
    shown: Start | None = None
    on_one_node: bool = False
    says_one: bool = False

    @property
    def bit(self) -> int:
        """What stands for this step in ``above`` of others."""
        return 1 << self.number


class Plan:
    """The steps of a program, planned as they are asked for.

    ``steps`` are in order; ``parts`` are the steps that make up what is found for each file; ``limits`` were met.
    ``remarks`` are limits that leave the callers of a file as they are.
    """

    def __init__(self, callers: Callers, asked: Mapping[Path, SourceFile]) -> None:
        self.steps: list[Step] = []
        self.parts: dict[SourceFile, list[Step]] = {}
        self.limits: dict[SourceFile, Limit] = {}
        self.remarks: dict[Limit, None] = {}
        self.callers = callers
        self._asked = asked
        self._index = callers.project.index
        started.look_again()
        look_again()
        self._known: dict[Path, Step | None] = {}

    def needed(self, file: SourceFile) -> list[Step]:
        """The steps that must be done for a file, in order."""
        own = self.own(file)
        wanted = 0
        for step in self.parts.get(file) or ([] if own is None else [own]):
            wanted |= step.bit | step.above
        return [step for step in self.steps if step.bit & wanted]

    def own(self, file: SourceFile) -> Step | None:
        """The step of a file that was asked about; ``None`` while it is being planned."""
        path = file.real_path
        if path in self._known:
            return self._known[path]
        self._known[path] = None
        before = [step for caller in self._asked_callers(file) for step in self._before(caller, set())]
        outside = list(self._outside(file))
        step = self._add(file, None, (*before, *outside))
        self.parts[file] = [*outside, step]
        return step

    def _before(self, caller: SourceFile, passed: set[Path]) -> Iterator[Step]:
        """The step of a caller; of one that is being planned, since the files call each other, those of its callers."""
        step = self.own(caller)
        if step is not None:
            yield step
        elif caller.real_path not in passed and len(passed) < limits.CIRCLE_FILES:
            passed.add(caller.real_path)
            for one in self._asked_callers(caller):
                yield from self._before(one, passed)
        elif caller.real_path not in passed:
            many = f"more than {limits.CIRCLE_FILES} files call each other"
            self._remark(caller, f"{many}: not all that call this one come first")

    def _remark(self, file: SourceFile, text: str) -> None:
        if text:
            self.remarks[Limit(file.path, "<module>", text)] = None

    def _asked_callers(self, file: SourceFile) -> Iterable[SourceFile]:
        return [self._asked[one.real_path] for one in self.callers.direct(file) if one.real_path in self._asked]

    def _outside(self, file: SourceFile) -> Iterator[Step]:
        """The steps of callers that nobody asked about, outermost first."""
        outside, left_out = self.callers.outside(file)
        text = self.callers.unread(file)
        if left_out:
            text = f"called from {left_out + len(outside)} more files, of which {left_out} were not walked"
        if text:
            self.limits[file] = Limit(file.path, "<module>", text)
        before: list[Step] = []
        for other in outside:
            step = self._known.get(other.file.real_path) or self._add(other.file, other.uses, before)
            before.append(step)
            yield step

    def _once(self, file: SourceFile) -> Start | None:
        if not self.callers.is_script(file) or self._index.asks_who(file):
            return None
        top = self.callers.project.top(self.callers.project.module_of(file))
        self._remark(file, started.unread(top))
        found = started.starts_of(file.real_path, top)
        if found:
            return _of_one_process(found)
        return None if self._index.needs_several(file) else started.alone(file.real_path, top)

    def _launched(self, file: SourceFile) -> Sequence[Start]:
        """The launchers' command lines for a program that does not start its ranks itself."""
        if not self.callers.is_script(file) or self._index.starts_others(file):
            return ()
        return started.starts_of(file.real_path, self.callers.project.top(self.callers.project.module_of(file)))

    def _add(self, file: SourceFile, uses: frozenset[str] | None, before: Iterable[Step | None]) -> Step:
        above = 0
        for one in before:
            above |= one.bit | one.above if one is not None else 0
        many = uses is None and any(
            self._index.speaks(caller) for caller in self.callers.direct(file) if not is_test(caller)
        )
        partly = file in self.limits and not self.callers.is_script(file)
        lacks = missing(self.callers.project, self.callers.project.module_of(file))
        once = self._once(file)
        launched = self._launched(file) if once is None else ()
        near = bool(launched) and all(start.on_one_node for start in launched)
        told = near and all(start.says_one for start in launched)
        shown = _of_one_process(launched)
        step = Step(file, uses, len(self.steps), above, many, once, partly, lacks, shown, near, told)
        self._known[file.real_path] = step
        self.steps.append(step)
        return step


def _of_one_process(found: Sequence[Start]) -> Start | None:
    """The first of some command lines, where each of them starts one process."""
    return found[0] if found and all(start.processes == 1 for start in found) else None
