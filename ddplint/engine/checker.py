"""Paths → files → walks → findings. One report comes out, whatever goes wrong with single files."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.config.settings import Settings, settings_for
from ddplint.engine import inputs, launch_files, look
from ddplint.engine.isolation import crashes_of
from ddplint.engine.judging import conclusion
from ddplint.engine.judging.certainty import as_sure
from ddplint.engine.judging.copied import folded, set_aside
from ddplint.engine.judging.unnamed import unnamed_warning
from ddplint.engine.program import Program
from ddplint.engine.walking import Walking
from ddplint.findings.model import Finding
from ddplint.findings.results import Problem, Report
from ddplint.project.discovery import relevant
from ddplint.project.index import kept
from ddplint.project.schedule import Plan, Step
from ddplint.project.visits import Visited
from ddplint.source import tree_cache
from ddplint.source.decoding import DecodingError, refuse_binary
from ddplint.source.file import SourceError, SourceFile
from ddplint.util import memory
from ddplint.util.progress import Progress
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from ddplint.engine.cache import Cache
    from ddplint.engine.judging.selection import Judge
    from ddplint.engine.pool import Record, Work
    from ddplint.engine.records import Outcome
    from ddplint.launch.text import LaunchSource


_MUCH = 300_000
"""Bytes of source; parsing that much leaves several times as much memory behind."""


def check(
    paths: Iterable[str],
    settings: Settings,
    *,
    stdin: SourceFile | None = None,
    cache: Callable[[], Cache | None] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Check files and folders.

    Parameters: ``paths``, as the user gave them; ``stdin``, the file that ``-`` stands for; ``cache`` opens the results
    of earlier runs; ``progress`` gets how far the run is. Raises
    :class:`ddplint.config.settings.SettingsError` where ``settings`` name a rule that does not exist.
    """
    return Checker(settings, cache=cache, progress=progress).check(paths, stdin)


class Checker:
    """One run: its settings, its rules (loaded when the first file needs them) and its report.

    ``live``: findings must hold nodes, since they are to be fixed; then what is cached serves only for files without
    any finding, and all work is done in this process.
    """

    def __init__(
        self,
        settings: Settings,
        judge: Judge | None = None,
        *,
        cache: Callable[[], Cache | None] | None = None,
        live: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.settings = settings
        self.report = Report()
        self._judge = judge
        self._open_cache = cache
        self._live = live
        self._progress = progress or Progress()
        self._files: dict[Path, SourceFile] = {}
        self._silent: set[Path] = set()
        self._program: Program | None = None
        self._first: dict[SourceFile, list[Finding]] = {}
        self._parsed = 0
        self._launch: dict[SourceFile, list[Finding]] = {}
        self._named: frozenset[str] = frozenset()
        self._over_folders = False
        self.unused: conclusion.Unused = {}
        decided = settings.select or settings.ignore or settings.per_file_ignores
        if judge is None and (decided or settings.baseline or settings.diff_base):
            self.judge()

    def judge(self) -> Judge:
        """The selected rules and what is silenced. Raises :class:`settings.SettingsError` for unknown rules."""
        if self._judge is None:
            from ddplint.engine.judging.selection import Judge, known_and_changed
            from ddplint.rulebook.registry import load_rules

            book = load_rules()
            self.report.problems += [Problem(error) for error in book.errors]
            self._judge = Judge(book, self.settings, *known_and_changed(self.settings))
        return self._judge

    def check(self, paths: Iterable[str], stdin: SourceFile | None = None) -> Report:
        """Find the files that ``paths`` stand for and check them."""
        paths = list(paths)
        found, files = inputs.chosen([path for path in paths if path != "-"], self.settings)
        problems = self.report.problems
        problems += [Problem("no such file or folder", path) for path in found.missing]
        problems += [Problem(f"cannot be read: {why}", path) for path, why in found.unreadable]
        problems += [Problem("no Python files here", path, fatal=False) for path in found.barren]
        given = [stdin] if stdin is not None and "-" in paths else []
        self._named = named = inputs.names(paths)
        self._over_folders = not named >= {*files}
        self.report.excluded += [*found.excluded, *(named & {*found.files} - {*files})]
        self.run([*given, *self._read(files, named)])
        self._look_for_leftovers(paths)
        return self.report

    def run(self, files: Iterable[SourceFile]) -> Report:
        """Check ``files`` and complete the report."""
        relevant_files: list[SourceFile] = []
        silent: list[SourceFile] = []
        for file in files:
            (relevant_files if self._is_relevant(file) else silent).append(file)
        relevant_files += inputs.programs(silent, relevant_files, self.settings)
        # a caller's walk may lead to the others all the same
        self._silent = {file.real_path for file in silent} - {file.real_path for file in relevant_files}
        if relevant_files:
            python = [file for file in relevant_files if not inputs.is_launch(file)]
            self.prepare(python)
            steps = self._walk_all([file for file in python if self._is_worth_a_step(file)])
            self._launch = launch_files.look_at(
                [file for file in relevant_files if inputs.is_launch(file)], self.report, self._named, self.judge
            )
            on_deep_stack(lambda: self._conclude(steps))
        return self.report

    def again_launch(self, file: LaunchSource) -> list[Finding]:
        """What is found in a launch file now, without what is silenced."""
        outcome = launch_files.look(file, self.judge)
        return self.judge().sorted(outcome.findings, {file.real_path})[0]

    def prepare(self, files: Sequence[SourceFile]) -> None:
        """Take ``files`` for those of the run."""
        self._files = {file.real_path: file for file in files}
        self._program = Program(self._files, self.settings)

    def look(self, step: Step, seen: Iterable[Visited]) -> Outcome:
        """Walk one file and run the rules on what was seen. Call it where there is stack enough for deep code.

        Parameters: ``seen``, what callers have done to its definitions.
        """
        return look.look(step, seen, self._now().project, self.settings, self.judge)

    def tidy(self, step: Step) -> None:
        """Give back memory after a step, if need be. What was found before is kept without its nodes."""
        program = self._now()
        from ddplint.project import limits

        parsed = program.project.parsed(step.file)
        if parsed > limits.PARSED_BYTES:
            from ddplint.engine.detach import settled
            from ddplint.source.ancestry import forget

            for outcome in program.outcomes.values():
                outcome.findings = [settled(finding) for finding in outcome.findings]
            program.project.forget_trees()
            forget()
        if abs(parsed - self._parsed) > _MUCH:
            self._parsed = parsed
            memory.give_back()

    def _look_for_leftovers(self, paths: Sequence[str]) -> None:
        """Report comments and entries of the baseline that silence nothing."""
        comments = any(file.suppressions.comments for file in self.report.walked)
        if self._judge is None and not comments:
            return
        if conclusion.covers_everything(paths):
            self.unused = on_deep_stack(lambda: conclusion.unused_comments(self.report, self.judge()))
            self.report.problems += conclusion.unused_warnings(self.unused)
        self.report.problems += conclusion.stale_entries(
            self.judge(), (Path(file).resolve() for file in self.report.files)
        )

    # A second look at rewritten files

    def replaced(self, file: SourceFile) -> None:
        """From now on ``file`` is what its path holds."""
        self._files[file.real_path] = file
        self._first.clear()
        if self._program is not None:
            self._program = self._program.with_file(file, self._files)

    def again(self, file: SourceFile) -> list[Finding]:
        """What a walk of ``file`` finds now, without what is silenced.

        Raises :class:`SourceError` where it is not known: the file does not parse, the walk or a rule failed, or the
        walk reached a limit that it had not reached before.
        """
        if file in self._first:
            return self._first[file]
        program = self._now()
        self._walk_for(file)
        found: list[Finding] = []
        known = {(limit.path, limit.text) for limit in self.report.limits}
        for step in program.plan.parts.get(file, ()):  # none where nobody begins a walk
            outcome = program.outcomes[step]
            for problem in outcome.problems:
                raise SourceError(file.path, problem.line, problem.column, problem.message)
            for limit in outcome.limits:
                if (limit.path, limit.text) not in known:
                    raise SourceError(file.path, 0, 0, f"the walk of {limit.entry} reached a limit: {limit.text}")
            found += map(self._allowed, as_sure(step, outcome.findings, self.judge))
        return self._offered(self.judge().sorted(found, self._files)[0])

    def is_asked(self, file: SourceFile) -> bool:
        """Whether a file is among those of the run, with a word of ranks in it or not: fixes may change it."""
        return file.real_path in self._files or file.real_path in self._silent

    def _offered(self, findings: list[Finding]) -> list[Finding]:
        """The findings; fixes of advice in files that nobody named wait until somebody asks for them."""
        if not self._over_folders or self.settings.fix_advice:
            return findings
        return [
            replace(one, fix=replace(one.fix, held=True))
            if one.fix is not None and one.severity is Severity.ADVICE and one.place.file.path not in self._named
            else one
            for one in findings
        ]

    def elsewhere(self, file: SourceFile) -> list[Finding]:
        """What the walks of ``file`` and of its callers find in files that are not checked: rewrites change it, too."""
        program = self._now()
        self._walk_for(file)
        parts = program.plan.parts.get(file, ())
        every = [one for step in parts for one in as_sure(step, program.outcomes[step].findings, self.judge)]
        outside = {one.place.file.real_path for one in every} - self._files.keys()
        return self.judge().sorted(every, outside)[0]

    def _walk_for(self, file: SourceFile) -> None:
        """See to it that the outcomes of all steps are known that a file's findings come from."""
        program = self._now()
        for step in program.plan.needed(file):
            if step not in program.outcomes:
                seen = program.seen(step)
                program.note(step, program.recalled(step, seen) or self.look(step, seen))

    def _allowed(self, finding: Finding) -> Finding:
        """The finding, without its fix where a walk of another file speaks against it."""
        if finding.fix is None or not finding.fix.demands:
            return finding
        from ddplint.fixing.recipes.proof import without_fix

        program = self._now()
        for path in {Path(demand.path) for demand in finding.fix.demands}:
            if path in self._files:  # whoever else comes by there
                self._walk_for(self._files[path])
        known = [outcome.present for outcome in program.outcomes.values()]
        broken = 0
        for demand in finding.fix.demands:
            broken |= demand.broken(known) | program.unseen(demand)
        return without_fix(finding, broken) if broken else finding

    def _now(self) -> Program:
        if self._program is None:
            self._program = Program(self._files, self.settings)
        return self._program

    def dependents(self, file: SourceFile) -> list[SourceFile]:
        """The other checked files that import a module of that name, or whose walks looked into ``file``.

        What is found in them may change with it.
        """
        path = file.real_path
        name = re.escape((path.parent.name if path.stem == "__init__" else path.stem).encode())
        imports = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]|\([^)]*)*\b" + name + rb"\b", re.MULTILINE)
        walked, others = self._now().dependents(path), [one for key, one in self._files.items() if key != path]
        return [one for one in others if one.real_path in walked or imports.search(one.data)]

    # Steps of a run

    def _read(self, paths: Iterable[str], named: Container[str]) -> Iterator[SourceFile]:
        for path in paths:
            if path not in named and (why := inputs.no_file(Path(path))):
                self.report.problems.append(Problem(f"{why}, not checked", path, fatal=False))
                continue
            try:
                file = SourceFile.read(path)
            except SourceError as error:
                self._problem(error)
                continue
            if inputs.is_program(file):
                yield inputs.opened(file)
            else:
                self.report.problems.append(Problem("not checked: neither Python nor a launch file by its name", path))

    def _is_relevant(self, file: SourceFile) -> bool:
        if inputs.is_launch(file):
            wanted = launch_files.is_relevant(file)
            self.report.files += [file.path] if wanted else []
            return wanted
        self.report.files.append(file.path)
        try:
            refuse_binary(file.data)
        except DecodingError as error:
            self._problem(SourceError(file.path, error.line, 1, str(error)))
            return False
        return any(
            relevant(file.data, signs)
            for signs in (inputs.words(settings_for(file.path, self.settings)), *inputs.works())
        )

    def _is_worth_a_step(self, file: SourceFile) -> bool:
        """Whether a file speaks of other ranks, or touches files or learns and is called from one that does."""
        program = self._now()
        own = settings_for(file.path, self.settings)
        return inputs.speaks(file, own, program.project) or program.plan.callers.lead_from_ranks(file)

    def _walk_all(self, files: Sequence[SourceFile]) -> Plan:
        """Walk ``files`` and who calls them."""
        program = self._now()
        on_deep_stack(lambda: [program.plan.own(file) for file in files], self._progress.tick)
        cache = self._open_cache() if self._open_cache is not None else None
        tree_cache.keep_in(None if cache is None else cache.trees)
        kept.keep_in(None if cache is None else cache.records)
        if cache is not None:
            cache.know(step.file for step in program.plan.steps)
        walking = Walking(program, self, cache, self._progress, live=self._live)
        walking.do_all(partial(_worker, self.settings))
        return program.plan

    def _conclude(self, steps: Plan) -> None:
        """Put everything into the report. The rules need not be loaded where nothing was found."""
        report, outcomes = self.report, self._now().outcomes
        found = conclusion.by_file(steps, outcomes, self._allowed, self.judge)
        conclusion.note_walks(report, steps, outcomes)
        found.update(self._launch)
        if any(found.values()) or self._judge is not None:
            judge = self.judge()
            if self._live:
                first = (item for item in found.items() if item[0] not in self._launch)
                self._first = {file: self._offered(judge.sorted(mine, self._files)[0]) for file, mine in first}
            every = [finding for mine in found.values() for finding in mine]
            asked = {*self._files, *self._silent, *(file.real_path for file in self._launch)}
            shown, report.silenced = judge.sorted(every, asked)
            marked = folded(conclusion.counted(shown, found, steps, outcomes), asked)
            report.findings = self._offered(marked if self.settings.show_all else set_aside(marked))
            report.problems += unnamed_warning(judge.elsewhere(every, asked))
            placed = {finding.place.file.real_path for finding in report.findings}
            report.walked += [one for one in steps.parts if one.real_path in placed and one not in report.walked]
        for problem in crashes_of(self._now().project.index):
            self._add(problem)
        conclusion.note_comments(report, self.judge)

    def _problem(self, error: SourceError) -> None:
        self._add(Problem(error.message, error.path, error.line, error.column))

    def _add(self, problem: Problem) -> None:
        if problem not in self.report.problems:
            self.report.problems.append(problem)


def _worker(settings: Settings, steps: list[Step]) -> Work:
    """What one of several processes does with a step, in a run over ``steps``."""
    from ddplint.engine.records import record_of

    checker = Checker(settings)
    checker.prepare([step.file for step in steps])

    def walked(step: Step, seen: list[Visited]) -> Record:
        record = record_of(checker.look(step, seen), step.file)
        checker.tidy(step)
        return record

    return walked
