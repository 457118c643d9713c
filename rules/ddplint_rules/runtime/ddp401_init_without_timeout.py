"""DDP401 init-without-timeout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ddplint.rule import (
    Finding,
    Fix,
    Harm,
    Option,
    Place,
    Rule,
    Safety,
    Severity,
    Walk,
)
from ddplint.rule.code import argument, starred
from ddplint.rule.facts import INIT, GroupCall, calls_of, is_test, minutes_of
from ddplint.rule.fixes import Replace, set_keyword, timeout_expression
from ddplint.rule.notes import related
from ddplint_rules.common import reporting
from ddplint_rules.runtime._helpers.made_groups import (
    NEW_GROUP,
    backends,
    default_of,
    has_patient_group,
    may_have_timeout,
    only_sends,
    timed_by_frameworks,
    timed_init,
    work_alone,
)

if TYPE_CHECKING:
    from ddplint_rules.runtime._helpers.slow_work import Wait


_ACCELERATOR = "accelerate.Accelerator"
_IN_TESTS = re.compile(r"(?:^|/)tests?/")
_SHORT = 2
"""Minutes: nobody loads a large model in less."""
_MONITORED = "torch.distributed.monitored_barrier"


class InitWithoutTimeout(Rule):
    """## What it does
    Finds `init_process_group` without a `timeout`, or with one of two minutes or less (also where a framework makes the
    group, `deepspeed.init_distributed`), `new_group` without one where the
    default group has its own, and `monitored_barrier` on a group without one. Of programs that use Accelerate, those
    in which some ranks load, evaluate or save alone while `Accelerator()` keeps the default.

    ## Why is this bad
    The timeout bounds how long a rank waits for the others in every collective, so it must exceed the longest work
    that one rank does alone (tokenising, scanning a data set, writing a checkpoint), and should not exceed it by
    much, or a hang goes unnoticed. The default is finite, but it depends on details: read in torch 2.13, 10 minutes
    for backend `"nccl"`, and 30 minutes for every other backend, for no backend and for `"cpu:gloo,cuda:nccl"`;
    before torch 2.2 it was 30 minutes for NCCL too. `new_group` **does not inherit** the timeout of the default
    group: measured, with 6 seconds at init a collective on a new group waited 14 seconds for its peer, because the
    new group had its 30 minutes.

    A short timeout ends jobs that are sound: loading a model, compiling it, writing a checkpoint or opening the first
    connections takes longer on some rank than the others then wait.

    `monitored_barrier` does not ask its group either: measured, on a group with 5 seconds it waited 14 seconds for
    a late rank and then passed.

    Ten minutes were too short in oumi-ai/oumi#401 and stanford-futuredata/ColBERT#318, another group kept its
    default in pytorch/pytorch#135352.

    ## Example
    ```python
    dist.init_process_group(backend="nccl")
    ```

    ## Use instead
    ```python
    dist.init_process_group(backend="nccl", timeout=timedelta(minutes=30))
    ```

    ## Fix safety
    Safe: only the time until a waiting rank gives up changes. The fix writes 30 minutes unless the
    configuration says otherwise.
    """

    code = "DDP401"
    name = "init-without-timeout"
    severity = Severity.ADVICE
    otherwise = (
        "A warning where some ranks do long work that the others wait for, and a timeout can be written into the call."
    )
    harm = Harm.CRASH
    settable: ClassVar = {
        "minutes": Option(30, "The minutes that the fix writes."),
        "env": Option("", "An environment variable that the fixed program reads the minutes from."),
    }

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        waiting = _long_wait(walks)
        more = _about(waiting)
        for call in calls_of(walks, [INIT]) if not only_sends(walks) else ():
            if argument(call.node, "timeout", 2) is None and not may_have_timeout(call):
                text = f"init_process_group without a timeout: {default_of(call.events)}"
                yield self._reported(call, text + _named(waiting), **more)
            elif argument(call.node, "timeout", 2) is not None and not has_patient_group(walks):
                yield from self._short(call, "timeout", 2)
        for call, timeout in timed_by_frameworks(walks):
            yield from self._short(call, timeout.name, timeout.position)
        for call in calls_of(walks, [_ACCELERATOR]):
            if argument(call.node, "kwargs_handlers", None) is None and not starred(call.node) and work_alone(walks):
                yield self.finding(
                    Place(call.site.file, call.node),
                    "Accelerator() keeps the default timeout, 10 minutes on NCCL"
                    + (_named(waiting) or ", and some ranks work alone"),
                    notes=more.get("notes", ()),
                    no_fix="kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(minutes=...))] sets it",
                )
        for call in calls_of(walks, [NEW_GROUP]):
            parent = next((found for event in call.events if (found := timed_init(event, walks)) is not None), None)
            if parent is not None and argument(call.node, "timeout", 1) is None and not starred(call.node):
                note = related(parent, "this timeout is not inherited")
                text = "new_group does not inherit the timeout of the default group: its own default applies"
                yield self._reported(call, text, notes=(note,))

        for call in calls_of(walks, [_MONITORED]):
            group = argument(call.node, "group", 0)
            if group is not None and argument(call.node, "timeout", 1) is None and not starred(call.node):
                text = "monitored_barrier without a timeout takes the backend's default, not the timeout of its group"
                yield self.finding(Place(call.site.file, call.node), text, no_fix="pass the timeout that is meant")

    def _short(self, call: GroupCall, keyword: str, position: int | None) -> Iterator[Finding]:
        from ddplint_rules.runtime._helpers.timeouts import told

        given = {minutes_of(event.argument(keyword, position)) for event in call.events}
        minutes, path = given.pop() if len(given) == 1 else None, call.site.file.path
        if backends(call.events) == {"gloo"}:
            return  # processors: nothing large is loaded or compiled
        if minutes is not None and minutes <= _SHORT and not is_test(call.site.file) and not _IN_TESTS.search(path):
            yield self.finding(
                Place(call.site.file, call.node),
                f"a timeout of {told(minutes)} for all collectives: what one rank does alone for longer ends the job",
                no_fix="set it to more than the longest work of one rank: loading, compiling, evaluating, saving",
            )

    def _reported(self, call: GroupCall, message: str, **more: Any) -> Finding:
        return self.finding(Place(call.site.file, call.node), message, fix=self._fix(call), **more)

    def _fix(self, call: GroupCall) -> Fix:
        minutes, env = self.option("minutes"), self.option("env")
        built = timeout_expression(call.site, minutes=minutes, env=env)
        edit = Replace(call.site.file, call.node, set_keyword(call.node, "timeout", built.expression))
        where = f"the minutes in {env}" if env else f"{minutes} minutes"
        return Fix(f"Pass a timeout of {where}", Safety.SAFE, (edit, *built.edits))


def _long_wait(walks: Sequence[Walk]) -> Wait | None:
    """Work of some ranks that the others may wait for longer than the default (see DDP402)."""
    from ddplint_rules.runtime._helpers.slow_work import waits

    return next((wait for wait in waits(walks) if wait.known and not wait.limit.own and not wait.first), None)


def _about(wait: Wait | None) -> dict[str, Any]:
    """A warning that shows the work, where some was seen that the others wait for."""
    if wait is None:
        return {}
    note = related(wait.place, "the others wait for this")
    return {"severity": Severity.WARNING, "notes": (note,)}


def _named(wait: Wait | None) -> str:
    if wait is None:
        return ""
    return f", and the others wait while {wait.called} runs on {reporting.who(wait.busy)}"
