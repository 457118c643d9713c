"""Terms: what a symbol stands for, one class for each kind that somebody looks into.

:func:`~ddplint.analysis.domain.symbols.symbol` makes them, each once: equality is identity. The package ``kinds`` alone
knows how the parts of a term lie in its key; everybody else asks by name, so that a term of another shape is an error
of types and no silence.
"""

from ddplint.analysis.domain.kinds.base import GIVEN, Big, Fresh, Symbol, class_of, counters_of, term_of
from ddplint.analysis.domain.kinds.computed import (
    Applied,
    Attr,
    Call,
    Called,
    Item,
    Len,
    Method,
    Operation,
    Part,
    Selected,
    Slice,
    Text,
)
from ddplint.analysis.domain.kinds.conditions import And, Compound, In, Is, Junction, Not, Or, Truth, TypeTest
from ddplint.analysis.domain.kinds.given import (
    Agreed,
    Environment,
    Field,
    Filled,
    Joined,
    Membership,
    Parameter,
    Sample,
    SetLater,
    Supplied,
)

__all__ = [
    "Agreed",
    "And",
    "Applied",
    "Attr",
    "Big",
    "Call",
    "Called",
    "Compound",
    "Environment",
    "Field",
    "Filled",
    "Fresh",
    "GIVEN",
    "In",
    "Is",
    "Item",
    "Joined",
    "Junction",
    "Len",
    "Membership",
    "Method",
    "Not",
    "Operation",
    "Or",
    "Parameter",
    "Part",
    "Sample",
    "Selected",
    "SetLater",
    "Slice",
    "Supplied",
    "Symbol",
    "Text",
    "Truth",
    "TypeTest",
    "class_of",
    "counters_of",
    "term_of",
]
