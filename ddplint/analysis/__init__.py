"""The walk: a program run on paper by every rank of a small world.

:func:`analysis` walks one file from each of its entry points and reports what every rank did and where ranks part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.config.settings import Settings
from ddplint.source.file import SourceFile

if TYPE_CHECKING:
    from ddplint.analysis.trace.events import Walk
    from ddplint.project.modules import Project

__all__ = ["simulate"]


def simulate(
    file: SourceFile,
    project: Project,
    settings: Settings | None,
    uses: frozenset[str] | None = None,
    entries: frozenset[str] | None = None,
) -> list[Walk]:
    """Walk a file.

    Parameters: ``file``, the file whose entry points are walked; ``project``, where its imports are looked up;
    ``settings``, for the user's own knowledge rows; ``uses``, names: then only the module's body and functions that
    mention one of them are entry points, within a smaller budget; ``entries``, names: only these are walked. Returns
    one walk per entry point, in program order.
    Raises :class:`ddplint.source.file.SourceError` where the file cannot be parsed.
    """
    from ddplint.analysis.entry.select import walk_file

    return walk_file(file, project, settings, uses, entries)
