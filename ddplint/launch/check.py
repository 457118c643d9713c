"""Launch files of a run: read, checked and, with their fixes, rewritten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.findings.detached import SettledFix
from ddplint.findings.launch_facts import LaunchFile
from ddplint.findings.model import Finding, Safety
from ddplint.findings.results import Problem
from ddplint.launch.kinds import is_trial
from ddplint.launch.text import LaunchSource, with_changes
from ddplint.project.kinds import kind_of
from ddplint.project.records import Limit

if TYPE_CHECKING:
    from ddplint.fixing.edit.loop import FixReport


_READERS = "pip install tree-sitter tree-sitter-bash"


class MissingExtra(Exception):
    """A kind of file whose reader is not installed."""


def launch_facts(file: LaunchSource) -> LaunchFile:
    """What a launch file says.

    Raises :class:`MissingExtra` where the reader is not installed, :class:`ValueError` for what cannot be read, and
    :class:`ddplint.source.file.SourceError` for bytes that are no text.
    """
    kind = kind_of(file.path, file.data)
    try:
        if kind == "dockerfile":
            from ddplint.launch.docker import docker_facts as read
        elif kind == "yaml":
            from ddplint.launch.yaml_file import yaml_facts as read
        else:
            from ddplint.launch.shell import whole_file as read
        assignments, launches = read(file)
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name)) from None
    return LaunchFile(file, kind, is_trial(file.path), tuple(assignments), tuple(launches))


def not_read(path: str, missing: str) -> Problem:
    """What is said about a file that was asked for by name, whose reader is not installed."""
    return Problem(f"not checked: that needs {missing}, which is not installed ({_READERS})", path)


def skipped_note(count: int) -> Problem:
    """What is said, once, about files whose reader is not installed."""
    files = "1 launch file" if count == 1 else f"{count} launch files"
    text = f"{files} (shell, YAML) not checked: the readers are not installed ({_READERS})"
    return Problem(text, fatal=False)


@dataclass
class _Fixing:
    check: Callable[[LaunchSource], Sequence[Finding]]
    unsafe: bool
    fixed: list[Finding] = field(default_factory=list)
    refused: list[tuple[Finding, str]] = field(default_factory=list)

    def settle(self, file: LaunchSource) -> tuple[LaunchSource, list[Finding]]:
        """Apply one fix after the other, each only if the second look confirms it."""
        now, found, tried = file, list(self.check(file)), set[tuple[str, str]]()
        while True:
            fresh = [one for one in found if self._fixable(one) and _key(one) not in tried]
            if not fresh:
                return now, found
            finding = fresh[0]
            assert isinstance(finding.fix, SettledFix)
            after = with_changes(now, finding.fix.changes)
            left = list(self.check(after))
            if _codes(left) <= _codes(found) - Counter([finding.code]):
                now, found = after, left
                self.fixed.append(finding)
            else:
                tried.add(_key(finding))
                self.refused.append((finding, "the finding is still there after the rewrite"))

    def _fixable(self, finding: Finding) -> bool:
        fix = finding.fix
        return isinstance(fix, SettledFix) and (self.unsafe or fix.safety is Safety.SAFE)


def _codes(findings: Sequence[Finding]) -> Counter[str]:
    """How often each rule found something; a message may name what the rewrite has renamed."""
    return Counter(one.code for one in findings)


def _key(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def fix_launch_files(
    files: Sequence[LaunchSource],
    check: Callable[[LaunchSource], Sequence[Finding]],
    *,
    unsafe: bool,
    write: bool,
) -> FixReport:
    """Fix launch files as :func:`ddplint.fixing.edit.loop.fix_files` fixes Python.

    Parameters: ``check`` gives the findings of one file, silenced ones left out; ``write=False`` leaves the disk alone.
    """
    from ddplint.fixing.edit.loop import FixedFile, FixReport, NotFixed
    from ddplint.fixing.edit.write import WriteError, write_files

    done = FixReport()
    for file in files:
        work = _Fixing(check, unsafe)
        now, left = work.settle(file)
        errors: tuple[WriteError, ...] = ()
        try:
            if write and now is not file:
                write_files([(file, now)])
        except WriteError as error:
            errors, now, left, work.fixed = (error,), file, list(check(file)), []
        changed = () if now is file else (FixedFile(file, now, tuple(work.fixed)),)
        done = done.joined(
            FixReport(
                files=changed,
                fixed=tuple(work.fixed),
                remaining=tuple(left),
                not_fixed=tuple(NotFixed(one, why) for one, why in work.refused),
                unsafe=tuple(one for one in left if one.fix is not None and one.fix.safety is Safety.UNSAFE),
                errors=errors,
            )
        )
    return done


def unread(file: LaunchSource, why: str) -> Limit:
    """A launch file that could not be read, for ``--verbose``."""
    return Limit(file.path, "<file>", f"not read: {why}")
