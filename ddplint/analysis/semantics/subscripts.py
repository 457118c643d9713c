"""``base[index]``, read, sliced and written."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain import provenance, terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import trail_of
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import CUT, fresh, symbol
from ddplint.analysis.domain.term import Len
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    Bound,
    Class,
    Const,
    Container,
    External,
    Function,
    Group,
    Instance,
    Object,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import classes, containers, filling, numbers, presence
from ddplint.analysis.memory.contents import members, own_keys, ways
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import as_long, fitting, tried_sizes
from ddplint.analysis.models import results, unmodelled
from ddplint.analysis.models.data import loaders, parameters, sharing
from ddplint.analysis.models.distributed import drawn_members
from ddplint.analysis.models.distributed.meshes import asked
from ddplint.analysis.models.python import container_methods, environment
from ddplint.analysis.openworld.programs import orders, shuffles
from ddplint.analysis.openworld.values import class_choice, name_patterns, reflective_writes
from ddplint.analysis.semantics import may_raise, names
from ddplint.util import figures


def item(w: Interp, node: cst.CSTNode, base: Value, index: Value) -> Value:
    """``base[index]``."""
    if isinstance(base, External) and base.name == "os.environ" and isinstance(index, Const):
        return environment.environment(w, str(index.value), node, None)
    part = f"{base.name}[{index.value}]" if isinstance(base, External) and isinstance(index, Const) else ""
    if part and (known := w.knowledge.constant(part)) is not None:
        return Const(known)
    if isinstance(base, Class) or _is_generic(base, index):
        return base
    name = index.value if isinstance(index, Const) else None
    if isinstance(name, str) and (owner := reflective_writes.owner_of_names(base)) is not None:
        return w.semantics.get(w, owner, name, node)
    base = members.inside(w, base)
    if isinstance(index, Varying) and isinstance(base, Container) and _holds_several(w, base):
        return terms.derived(("item",), [base, index])
    if isinstance(base, Container) and w.record(presence.Drawing).drawn and _is_of_this_rank(w, base, index):
        assert isinstance(index, Varying)
        return Varying(Reason.DATA, symbol("item", base, terms.key_of(index)), index.trail)
    if isinstance(base, Instance) and (isinstance(name, str) or w.record(presence.Drawing).drawn):
        method, _ = classes.find_in_class(w, base.cls, "__getitem__")
        if isinstance(method, Function):  # a data set around another one, or settings under their names
            return w.semantics.call_value(w, method, [base, index], {}, node)
    pairs = containers.pairs_of(w, base)
    if pairs is not None:
        for pair in reversed(pairs):
            if isinstance(pair, Tuple) and pair.items[0] == index:
                return pair.items[1]
    if isinstance(base, Container) and (factory := w.state.read((base.id, "factory"))) is not None:
        made = _made_by_asking(w, base, index, factory, node)
        if made is not None:
            return made
    elif pairs is not None:
        if (picked := name_patterns.under_a_key(w, index, pairs)) is not None:
            return picked
        return class_choice.note(w, base, Unknown(symbol("item", base, terms.key_of(index))))
    stored = containers.stored_item(w, base, index)
    if stored is not None:
        return stored
    sample = containers.sample_of(w, base, node) or containers.kept_under(w, base, index)
    if sample is not None:
        return sample
    items = containers.items_of(w, members.held(w, base))
    if items is not None and isinstance(index, Const) and isinstance(index.value, int):
        try:
            return items[index.value]
        except IndexError:
            return unknown("item")
    if items is not None and items and all(isinstance(i, (Function, Class, Bound, Partial)) for i in items):
        return unknown("item")
    if isinstance(base, Group) and (dimensions := asked.item(w, base, index)) is not None:
        return dimensions
    if isinstance(base, Group):
        return Group(w.owner(("part", base, terms.key_of(index))), None)
    local = varying_in(base)
    if isinstance(base, Object) and local is None:
        made = results.typed(w, f"{base.name}.__getitem__", terms.derived(("item",), [base, index]))
        return shuffles.handed_on(w, None, base, made)
    if isinstance(base, Container) and local is None:
        local = varying_in(w.state.read((base.id, "")) or NONE)
        if local is not None:
            reason = Reason.DATA if local.reason is Reason.LENGTH else local.reason
            return Varying(reason, symbol("item", local.symbol, terms.key_of(index)), local.trail)
    if isinstance(base, Container) and _is_of_this_rank(w, base, index):
        assert isinstance(index, Varying)
        return Varying(Reason.DATA, symbol("item", base, terms.key_of(index)), index.trail)
    if isinstance(base, Container):
        return Unknown(
            symbol("item", base, terms.key_of(index), w.owner(("content", w.state.store.get((base.id, "")))))
        )
    if unmodelled.is_field_of_file(w, base, index):
        return Unknown(symbol("field", id(node), index))  # whichever rank's file it is
    return class_choice.note(w, base, terms.derived(("item",), [base, index]))


def _is_of_this_rank(w: Interp, base: Container, index: Value) -> bool:
    """Whether a list of nobody knows what is asked by a number that only this rank goes through."""
    if not isinstance(index, Varying) or index.reason is not Reason.DATA or base.kind != "list" or index.trail is None:
        return False
    shared_out = index.symbol.is_fresh("element") and any(origin.ranks for origin in index.trail.links())
    own = shared_out or index.symbol.is_fresh(loaders.NUMBER)
    return own and (w.record(presence.Drawing).drawn or isinstance(w.state.read((base.id, "")), Unknown))


def _holds_several(w: Interp, base: Container) -> bool:
    """Whether it is known which constants a container holds, and that they are not all the same."""
    pairs = containers.pairs_of(w, base)
    held = containers.items_of(w, base) if pairs is None else [p.items[1] for p in pairs if isinstance(p, Tuple)]
    return held is not None and all(isinstance(one, Const) for one in held) and len(set(held)) > 1


def _is_generic(base: Value, index: Value) -> bool:
    """Whether it is a class of a library with its parameters, ``List[int]``; ``NAMES[label]`` is asked for data."""
    return isinstance(base, External) and base.name.rpartition(".")[2][:1].isupper() and varying_in(index) is None


def _made_by_asking(w: Interp, base: Container, index: Value, factory: Value, node: cst.CSTNode) -> Value | None:
    """Who asks a ``defaultdict`` for a new key makes it; its value, where it is known that the key was not there."""
    if filling.keyed(w, base, index):
        return None
    content = w.state.read((base.id, "")) or NONE
    if isinstance(index, Const) and ways.is_known(content):
        there = containers.stored_item(w, base, index)
        if there is not None and ways.has_key(content, index) is not False:
            w.state.write((base.id, ""), ways.with_key(content, index))
            return there
        value = w.semantics.call_value(w, factory, [], {}, node)
        set_item(w, base, index, value, node)
        return value
    if isinstance(content, Tuple):
        w.state.write((base.id, ""), Unknown(fresh("content")))
    return None


def eval_subscript(w: Interp, node: cst.Subscript) -> Value:
    base = w.semantics.evaluate(w, node.value)
    if type(base) is PerRank:
        w.semantics.used(w, base, node.value)
    may_raise.note_use(w, base)
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = w.semantics.evaluate(w, node.slice[0].slice.value)
        may_raise.note_use(w, index)
        if type(base) is Container:
            names.item_read(w, base, index, node)
        _note_share(w, base, index, node)
        share = sharing.of_parts(w, w.state.narrow(base), index, node)
        if share is not None:
            return share
        return w.lift(node, lambda b, i: numbers.by_mask(w, b, i) or item(w, node, b, i), base, index)
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice):
        cut = node.slice[0].slice
        bounds = [
            w.semantics.evaluate(w, part) if part is not None else NONE for part in (cut.lower, cut.upper, cut.step)
        ]
        return _sliced(w, node, base, bounds)
    parts: list[Value] = [base]
    for element in node.slice:
        if isinstance(element.slice, cst.Index):
            parts.append(w.semantics.evaluate(w, element.slice.value))
    parts += _cuts(node)
    return w.lift(node, lambda *vs: _by_several(w, *vs), *parts)


def _note_share(w: Interp, base: Value, index: Value, node: cst.CSTNode) -> None:
    """A rank takes its part of what was cut into parts: where that is in an order of its own, parts overlap."""
    if isinstance(index, PerRank) and isinstance(base, (Unknown, Varying)) and orders.is_cut(base.symbol.whole):
        own = orders.own_order(w, base)
        if own is not None:
            w.emit("share", Effect.SHARE, node, details={"order": own})


def _by_several(w: Interp, base: Value, *indexes: Value) -> Value:
    """``base[a, b]``: some dimensions of a mesh, or a part of a tensor; all of it for ``base[:, :]``."""
    if not indexes:
        return base
    part = asked.item(w, base, Tuple(indexes)) if isinstance(base, Group) else None
    return part if part is not None else terms.derived(("item",), [base, *indexes])


def _cuts(node: cst.Subscript) -> Iterator[Const]:
    """What is cut off along which dimension, where it is written out: ``x[:, :-1]`` and ``x[:, 1:]`` are two things."""
    for position, element in enumerate(node.slice):
        cut = element.slice
        if isinstance(cut, cst.Slice) and cut.step is None and (cut.lower or cut.upper) is not None:
            lower, upper = _written(cut.lower), _written(cut.upper)
            if (lower is None) is (cut.lower is None) and (upper is None) is (cut.upper is None):
                yield Const((CUT, position, len(node.slice), lower, upper))


def _written(node: cst.BaseExpression | None) -> int | None:
    """A whole number that is written out."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        below = _written(node.expression)
        return -below if below is not None else None
    return figures.written(node.value, 0) if isinstance(node, cst.Integer) else None


def _to_the_end(base: Value, stop: Value) -> bool:
    """Whether a slice goes to the end of a sequence, also where its own length is named as the stop."""
    length = stop.symbol if isinstance(stop, Unknown) else None
    return stop == NONE or (isinstance(length, Len) and length.of in (base, terms.key_of(base)))


def _sliced(w: Interp, node: cst.Subscript, base: Value, bounds: list[Value]) -> Value:
    items = containers.items_of(w, base)
    by_rank = next((b for b in bounds if isinstance(b, PerRank)), None)
    if by_rank is not None:
        own = orders.own_order(w, base)
        if own is not None:
            w.emit("share", Effect.SHARE, node, details={"order": own})
    if items is None and by_rank is not None:
        tried = tried_sizes.unequal(as_long.whole_of(w, base), bounds, w.record(numbers.Sizes).symbols)
        strided = bounds[2] != NONE and _to_the_end(base, bounds[1])
        if tried is False and w.state.mask != EVERYONE and isinstance(base, Unknown):
            return w.lift(node, lambda *of: terms.derived(("slice",), of), base, *bounds)  # others may have more
        unequal = (strided if tried is None else tried) and not fitting.evened(w, base, bounds[2])
        reason = Reason.LENGTH if unequal else Reason.DATA
        return Varying(reason, fresh("slice"), w.trail(node, "", trail_of(by_rank)))
    if (
        isinstance(base, Varying)
        and base.reason is Reason.LENGTH
        and bounds[1] != NONE
        and provenance.is_shared(bounds[1])
    ):
        return Varying(Reason.DATA, fresh("slice"), base.trail)  # cut to a length that is the same for all

    def cut(b: Value, lower: Value, upper: Value, step: Value) -> Value:
        inner = containers.items_of(w, b)
        limits = [bound.value for bound in (lower, upper, step) if isinstance(bound, Const)]
        if inner is not None and len(limits) == 3 and all(x is None or isinstance(x, int) for x in limits):
            try:
                part = inner[slice(*limits)]
            except ValueError:
                return unknown("slice")
            return Tuple(tuple(part)) if isinstance(b, Tuple) else w.container("list", part)
        if isinstance(b, Const) and isinstance(b.value, (str, bytes)) and len(limits) == 3:
            return terms.safely("slice", lambda: b.value[slice(*limits)]) or unknown("slice")
        return terms.derived(("slice",), (b, lower, upper, step))

    return w.lift(node, cut, base, *bounds)


def store_item(w: Interp, target: cst.Subscript, value: Value, *, again: bool = False) -> None:
    """``base[index] = value``; ``again``: it was asked for before (``base[index] += change``), so the key is there."""
    base = w.semantics.evaluate(w, target.value)
    index: Value = unknown("slice")
    if len(target.slice) == 1 and isinstance(target.slice[0].slice, cst.Index):
        index = w.semantics.evaluate(w, target.slice[0].slice.value)
    set_item(w, base, index, value, target, again=again)


def set_item(w: Interp, base: Value, index: Value, value: Value, node: cst.CSTNode, *, again: bool = False) -> None:
    """Store into a container; unknown places make its content unknown."""
    if isinstance(base, External) and base.name == "os.environ":
        from ddplint.analysis.models.python import environment

        environment.set_environment(w, index, value, node)
        return
    if drawn_members.is_holder(base):
        parameters.put(w, base, "[]", value, node)  # a member of a ModuleList takes the place of another one
    parameters.stored(w, base, value, node)
    base = members.held(w, base)
    if not isinstance(base, Container):
        owner = reflective_writes.owner_of_names(base)
        if owner is not None:
            reflective_writes.set_named(w, owner, index, value, node)
            return
        where = containers.item_key(w, base, index)
        if where is not None:
            w.state.write(where, value)
        return
    containers.mixed(w, base)
    if base.kind == "dict" and not isinstance(index, Const):
        containers.note_added(
            w, base, value, isinstance(content := w.state.read((base.id, "")), Tuple) and bool(content.items)
        )
    there = again and w.state.read((base.id, "factory")) is None
    if base.kind == "dict" and not there and filling.keyed(w, base, index):
        return
    content = w.state.read((base.id, ""))
    if isinstance(index, Const):
        filling.has_key(w, base, there=True)
    if base.kind == "dict" and isinstance(index, Const) and content is not None and ways.is_known(content):
        w.state.write((base.id, f"[{index.value!r}]"), value)
        if (changed := ways.with_key(content, index)) != content:
            w.state.write((base.id, ""), changed)
        return
    if base.kind == "dict" and isinstance(content, Tuple) and own_keys.overwrites(w, base, content, index):
        return
    apart = isinstance(index, Unknown) and filling.is_set_apart(w, base)
    if isinstance(content, Tuple) and base.kind == "dict" and (apart or not isinstance(index, Unknown)):
        kept = [entry for entry in content.items if not (isinstance(entry, Tuple) and entry.items[0] == index)]
        w.state.write((base.id, ""), Tuple((*kept, Tuple((index, value)))))
        return
    if isinstance(content, Tuple) and isinstance(index, Const) and isinstance(index.value, int):
        items = list(content.items)
        if -len(items) <= index.value < len(items):
            items[index.value] = value
            w.state.write((base.id, ""), Tuple(tuple(items)))
            return
    where = containers.item_key(w, base, index)
    if where is not None and not isinstance(content, Tuple):
        w.state.write(where, value)
        return
    if base.kind == "dict" and where is None:
        reflective_writes.items_of(w, base)
    local = filling.own_length(w, base) or filling.of_element(varying_in(value)) or varying_in(content or NONE)
    w.state.write((base.id, ""), local or Unknown(fresh("content")))


def delete_item(w: Interp, target: cst.Subscript) -> None:
    """``del mapping[key]``."""
    base = w.semantics.evaluate(w, target.value)
    if len(target.slice) == 1 and isinstance(target.slice[0].slice, cst.Index):
        container_methods.remove(w, base, w.semantics.evaluate(w, target.slice[0].slice.value))
