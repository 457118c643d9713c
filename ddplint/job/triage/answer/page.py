"""A verdict as one HTML page: the cause, the next steps, what each rank did last, the places that fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.job.triage.answer.advice import next_steps, restart
from ddplint.job.triage.answer.groups import group_lines
from ddplint.job.triage.answer.text import render_text, unknown_lines
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.verdict import CLASSES, Verdict
from ddplint.report.page.lanes import picture
from ddplint.report.page.markup import inline
from ddplint.report.page.sheet import sheet
from ddplint.report.page.snippets import plain

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched


_MOST_LANES = 512
_MOST_PLACES = 5
_MOST_STEPS = 12


def render_html(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """The page. All texts of the logs are escaped."""
    steps = "".join(f"<li>{inline(_sentence(text))}</li>" for text in next_steps(evidence, verdict, matched))
    word, why = restart(verdict)
    head = CLASSES[verdict.cause] if verdict.failed else verdict.headline
    body = [
        f"<header><h1>ddplint triage</h1><p><strong>{plain(_sentence(head))}</strong></p>",
        "".join(f"<p>{plain(_sentence(text))}</p>" for text in verdict.sentences),
        "".join(f"<p>Possible as well: {plain(CLASSES[kind])}.</p>" for kind in verdict.also),
        "".join(f"<p>{plain(_sentence(text))}.</p>" for text in unknown_lines(verdict)),
        f"<p>Start again: {plain(word)}; {plain(why)}.</p>" if verdict.failed else "",
        f'</header><main id="findings" tabindex="-1"><h2>What to do next</h2><ol class="next">{steps}</ol>',
        *_groups(verdict),
        *_lanes(evidence, verdict),
        *_places(matched),
        f"<details><summary>As text</summary><pre>{_lines(render_text(evidence, verdict, matched))}</pre></details>",
        "</main>",
    ]
    return sheet("ddplint triage", "\n".join(part for part in body if part))


def _groups(verdict: Verdict) -> Iterator[str]:
    """What each process group waits in."""
    told = group_lines(verdict.groups)
    if told:
        shown = "".join(f"<li>{plain(_sentence(text))}</li>" for text in told)
        yield f"<h2>What each group waits in</h2><ul>{shown}</ul>"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.splitlines()))


def _lanes(evidence: Evidence, verdict: Verdict) -> Iterator[str]:
    shown = min(evidence.size, _MOST_LANES)
    if not shown:
        return
    yield "<h2>What each rank did last</h2>"
    yield from (_lane(rank, evidence, verdict) for rank in range(shown))
    if shown < evidence.size:
        yield f"<p>{evidence.size - shown} further ranks are not shown.</p>"
    keys = (("waits", "wait", "waits"), ("works", "away", "did not come"), ("ends", "dead", "ended, or stood there"))
    legend = "".join(f'<li><span class="key {key}"></span>{text}</li>' for key, _, text in keys)
    yield f'<ul class="legend" aria-label="Legend">{legend}</ul>'


def _places(matched: Matched | None) -> Iterator[str]:
    """The places of the source that fit, the best first."""
    if matched is None:
        return
    shown = [one for one in matched.candidates if one.because or not matched.fits][:_MOST_PLACES]
    yield "<h2>In the source</h2>"
    if not shown:
        yield "<p>No place where ranks diverge was found.</p>"
    for number, one in enumerate(shown):
        best = "<strong>fits best</strong> " if matched.fits and not number else ""
        why = "".join(f"<li>{plain(text)}</li>" for text in one.because)
        yield (
            f'<article class="finding {one.finding.severity.value}"><h3>{best}<code>{plain(one.place)}</code> '
            f"{plain(one.finding.code)}: {plain(one.finding.message)}</h3>"
            f"{f'<ul>{why}</ul>' if why else ''}{picture(one.finding)}</article>"
        )


def _lane(rank: int, evidence: Evidence, verdict: Verdict) -> str:
    steps: list[tuple[str, str]] = []
    for group in verdict.groups:
        if rank in group.counts:
            told = group.counts[rank]
            name = f" of group {group.name}" if group.name else ""
            steps.append(("", f"completed #{told.completed}, enqueued #{told.enqueued}{name}"))
    if rank in evidence.last_said:
        steps.append(("", evidence.last_said[rank]))
    for wait in evidence.waits:
        if wait.rank == rank:
            number = "" if wait.seq is None else f" #{wait.seq}"
            name = f" of group {wait.group}" if wait.group else ""
            steps.append(("wait", f"waits in {wait.op or 'a collective'}{number}{name}"))
    for stack in evidence.stacks:
        own = stack.own
        if stack.rank == rank and own is not None:
            steps.append(("wait" if rank in verdict.waiting else "dead", f"{own.path}:{own.line} {own.function}"))
            steps.append(("dead", stack.error))
    steps += [("dead", f"exit code {death.exitcode}") for death in evidence.deaths if death.rank == rank]
    if rank in verdict.missing:
        steps.append(("away", "did not come"))
    shown = "".join(f'<li class="{kind}">{plain(text[:160])}</li>' for kind, text in steps[:_MOST_STEPS] if text)
    return f'<div class="lane"><b>rank {rank}</b><ul class="steps">{shown or "<li>nothing in the logs</li>"}</ul></div>'
