"""Paths → files → walks → findings. One report comes out, whatever goes wrong with single files."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, TypeVar

from ddplint import __version__
from ddplint.decoding import DecodingError, refuse_binary
from ddplint.deep import on_deep_stack
from ddplint.discovery import discover, matches, relevant
from ddplint.leftovers import Unused, covers_everything, stale_entries, unused_comments, unused_warnings
from ddplint.results import Limit, Problem, Report
from ddplint.rule import Finding, Rule
from ddplint.settings import Settings, settings_for
from ddplint.source import SourceError, SourceFile

if TYPE_CHECKING:
    from ddplint.baseline import Baseline
    from ddplint.changed import ChangedLines
    from ddplint.judge import Judge
    from ddplint.project import Project
    from ddplint.simulate.facts import Walk

__all__ = ["Checker", "check", "check_source"]

T = TypeVar("T")


def check(paths: Iterable[str], settings: Settings, *, stdin: SourceFile | None = None) -> Report:
    """Check files and folders.

    Parameters: ``paths``, as the user gave them; ``stdin``, the file that ``-`` stands for. Raises
    :class:`ddplint.settings.SettingsError` where ``settings`` name a rule that does not exist.
    """
    return Checker(settings).check(paths, stdin)


def check_source(file: SourceFile, settings: Settings) -> list[Finding]:
    """The findings of one file. Raises :class:`SourceError` where it cannot be read as Python."""
    report = Checker(settings).run([file])
    for problem in report.errors:
        raise SourceError(file.path, problem.line, problem.column, problem.message)
    return report.findings


class Checker:
    """One run: its settings, its rules (loaded when the first file needs them) and its report."""

    def __init__(self, settings: Settings, judge: Judge | None = None) -> None:
        self.settings = settings
        self.report = Report()
        self._judge = judge
        self._files: dict[Path, SourceFile] = {}
        self._program: _Program | None = None
        self._first: dict[SourceFile, list[Finding]] = {}
        self.unused: Unused = {}
        decided = settings.select or settings.ignore or settings.per_file_ignores
        if judge is None and (decided or settings.baseline or settings.diff_base):
            self.judge()

    def judge(self) -> Judge:
        """The selected rules and what is silenced. Raises :class:`ddplint.settings.SettingsError` for unknown rules."""
        if self._judge is None:
            from ddplint.judge import Judge
            from ddplint.registry import load_rules

            book = load_rules()
            self.report.problems += [Problem(error) for error in book.errors]
            self._judge = Judge(book, self.settings, *_known_and_changed(self.settings))
        return self._judge

    def check(self, paths: Iterable[str], stdin: SourceFile | None = None) -> Report:
        """Find the files that ``paths`` stand for and check them."""
        paths = list(paths)
        found = discover([path for path in paths if path != "-"], self.settings.exclude, self.settings.root)
        problems = self.report.problems
        problems += [Problem("no such file or folder", path) for path in found.missing]
        problems += [Problem(f"cannot be read: {why}", path) for path, why in found.unreadable]
        problems += [Problem("no Python files here", path, fatal=False) for path in found.barren]
        given = [stdin] if stdin is not None and "-" in paths else []
        named = frozenset(Path(path).as_posix() for path in paths)
        self.run([*given, *self._read(_unless_excluded(found.files, named, self.settings))])
        self._look_for_leftovers(paths)
        return self.report

    def run(self, files: Iterable[SourceFile]) -> Report:
        """Check ``files`` and complete the report."""
        relevant_files = [file for file in files if self._is_relevant(file)]
        if relevant_files:
            on_deep_stack(lambda: self._check_all(relevant_files))
        return self.report

    def _look_for_leftovers(self, paths: Sequence[str]) -> None:
        """Tell about comments and entries of the baseline that silence nothing."""
        if self._judge is None:
            return
        if covers_everything(paths):
            self.unused = on_deep_stack(lambda: unused_comments(self.report, self.judge()))
            self.report.problems += unused_warnings(self.unused)
        self.report.problems += stale_entries(self.judge(), (Path(file).resolve() for file in self.report.files))

    # A second look at rewritten files

    def replaced(self, file: SourceFile) -> None:
        """From now on ``file`` is what its path holds."""
        self._files[file.real_path] = file
        self._program = None
        self._first.clear()

    def again(self, file: SourceFile) -> list[Finding]:
        """What a walk of ``file`` finds now, without what is silenced.

        Raises :class:`SourceError` where it cannot be told: the file does not parse, the walk or a rule failed, or the
        walk reached a limit that it had not reached before.
        """
        if file in self._first:
            return self._first[file]
        look = Checker(self.settings, self.judge())
        look._files = self._files
        if self._program is None:
            self._program = _Program(list(self._files.values()), self.settings)
        found = look._findings(file, self._program)
        for problem in look.report.errors:
            raise SourceError(file.path, problem.line, problem.column, problem.message)
        known = {(limit.path, limit.text) for limit in self.report.limits}
        for limit in look.report.limits:
            if (limit.path, limit.text) not in known:
                raise SourceError(file.path, 0, 0, f"the walk of {limit.entry} reached a limit: {limit.text}")
        return self.judge().sorted(found, self._files)[0]

    def dependents(self, file: SourceFile) -> list[SourceFile]:
        """The other walked files that import a module of that name: what is found in them may change with ``file``."""
        path = file.real_path
        name = re.escape((path.parent.name if path.stem == "__init__" else path.stem).encode())
        imports = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]|\([^)]*)*\b" + name + rb"\b", re.MULTILINE)
        return [other for key, other in self._files.items() if key != path and imports.search(other.data)]

    # Steps of a run

    def _read(self, paths: Iterable[str]) -> Iterator[SourceFile]:
        for path in paths:
            try:
                yield SourceFile.read(path)
            except SourceError as error:
                self._problem(error)

    def _is_relevant(self, file: SourceFile) -> bool:
        self.report.files.append(file.path)
        try:
            refuse_binary(file.data)
        except DecodingError as error:
            self._problem(SourceError(file.path, error.line, 1, str(error)))
            return False
        return relevant(file.data, _words(settings_for(file.path, self.settings)))

    def _check_all(self, files: Sequence[SourceFile]) -> None:
        judge = self.judge()
        self._files = {file.real_path: file for file in files}
        self._program = program = _Program(files, self.settings)
        found: list[Finding] = []
        for file in files:
            mine = self._findings(file, program)
            self._first[file] = judge.sorted(mine, self._files)[0]
            found += mine
        self.report.findings, self.report.silenced = judge.sorted(found, self._files)
        for file in self.report.walked:
            remarks = file.suppressions.remarks
            self.report.problems += [Problem(text, file.path, line, 1, fatal=False) for line, text in remarks]

    def _findings(self, file: SourceFile, program: _Program) -> list[Finding]:
        """What the walks of ``file`` find, and those of its callers that nobody asked about."""
        for caller in program.callers.direct(file):
            if caller.real_path in self._files:
                self._walked(caller, program)
        outside, left_out = program.callers.outside(file)
        found: list[Finding] = []
        for other in outside:
            found += self._walked(other.file, program, other.uses)
        if left_out:
            text = f"called from {left_out + len(outside)} more files, of which {left_out} were not walked"
            self.report.limits.append(Limit(file.path, "<module>", text))
        return found + self._walked(file, program)

    def _walked(self, file: SourceFile, program: _Program, uses: frozenset[str] | None = None) -> list[Finding]:
        """The findings of the walks that begin in ``file``; callers come before what they call.

        ``uses``, for a file that nobody asked about, are the names for whose sake it is walked.
        """
        path = file.real_path
        if path in program.findings:
            return program.findings[path]
        found = program.findings[path] = []
        for caller in program.callers.direct(file):
            if uses is None and caller.real_path in self._files:
                self._walked(caller, program)
        walks = self._walks(file, program, uses)
        for walk in walks:
            self.report.limits += [Limit(file.path, walk.entry, text) for text in walk.limits]
        for rule in self.judge().rules_for(file) if walks else ():
            found += self._checked(rule, file, walks)
        return found

    def _checked(self, rule: Rule, file: SourceFile, walks: Sequence[Walk]) -> list[Finding]:
        """What one rule finds. A finding without a place in its file is a fault of the rule, and said."""
        found = self._guarded(f"rule {rule.code}", file, lambda: list(rule.check_file(walks))) or []
        troubles = [(one, _stray(one)) for one in found]
        for text in sorted({text for _, text in troubles if text}):
            self.report.problems.append(
                Problem(f"internal error in rule {rule.code}: {text}; please report it", file.path)
            )
        return [one for one, text in troubles if not text]

    def _walks(self, file: SourceFile, program: _Program, uses: frozenset[str] | None) -> list[Walk]:
        if uses is None:
            if self._guarded("reading", file, lambda: file.module) is None:
                return []
            self.report.walked.append(file)
        else:
            try:
                _ = file.module
            except SourceError as error:
                self.report.limits.append(Limit(file.path, "<module>", f"not followed: {error.message}"))
                return []
        settings = self.judge().settings_for(file)
        return self._guarded("the walk", file, lambda: _simulate(file, program.project, settings, uses)) or []

    def _guarded(self, what: str, file: SourceFile, work: Callable[[], T]) -> T | None:
        """What ``work`` returns; a crash of ours becomes one line, and the run goes on."""
        try:
            return work()
        except SourceError as error:
            self._problem(error)
        except RecursionError:
            self.report.problems.append(Problem(f"{what} gave up: the code is nested too deeply", file.path))
        except Exception as error:
            self.report.problems.append(Problem(f"internal error in {what}: {_crash(error)}", file.path))
        return None

    def _problem(self, error: SourceError) -> None:
        problem = Problem(error.message, error.path, error.line, error.column)
        if problem not in self.report.problems:
            self.report.problems.append(problem)


def _known_and_changed(settings: Settings) -> tuple[Baseline | None, ChangedLines | None]:
    baseline, changed = None, None
    if settings.baseline:
        from ddplint.baseline import read_baseline

        baseline = read_baseline(settings.baseline)
    if settings.diff_base:
        from ddplint.changed import changed_since

        changed = changed_since(settings.diff_base, Path.cwd())
    return baseline, changed


def _unless_excluded(files: Iterable[str], named: Container[str], run: Settings) -> Iterator[str]:
    """The files that the configuration of their own folder does not exclude; those named outright are all taken."""
    for file in files:
        own = settings_for(file, run)
        if file in named or own is run or not any(matches(one, Path(file).absolute(), own.root) for one in own.exclude):
            yield file


def _stray(finding: Finding) -> str:
    """What is wrong with a finding whose places no file has; empty where nothing is."""
    also = [action.place for action in finding.actions if action.place is not None]
    for place in (finding.place, *(note.place for note in finding.notes), *also):
        try:
            place.file.range_of(place.node)
        except KeyError:
            return f"a place that is not in {place.file.path}"
    return ""


def _words(settings: Settings) -> re.Pattern[bytes]:
    """What a file must mention to be worth parsing: the words of the knowledge tables and the user's own names."""
    from ddplint.knowledge import load_knowledge

    words = load_knowledge().prefilter()
    own = settings.knowledge
    names = {*own.collectives, *own.rank_predicates, *own.sanitizers, *own.rank_zero_decorators}
    if not names:
        return words
    own_words = sorted(re.escape(name.rpartition(".")[2].encode()) for name in names)
    return re.compile(b"|".join([words.pattern, *own_words]), words.flags)


class _Program:
    """One state of the program: its modules, who calls whom, and what was found in the files walked so far."""

    def __init__(self, files: Sequence[SourceFile], settings: Settings) -> None:
        from ddplint.callers import Callers
        from ddplint.project import Project

        self.project: Project = Project(files, settings)
        self.callers = Callers(self.project, files)
        self.findings: dict[Path, list[Finding]] = {}


def _simulate(file: SourceFile, project: Project, settings: Settings, uses: frozenset[str] | None) -> list[Walk]:
    from ddplint.simulate import simulate

    return simulate(file, project, settings, uses)


def _crash(error: Exception) -> str:
    """One line about a crash of ours, with the place in our code."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    said = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 200, placeholder="…")
    return f"{said} (at {place}, ddplint {__version__}); please report it"
