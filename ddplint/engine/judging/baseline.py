"""A file of findings that are known: they are not shown, so a project can begin with what is new."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ddplint.config.settings import SettingsError
from ddplint.findings.fingerprints import fingerprint_all
from ddplint.findings.model import Finding
from ddplint.util.paths import below
from ddplint.util.regular import read_regular

VERSION = 1


@dataclass(frozen=True)
class Known:
    """One finding of a baseline; all but the fingerprint is for people."""

    fingerprint: str
    code: str
    path: str
    message: str


@dataclass
class Baseline:
    """The known findings by fingerprint; ``met`` are those that were found again."""

    file: Path
    entries: dict[str, Known]
    met: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The file as it is reported."""
        return self.file.name

    def known(self, findings: Sequence[Finding]) -> frozenset[int]:
        """The ``id`` of each of ``findings`` that is in the baseline."""
        marks = fingerprint_all(findings, self.file.parent)
        self.met |= set(marks.values()) & set(self.entries)
        return frozenset(key for key, mark in marks.items() if mark in self.entries)

    def stale(self, checked: Iterable[Path], codes: Iterable[str]) -> Iterator[Known]:
        """The entries that nothing was found for, although their rule was run on their file, or the file is gone."""
        folder = self.file.resolve().parent
        paths, ran = {below(path, folder) for path in checked}, set(codes)
        for entry in self.entries.values():
            looked = entry.path in paths and entry.code in ran
            if entry.fingerprint not in self.met and (looked or not os.path.exists(folder / entry.path)):
                yield entry


def read_baseline(file: Path) -> Baseline:
    """The baseline in ``file``. Raises :class:`SettingsError` where it is missing or no baseline."""
    try:
        data = json.loads(read_regular(file))
        if data["format"] != "ddplint-baseline" or data["version"] != VERSION:
            raise ValueError(f"version {data['version']} of '{data['format']}'")
        entries = [Known(*(_text(one, key) for key in _FIELDS)) for one in data["findings"]]
    except OSError as error:
        way = "; --write-baseline writes one" if isinstance(error, FileNotFoundError) else ""
        raise SettingsError(f"{file}: error: baseline cannot be read: {error.strerror or error}{way}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingsError(f"{file}: error: no baseline of ddplint: {said}") from None
    return Baseline(file, {one.fingerprint: one for one in entries})


def baseline_text(findings: Sequence[Finding], file: Path) -> str:
    """What a baseline of ``findings`` in ``file`` says; sorted and without lines, it changes little."""
    marks = fingerprint_all(findings, file.parent)
    folder = file.resolve().parent
    entries = [
        Known(marks[id(one)], one.code, below(one.place.file.real_path, folder), one.message) for one in findings
    ]
    entries.sort(key=lambda one: (one.path, one.code, one.fingerprint))
    record: dict[str, Any] = {
        "format": "ddplint-baseline",
        "version": VERSION,
        "findings": [{name: getattr(one, name) for name in _FIELDS} for one in entries],
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


_FIELDS = ("fingerprint", "code", "path", "message")


def _text(record: Any, key: str) -> str:
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value
