"""Terms of what is worked out from other values."""

from __future__ import annotations

from collections.abc import Mapping

from ddplint.analysis.domain.kinds.base import Symbol, after, at


class Attr(Symbol, heads=("attr",)):
    """``base.name``"""

    base: object = at(1)
    name: object = at(2)


class Item(Symbol, heads=("item",)):
    """``base[index]``"""

    base: object = at(1)
    index: object = at(2)

    indices: tuple[object, ...] = after(2)
    """All, where there is one for each dimension."""


class Part(Symbol, heads=("part",)):
    """One of the values that ``base`` is unpacked into."""

    base: object = at(1)


class Slice(Symbol, heads=("slice",)):
    """``base[lower:upper:step]``"""

    base: object = at(1)
    bounds: tuple[object, ...] = after(2)


class Called(Symbol):
    """What a function or a method gives."""

    name: object = at(1)

    @property
    def last_name(self) -> str:
        """The last word of a dotted name."""
        return str(self.structure[1]).rpartition(".")[2]

    @property
    def keywords(self) -> Mapping[object, object]:
        """What it is given by keyword."""
        return {part.keyword: part.given for part in self.structure[2:] if isinstance(part, ByKeyword)}


class Call(Called, heads=("call",)):
    """What a function gives that is known by its ``name``."""

    given: tuple[object, ...] = after(2)
    """All that it is given: what has a name (:class:`ByKeyword`), and one after the other."""

    @property
    def args(self) -> tuple[object, ...]:
        """What it is given one after the other."""
        return tuple(part for part in self.given if not isinstance(part, ByKeyword))

    def named(self, keyword: str) -> object:
        """What it is given by that keyword; ``None`` where it is not."""
        return self.keywords.get(keyword)

    def is_bare(self, name: str) -> bool:
        """Whether it is that function, called with nothing."""
        return self.structure[1] == name and not self.given


class ByKeyword(Symbol, heads=("by keyword",)):
    """What a call is given by keyword, a part of what it gives."""

    keyword: object = at(1)
    given: object = at(2)
    """The value, or the word ``something`` where it is an object or each rank has its own."""


class Applied(Symbol, heads=("apply",)):
    """What a function gives that is not known."""

    callee: object = at(1)


class FromObject(Symbol, heads=("object",)):
    """What an object of a library gives that is called, as its class says: ``of`` is that object."""

    of: object = at(1)


class Method(Called, heads=("method",)):
    """What a method gives. ``args``: the receiver as a value, if it is named so, and what the method is given."""

    receiver: object = at(2)

    @property
    def args(self) -> tuple[object, ...]:
        """What stands behind the receiver, without what has a name."""
        return tuple(part for part in self.structure[3:] if not isinstance(part, ByKeyword))


class Operation(Symbol, heads=("op",)):
    """An operator and its operands: ``sign`` is how Python writes it."""

    sign: object = at(1)
    operands: tuple[object, ...] = after(2)


class Selected(Symbol, heads=("selected",)):
    """The elements of a tensor ``of`` that a mask selects, or those once more."""

    of: object = at(1)


class Result(Symbol, heads=("computed", "left open")):
    """What a function of the project gives that was not followed to its end."""


class Len(Symbol, heads=("len",)):
    """``len(of)``"""

    of: object = at(1)


class Text(Symbol, heads=("text",)):
    """A text that is put together of its ``parts``."""
