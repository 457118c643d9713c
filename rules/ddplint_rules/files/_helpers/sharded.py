"""Sharded models that are written without being gathered."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Effect, Either, Event, Note, Place, Reason, Unknown, Value, Varying, Walk, Wrapped, terms
from ddplint.rule.code import Site, argument, calls_in, words_in
from ddplint.rule.facts import uniformity
from ddplint.rule.notes import parted_at

_BY_LAUNCH = "sharded_by_launch"
"""The role of what gathers shards where the launcher, not the program, was asked to make some."""

_SHARDS = re.compile(r"deepspeed|fsdp|fully_?sharded|zero_?3|stage_?3")
_SPEAKS = re.compile(r"(?<![a-z])(?:deepspeed|fsdp|zero_?3|zero_stage|stage_?3)", re.IGNORECASE)

_COPIES = frozenset({"copy.deepcopy"})

_IS_OFF = re.compile(r"""\b(?:deepspeed|fsdp)\s*=\s*(?:""|\'\'|None\b|False\b)""")


def may_gather(walk: Walk, event: Event) -> bool:
    """Whether some ranks, because of who they are, gather a model of which the file says that it may be in shards.

    Not where they asked for that before, nor where the others, who parted from them earlier, come to the same place.
    """
    by_launch = event.api is not None and _BY_LAUNCH in event.api.also
    if not by_launch or event.details.get("sharded") or not event.by_some:
        return False
    if any(guard.guess for guard in event.guards) or not _speaks(event.file.text) or _asked(event):
        return False
    if _is_plain_copy(event):
        return False
    same = (other.ranks for other in walk.events if other.node is event.node)
    return frozenset().union(*same) != event.everyone


def _is_plain_copy(event: Event) -> bool:
    """Whether what is gathered is a copy made of the model before that was wrapped, and is not wrapped itself."""
    site = Site(event.file, event.node)
    value = event.args[0] if event.args else event.kwargs.get("model")
    written = next((argument(call, "model", 0) for call in calls_in(event.node) if call is event.node), None)
    if value is None or written is None or any(isinstance(part, Wrapped) for part in uniformity.parts(value)):
        return False
    made = site.values_of(written)
    copies = [one for one in made for call in calls_in(one) if call is one and site.qualified(call.func) in _COPIES]
    return bool(made) and len(copies) == len(made)


def _speaks(text: str) -> bool:
    """Whether a file says that the model may be in shards, other than to refuse it (``assert … != FSDP``)."""
    lines = (line.strip() for line in text.splitlines() if _SPEAKS.search(_IS_OFF.sub("", line)))
    return any(not line.startswith(("assert ", "raise ")) for line in lines)


def _asked(event: Event) -> bool:
    """Whether a condition on the way to an event asks for shards."""
    if any(uniformity.mentions(what.whole, _SHARDS, texts=True) for what in event.path):
        return True
    tests: list[cst.CSTNode] = [guard.node for guard in event.guards]
    for frame in event.stack:
        above = Site(frame.file, frame.node).tree.ancestors(frame.node)
        tests += [step.test for step in above if isinstance(step, (cst.If, cst.IfExp))]
    return any(_SHARDS.search(word.lower()) for test in tests for word in words_in(test))


def writes_own_shard(event: Event) -> bool:
    """Whether some ranks, because of who they are, write a state dict that holds their shard of a model only."""
    if event.effect != Effect.WRITE or event.by_all:
        return False
    if not any(guard.reason is Reason.IDENTITY for guard in event.guards):
        return False
    return any(_is_shard(value) for value in event.details.get("content", ()))


def _is_shard(value: Value) -> bool:
    if isinstance(value, Either):
        return _is_shard(value.yes) and _is_shard(value.no)
    if not isinstance(value, (Unknown, Varying)):
        return False
    made = value.symbol
    if not isinstance(made, terms.Method) or made.name != "state_dict":
        return False
    given = (made.receiver, *made.args)
    return any(isinstance(part, Wrapped) and part.api.wraps == "fully_shard" for part in given)


def notes(event: Event) -> Iterator[Note]:
    """The guards around a write, and the calls that lead to it."""
    for guard in event.guards:
        yield from parted_at(guard, "only some ranks enter")
    for frame in event.stack[:-1]:
        yield Note("caller", Place.of(frame), frame.function)
