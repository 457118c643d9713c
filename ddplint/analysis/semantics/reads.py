"""Reads of names and attributes that some of the reading ranks do not have, or have ``None`` in; trackers, too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    WORLD_SIZE,
    External,
    Instance,
    PerRank,
    Value,
    per_rank,
    ranks_of,
)
from ddplint.analysis.memory import definedness
from ddplint.analysis.memory.store import NARROWED
from ddplint.analysis.models import training
from ddplint.analysis.semantics import attributes
from ddplint.analysis.trace.nodes import takes

if TYPE_CHECKING:
    from ddplint.analysis.domain.facts import Guard, Origin
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.analysis.memory.store import Location
    from ddplint.knowledge import Api

_PLAIN_BASES = frozenset({"abc.ABC", "builtins.object", "torch.nn.Module", "torch.nn.modules.Module", "typing.Generic"})
"""Outside classes that give no object an attribute of another name."""
_MAY_LACK = (*NARROWED, Instance)
_BEGUN = "begun"
_OF_NONE = frozenset(dir(None))
_ROLES = re.compile(r"chief|coord|driver|first|head|lead|log|main|master|primary|proc|rank|root|verbose|worker|zero")
_KNOWN_METHODS = frozenset({"endswith", "get", "lower", "split", "startswith", "strip", "upper"})
_ANYTHING = "anything"
"""In the name of what was put together of too many values."""


def name_read(w: Walker, name: str, node: cst.Name) -> None:
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
        _tell_unset(w, (scope, name), "NameError", node)


def _is_set(w: Walker, where: Location) -> bool:
    return w.state.store.get(where, UNBOUND) is not UNBOUND


def attribute_read(w: Walker, base: Value, node: cst.Attribute) -> None:
    """An attribute is read: tell where its object is ``None`` on some of the active ranks, or lacks it there."""
    if type(base) not in _MAY_LACK:
        return
    base, name = w.state.narrow(base), node.attr.value
    if isinstance(base, PerRank):
        missing = sum(1 << rank for rank in ranks_of(w.state.mask) if base.values[rank] == NONE)
        if missing and name not in _OF_NONE:
            origins = base.trail.links() if base.trail is not None else ()
            _tell(w, missing, node.value, "AttributeError", node, {}, origins)
    elif isinstance(base, Instance) and (base.id, name) in w.state.partial and name != training.FLAG:
        asked = (name, "__getattr__", "__getattribute__")
        if any(attributes.find_in_class(w, base.cls, one)[0] is not None for one in asked):
            return
        if any(one.module.sets_by_name for one in attributes.lineage(w, base.cls)):
            return
        if all(one in _PLAIN_BASES for one in attributes.external_bases(w, base.cls)):
            _tell_unset(w, (base.id, name), "AttributeError", node)


def is_there(w: Walker, base: Instance, name: str) -> Value:
    """Whether an object has an attribute that it has on some rank at least."""
    noted = w.state.store.get(definedness.beside((base.id, name)))
    missing = definedness.lacking(w.state, (base.id, name))
    if not missing or not isinstance(noted, definedness.Partly):
        return TRUE
    return per_rank(tuple(FALSE if missing >> rank & 1 else TRUE for rank in range(WORLD_SIZE)), noted.trail)


def tracker_call(w: Walker, row: Api, node: cst.CSTNode) -> None:
    """A tracker is begun, or used: tell where some of the active ranks have not begun it, though others have."""
    if row.effect == "tracker":
        w.state.write((w.owner(External(row.name)), _BEGUN), TRUE)
    if row.begun_by and isinstance(node, cst.Call):
        where = w.owner(External(row.begun_by)), _BEGUN
        if where in w.state.partial:
            _tell_unset(w, where, row.begun_by, node)


def _tell_unset(w: Walker, where: Location, error: str, node: cst.BaseExpression) -> None:
    noted = w.state.store.get(definedness.beside(where))
    missing = definedness.lacking(w.state, where) & w.state.mask
    if missing and isinstance(noted, definedness.Partly):
        _tell(w, missing, node, error, node, noted.path, noted.guard.origins, noted.guard)


def _tell(
    w: Walker,
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
        details = {"what": what, "lacking": ranks_of(missing), "error": error, "origins": tuple(origins), "set": guard}
        w.emit(error, "unset", node, details=details)


def _is_plain(what: object) -> bool:
    """Whether a condition asks for settings and numbers, none of which may say who a rank is."""
    if isinstance(what, str):
        return _ROLES.search(what.lower()) is None
    if not isinstance(what, Symbol):
        return isinstance(getattr(what, "value", 0), (bool, int, float, type(None))) or _is_plain(what.value)  # type: ignore[attr-defined]
    if what.parts_ranks:
        return False
    key = what.made_of if what.key[0] == "big" else what.key
    if key[0] == "call" and not isinstance(key[1], str):
        return False
    if key[0] == "method" and key[1] not in _KNOWN_METHODS:
        return False
    return _ANYTHING not in key and all(map(_is_plain, key[1:]))
