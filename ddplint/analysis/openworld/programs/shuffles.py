"""Calls that put something into an order by chance, or split it so: what ranks draw for themselves differs."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import FALSE, NONE, Either, Object, Value, Varying
from ddplint.analysis.interp.asides import Left
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.openworld.programs import orders, seeds
from ddplint.knowledge import Api

_IN_PLACE, _SPLITS, _SORTS = "reorders", "splits", "sorts"


def note(
    w: Interp, row: Api | None, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None, made: Value
) -> None:
    """A call puts its first argument (or what it gives) into an order by chance.

    What only some ranks reorder is left alone: the others may get it from them.
    """
    if row is None or not {_IN_PLACE, _SPLITS} & set(row.also) or w.state.mask != w.everyone or w.locals:
        return
    what = made if _SPLITS in row.also else argument(args, kwargs, "x", 0)
    own = _own(w, row, args, kwargs, node, receiver)
    if what is not None and own is not None:
        orders.put(w, what, own)


def given(
    w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None, made: Value
) -> Value:
    """What a method of a data set gives, another data set: one for each call where the order is drawn by each rank."""
    if not isinstance(made, Object) or not isinstance(receiver, Object):
        return made
    if _SPLITS not in row.also:
        return handed_on(w, row, receiver, made)
    new = w.external_object(made.name, [], {}, node)
    note(w, row, args, kwargs, node, receiver, new)
    return new if orders.own_order(w, new) is not None else handed_on(w, row, receiver, made)


def handed_on(w: Interp, row: Api | None, receiver: Value, made: Value) -> Value:
    """What was made of a data set in an order of each rank's own is in that order, too, unless it was sorted."""
    if isinstance(receiver, Object) and isinstance(made, Object) and (row is None or _SORTS not in row.also):
        own = orders.own_order(w, receiver)
        if own is not None:
            orders.put(w, made, own)
    return made


def _own(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Varying | None:
    """What each rank draws for itself; None where all draw alike, or nobody knows."""
    own = Varying(Reason.RANDOM, fresh(row.name), w.trail(node, row.name))
    seed = row.seed.of(args, kwargs) if row.seed.name else None
    if _SPLITS in row.also and kwargs.get("generator", NONE) not in (NONE, seed):
        return None
    if row.form == "method" and not row.seed.name:
        seed = _seed_of(w, receiver)
        return own if seed is not None and seeds.is_apart(seed) else None
    if isinstance(seed, Object):  # a generator
        return own if seeds.drawn(w, row.name, {"generator": seed}, own) is own else None
    if seed is not None and seed != NONE:
        return own if seeds.is_apart(seed) else None
    if argument(args, kwargs, row.shuffle.name, None) == FALSE:
        return None
    if not seeds.is_known(w, row.name) and w.record(Left).ever:
        return None
    drawn = seeds.drawn(w, row.name, {}, own)
    found = drawn.no if isinstance(drawn, Either) else drawn
    return found if isinstance(found, Varying) else None


def _seed_of(w: Interp, generator: Value | None) -> Value | None:
    """What a generator was made with; ``None`` for no seed at all, and None where it was not seen being made."""
    return seeds.seed_of(w, generator) if isinstance(generator, Object) else None
