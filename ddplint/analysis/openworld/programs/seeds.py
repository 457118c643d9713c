"""Random numbers: what ranks draw with one seed they draw alike, as long as all of them draw equally often.

Each generator of a process (Python's, numpy's, torch's) is a place in the store: true from where every rank has seeded
it alike, no longer true from where one rank seeds or draws for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Container,
    Either,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    parts_of,
)
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api, tables

_SEEDS = {"seeds_python": "python", "seeds_numpy": "numpy", "seeds_torch": "torch"}
_ON_A_DEVICE = "seeds_device"
_DRAWN_BY = (
    ("random.System", ""),
    ("random.", "python"),
    ("numpy.random.", "numpy"),
    ("sklearn.", "numpy"),
    ("datasets.", "numpy"),
    ("torch.", "torch"),
)
_BY_PROCESS = ("device_specific",)
"""Options of seeding calls that add the rank to the seed."""


def note(
    w: Interp,
    row: Api | None,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    receiver: Value | None,
    node: cst.CSTNode,
) -> None:
    """A call may seed generators: all ranks alike, or each in its own way."""
    if row is None or not any(role.startswith("seeds_") for role in row.also):
        return
    seed = args[0] if args else next(iter(kwargs.values()), NONE)
    alike = (
        _is_one_seed(seed)
        and w.state.mask == w.everyone
        and all(kwargs.get(name, FALSE) == FALSE for name in _BY_PROCESS)
    )
    if isinstance(receiver, Object) and receiver.name == "torch.Generator":
        w.state.write((receiver.id, _OWN), FALSE if alike else TRUE)
        return
    w.emit(row, Effect.SEED, node, args=(seed,), details={"alike": alike})
    for role in row.also:
        if role in _SEEDS:
            w.state.write(_place(_SEEDS[role]), TRUE if alike else FALSE)
        elif role == _ON_A_DEVICE and not alike:
            w.state.write(_place("torch"), FALSE)


def _is_one_seed(seed: Value) -> bool:
    """Whether a seed is the same on all ranks; none at all lets each process take what its system offers."""
    if isinstance(seed, (PerRank, Varying)) or seed == NONE:
        return False
    if isinstance(seed, Unknown):
        return not seed.symbol.rank_dependent
    return all(map(_is_one_seed, parts_of(seed)))


_OWN = "<seeded by rank>"


def _place(stream: str) -> tuple[int, str]:
    return (0, f"seeded {stream}")


def drawn(w: Interp, name: str, kwargs: Mapping[str, Value], own: Varying) -> Value:
    """What a call draws that, unseeded, gives each rank its ``own``."""
    generator = kwargs.get("generator", NONE)
    if isinstance(generator, Object):
        return own if w.state.read((generator.id, _OWN)) == TRUE else Unknown(fresh(name))
    if generator != NONE:
        return Unknown(fresh(name))  # of a generator that is not known nobody knows the seed
    stream = next((stream for prefix, stream in _DRAWN_BY if name.startswith(prefix)), "")
    if not stream:
        return own
    # a file that is there is there for all, and of those that yet find none each draws what the others do
    held = w.state.read(_place(stream)) or FALSE
    if w.state.mask != w.everyone or any(one.reason is not Reason.FILESYSTEM for one in w.locals):
        if name not in tables.names("generator_states"):
            w.state.write(_place(stream), FALSE)
        return own
    return _where(held, Unknown(fresh(name)), own)


GENERATORS = {
    "random.Random": "random",
    **dict.fromkeys(tables.names("numpy_generators"), "numpy.random"),
}
"""Generators of their own, and the functions of which their methods have the names."""
_OTHER_NAMES = {"integers": "randint"}
_SET_ANEW = frozenset({"seed", "setstate", "set_state"})


def seed_of(w: Interp, generator: Object) -> Value:
    """What a generator was made with; ``None`` for no seed at all."""
    seed = generator.argument(0, "seed") or NONE
    items = containers.items_of(w, seed) if isinstance(seed, Container) else None
    return seed if items is None else Tuple(tuple(items))


def is_apart(seed: Value) -> bool:
    """Whether ranks that seed a generator with this draw other numbers each: it holds the rank, or is none at all."""
    if isinstance(seed, Tuple):  # as numpy takes them: ``default_rng([seed, rank])``
        return any(one != NONE and is_apart(one) for one in seed.items)
    return seed == NONE or isinstance(seed, PerRank) or (isinstance(seed, Varying) and seed.reason is not Reason.DATA)


def drawn_by(w: Interp, generator: Value, method: str, args: Sequence[Value], node: cst.CSTNode) -> Value | None:
    """What a method of a generator draws that each rank has seeded for itself; None for all others."""
    module = GENERATORS.get(generator.name) if isinstance(generator, Object) else None
    if module is None or not isinstance(generator, Object):
        return None
    if method in _SET_ANEW:
        w.state.write((generator.id, _OWN), TRUE if method == "seed" and args and is_apart(args[0]) else FALSE)
        return None
    row = w.knowledge.value(f"{module}.{_OTHER_NAMES.get(method, method)}")
    apart = w.state.read((generator.id, _OWN)) or (TRUE if is_apart(seed_of(w, generator)) else FALSE)
    if row is None or row.varying != "random" or apart != TRUE:
        return None
    name = f"{generator.name}.{method}"
    own = Varying(Reason.RANDOM, fresh(row.name), w.trail(node, name))  # known by its function: an order, or a number
    w.emit(name, Effect.LOCAL_VALUE, node, args=args, result=own)
    return own


def is_known(w: Interp, name: str) -> bool:
    """Whether the program was seen to seed the generator that a function draws from, alike or apart."""
    stream = next((stream for prefix, stream in _DRAWN_BY if name.startswith(prefix)), "")
    return w.state.read(_place(stream)) is not None


def _where(held: Value, shared: Unknown, own: Varying) -> Value:
    if isinstance(held, Either) and held.local is None:
        return either(held.symbol, _where(held.yes, shared, own), _where(held.no, shared, own))
    goes_on = isinstance(held, Varying) and held.reason is Reason.FILESYSTEM  # a file that is there is there for all
    return shared if held == TRUE or goes_on else own


def draws_alike(w: Interp, generator: Value | None) -> bool:
    """Whether a loader that shuffles gives all ranks the same order."""
    if isinstance(generator, Object):
        return w.state.read((generator.id, _OWN)) == FALSE
    return generator in (None, NONE) and w.state.read(_place("torch")) == TRUE
