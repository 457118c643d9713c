"""What only the model behind a wrapper has, asked of the wrapper: it raises ``AttributeError`` on every rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Wrapped
from ddplint.analysis.facts.handlers import is_caught
from ddplint.analysis.openworld.values.lacking import names_others
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.analysis.trace.uniformity import is_about_ranks
from ddplint.knowledge import tables
from ddplint.source.ancestry import up_to_function
from ddplint.source.file import SourceFile
from ddplint.source.words import words_in, words_of

_INSIDE = "module"
"""The one attribute by which a program comes to the model inside."""
_BY_NAME = frozenset({"__getattr__", "setattr"})
"""What gives objects attributes whose names nobody sees."""


@dataclass(frozen=True, eq=False)
class Asked:
    """``event`` asks the wrapper that was made at ``made`` for what it lacks."""

    event: Event
    made: Event

    @property
    def sure(self) -> bool:
        """Whether every program of several processes that wraps the model comes there."""
        return _is_written_out(self.made) and self.event.path.items() <= self.made.path.items()


def asked_of_wrapper(walk: Walk) -> Iterator[Asked]:
    """Where an attribute is asked of a wrapper that has none of that name, whatever is behind it."""
    made = {id(event.node): event for event in walk.doing(Effect.CONSTRUCT) if _is_plain_wrapper(event)}
    for event in walk.doing(Effect.LACKING, Effect.BEHIND_WRAPPER):
        model = event.receiver
        wrapper = made.get(id(getattr(model.site, "node", None))) if isinstance(model, Wrapped) else None
        if wrapper is None or event.details.get("imagined") or not _is_written_there(event):
            continue
        files = {id(file): file for file in (wrapper.file, *(frame.file for frame in event.stack))}
        if is_caught(event) or _may_be_bare(event, wrapper) or any(map(_sets_by_name, files.values())):
            continue
        found = Asked(event, wrapper)
        if found.sure or not any(map(names_others, files.values())):  # else it may be asked on the way which one it is
            yield found


def _is_plain_wrapper(event: Event) -> bool:
    """Whether a wrapper of a class that passes on nothing is made; what a method makes, its settings decide."""
    return event.name in tables.names("plain_wrappers") and bool(event.details.get("plain"))


def _is_written_out(wrapper: Event) -> bool:
    """Whether the program names the class of a wrapper, which no setting changes."""
    return wrapper.api is not None and wrapper.api.form == "class"


def _is_written_there(event: Event) -> bool:
    """Whether the attribute is written where it is asked for: ``getattr`` may have another answer."""
    asked = event.node.func if isinstance(event.node, cst.Call) else event.node
    return isinstance(asked, cst.Attribute) and asked.attr.value == event.label


def _may_be_bare(event: Event, wrapper: Event) -> bool:
    """Whether a question on the way, or what is done otherwise, says that there is no wrapper here."""
    asked = (what for what, known in event.path.items() if wrapper.path.get(what) is not known)
    if any(isinstance(what, terms.TypeTest) or is_about_ranks(what) for what in asked):
        return True
    return any(_has_a_way_inside(frame) for frame in event.stack)


def _has_a_way_inside(frame: Frame) -> bool:
    """Whether another arm of a test around it asks the model inside."""
    below = frame.node
    for step in up_to_function(frame.file.ancestors(frame.node)):
        if isinstance(step, (cst.If, cst.IfExp)) and below is not step.test:
            others = [arm for arm in (step.test, step.body, step.orelse) if arm is not None and arm is not below]
            if any(_INSIDE in words_in(arm) for arm in others):
                return True
        below = step
    return False


def _sets_by_name(file: SourceFile) -> bool:
    return not _BY_NAME.isdisjoint(words_of(file))
