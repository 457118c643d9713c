"""Guards that could not be read: a name of a module that was not found decides whether ranks meet.

What stands behind such a guard is not compared, since nobody knows on which ranks it is true. That is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ddplint.analysis.domain.effects import MEETS
from ddplint.analysis.domain.term import Symbol
from ddplint.findings.results import Problem
from ddplint.knowledge import rank_words
from ddplint.project.records import Lookup

if TYPE_CHECKING:
    from ddplint.analysis.trace.events import Event, Walk


_ASKS_WHO = re.compile(
    r"(?<![a-z])rank(?![a-z])|rank_?(?:0|zero)|global_zero"
    r"|(?:is|am|on|if|in)_(?:the_)?(?:main|master|primary|chief|leader|lead|root)(?![a-z])"
    r"|(?:main|master|primary|chief|lead)_(?:proc|node|worker|host)",
    re.IGNORECASE,
)


def unread_guards(walks: Iterable[Walk], lookups: Iterable[Lookup], strange: Callable[[str], bool]) -> list[Problem]:
    """One warning for each name that was not found and seems to ask for the rank before ranks meet.

    Parameters: ``lookups``, the modules that were asked for; ``strange``, whether the knowledge tables say nothing of
    a module's package.
    """
    missing = {one.name for one in lookups if not one.found} - {one.name for one in lookups if one.found}
    absent = {name for name in missing if name and strange(name)}
    found: dict[str, Problem] = {}
    seen: set[int] = set()
    for walk in walks if absent else ():
        for event in walk.events:
            if event.effect in MEETS:
                for name in _asked(event, seen):
                    if name not in found and (module := _module_of(name, absent)):
                        found[name] = _problem(name, module, event, walk)
    return list(found.values())


def _asked(event: Event, seen: set[int]) -> Iterator[str]:
    """The dotted names of calls and values on the way to an event that seem to ask who a rank is.

    Parameters: ``seen``, the parts (by ``id``) that were looked at before: symbols share theirs, many times over.
    """
    stack: list[object] = list(event.path)
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        for inner in _parts(part):
            if isinstance(inner, str):
                if "." in inner and _ASKS_WHO.search(inner.rpartition(".")[2]):
                    yield inner
            else:
                stack.append(inner)


def _parts(part: object) -> tuple[object, ...]:
    if isinstance(part, Symbol):
        return part.whole.parts
    name = getattr(part, "name", None)
    return (name,) if isinstance(name, str) else ()


def _module_of(name: str, absent: set[str]) -> str:
    module = name.rpartition(".")[0]
    return module if module in absent else ""


def _problem(name: str, module: str, event: Event, walk: Walk) -> Problem:
    asked = next((one for one in walk.events if one.name == name), event)
    where = asked.file.range_of(asked.node)
    met = f"{event.name.rpartition('.')[2]} (line {event.file.range_of(event.node).start_line})"
    own = name.rpartition(".")[2]
    is_rank = rank_words.ENDS_IN_RANK.search(own) is not None
    remedy = "check its folder too" + ("" if is_rank else ", or name it under knowledge.rank-predicates")
    text = f"`{own}` from {module} was not found: whether all ranks reach {met} was not checked; {remedy}"
    return Problem(text, asked.file.path, where.start_line, where.start_col, fatal=False)
