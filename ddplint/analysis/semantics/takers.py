"""Handlers of a ``try``: what they take, and whether one rank alone may come to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Union

import libcst as cst

from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Risks
from ddplint.analysis.openworld.programs import one_machine
from ddplint.analysis.trace.nodes import Kinds
from ddplint.source.words import words_in

Try = Union[cst.Try, cst.TryStar]
_IMPORT_ERRORS = frozenset(
    {"DistributionNotFound", "ImportError", "InvalidVersion", "ModuleNotFoundError", "PackageNotFoundError"}
)
"""What a missing or odd package raises: on all ranks, or on none."""
OF_THE_CODE = _IMPORT_ERRORS | {"AttributeError", "NameError", "NotImplementedError", "TypeError"}
"""What describes the code and its versions, which all ranks have alike."""
_OF_ALL = frozenset({"EOFError", "StopIteration"})
"""What tells the end of what is read, and no rank meets alone unless the walk sees it: iterators that end sooner on
some ranks are known to."""
_OF_FILES = frozenset(
    {
        "BaseException",
        "EOFError",
        "EnvironmentError",
        "Exception",
        "FileNotFoundError",
        "IOError",
        "JSONDecodeError",
        "OSError",
        "UnpicklingError",
    }
)
"""What a file raises that is not there, or does not hold what it should."""
_OF_NUMBERS = frozenset({"ArithmeticError", "FloatingPointError", "OverflowError", "ZeroDivisionError"})
NARROW = frozenset(
    {
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "KeyError",
        "IndexError",
        "StopIteration",
        "KeyboardInterrupt",
    }
)


@dataclass(frozen=True, slots=True)
class Taker:
    """A handler: where it stands, the classes it takes with their names as written, and what it does.

    ``of_project``: it takes only classes that the project defines, which nothing but the project's own code raises.
    """

    place: cst.CSTNode
    kinds: Kinds
    names: frozenset[str]
    name: cst.AsName | None = None
    body: Sequence[cst.BaseStatement | cst.BaseSmallStatement] = ()
    run: Callable[[], object] | None = None
    of_project: bool = False


_OF_MEMORY = ("OutOfMemory", "out of memory", "empty_cache")
"""What stands in handlers of devices that have not enough memory, as a class, a message or a call."""


def fails_behind(takers: Sequence[Taker], number: int | None, risks: Risks) -> bool:
    """Whether a handler takes what may happen when all has been said: some call fails, or the memory is not enough."""
    if number is None:
        return False
    return _of_memory(takers[number]) or risks.reach(takers[number].kinds)


def is_of_all(w: Interp, taker: Taker, risks: Risks) -> bool:
    """Whether all ranks come to a handler, or none: what is worked out of the same numbers overflows for all of them,
    and a file that is missing on the one machine they run on is missing for all.
    """
    if taker.names <= _OF_ALL:
        return True
    if risks.own or _of_memory(taker):
        return False
    return taker.names <= _OF_NUMBERS or (risks.reads > 0 and one_machine.is_on_one_machine(w))


def _of_memory(taker: Taker) -> bool:
    """Whether a handler is for a device that has not enough memory, which one rank alone may meet."""
    words = (*taker.names, *(word for line in taker.body for word in words_in(line)))
    return any(sign in word for word in words for sign in _OF_MEMORY)


def guards_import(node: Try) -> bool:
    """Whether a ``try`` asks for a package, or one that is as it should be: it is so on all ranks, or on none."""
    names = {name for handler in node.handlers for name in names_of(handler.type)}
    if not names or names <= _IMPORT_ERRORS:
        return bool(names)
    first = node.body.body[0]
    imports = isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], (cst.Import, cst.ImportFrom))
    return imports and bool(names & _IMPORT_ERRORS) and names <= OF_THE_CODE | {"AssertionError"}


def names_of(node: cst.BaseExpression | None) -> list[str]:
    if node is None:
        return ["BaseException"]
    if isinstance(node, cst.Tuple):
        return [name for element in node.elements for name in names_of(element.value)]
    if isinstance(node, cst.Attribute):
        return [node.attr.value]
    return [node.value] if isinstance(node, cst.Name) else ["?"]


def of_a_missing_file(takers: Sequence[Taker], risks: Risks) -> int | None:
    """The handler to which all ranks come, or none, since they read the same file and it is not there, or is broken."""
    taken = (number for number, taker in enumerate(takers) if taker.names & _OF_FILES)
    return next(taken, None) if risks.reads else None
