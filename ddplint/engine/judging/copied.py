"""Which files of a repository are those of other projects that were copied into it, by what the repository says."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.util.paths import top_folder
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pathspec import GitIgnoreSpec

    from ddplint.findings.model import Finding


_LICENCE = re.compile(r"(?:LICEN[CS]E|COPYING)(?:\.(?:txt|md|rst))?", re.IGNORECASE)
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
_YEARS = re.compile(r"[\s\d,()-]+")
_DECLARED = {"linguist-vendored": True, "linguist-vendored=true": True, "-linguist-vendored": False}
_DECLARED["linguist-vendored=false"] = False


def folded(findings: Sequence[Finding], checked: Iterable[Path]) -> list[Finding]:
    """The findings, with a mark on those in copies of other projects.

    Who checks nothing but such a copy wants to see what is in it.

    Parameters: ``checked``, the real paths of all files of the run.
    """
    from dataclasses import replace

    from ddplint.findings.model import Fold

    if not findings:
        return []
    known: dict[Path, Copied] = {}

    def about(file: Path) -> Copied:
        top = top_folder(file.parent)
        return known.setdefault(top, Copied(top))

    every = list(checked)
    licensed = [file for file in every if about(file).is_licensed_apart(file)]
    counts = len(licensed) * 2 <= len(every)  # of a repository put together of several, none is the guest

    def is_copied(file: Path) -> bool:
        said = about(file).says(file)
        return (counts and about(file).is_licensed_apart(file)) if said is None else said

    places = {one.place.file.real_path for one in findings}
    copies = {file for file in places if is_copied(file)}
    if not copies or (copies == places and all(map(is_copied, every))):
        return list(findings)
    return [replace(one, fold=Fold.COPIED) if one.place.file.real_path in copies else one for one in findings]


def set_aside(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with those as advice that carry a mark: what nobody runs, or others wrote, fails no check."""
    from ddplint.config.levels import Severity
    from ddplint.rule import replace

    return [one if one.fold is None else replace(one, severity=Severity.ADVICE) for one in findings]


class Copied:
    """What one repository says of the files below ``top``.

    Its submodules are other projects. So is what ``.gitattributes`` calls vendored, and a folder with a licence of its
    own where the repository has another; years do not make another one. Licences tell nothing where most of what is
    checked lies in such folders.
    """

    def __init__(self, top: Path) -> None:
        self._top = top

    def says(self, file: Path) -> bool | None:
        """Whether a file is part of a copy; None where neither attributes nor submodules say."""
        try:
            path = file.relative_to(self._top).as_posix()
        except ValueError:
            return False
        said = next((copied for spec, copied in reversed(self._attributes) if spec.match_file(path)), None)
        return True if said is None and any(path.startswith(f"{one}/") for one in self._submodules) else said

    @cached_property
    def _submodules(self) -> list[str]:
        return [path.strip("/") for path in _SUBMODULE.findall(_text(self._top / ".gitmodules"))]

    @cached_property
    def _attributes(self) -> list[tuple[GitIgnoreSpec, bool]]:
        """The patterns of the attributes that speak of it, in the order of the lines: the last one counts."""
        from pathspec import GitIgnoreSpec

        found = []
        for line in _text(self._top / ".gitattributes").splitlines():
            pattern, *words = line.split()[:20] or [""]
            said = [_DECLARED[word] for word in words if word in _DECLARED]
            if said and not pattern.startswith(("#", "[")):
                with suppress(ValueError):
                    found.append((GitIgnoreSpec.from_lines([pattern]), said[-1]))
        return found

    def is_licensed_apart(self, file: Path) -> bool:
        """Whether a folder with a file in it has another licence than the repository."""
        own = _licences(self._top)
        folders = (folder for folder in file.parents if self._top in folder.parents)
        return bool(own) and any(not _licences(folder) <= own for folder in folders)


@lru_cache(maxsize=4096)
def _licences(folder: Path) -> frozenset[str]:
    """The texts of the licences in a folder, without years."""
    names: list[Path] = []
    with suppress(OSError):
        names = [path for path in folder.iterdir() if _LICENCE.fullmatch(path.name)]
    return frozenset(text for path in names if (text := _YEARS.sub(" ", _text(path)).strip()))


def _text(path: Path) -> str:
    with suppress(OSError):
        return read_regular(path).decode("utf-8", "replace")
    return ""
