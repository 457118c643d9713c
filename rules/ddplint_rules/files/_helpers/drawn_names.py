"""Names that each rank draws for itself: from the clock, a random number, a temporary folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from ddplint.rule import Const, Effect, Event, Origin, PerRank, Reason, Symbol, Value, Varying, terms
from ddplint.rule.code import Tree, descend, dotted, nodes_of, tree_of, variable_of
from ddplint.rule.facts import existence, paths, uniformity

_CAUSES = frozenset({Reason.CLOCK, Reason.RANDOM})
_COUNTED = "entries counted"
_FINE = re.compile(r"%-?[HIMSsfcXT]")


def name_in(value: Value | None) -> Varying | None:
    """The part of a path that every rank drew for itself, unless it is the day."""
    if isinstance(value, PerRank):
        each = [name_in(part) for part in value.values]
        return each[0] if None not in each else None
    for part in uniformity.parts(value):
        if isinstance(part, PerRank) and (found := name_in(part)) is not None:
            return found
        if not isinstance(part, Varying) or part.trail is None:
            continue
        if part.reason is Reason.FILESYSTEM and _is_looked_up(part.trail.links()[0]):
            return part
        if part.reason not in _CAUSES:
            continue
        if not _is_day(part.symbol) and not _asks_for_day(part.trail.links()[0].node):
            return part
    return None


def is_probed(origin: Origin) -> bool:
    """Whether a name was found by looking for one that is free: ``while exists(name): name = next one``.

    Or by counting what there is: ``f"run{len(os.listdir(folder))}"`` in that folder.
    """
    return origin.text == _COUNTED or existence.asked_again(origin)


def is_chosen(origin: Origin) -> bool:
    """Whether one of two names is taken, by whether something is there: ``if exists(folder): name = another``."""
    return origin.text != _COUNTED and existence.asked_once(origin)


def _is_looked_up(origin: Origin) -> bool:
    return is_probed(origin) or is_chosen(origin)


def _is_day(what: object, depth: int = 6) -> bool:
    """Whether a clock is read to the day only: ``strftime("%Y-%m-%d")``."""
    for part in what.parts if depth and isinstance(what, Symbol) else ():
        if isinstance(part, Const) and isinstance(part.value, str) and "%" in part.value:
            return _FINE.search(part.value) is None
        if _is_day(part, depth - 1):
            return True
    return False


def is_by_the_minute(origin: Origin, events: Iterable[Event]) -> bool:
    """Whether what a name holds of the clock changes once a minute or less: ranks rarely draw on both sides of that."""
    parts = [
        part
        for event in events
        for value in paths_in(event)
        for part in uniformity.parts(value)
        if isinstance(part, Varying) and part.reason in _CAUSES
    ]
    fields = set(_fields(origin))
    shown = [set(_units(part.symbol)) or fields for part in parts]
    return bool(shown) and all(units and units <= _SLOW for units in shown)


def _fields(origin: Origin) -> Iterator[str]:
    """What a function asks of the time that it keeps in a variable: ``now.tm_min``."""
    tree = tree_of(origin.file.module)
    if origin.node not in tree:
        return
    function, name = tree.function(origin.node), _variable(tree, origin.node)
    if function is not None and name is not None:
        asked = nodes_of(function, cst.Attribute, into_functions=False)
        yield from (node.attr.value for node in asked if dotted(node.value) == name)


_SLOW = frozenset("YyGCmbBhdjaAuwUWVDxHIMpRZz") | frozenset(
    "year month day hour minute tm_year tm_mon tm_mday tm_hour tm_min tm_wday tm_yday".split()
)
"""What of a time changes by the minute at most: directives of a format, attributes."""
_UNITS = frozenset("second microsecond nanosecond tm_sec".split()) | {one for one in _SLOW if len(one) > 1}


def _units(what: object, depth: int = 8) -> Iterator[str]:
    """The directives and attributes by which a term shows a time."""
    for part in what.parts if depth and isinstance(what, Symbol) else ():
        if isinstance(part, Const) and isinstance(part.value, str):
            yield from _DIRECTIVE.findall(part.value)
        yield from _units(part, depth - 1)
    if isinstance(what, terms.Attr) and what.name in _UNITS:
        yield what.name


_DIRECTIVE = re.compile(r"%-?([A-Za-z])")


def _asks_for_day(drawn: cst.CSTNode) -> bool:
    """Whether the draw itself says the format: ``time.strftime("%Y-%m-%d")``."""
    if not isinstance(drawn, cst.Call) or not drawn.args or not isinstance(drawn.args[0].value, cst.SimpleString):
        return False
    text = drawn.args[0].value.value
    return "%" in text and _FINE.search(text) is None


def paths_in(event: Event) -> Iterator[Value]:
    """The paths that an event touches, or what a call that could not be followed is given."""
    if event.effect == Effect.OPAQUE:
        yield from event.args
    for value in (event.details.get("path"), event.details.get("target")):
        if value is not None:
            yield value


def draw_of(event: Event) -> Origin | None:
    """Where the name in an event's path was drawn."""
    for value in paths_in(event):
        found = name_in(paths.where(value, event.path))
        if found is not None and found.trail is not None and not _is_cut_off(value, found, found.trail.links()[0]):
            return found.trail.links()[0]
    return None


def _is_cut_off(path: Value, drawn: Varying, origin: Origin) -> bool:
    """Whether what was drawn is in a part of the path that is not meant: ``dirname(f"{folder}/log-{time}")``."""
    made = origin.text
    names = [part for one in paths.all_paths(path) for name in one for part in name]
    return bool(names) and paths.holds(drawn, made) and not any(paths.holds(part, made) for part in names)


def is_salted(origin: Origin) -> bool:
    """Whether a name holds the hash of a text, which is another number in each process, of this run and of the next."""
    return origin.text.startswith("hash()")


def given_out(origin: Origin, after: Event) -> Iterator[cst.CSTNode]:
    """Each ``return`` or ``yield`` of the very variable that the draw is assigned to, beside and below an event."""
    tree = tree_of(origin.file.module)
    if after.file is not origin.file or after.node not in tree or origin.node not in tree:
        return
    function, name = tree.function(origin.node), _variable(tree, origin.node)
    if function is None or name is None or tree.function(after.node) is not function:
        return
    for node in descend(function, into_functions=False):
        if not isinstance(node, (cst.Return, cst.Yield)) or tree.order(node) < tree.order(after.node):
            continue
        if isinstance(node.value, cst.Name) and node.value.value == name:
            yield node


def _variable(tree: Tree, drawn: cst.CSTNode) -> str | None:
    variable = variable_of(tree.statement(drawn))
    return variable.value if variable is not None else None


def names_rank(event: Event) -> bool:
    """Whether a path also says whose file it is."""
    return any(isinstance(part, PerRank) for value in paths_in(event) for part in uniformity.parts(value))
