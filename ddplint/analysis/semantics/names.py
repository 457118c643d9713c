"""Names: where they are looked up and bound, and who reads one that some ranks do not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, GuardKind, Origin, Reason
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.term import Applied, Call, Method, Part, Symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    WORLD_SIZE,
    Const,
    Container,
    Deferred,
    Either,
    External,
    Function,
    Instance,
    Object,
    PerRank,
    Unknown,
    Value,
    Varying,
    per_rank,
    ranks_of,
)
from ddplint.analysis.interp import visits
from ddplint.analysis.memory import classes, containers, definedness, filling, loop_names, numbers
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.loop_names import RAISED
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import NARROWED
from ddplint.analysis.models.distributed import torch_modules
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.semantics.calling import definitions
from ddplint.analysis.trace.events import Details
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Exit, takes
from ddplint.knowledge import Api, rank_words, tables


def read(w: Interp, node: cst.Name) -> None:
    """A name is read: where there was no iteration, the program ends here."""
    frame, state, name = w.frames[-1], w.state, node.value
    scope: int | None = frame.outer_names.get(name, frame.scope)
    while scope is not None and state.store.get((scope, name), UNBOUND) is UNBOUND:
        scope = w.parents.get(scope)
    if scope is None or not state.mask:
        return
    iterations = loop_names.iterations_of(state.store.get(loop_names.beside((scope, name))), state.store[scope, name])
    if not iterations or _stands_outside(w, scope, name):
        return
    if any(takes(kinds, RAISED) for one in w.tries for kinds in one.handlers):
        return
    for what in iterations:
        if state.path.get(what) is None and state.mask:
            _with_round(w, what, node)


def _with_round(w: Interp, what: Symbol, node: cst.Name) -> None:
    def ends() -> None:
        w.state.leave(Exit(ExitKind.RAISE, w.here(node), raised=RAISED))

    w.fork_choice(what, lambda: w.guard(GuardKind.IF, node, node, Reason.IDENTITY, None), lambda: None, ends)


def _stands_outside(w: Interp, scope: int, name: str) -> bool:
    """Whether an enclosing scope has something by that name."""
    above = w.parents.get(scope)
    while above is not None and w.state.store.get((above, name), UNBOUND) is UNBOUND:
        above = w.parents.get(above)
    return above is not None


def eval_name(w: Interp, node: cst.Name) -> Value:
    if w.state.partial:
        name_read(w, node.value, node)
    if node.value in w.state.bound:
        read(w, node)
    found = lookup(w, node.value, node)
    if type(found) is Function:
        visits.note_named(w, found)
    return found


_NAMED = {"True": TRUE, "False": FALSE, "None": NONE}
_PERHAPS_DEFERRED = frozenset({Deferred, Either})


def lookup(w: Interp, name: str, node: cst.CSTNode) -> Value:
    """A name's value through the enclosing scopes, then the builtins."""
    if name in _NAMED:
        return _NAMED[name]
    frame, store, parents = w.frames[-1], w.state.store, w.parents
    scope: int | None = frame.outer_names.get(name, frame.scope) if frame.outer_names else frame.scope
    while scope is not None:
        found = store.get((scope, name))
        if found is not None:
            found = w.state.narrow(found) if type(found) in NARROWED else found
            if found is not UNBOUND:
                return definitions.settled(w, found, node) if type(found) in _PERHAPS_DEFERRED else found
        scope = parents.get(scope)
    if name in _BUILTINS:
        return External(f"builtins.{name}")
    starred = definitions.through_star(w, w.frame.module.scope, name)
    if starred is not None:
        return starred
    return _unknown(w, name, node)


def _unknown(w: Interp, name: str, node: cst.CSTNode) -> Value:
    """A name nothing defines (star import, injected global, forgotten import): what it usually stands for."""
    usual = w.knowledge.stands_for(name)
    if usual:
        return External(usual)
    return rank_evidence.by_evidence(w, name, node) or Unknown(symbol("name", w.frame.module.name, name))


_BUILTINS = frozenset(dir(__import__("builtins")))


def assign(w: Interp, target: cst.BaseAssignTargetExpression | cst.BaseExpression, value: Value) -> None:
    """Bind a target (name, attribute, subscript, tuple, starred) to a value."""
    if type(target) is cst.Name:
        scope = w.frame.outer_names.get(target.value, w.frame.scope)
        w.state.write((scope, target.value), _by_its_name(value, target.value))
    elif type(target) is cst.Attribute:
        base = w.semantics.evaluate(w, target.value)
        w.semantics.set_attribute(w, base, target.attr.value, _by_its_name(value, target.attr.value), target)
    elif type(target) is cst.Subscript:
        w.semantics.store_item(w, target, value)
    elif type(target) is cst.Tuple or type(target) is cst.List:
        _unpack(w, target, value)


def _by_its_name(value: Value, name: str) -> Value:
    """What something unknown is that gets a name which says who the process is: ``rank, size = somewhere.start()``.

    That name is all there is to go by: the value may be another one on each rank.
    """
    if type(value) is not Unknown or not _says_who(name) or not _is_from_elsewhere(value.symbol):
        return value
    return Unknown(symbol("attr", value.symbol, name), value.source)


@lru_cache(maxsize=4096)
def _is_from_elsewhere(what: object) -> bool:
    """Whether code that was not seen gave something, as it is, or as a number: ``int(somewhere.start())``."""
    what = what.symbol if isinstance(what, Unknown) else what
    if isinstance(what, Call) and str(what.name).partition(".")[0] in {*_BUILTINS, *tables.names("computing")}:
        return not what.args or any(map(_is_from_elsewhere, what.args))
    return isinstance(what, (Applied, Call, Part))


def _says_who(name: str) -> bool:
    return rank_words.WHO_A_PROCESS_IS.search(name.lower()) is not None


def _unpack(w: Interp, target: cst.Tuple | cst.List, value: Value) -> None:
    count = len(target.elements)
    starred = next((i for i, e in enumerate(target.elements) if isinstance(e, cst.StarredElement)), None)
    if isinstance(value, (PerRank, Either)):
        parts = [w.lift(target, lambda v, i=i: _part(w, v, i, count, starred), value) for i in range(count)]
    else:
        parts = [_part(w, value, i, count, starred) for i in range(count)]
    for element, part in zip(target.elements, parts, strict=True):
        assign(w, element.value, part)


def _part(w: Interp, value: Value, index: int, count: int, starred: int | None) -> Value:
    items = containers.items_of(w, value)
    if items is not None and starred is None and len(items) == count:
        return items[index]
    if items is not None and starred is not None and len(items) >= count - 1:
        extra = len(items) - count + 1
        if index < starred:
            return items[index]
        if index == starred:
            return w.container("list", items[starred : starred + extra])
        return items[index + extra - 1]
    selected = numbers.by_mask(w, value, Const(index)) if isinstance(value, Varying) else None
    if selected is not None:
        return selected
    made_of = [given for given in value.args if isinstance(given, Varying)] if isinstance(value, Object) else []
    return terms.derived(("part",), [value, Const(index), *made_of])


_MAY_LACK = (*NARROWED, Instance)

_BEGUN = "begun"

_OF_NONE = frozenset(dir(None))


_KNOWN_METHODS = frozenset({"endswith", "get", "lower", "split", "startswith", "strip", "upper"})

_ANYTHING = "anything"
"""In the name of what was put together of too many values."""


def name_read(w: Interp, name: str, node: cst.Name) -> None:
    """A name is read: tell where some of the active ranks have none by it."""
    frame, store = w.frames[-1], w.state.store
    scope: int | None = frame.outer_names.get(name, frame.scope)
    while scope is not None and store.get((scope, name), UNBOUND) is UNBOUND:
        scope = w.parents.get(scope)
    if scope is None or (scope, name) not in w.state.partial:
        return
    above = w.parents.get(scope)
    while above is not None and not _is_set(w, (above, name)):
        above = w.parents.get(above)
    if above is None:
        _report_unset(w, (scope, name), "NameError", node)


def _is_set(w: Interp, where: Location) -> bool:
    return w.state.store.get(where, UNBOUND) is not UNBOUND


def used(w: Interp, value: Value, node: cst.BaseExpression) -> None:
    """Something is reckoned with, gone through, looked into or called: tell where it is ``None`` on some ranks."""
    value = w.state.narrow(value)
    if isinstance(value, PerRank):
        missing = sum(1 << rank for rank in ranks_of(w.state.mask) if value.values[rank] == NONE)
        if missing and missing != w.state.mask:
            origins = value.trail.links() if value.trail is not None else ()
            _tell(w, missing, node, "TypeError", node, {}, origins)


def item_read(w: Interp, base: Container, index: Value, node: cst.BaseExpression) -> None:
    """``base[index]`` is read: tell where some of the active ranks surely have nothing there that others may have."""
    without, trail = filling.lacking(w, base, index)
    if without:
        origins = trail.links() if trail is not None else ()
        _tell(w, without, node, "KeyError" if base.kind == "dict" else "IndexError", node, {}, origins)


def attribute_read(w: Interp, base: Value, node: cst.Attribute) -> None:
    """An attribute is read: tell where its object is ``None`` on some of the active ranks, or lacks it there."""
    if type(base) not in _MAY_LACK:
        return
    base, name = w.state.narrow(base), node.attr.value
    if isinstance(base, PerRank):
        missing = sum(1 << rank for rank in ranks_of(w.state.mask) if base.values[rank] == NONE)
        if missing and name not in _OF_NONE:
            origins = base.trail.links() if base.trail is not None else ()
            _tell(w, missing, node.value, "AttributeError", node, {}, origins)
    elif isinstance(base, Instance) and (base.id, name) in w.state.partial and name != torch_modules.FLAG:
        asked = (name, "__getattr__", "__getattribute__")
        if any(classes.find_in_class(w, base.cls, one)[0] is not None for one in asked):
            return
        if any(w.project.index.unit(one.module.file).sets_by_name for one in classes.lineage(w, base.cls)):
            return
        if tables.names("plain_bases").issuperset(classes.external_bases(w, base.cls)):
            _report_unset(w, (base.id, name), "AttributeError", node)


def is_there(w: Interp, base: Instance, name: str) -> Value:
    """Whether an object has an attribute that it has on some rank at least."""
    noted = w.state.store.get(definedness.beside((base.id, name)))
    missing = definedness.lacking(w.state, (base.id, name))
    if not missing or not isinstance(noted, definedness.Partly):
        return TRUE
    return per_rank(tuple(FALSE if missing >> rank & 1 else TRUE for rank in range(WORLD_SIZE)), noted.trail)


def tracker_call(w: Interp, row: Api, node: cst.CSTNode) -> None:
    """A tracker is begun, or used: tell where some of the active ranks have not begun it, though others have."""
    if row.effect == Effect.TRACKER:
        w.state.write((w.owner(External(row.name)), _BEGUN), TRUE)
    if row.begun_by and isinstance(node, cst.Call):
        where = w.owner(External(row.begun_by)), _BEGUN
        if where in w.state.partial:
            _report_unset(w, where, row.begun_by, node)


def _report_unset(w: Interp, where: Location, error: str, node: cst.BaseExpression) -> None:
    noted = w.state.store.get(definedness.beside(where))
    missing = definedness.lacking(w.state, where) & w.state.mask
    if missing and isinstance(noted, definedness.Partly):
        _tell(w, missing, node, error, node, noted.path, noted.guard.origins, noted.guard)


def _tell(
    w: Interp,
    missing: int,
    what: cst.BaseExpression,
    error: str,
    node: cst.CSTNode,
    before: Mapping[Symbol, bool],
    origins: Sequence[Origin],
    guard: Guard | None = None,
) -> None:
    """Emit it, where the ranks surely come here and no handler waits for the error."""
    raised = frozenset({error, "Exception", "BaseException", "object"})
    if any(takes(kinds, raised) for try_ in w.tries for kinds in try_.handlers):
        return
    asked = [one for one in w.state.path.known if one not in before]
    if not w.tired and all(map(_is_plain, asked)):
        details: Details = {
            "what": what,
            "lacking": ranks_of(missing),
            "error": error,
            "origins": tuple(origins),
            "set": guard,
        }
        w.emit(error, Effect.UNSET, node, details=details)


def _is_plain(what: object) -> bool:
    """Whether a condition asks for settings and numbers, none of which may say who a rank is."""
    if isinstance(what, str):
        name = what.lower()
        return rank_words.ROLES.search(name) is None or rank_words.NUMBER_OF_PROCESSES.fullmatch(name) is not None
    if not isinstance(what, Symbol):
        return isinstance(getattr(what, "value", 0), (bool, int, float, type(None))) or _is_plain(what.value)  # type: ignore[attr-defined]
    if what.rank_dependent:
        return False
    made = what.whole
    if isinstance(made, Call) and not isinstance(made.name, str):
        return False
    if isinstance(made, Method) and made.name not in _KNOWN_METHODS:
        return False
    return _ANYTHING not in made.content and all(map(_is_plain, made.parts))
