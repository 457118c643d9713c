"""What is known about one document of an editor: its findings, and rewrites that hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.settings import SettingsError, load_settings
from ddplint.engine.checker import Checker
from ddplint.engine.inputs import is_launch, opened
from ddplint.findings.detached import Replacement
from ddplint.findings.model import Finding, Safety
from ddplint.fixing.edit.ignores import with_ignores
from ddplint.project.discovery import excluded
from ddplint.project.kinds import kind_of
from ddplint.report.replacements import changes
from ddplint.source.file import SourceError, SourceFile
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from ddplint.fixing.edit.loop import FixReport


_MOST_ROUNDS = 100
Choice = Callable[[list[Finding]], list[Finding]]


@dataclass(frozen=True)
class Rewrite:
    """A change of text that an editor offers for a finding."""

    title: str
    changes: tuple[Replacement, ...]
    preferred: bool


@dataclass(frozen=True, eq=False)
class Checked:
    """A document as it was checked; ``trouble`` says in one sentence why it could not be."""

    file: SourceFile
    findings: tuple[Finding, ...] = ()
    trouble: str = ""
    line: int = 1

    def rewrites(self, finding: Finding) -> list[Rewrite]:
        """What can be done about a finding: its fix, if a second walk confirms it, and a comment that silences it."""
        return on_deep_stack(lambda: [*self._fix(finding), *self._comment(finding)])

    def all_safe(self) -> list[Rewrite]:
        """All safe fixes of the document at once, confirmed like each of them; nothing where none holds."""
        if not any(one.fix is not None and one.fix.safety is Safety.SAFE for one in self.findings):
            return []
        done = on_deep_stack(lambda: self._fixed(lambda found: found, unsafe=False))
        return [
            Rewrite("Apply all safe fixes of ddplint", tuple(changes(self.file, changed.after.text)), True)
            for changed in done.files
        ]

    def _fix(self, finding: Finding) -> Iterable[Rewrite]:
        fix = finding.fix
        if fix is None or any(edit.file is not self.file for edit in fix.edits):
            return

        def only(found: list[Finding]) -> list[Finding]:
            return [other if _same(other, finding) else replace(other, fix=None) for other in found]

        done = self._fixed(only, unsafe=True, once=True)
        for changed in done.files:
            unsafe = "" if fix.safety.value == "safe" else " (changes what is computed)"
            yield Rewrite(f"{fix.title}{unsafe}", tuple(changes(self.file, changed.after.text)), not unsafe)

    def _fixed(self, only: Choice, *, unsafe: bool, once: bool = False) -> FixReport:
        """What fixing comes to.

        Parameters: ``only``, the findings of this document with the fixes that are wanted; ``once``, no further ones.
        """
        from ddplint.fixing.edit.loop import fix_files
        from ddplint.launch.check import fix_launch_files

        file, checker = self.file, Checker(load_settings([self.file.path]), live=True)

        def chosen(one: SourceFile, found: list[Finding]) -> list[Finding]:
            first = one.data == file.data
            return only(found) if first or not once else [replace(other, fix=None) for other in found]

        if is_launch(file):
            return fix_launch_files(
                [file], lambda one: chosen(one, checker.again_launch(one)), unsafe=unsafe, write=False
            )
        checker.prepare([file])
        return fix_files(
            [file],
            lambda one: chosen(one, checker.again(one)),
            unsafe=unsafe,
            write=False,
            announce=checker.replaced,
            max_rounds=1 if once else _MOST_ROUNDS,
        )

    def _comment(self, finding: Finding) -> Iterable[Rewrite]:
        if is_launch(self.file):
            return
        try:
            text = with_ignores(self.file, [finding], "")
        except SourceError:
            return
        yield Rewrite(f"Ignore {finding.code} here", tuple(changes(self.file, text)), False)


def concerns(path: str, language: str, text: str) -> bool:
    """Whether a document is one to check: Python, or a launch file by its name or its first line."""
    if path.endswith(".ipynb"):
        return False
    python = language == "python" or path.endswith((".py", ".pyi"))
    return python or bool(kind_of(path, text[:80].encode("utf-8", "replace")))


def check_text(path: str, text: str) -> Checked:
    """Check the text of a document, which need not be what is on disk."""
    file = opened(SourceFile(path, text.encode("utf-8", "surrogatepass")))
    try:
        settings = replace(load_settings([path]), baseline=None, jobs=1)
        if excluded(Path(path), settings.exclude, settings.root):
            return Checked(file)
        report = Checker(settings, live=True).run([file])
    except SettingsError as error:
        return Checked(file, trouble=str(error))
    mine = tuple(one for one in report.findings if one.place.file is file)
    for problem in report.errors:
        return Checked(file, mine, problem.message, max(problem.line, 1))
    return Checked(file, mine)


def _same(one: Finding, other: Finding) -> bool:
    return (one.code, one.place.range) == (other.code, other.place.range)
