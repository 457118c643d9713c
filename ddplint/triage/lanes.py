"""A verdict as one HTML page: a lane per rank, and what it did last. No script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ddplint.triage.facts import Evidence
from ddplint.triage.report import render_text
from ddplint.triage.verdict import Verdict

if TYPE_CHECKING:
    from ddplint.triage.program import Matched

__all__ = ["render_html"]

_MOST_LANES = 512
_STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#222;background:#fff}
.lane{display:flex;border-top:1px solid #ccc;padding:.3em 0}.rank{width:6em;flex:none;font-weight:600}
.step{border-radius:4px;padding:.1em .6em;margin:0 .4em .2em 0;display:inline-block;background:#e8eef7}
.wait{background:#fde9c8}.dead{background:#f8d0d0}.away{background:#e6d8f5}pre{white-space:pre-wrap}"""


def render_html(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """The page. All texts of the logs are escaped."""
    lanes = "\n".join(_lane(rank, evidence, verdict) for rank in range(min(evidence.size, _MOST_LANES)))
    text = escape(render_text(evidence, verdict, matched))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>ddplint triage</title>'
        f"<style>{_STYLE}</style></head><body><h1>ddplint triage</h1>\n{lanes}\n<pre>{text}</pre></body></html>\n"
    )


def _lane(rank: int, evidence: Evidence, verdict: Verdict) -> str:
    steps: list[tuple[str, str]] = []
    if rank in evidence.enqueued:
        last, done = evidence.enqueued[rank]
        steps.append(("", f"completed #{done}, enqueued #{last}"))
    if rank in evidence.last_said:
        steps.append(("", evidence.last_said[rank]))
    for wait in evidence.waits:
        if wait.rank == rank:
            number = "" if wait.seq is None else f" #{wait.seq}"
            steps.append(("wait", f"waits in {wait.op or 'a collective'}{number}"))
    for stack in evidence.stacks:
        own = stack.own
        if stack.rank == rank and own is not None:
            steps.append(("wait" if rank in verdict.waiting else "dead", f"{own.path}:{own.line} {own.function}"))
            steps.append(("dead", stack.error))
    steps += [("dead", f"exit code {death.exitcode}") for death in evidence.deaths if death.rank == rank]
    if rank in verdict.missing:
        steps.append(("away", "never arrived"))
    told = "".join(f'<span class="step {kind}">{escape(text[:160])}</span>' for kind, text in steps[:12] if text)
    return f'<div class="lane"><div class="rank">rank {rank}</div><div>{told}</div></div>'
