"""One mistake that is made at several places: the first is a finding, the others are named in it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from ddplint.findings.model import Finding, Note

__all__ = ["merged"]


def merged(findings: Iterable[Finding], codes: Container[str]) -> list[Finding]:
    """The findings, where those of some rules that say the same of one file are one, and those of one mistake.

    A finding with a fix stays one of its own: who applies it wants each place. Parameters: ``codes``, of the rules that
    ask for it (:attr:`ddplint.rule.Rule.one_in_file`).
    """
    first: dict[tuple[object, ...], Finding] = {}
    for number, finding in enumerate(findings):
        key = _mistake(finding, codes) if finding.fix is None else None
        key = key or (number,)
        known = first.get(key)
        if known is None:
            first[key] = finding
            continue
        named = {note.place.node for note in known.notes}
        if finding.place.node not in named:
            first[key] = replace(known, notes=(*known.notes, Note("related", finding.place, "the same again")))
    return list(first.values())


def _mistake(finding: Finding, codes: Container[str]) -> tuple[object, ...] | None:
    if finding.mistake:
        return finding.code, finding.severity, finding.mistake
    return (finding.place.file.real_path, finding.code, finding.message) if finding.code in codes else None
