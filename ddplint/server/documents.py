"""What is known about one document of an editor: its findings, and rewrites that hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ddplint.deep import on_deep_stack
from ddplint.engine import Checker
from ddplint.ignoring import with_ignores
from ddplint.report.replacements import changes
from ddplint.rule import Finding
from ddplint.settings import SettingsError, load_settings
from ddplint.settled import Replacement
from ddplint.source import SourceError, SourceFile

__all__ = ["Checked", "Rewrite", "check_text"]


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

    def _fix(self, finding: Finding) -> Iterable[Rewrite]:
        from ddplint.fixing.loop import fix_files

        fix = finding.fix
        if fix is None or any(edit.file is not self.file for edit in fix.edits):
            return
        file, settings = self.file, load_settings([self.file.path])
        checker = Checker(settings, live=True)
        checker.prepare([file])

        def check(one: SourceFile) -> list[Finding]:
            found = checker.again(one)
            only = [replace(other, fix=None) if not _same(other, finding) else other for other in found]
            return only if one.data == file.data else [replace(other, fix=None) for other in found]

        done = fix_files([file], check, unsafe=True, write=False, max_rounds=1, announce=checker.replaced)
        for changed in done.files:
            unsafe = "" if fix.safety.value == "safe" else " (changes what is computed)"
            yield Rewrite(f"{fix.title}{unsafe}", tuple(changes(file, changed.after.text)), not unsafe)

    def _comment(self, finding: Finding) -> Iterable[Rewrite]:
        try:
            text = with_ignores(self.file, [finding], "")
        except SourceError:
            return
        yield Rewrite(f"Ignore {finding.code} here", tuple(changes(self.file, text)), False)


def check_text(path: str, text: str) -> Checked:
    """Check the text of a document, which need not be what is on disk."""
    file = SourceFile(path, text.encode("utf-8", "surrogatepass"))
    try:
        report = Checker(replace(load_settings([path]), baseline=None, jobs=1), live=True).run([file])
    except SettingsError as error:
        return Checked(file, trouble=str(error))
    mine = tuple(one for one in report.findings if one.place.file is file)
    for problem in report.errors:
        return Checked(file, mine, problem.message, max(problem.line, 1))
    return Checked(file, mine)


def _same(one: Finding, other: Finding) -> bool:
    return (one.code, one.place.range) == (other.code, other.place.range)
