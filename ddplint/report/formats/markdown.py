"""Markdown for a comment on a pull request: the counts, each root cause with its code behind a fold, advice folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, RankAction
from ddplint.findings.results import Report
from ddplint.report.context import Context
from ddplint.report.formats.full import explain
from ddplint.report.markdown_text import literal, prose
from ddplint.report.overview import FOLDS, divided, losses, places, rule_counts
from ddplint.report.roots import Root, roots_of
from ddplint.report.summary import count, remedy, summary
from ddplint.report.terminal import Style
from ddplint.report.wording import bare_remark, group_name, line_text, visited

_MARK = {Severity.ERROR: "🔴 error", Severity.WARNING: "🟠 warning", Severity.ADVICE: "🔵 advice"}
_LIMIT = 60_000
"""Characters; a comment on GitHub may have 65,536."""
_MOST = 10
_MOST_ADVICE = 50


def render(report: Report, context: Context) -> str:
    """The comment: an overview, a part for each root cause, advice folded. What no longer fits is counted."""
    roots = roots_of(report.findings)
    parts = [f"### ddplint\n\n{literal(summary(report, verbose=True))}\n", *_overview(roots)]
    parts += [f"- fixed: {place_text(one)} `{one.code}` {prose(one.message)}\n" for one in report.fixed]
    problems = [f"- {literal(str(problem))}" for problem in report.problems]
    ending = "\n#### Problems\n\n" + "\n".join(problems) + "\n" if problems else ""
    size = sum(map(len, parts))
    for text, number in _parts(roots, context):
        if size + len(text) > _LIMIT:
            shown = sum(len(root.findings) for root in roots[:number])
            left = count(len(report.findings) - shown, "further finding")
            parts.append(f"\nThere is no room here for {left}.\n")
            break
        size += len(text)
        parts.append(text)
    return "".join([*parts, ending if size + len(ending) < _LIMIT else ""])


def _parts(roots: Sequence[Root], context: Context) -> Iterator[tuple[str, int]]:
    """The text of each root, with how many came before it; advice in one fold, and so what few can mend."""
    kept, aside = divided(roots, show_all=context.show_all)
    unfolded = context.strict or context.show_advice
    grave = [root for root in kept if unfolded or root.lead.severity is not Severity.ADVICE]
    for number, root in enumerate(grave):
        yield "\n" + "\n".join(_finding(root)) + "\n", number
    advice = [root for root in kept if root not in grave]
    number = len(grave)
    for what, mine in (("advice", advice), *((FOLDS[fold], mine) for fold, mine in aside.items())):
        if mine:
            yield _fold(what, [one for root in mine for one in root.findings]), number
        number += len(mine)


def _fold(what: str, findings: Sequence[Finding]) -> str:
    rows = [f"- {place_text(one)} `{one.code}` {prose(one.message)}" for one in findings[:_MOST_ADVICE]]
    rows += [f"- and {len(findings) - _MOST_ADVICE} more"] if len(findings) > _MOST_ADVICE else []
    return f"\n<details><summary>{len(findings)} {what}</summary>\n\n" + "\n".join(rows) + "\n\n</details>\n"


def _overview(roots: Sequence[Root]) -> Iterator[str]:
    """A table of the rules, where there is more than one root."""
    if len(roots) < 2:
        return
    yield "\n| | |\n| --- | --- |\n"
    findings = [one for root in roots for one in root.findings]
    for severity in Severity:
        mine = [one for one in findings if one.severity is severity]
        if mine:
            yield f"| {_MARK[severity]} {len(mine)} | {literal(', '.join(rule_counts(mine)))} |\n"
    lost = losses(findings)
    if lost:
        yield f"| data may be lost or wrong | {literal(places(lost, most=_MOST))} |\n"


def _finding(root: Root) -> Iterator[str]:
    finding = root.lead
    yield f"#### {_MARK[finding.severity]}: {place_text(finding)} `{finding.code}` {finding.name}"
    yield ""
    yield prose(finding.message)
    yield ""
    if finding.actions:
        yield from ranks_table(finding, finding.place.file.path)
        yield ""
    yield prose(remedy(finding))
    yield ""
    if root.further:
        yield f"The same root cause: {literal(places(root.further, most=_MOST))}"
        yield ""
    yield "<details><summary>Show the code</summary>"
    yield ""
    yield from _fenced("\n".join(list(explain(finding, Style(width=100)))[1:-1]))
    yield ""
    yield "</details>"


def ranks_table(finding: Finding, home: str) -> Iterator[str]:
    """A column for each group of ranks: what it does next, and where."""
    actions, ends = finding.actions, finding.ends
    empty = ("",) * (len(actions) - len(ends))
    yield "| " + " | ".join(group_name(action.ranks) for action in actions) + " |"
    yield "| " + " | ".join("---" for _ in actions) + " |"
    yield "| " + " | ".join(_cell(action, home) for action in actions) + " |"
    if ends:
        yield "| " + " | ".join((*(_cell(action, home) for action in ends), *empty)) + " |"


def _cell(action: RankAction, home: str) -> str:
    where = ""
    if action.place is not None:
        path = "" if action.place.file.path == home else f"{literal(action.place.file.path)} "
        line = line_text(action.place)
        where = f", {path}{line if line.startswith('cell') else f'line {line}'}"
    remark = f" ({prose(bare_remark(action.remark))})" if action.remark else ""
    return f"{prose(action.what)}{where}{prose(visited(action))}{remark}"


def place_text(finding: Finding) -> str:
    """Path and line of a finding, as code."""
    text = f"{finding.place.file.path}:{line_text(finding.place)}"
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _fenced(text: str) -> list[str]:
    """A code block whose fence does not occur in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]
