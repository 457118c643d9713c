"""What silences nothing any more: comments and entries of the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.findings.results import Problem, Report
from ddplint.util.paths import top_folder

if TYPE_CHECKING:
    from ddplint.engine.selection import Judge
    from ddplint.source.file import SourceFile
    from ddplint.source.suppressions import Suppression

__all__ = ["Unused", "covers_everything", "stale_entries", "unused_comments", "unused_warnings"]

Unused = Mapping["SourceFile", tuple[tuple["Suppression", tuple[str, ...]], ...]]
"""For each file the comments, with those of their codes that silence nothing."""


def covers_everything(paths: Iterable[str]) -> bool:
    """Whether a run over ``paths`` sees the whole repository.

    A walk that begins in another file may find something where a comment stands; so a comment is called unused only
    where no walk is missing.
    """
    top = top_folder()
    folders = [Path(path).resolve() for path in paths if path != "-"]
    return any(folder == top or folder in top.parents for folder in folders if folder.is_dir())


def unused_comments(report: Report, judge: Judge) -> Unused:
    """The comments without effect in the files that were walked to their end."""
    if report.errors or report.limits:
        return {}
    files = [file for file in report.walked if file.suppressions.comments and not file.is_notebook]
    found = {file: tuple(judge.unused(file)) for file in files}
    return {file: comments for file, comments in found.items() if comments}


def unused_warnings(unused: Unused) -> Iterator[Problem]:
    """One warning for each comment."""
    for file, comments in unused.items():
        for comment, codes in comments:
            text = f"unused suppression of {', '.join(codes)}; --fix removes it"
            yield Problem(text, file.path, comment.line, comment.column, fatal=False)


def stale_entries(judge: Judge, files: Iterable[Path]) -> Iterator[Problem]:
    """One warning about the baseline where it holds findings that are gone."""
    if judge.baseline is None:
        return
    stale = list(judge.baseline.stale(files, (rule.code for rule in judge.rules)))
    if stale:
        entries = "1 entry is" if len(stale) == 1 else f"{len(stale)} entries are"
        first = f"{stale[0].code} in {stale[0].path}"
        text = f"{entries} stale (first: {first}); --write-baseline brings it up to date"
        yield Problem(text, judge.baseline.file.as_posix(), fatal=False)
