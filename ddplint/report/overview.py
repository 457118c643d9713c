"""The first lines of a report for people: how bad it is, where, and what can be mended at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Fold, Harm, Safety
from ddplint.report.roots import Root
from ddplint.report.summary import count, kinds
from ddplint.report.terminal import Style, width_of
from ddplint.report.wording import line_text

_MOST_PLACES = 3
"""Places that one line names before it counts the rest."""
_MOST_FOLDED = 2
_COLUMN = 10


def overview(roots: Sequence[Root], style: Style, *, unfolded: bool = False, show_all: bool = False) -> Iterator[str]:
    """The lines before the findings: how many there are, and of those that are not folded which and what they may cost.

    Parameters: ``unfolded``, whether advice is explained like all else; ``show_all``, whether nothing is folded.
    """
    findings = [finding for root in roots for finding in root.findings]
    causes = f" with {count(len(roots), 'root cause')}" if len(roots) < len(findings) else ""
    yield style.paint(f"{count(len(findings), 'finding')}{causes}: {kinds(findings)}", "bold")
    findings = [finding for finding in findings if show_all or finding.fold is None]
    for severity, colour in ((Severity.ERROR, "red"), (Severity.WARNING, "yellow"), (Severity.ADVICE, "blue")):
        mine = [finding for finding in findings if finding.severity is severity]
        if mine and (severity is not Severity.ADVICE or unfolded):
            name = severity.value + ("" if severity is Severity.ADVICE else "s")
            yield from _line(name, rule_counts(mine), style, colour)
    lost = losses(findings)
    if lost:
        yield from _line("data", [f"may be lost or wrong: {places(lost, most=_MOST_PLACES)}"], style, "red")
    yield from _line("fixes", _mended(findings), style, "green")


def losses(findings: Sequence[Finding]) -> list[Finding]:
    """The errors and warnings by which data or a checkpoint may be lost, or be another one than was meant."""
    return [one for one in findings if one.harm is Harm.DATA and one.severity is not Severity.ADVICE]


def rule_counts(findings: Sequence[Finding]) -> list[str]:
    """``DDP101 guarded-collective 3``, the most frequent first."""
    found = Counter((one.code, one.name) for one in findings)
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [f"{code} {name}{f' ×{number}' if number > 1 else ''}" for (code, name), number in ordered]


FOLDS = {
    Fold.COPIED: "in copies of other projects (--show-all explains them)",
    Fold.UNCALLED: "in functions that nothing calls (--show-all explains them)",
}
"""What stands over the counted lines of what is folded."""


def divided(roots: Sequence[Root], *, show_all: bool) -> tuple[list[Root], dict[Fold, list[Root]]]:
    """The roots to explain, and those that are folded, all of whose findings are; ``show_all``: none is."""
    aside: dict[Fold, list[Root]] = {}
    for root in () if show_all else roots:
        if root.lead.fold is not None:
            aside.setdefault(root.lead.fold, []).append(root)
    away = {id(root) for mine in aside.values() for root in mine}
    return [root for root in roots if id(root) not in away], aside


def apart(findings: Sequence[Finding], *, show_all: bool) -> tuple[list[Finding], dict[Fold, list[Finding]]]:
    """The findings to tell one by one, and those that are folded; ``show_all``: none is."""
    aside: dict[Fold, list[Finding]] = {}
    for finding in () if show_all else findings:
        if finding.fold is not None:
            aside.setdefault(finding.fold, []).append(finding)
    return [one for one in findings if show_all or one.fold is None], aside


def folded(roots: Sequence[Root], style: Style, what: str = "advice (--show-advice explains it)") -> Iterator[str]:
    """The findings of roots in counted lines, one for each rule, the most frequent first."""
    yield from counted([finding for root in roots for finding in root.findings], style, what)


def counted(findings: Sequence[Finding], style: Style, what: str) -> Iterator[str]:
    """How many findings there are of what, and a line for each rule, the most frequent first."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.code, []).append(finding)
    yield style.paint(f"{len(findings)} {what}:", "bold")
    for code, mine in sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0])):
        told = f"{style.paint(code, 'blue')} {mine[0].name}"
        yield f"  {len(mine):>3} {style.times} {told}: {places(mine, most=_MOST_FOLDED)}"


def places(findings: Sequence[Finding], *, most: int) -> str:
    """``train.py:12, :40, eval.py:3 and 4 more``: a path is said once."""
    told: list[str] = []
    before = ""
    for finding in findings[:most]:
        path, line = finding.place.file.path, line_text(finding.place)
        told.append(f":{line}" if path == before else f"{path}:{line}")
        before = path
    more = len(findings) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")


def _mended(findings: Sequence[Finding]) -> list[str]:
    safe = sum(one.fix is not None and one.fix.safety is Safety.SAFE for one in findings)
    unsafe = sum(one.fix is not None and one.fix.safety is Safety.UNSAFE for one in findings)
    told = [f"--fix would mend {safe}"] if safe else []
    return [*told, f"--fix --unsafe-fixes {f'{unsafe} more' if safe else f'would mend {unsafe}'}"] if unsafe else told


def _line(name: str, parts: Sequence[str], style: Style, colour: str) -> Iterator[str]:
    """A name and what belongs to it, over as many lines as it takes."""
    room, lines = style.width - _COLUMN - 4, [""]
    for part in parts:
        said = style.sayable(part).replace("×", style.times)
        if lines[-1] and width_of(lines[-1]) + width_of(said) + 2 > room:
            lines[-1] += ","
            lines.append(said)
        else:
            lines[-1] += f", {said}" if lines[-1] else said
    for number, line in enumerate(lines if parts else ()):
        head = style.paint(f"{name:<{_COLUMN}}", colour) if not number else " " * _COLUMN
        yield f"  {head}  {line}"
