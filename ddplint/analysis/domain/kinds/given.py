"""Terms of what comes from elsewhere: from code that nobody has seen, from outside, or over several paths."""

from __future__ import annotations

from ddplint.analysis.domain.kinds.base import Symbol, after, at

NAMED, TAINTED, PERHAPS, DISTINCT, APART = "named", "tainted", "perhaps", "distinct", "counted apart"


class Named(Symbol, heads=(NAMED,)):
    """Something drawn that is a name, or has one: never ``None``, never empty."""

    @property
    def is_there(self) -> bool:
        return True


class Perhaps(Symbol, heads=(PERHAPS,)):
    """What is such a name on some paths; whether it is there is the same on all ranks."""


class Tainted(Symbol, heads=(TAINTED,)):
    """What ranks hold after a decision on what something unknown gives that was passed the rank."""


class Stacked(Symbol, heads=("stacked",)):
    """A tensor that is as long as ranks have parts each."""


class Distinct(Symbol, heads=(DISTINCT,)):
    """How many of some values are different: one at least."""


class Apart(Symbol, heads=(APART,)):
    """Numbers that ranks count through from different ends."""


class Joined(Symbol, heads=("joined",)):
    """What is held behind several paths: ``ways`` are what it is on each, as far as known; ``which``, the join."""

    which: object = at(1)
    ways: tuple[object, ...] = after(2)


class Filled(Symbol, heads=("filled",)):
    """What each rank has put into a container by itself: ``ways`` are the constants in it on each way."""

    ways: tuple[object, ...] = after(2)


class Sample(Symbol, heads=("batch", "element")):
    """What a loader gave a rank, or an element of what it went through."""


class Field(Symbol, heads=("field",)):
    """A field of a file that was read by an expression (its ``id``), or of an object."""

    holder: object = at(1)


class Agreed(Symbol, heads=("agreed",)):
    """What an operation of this ``kind`` brought to all ranks of a ``group`` (empty: to all of the job)."""

    is_agreement = True

    kind: object = at(1)
    group: object = at(2)


class Membership(Symbol, heads=("membership",)):
    """Which rank one is within a group, or whether one is in it: each rank may see another."""


class Parameter(Symbol, heads=("parameter",)):
    """What a function is given by callers that nobody has seen."""

    @property
    def name(self) -> str:
        return str(self.structure[1])


class SetLater(Symbol, heads=("set later",)):
    """A variable that code sets which was not walked: a ``name`` of an ``owner`` (an object, or a module's name)."""

    owner: object = at(1)

    @property
    def name(self) -> str:
        return str(self.structure[-1])


class Environment(Symbol, heads=("environment",)):
    """A variable of the environment, or whether it is set."""

    @property
    def name(self) -> str:
        return str(self.structure[1])


class Supplied(Symbol, heads=("supplied",)):
    """``of``, which is known to be there."""

    of: object = at(1)

    def is_fresh(self, *kinds: str) -> bool:
        return isinstance(self.of, Symbol) and self.of.is_fresh(*kinds)
