"""Markdown for a comment on a pull request: the counts, a table, and each finding explained behind a fold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddplint.report.concise import cell_text
from ddplint.report.context import Context
from ddplint.report.full import bare_remark, explain, group_name
from ddplint.report.summary import count, summary
from ddplint.report.terminal import Style
from ddplint.results import Report
from ddplint.rule import Finding, RankAction, Severity

__all__ = ["render"]

_MARK = {Severity.ERROR: "🔴 error", Severity.WARNING: "🟠 warning", Severity.ADVICE: "🔵 advice"}
_LIMIT = 60_000
"""Characters; a comment on GitHub may have 65,536."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def render(report: Report, context: Context) -> str:
    """The comment. Findings that no longer fit into one are counted."""
    parts = [f"### ddplint\n\n{_plain(summary(report, verbose=True))}\n"]
    parts += [f"- fixed: {_place(one)} `{one.code}` {_plain(one.message)}\n" for one in report.fixed]
    size, left = sum(map(len, parts)), list(report.findings)
    while left:
        text = "\n" + "\n".join(_finding(left[0])) + "\n"
        if size + len(text) > _LIMIT:
            parts.append(f"\nThere is no room here for {count(len(left), 'further finding')}.\n")
            break
        size += len(text)
        parts.append(text)
        left.pop(0)
    problems = [f"- {_plain(str(problem))}" for problem in report.problems]
    if problems and size + sum(map(len, problems)) < _LIMIT:
        parts.append("\n#### Problems\n\n" + "\n".join(problems) + "\n")
    return "".join(parts)


def _finding(finding: Finding) -> Iterator[str]:
    yield f"#### {_MARK[finding.severity]}: {_place(finding)} `{finding.code}` {finding.name}"
    yield ""
    yield _plain(finding.message)
    yield ""
    if finding.actions:
        yield from _table(finding.actions, finding.place.file.path)
        yield ""
    if finding.fix is not None:
        unsafe = "" if finding.fix.safety.value == "safe" else " --unsafe-fixes"
        yield f"`ddplint --fix{unsafe}`: {_plain(finding.fix.title)}"
        yield ""
    elif finding.no_fix:
        yield _plain(finding.no_fix)
        yield ""
    yield "<details><summary>The way there</summary>"
    yield ""
    yield from _fenced("\n".join(list(explain(finding, Style(width=100)))[1:-1]))
    yield ""
    yield "</details>"


def _table(actions: tuple[RankAction, ...], home: str) -> Iterator[str]:
    yield "| " + " | ".join(group_name(action.ranks) for action in actions) + " |"
    yield "| " + " | ".join("---" for _ in actions) + " |"
    yield "| " + " | ".join(_cell(action, home) for action in actions) + " |"


def _cell(action: RankAction, home: str) -> str:
    where = ""
    if action.place is not None:
        path = "" if action.place.file.path == home else f"{action.place.file.path} "
        where = f", {_plain(path)}line {action.place.range.start_line}"
    remark = f" ({_plain(bare_remark(action.remark))})" if action.remark else ""
    return f"{_plain(action.what)}{where}{remark}"


def _place(finding: Finding) -> str:
    text = f"{finding.place.file.path}:{finding.place.range.start_line}{cell_text(finding.place)}"
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _fenced(text: str) -> list[str]:
    """A code block whose fence does not occur in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]


def _plain(text: str) -> str:
    """``text`` so that Markdown shows it as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
