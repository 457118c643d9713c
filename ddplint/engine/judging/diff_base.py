"""``--diff-base``: the lines that changed since a revision of git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.settings import SettingsError

if TYPE_CHECKING:
    from ddplint.findings.model import Finding, Place
    from ddplint.source.file import SourceFile


@dataclass
class ChangedLines:
    """What differs between ``commit`` of the repository ``top`` and the files as they are read."""

    top: Path
    commit: str
    _lines: dict[SourceFile, set[int] | None] = field(default_factory=dict)

    def touches(self, finding: Finding) -> bool:
        """Whether a changed line has to do with a finding: its code, its guard, its calls, what ranks do next."""
        return any(self._changed(place) for place in _places(finding))

    def holds(self, file: SourceFile, line: int) -> bool:
        """Whether a line differs, or was put where something was taken away."""
        if file not in self._lines:
            self._lines[file] = self._of(file)
        lines = self._lines[file]
        return lines is None or line in lines

    def _changed(self, place: Place) -> bool:
        if place.file not in self._lines:
            self._lines[place.file] = self._of(place.file)
        lines, where = self._lines[place.file], place.range
        return lines is None or not lines.isdisjoint(range(where.start_line, where.end_line + 1))

    def _of(self, file: SourceFile) -> set[int] | None:
        """The changed lines; ``None`` where the whole file is new."""
        from ddplint.fixing.edit.diff import line_opcodes, lines_of
        from ddplint.source.file import SourceError

        try:
            name = file.real_path.relative_to(self.top).as_posix()
        except ValueError:
            return None
        done = _git(self.top, "cat-file", "blob", f"{self.commit}:{name}")
        if done.returncode:
            return None
        try:
            old = type(file)(file.path, done.stdout).text
        except SourceError:
            return None
        found: set[int] = set()
        for tag, _, _, start, end in line_opcodes(lines_of(old), lines_of(file.text)):
            if tag != "equal":
                found.update(range(start + 1, end + 1) if end > start else (start, start + 1))
        return found


def changed_since(revision: str, folder: Path) -> ChangedLines:
    """What changed since the common ancestor of ``revision`` and the present commit, uncommitted changes included.

    Raises :class:`SettingsError` where ``folder`` is in no repository of git, or it has no such revision.
    """
    try:
        top = _git(folder, "rev-parse", "--show-toplevel")
        if top.returncode:
            raise SettingsError(f"error: --diff-base {revision}: {folder} is in no repository of git")
        found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found.returncode:
            raise SettingsError(f"error: --diff-base {revision}: git knows no such revision")
        commit = found.stdout.decode().strip()
        ancestor = _git(folder, "merge-base", commit, "HEAD")
    except OSError as error:
        raise SettingsError(f"error: --diff-base {revision}: git cannot be run: {error.strerror or error}") from None
    if ancestor.returncode == 0:
        commit = ancestor.stdout.decode().strip()
    return ChangedLines(Path(top.stdout.decode().strip()).resolve(), commit)


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)


def _places(finding: Finding) -> Iterator[Place]:
    yield finding.place
    yield from (note.place for note in finding.notes)
    yield from (action.place for action in (*finding.actions, *finding.ends) if action.place is not None)
