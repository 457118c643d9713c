"""What the format ``review`` needs besides the report: which fixes a second walk confirms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ddplint.config.settings import Settings
from ddplint.engine.cache import Cache
from ddplint.engine.checker import Checker
from ddplint.findings.fingerprints import fingerprint_all
from ddplint.source.file import SourceFile
from ddplint.util.paths import top_folder
from ddplint.util.stack import on_deep_stack


def proven(
    paths: Sequence[str], settings: Settings, *, stdin: SourceFile | None, cache: Callable[[], Cache | None]
) -> frozenset[str]:
    """The fingerprints of what the safe fixes mend, each confirmed as by ``--fix``; nothing is written.

    What is moved by several fixes keeps its fingerprint.
    """
    from ddplint.cli.fix import fixed

    settings = replace(settings, unsafe_fixes=False)
    checker = Checker(settings, cache=cache, live=True)
    report = checker.check(paths, stdin)
    done = on_deep_stack(lambda: fixed(checker, report.walked, settings, write=False))
    marks = fingerprint_all([*done.fixed, *done.remaining], top_folder())
    return frozenset(marks[id(one)] for one in done.fixed)
