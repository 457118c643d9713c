"""One mistake that is made at several places: the first is a finding, the others are named in it."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from ddplint.findings.detached import SettledFix
from ddplint.findings.model import Finding, Fix, Note, Safety


def merged(findings: Iterable[Finding], codes: Container[str]) -> list[Finding]:
    """The findings, where those of some rules that say the same of one file are one, and those of one mistake.

    What names its mistake is one, with the fix of all its places, where that is safe or belongs to all.
    Parameters: ``codes``, of the rules that ask for it (:attr:`ddplint.rule.Rule.one_in_file`).
    """
    first: dict[tuple[object, ...], Finding] = {}
    for number, finding in enumerate(findings):
        key = _mistake(finding, codes) or (number,)
        known = first.get(key)
        if known is None:
            first[key] = finding
            continue
        named = {(note.place.file.real_path, note.place.node) for note in known.notes}
        if (finding.place.file.real_path, finding.place.node) not in named:
            notes = (*known.notes, Note("related", finding.place, "the same again"))
            first[key] = replace(known, notes=notes, fix=_of_both(known.fix, finding.fix))
    return list(first.values())


def _mistake(finding: Finding, codes: Container[str]) -> tuple[object, ...] | None:
    if finding.mistake:
        if finding.fix is not None and finding.fix.safety is not Safety.SAFE and not finding.fix.together:
            return None  # who applies it decides for each place
        mended = finding.fix.title if finding.fix is not None else ""
        return finding.code, finding.severity, finding.mistake, mended
    alike = finding.code in codes and finding.fix is None
    return (finding.place.file.real_path, finding.code, finding.message) if alike else None


def _of_both(first: Fix | None, second: Fix | None) -> Fix | None:
    if first is None or second is None:
        return first
    if isinstance(first, SettledFix) and isinstance(second, SettledFix):
        first = replace(first, records=(*first.records, *second.records), changes=(*first.changes, *second.changes))
    return replace(first, edits=(*first.edits, *second.edits), demands=(*first.demands, *second.demands))
