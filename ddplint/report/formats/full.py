"""The explaining format: the code of every place involved, and what each group of ranks does next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Note, Place
from ddplint.findings.results import Report
from ddplint.report import wording
from ddplint.report.columns import MARGIN, columns
from ddplint.report.context import Context
from ddplint.report.formats.concise import heading
from ddplint.report.further import further
from ddplint.report.overview import FOLDS, divided, folded, overview
from ddplint.report.roots import roots_of
from ddplint.report.summary import fixed_line, summary
from ddplint.report.terminal import Style, clip, display, width_of
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range


def render(report: Report, context: Context) -> str:
    """What was fixed, an overview, every root explained (worst first), advice in counted lines, and the counts."""
    style, roots = context.style, roots_of(report.findings)
    unfolded = context.show_advice or context.strict
    kept, aside = divided(roots, show_all=context.show_all)
    shown = [root for root in kept if unfolded or root.lead.severity is not Severity.ADVICE]
    advice = [root for root in kept if root not in shown]
    lines = [fixed_line(finding, style) for finding in report.fixed]
    lines += (
        [*overview(roots, style, unfolded=unfolded, show_all=context.show_all), ""]
        if len(roots) > 1 and not context.quiet
        else []
    )
    for root in shown:
        why = [f"{' ' * MARGIN} sure: {root.lead.certainty.text}"] if context.verbose else []
        lines += [*explain(root.lead, style), *why, *further(root, context), ""]
    lines += [*folded(advice, style), ""] if advice else []
    for fold, mine in aside.items():
        lines += [*folded(mine, style, FOLDS[fold]), ""]
    lines += [] if context.quiet else [summary(report, verbose=context.verbose)]
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class _Mark:
    """One underline: where, what is said beside it, and whether it is the finding's own place."""

    place: Place
    text: str
    own: bool = False

    @property
    def range(self) -> Range:
        return self.place.range


def explain(finding: Finding, style: Style) -> Iterator[str]:
    """The lines about one finding.

    Notes with the role ``call`` become the chain behind the finding's own underline (``function:line``, outermost
    first) that ends in what the first group of ranks does, those with the role ``caller`` the way back from it; all
    others get an underline of their own.
    """
    yield heading(finding, style)
    home = finding.place.file
    parts = _by_file(finding, style)
    for number, (file, marks) in enumerate(parts):
        if number or file is not home:
            yield " " * MARGIN + " " + style.paint(file.path, "bold")
        yield from _snippet(file, marks, style)
    if finding.actions:
        yield ""
        yield from columns(finding, style)
    yield _last_line(finding, style)


def _by_file(finding: Finding, style: Style) -> list[tuple[SourceFile, list[_Mark]]]:
    """The marks file by file: causes in other files first, then the finding's file, then what else is related."""
    early = [note for note in finding.notes if note.role in ("origin", "guard")]
    late = [note for note in finding.notes if note.role not in ("origin", "guard", "call", "caller")]
    marks = [
        *(_Mark(note.place, note.text) for note in early),
        _Mark(finding.place, _chain(finding, style), own=True),
        *(_Mark(note.place, note.text) for note in late),
    ]
    home = finding.place.file
    causes = [note.place.file for note in early if note.place.file is not home]
    files = dict.fromkeys([*causes, home, *(note.place.file for note in late)])
    return [(file, _sorted([mark for mark in marks if mark.place.file is file])) for file in files]


def _sorted(marks: list[_Mark]) -> list[_Mark]:
    """In the order of the text, without repetitions."""
    unique = {(mark.range, mark.text): mark for mark in marks}
    return sorted(unique.values(), key=lambda mark: (mark.range.start_line, mark.own, mark.range.start_col))


def _chain(finding: Finding, style: Style) -> str:
    calls = [note for note in finding.notes if note.role == "call"]
    if not calls:
        return _callers(finding, style)
    steps = [_step(note, finding.place.file) for note in calls]
    last = finding.actions[0].what if finding.actions else ""
    if last and not calls[-1].text.startswith(last):
        steps.append(last)
    return "".join(f"{style.right} {step} " for step in steps).rstrip()


def _callers(finding: Finding, style: Style) -> str:
    """The calls that lead to the place, the nearest first."""
    callers = [note for note in reversed(finding.notes) if note.role == "caller"]
    return "".join(f"{style.left} {_step(note, finding.place.file)} " for note in callers).rstrip()


def _step(note: Note, home: SourceFile) -> str:
    line = wording.line_text(note.place)
    return f"{note.text}:{line}" if note.place.file is home else f"{note.text} ({note.place.file.path}:{line})"


def _snippet(file: SourceFile, marks: Sequence[_Mark], style: Style) -> Iterator[str]:
    shown = (0, 0)
    for mark in marks:
        place = mark.range
        cells = display(file.lines[place.start_line - 1])
        start = place.start_col - 1
        end = place.end_col - 1 if place.end_line == place.start_line else len(cells)
        first, last = clip(cells, start, end, style.width - MARGIN - 3 - 2 * len(style.dots))
        if (place.start_line, first) != shown:
            number = style.paint(f"{_number(file, place.start_line):>{MARGIN}} {style.bar} ", "dim")
            yield (number + _code(cells, first, last, style)).rstrip()
        shown = (place.start_line, first)
        yield _underline(mark, cells, (first, last), (start, end), style)


def _number(file: SourceFile, line: int) -> str:
    return wording.numbered(file, line).removeprefix("cell ")


def _code(cells: Sequence[tuple[str, int]], first: int, last: int, style: Style) -> str:
    text = "".join(shown for shown, _ in cells[first:last])
    return style.dots * (first > 0) + text.rstrip() + style.dots * (last < len(cells))


def _underline(
    mark: _Mark, cells: Sequence[tuple[str, int]], part: tuple[int, int], under: tuple[int, int], style: Style
) -> str:
    first, last = part
    start, end = max(under[0], first), min(max(under[1], under[0] + 1), last)
    indent = sum(width for _, width in cells[first:start]) + width_of(style.dots) * (first > 0)
    length = max(sum(width for _, width in cells[start:end]), 1)
    line = style.paint((style.thick if mark.own else style.thin) * length, "red" if mark.own else "cyan")
    gutter = style.paint(f"{'':>{MARGIN}} {style.bar} ", "dim")
    return f"{gutter}{' ' * indent}{line} {style.sayable(mark.text)}".rstrip()


def _last_line(finding: Finding, style: Style) -> str:
    if finding.fix is None:
        text = f"no automatic fix: {style.sayable(finding.no_fix)}" if finding.no_fix else "no automatic fix"
    else:
        text = style.paint(f"{finding.fix.options}: {style.sayable(finding.fix.title)}", "green")
    return f"  {text}      {style.paint(f'see: ddplint rule {finding.code}', 'dim')}"
