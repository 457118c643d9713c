"""What names a finding from one version of a program to the next, although lines move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.util.paths import below

if TYPE_CHECKING:
    from ddplint.findings.model import Finding
    from ddplint.findings.results import Report


def fingerprints(report: Report, top: Path) -> dict[int, str]:
    """The fingerprint of every finding of ``report``, shown or silenced, by ``id``."""
    return fingerprint_all([*report.findings, *(one.finding for one in report.silenced)], top)


def fingerprint_all(findings: Iterable[Finding], top: Path) -> dict[int, str]:
    """Fingerprints by ``id``: rule, path below ``top``, definitions around it, its code, and which of its equals.

    They stay when lines are added or removed elsewhere, and when blanks within the code change.
    """
    from ddplint.findings.detached import anchor_of

    told: dict[int, str] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in sorted(findings, key=lambda one: one.spot):
        code, scopes, text = anchor_of(finding)
        key = (code, below(finding.place.file.real_path, top), scopes, text)
        said = "\0".join((*key, str(seen[key])))
        told[id(finding)] = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        seen[key] += 1
    return told
