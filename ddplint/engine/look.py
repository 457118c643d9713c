"""One file is walked, and the rules say what they see in the walks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ddplint.analysis.domain.effects import Effect
from ddplint.config.settings import Settings, settings_for
from ddplint.engine.inputs import speaks
from ddplint.engine.isolation import checked, crashes_of, guarded
from ddplint.engine.judging.unread import unread_guards
from ddplint.engine.ladder import climb_down
from ddplint.project.records import Limit
from ddplint.source.file import SourceError, SourceFile
from ddplint.util.budget import allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ddplint.analysis.facts.walk import Walk
    from ddplint.analysis.trace.events import Walk as Walked
    from ddplint.engine.judging.selection import Judge
    from ddplint.engine.records import Outcome
    from ddplint.findings.model import Finding
    from ddplint.project.modules import Project
    from ddplint.project.schedule import Step
    from ddplint.project.visits import Visited


def look(
    step: Step, seen: Iterable[Visited], project: Project, settings: Settings, judge: Callable[[], Judge]
) -> Outcome:
    """Walk one file and run the rules on what was seen. Call it where there is stack enough for deep code.

    Parameters: ``seen``, what callers have done to its definitions; ``judge`` loads the rules, which is not done
    where there is nothing to judge.
    """
    from ddplint.engine.records import Outcome
    from ddplint.project.pool import is_test

    outcome, file = Outcome(), step.file
    project.begin(file, seen)
    with allowed(settings.seconds_per_file) as budget:
        walks = _walks(step, project, settings, judge, outcome)
        outcome.limits += [Limit(file.path, walk.entry, text) for walk in walks for text in walk.limits]
        if budget is not None:
            budget.begin_rules()
        outcome.findings += _said(file, walks, judge(), outcome)
        climb_down(
            walks,
            outcome,
            budget,
            lambda entries: _walks(step, project, settings, judge, outcome, entries),
            lambda coarse: _said(file, coarse, judge(), outcome),
        )
    if outcome.findings and any(walk.uncalled for walk in walks):
        from ddplint.engine.judging.unused import told_apart

        outcome.findings = told_apart(outcome.findings, walks)
    outcome.fleeting |= budget is not None and budget.cut
    _prove(outcome, walks)
    outcome.begins = any(map(_begins, walks))
    if is_test(file):
        outcome.findings = [finding for finding in outcome.findings if is_test(finding.place.file)]
    outcome.problems += crashes_of(project.index)
    outcome.lookups, outcome.reached = project.lookups(), project.newly_visited()
    outcome.answers = tuple(sorted(project.answers.items()))
    outcome.remarks = unread_guards(walks, outcome.lookups, _is_strange)
    return outcome


def _said(file: SourceFile, walks: Sequence[Walk], judge: Judge, outcome: Outcome) -> list[Finding]:
    """What all rules see in walks."""
    return [found for rule in judge.rules_for(file) if walks for found in checked(rule, file, walks, outcome)]


def _walks(
    step: Step,
    project: Project,
    run: Settings,
    judge: Callable[[], Judge],
    outcome: Outcome,
    entries: frozenset[str] | None = None,
) -> list[Walk]:
    """The walks of a file, all or those of some ``entries``."""
    file = step.file
    if step.uses is None:
        if not speaks(file, settings_for(file.path, run), project):
            return []
        outcome.walked = guarded("reading", file, lambda: file.module, outcome) is not None
        if not outcome.walked:
            return []
    else:
        try:
            _ = file.module
        except SourceError as error:
            outcome.limits.append(Limit(file.path, "<module>", f"not followed: {error.message}"))
            return []
    settings = judge().settings_for(file)
    walks = guarded("the walk", file, lambda: _simulate(file, project, settings, step.uses, entries), outcome) or []
    for walk in walks:
        walk.among_many |= step.among_many
    return _for_rules(walks)


def _for_rules(walks: Iterable[Walked]) -> list[Walk]:
    from ddplint.analysis.facts import walk

    return list(map(walk.Walk.of, walks))


def _prove(outcome: Outcome, walks: Sequence[Walk]) -> None:
    """Note which ranks reach what, and keep only the fixes that this speaks for."""
    presence = walks[0].presence if walks else None
    outcome.present = presence.facts() if presence is not None else {}
    if any(finding.fix is not None for finding in outcome.findings):
        from ddplint.fixing.recipes.copies import with_copies
        from ddplint.fixing.recipes.proof import proven

        outcome.findings = [with_copies(proven(finding, presence), presence) for finding in outcome.findings]


def _begins(walk: Walk) -> bool:
    """Whether a walk is that of a program which starts several processes, or makes their group."""
    return walk.is_of_a_script and any(one.effect in (Effect.INIT, Effect.LAUNCH) for one in walk.events)


@cache
def _is_strange(module: str) -> bool:
    """Whether the knowledge tables say nothing of the package of a module."""
    from ddplint.knowledge import load_knowledge

    return load_knowledge().is_strange(module)


def _simulate(
    file: SourceFile,
    project: Project,
    settings: Settings,
    uses: frozenset[str] | None,
    entries: frozenset[str] | None,
) -> list[Walked]:
    from ddplint.analysis import simulate

    return simulate(file, project, settings, uses, entries)
