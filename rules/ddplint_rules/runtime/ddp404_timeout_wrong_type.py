"""DDP404 timeout-wrong-type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Const, Effect, Event, Finding, Fix, Harm, Place, Rule, Safety, Severity, Value, Walk
from ddplint.rule.code import Site, argument, descend, dotted, nodes_of
from ddplint.rule.facts import GroupCall, always_before, calls_of, is_number, last_name, name_words
from ddplint.rule.fixes import Replace, wrap_in_timedelta
from ddplint.rule.knowledge import load_knowledge
from ddplint.rule.notes import related

_HANDLER = "accelerate.InitProcessGroupKwargs"
_DEEPSPEED = "deepspeed.comm.init_distributed"
_UNITS = {
    "minutes": {"minute", "minutes", "min", "mins"},
    "hours": {"hour", "hours"},
    "milliseconds": {"ms", "millis", "milliseconds"},
}


class TimeoutWrongType(Rule):
    """## What it does
    Finds a process-group timeout that is a number where a `datetime.timedelta` is required, that uses `timedelta`
    or `datetime` without importing it, or that is passed when the group exists already.

    ## Why is this bad
    The call raises on every rank, at start-up. Measured with torch 2.13: `timeout=5`, `5.0` or `"5"` raises
    `TypeError: Expected timeout argument to be of type datetime.timedelta, got 5`, in `init_process_group` and
    `new_group` alike; `barrier(timeout=5)` raises `TypeError: incompatible function arguments`. A timeout handed to
    a framework that finds the group already made raises nothing and changes nothing (huggingface/accelerate#1401).

    ## Example
    ```python
    dist.init_process_group("nccl", timeout=1800)
    ```

    ## Use instead
    ```python
    from datetime import timedelta

    dist.init_process_group("nccl", timeout=timedelta(seconds=1800))
    ```

    ## Fix safety
    Safe: the line raised before. The fix reads the number as seconds, unless its name says minutes, hours or
    milliseconds, and adds the import in the file's own style.
    """

    code = "DDP404"
    name = "timeout-wrong-type"
    severity = Severity.ERROR
    otherwise = "A warning where the timeout has no effect because the group is there already."
    harm = Harm.CRASH

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for call in calls_of(walks, load_knowledge().quiet("timed")):
            row = load_knowledge().lookup(call.name)
            position = row.timeout.position if row is not None else None
            given = argument(call.node, "timeout", position) if position is not None else None
            if given is not None and position is not None:
                yield from self._of_value(call, given, position)
        for walk in walks:
            yield from self._too_late(walk)

    def _too_late(self, walk: Walk) -> Iterator[Finding]:
        """A timeout for a framework that finds the group made already."""
        made: list[Event] = []
        asked: Event | None = None
        for event in walk.doing(Effect.TIMEOUT, Effect.INIT):
            if event.effect == Effect.TIMEOUT and event.name == _HANDLER and "timeout" in event.kwargs:
                asked = event
            if event.effect != Effect.INIT:
                continue
            first = next((other for other in made if always_before(other, event)), None)
            told = asked if event.name.startswith("accelerate.") and "kwargs_handlers" in event.kwargs else None
            if event.name == _DEEPSPEED and "timeout" in event.kwargs:
                told = event
            if first is not None and told is not None:
                note = related(first, "the group is made here")
                text = f"this timeout has no effect: the process group exists when {event.label} is called"
                place = Place.of(told)
                remedy = "pass the timeout where the group is made"
                yield self.finding(place, text, severity=Severity.WARNING, notes=(note,), no_fix=remedy)
            made.append(event)

    def _of_value(self, call: GroupCall, given: cst.BaseExpression, position: int) -> Iterator[Finding]:
        seen = [value for event in call.events if (value := _value(event.args, event.kwargs, position)) is not None]
        kind = is_number(call.site, given, seen)
        short = last_name(call.name)
        if kind is not None and not (kind is float and call.name in load_knowledge().quiet("timed_by_number")):
            article = "an int" if kind is int else "a float"
            text = f"{short} takes its timeout as a timedelta, not {article}: it raises TypeError on every rank"
            yield self.finding(Place(call.site.file, given), text, fix=_wrapped(call.site, given))
        elif any(isinstance(value, Const) and isinstance(value.value, str) for value in seen):
            text = f"{short} takes its timeout as a timedelta, not a string: it raises TypeError on every rank"
            yield self.finding(Place(call.site.file, given), text, no_fix="pass timedelta(seconds=...)")
        else:
            yield from self._of_names(call.site, given)

    def _of_names(self, site: Site, given: cst.BaseExpression) -> Iterator[Finding]:
        for node in descend(given):
            written = dotted(node.func) if isinstance(node, cst.Call) else ""
            if not isinstance(node, cst.Call) or written not in ("timedelta", "datetime.timedelta"):
                continue
            reason = _unusable(site, node.func, written)
            if reason:
                named = site.name("datetime.timedelta")
                edits = (Replace(site.file, node.func, named.expression), *named.edits)
                if written == "timedelta" and dotted(named.expression) == written:
                    edits = named.edits
                fix = Fix("Import timedelta", Safety.SAFE, edits)
                yield self.finding(Place(site.file, given), reason, fix=fix)


def _value(args: Sequence[Value], kwargs: object, position: int) -> Value | None:
    if isinstance(kwargs, dict) and "timeout" in kwargs:
        found: Value = kwargs["timeout"]
        return found
    return args[position] if position < len(args) else None


def _wrapped(site: Site, given: cst.BaseExpression) -> Fix:
    words = name_words(given)
    unit = next((unit for unit, names in _UNITS.items() if words & names), "seconds")
    built = wrap_in_timedelta(site, given, unit=unit)
    edits = (Replace(site.file, given, built.expression), *built.edits)
    return Fix(f"Wrap the {unit} in a timedelta", Safety.SAFE, edits)


def _unusable(site: Site, node: cst.BaseExpression, written: str) -> str:
    """Why ``timedelta`` cannot be reached under the name that is written; ``""`` where it can, or nobody knows."""
    first = written.partition(".")[0]
    found = site.scopes.lookup(first, node)
    if found is None:
        if any(nodes_of(site.module, cst.ImportStar)):
            return ""
        return f"{first} is used in the timeout but not imported: the call raises NameError on every rank"
    if site.qualified(node) == "datetime.datetime.timedelta":
        return "datetime is the class here, which has no timedelta: the call raises AttributeError on every rank"
    return ""
