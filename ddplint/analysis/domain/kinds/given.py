"""Terms of what comes from elsewhere: from code that nobody has seen, from outside, or over several paths."""

from __future__ import annotations

from ddplint.analysis.domain.kinds.base import Symbol, after, at

NAMED, TAINTED, PERHAPS, DISTINCT, APART = "named", "tainted", "perhaps", "distinct", "counted apart"


class Named(Symbol, heads=(NAMED,)):
    """Something drawn that is a name, or has one: never ``None``, never empty."""

    __slots__ = ()


class Perhaps(Symbol, heads=(PERHAPS,)):
    """What is such a name on some paths; whether it is there is the same on all ranks."""

    __slots__ = ()


class Tainted(Symbol, heads=(TAINTED,)):
    """What ranks hold after a decision on what something unknown gives that was passed the rank."""

    __slots__ = ()


class Stacked(Symbol, heads=("stacked",)):
    """A tensor that is as long as ranks have parts each."""

    __slots__ = ()


class Distinct(Symbol, heads=(DISTINCT,)):
    """How many of some values are different: one at least."""

    __slots__ = ()


class Apart(Symbol, heads=(APART,)):
    """Numbers that ranks count through from different ends."""

    __slots__ = ()


class Joined(Symbol, heads=("joined",)):
    """What is held behind several paths: ``ways`` are what it is on each, as far as known; ``which``, the join."""

    __slots__ = ()

    which: object = at(1)
    ways: tuple[object, ...] = after(2)


class Filled(Symbol, heads=("filled",)):
    """What each rank has put into a container by itself: ``ways`` are the constants in it on each way."""

    __slots__ = ()

    ways: tuple[object, ...] = after(2)


class Sample(Symbol, heads=("batch", "element")):
    """What a loader gave a rank, or an element of what it went through."""

    __slots__ = ()


class Field(Symbol, heads=("field",)):
    """A field of a file that was read by an expression (its ``id``), or of an object."""

    __slots__ = ()

    holder: object = at(1)


class Agreed(Symbol, heads=("agreed",)):
    """What an operation of this ``kind`` brought to all ranks."""

    is_agreement = True

    __slots__ = ()

    kind: object = at(1)


class Membership(Symbol, heads=("membership",)):
    """Which rank one is within a group, or whether one is in it: each rank may see another."""

    __slots__ = ()


class Parameter(Symbol, heads=("parameter",)):
    """What a function is given by callers that nobody has seen."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.structure[1])


class SetLater(Symbol, heads=("set later",)):
    """A variable that code sets which was not walked: a ``name`` of an ``owner`` (an object, or a module's name)."""

    __slots__ = ()

    owner: object = at(1)

    @property
    def name(self) -> str:
        return str(self.structure[-1])


class Environment(Symbol, heads=("environment",)):
    """A variable of the environment, or whether it is set."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.structure[1])


class Supplied(Symbol, heads=("supplied",)):
    """``of``, which is known to be there."""

    __slots__ = ()

    of: object = at(1)
