"""Terms of what is asked: true, or false."""

from __future__ import annotations

from ddplint.analysis.domain.kinds.base import Symbol, at


class Compound(Symbol):
    """A condition that is made of others."""


class Not(Compound, heads=("not",)):
    """``not inner``"""

    inner: object = at(1)

    def without_not(self, known: bool) -> tuple[object, bool]:
        return self.inner, not known


class Junction(Compound):
    """``and`` or ``or``; a part may be known, as in ``a < b == b``."""

    decisive: bool
    """What one part alone makes of it."""

    first: object = at(1)
    second: object = at(2)


class And(Junction, heads=("and",)):
    """``first and second``"""

    decisive = False


class Or(Junction, heads=("or",)):
    """``first or second``"""

    decisive = True


class Truth(Symbol, heads=("truth",)):
    """``bool(of)``"""

    of: object = at(1)


class Is(Symbol, heads=("is",)):
    """``what is against``"""

    what: object = at(1)
    against: object = at(2)


class In(Symbol, heads=("in",)):
    """``part in where``; what is asked of the dictionary that a program keeps has more in front."""

    part: object = at(-2)
    where: object = at(-1)


class TypeTest(
    Symbol,
    heads=(
        "hasattr",
        "isinstance",
        "type",
    ),
):
    """What class an object is of, or whether it has something."""
