"""What is noted of one file. Plain tuples of texts and numbers, so that they can be kept and read again.

An expression is noted as words: a name, then ``.attribute``, ``()`` for a call, ``[`` for an item, ``[key`` where the
key is a constant: ``trainer .engine ()``. What has no such form is the empty text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

NOTHING = "'None"
"""``None`` where it is given to a name, or compared with."""
MODULE = "<module>"
"""The function that stands for the body of a file."""


class Import(NamedTuple):
    """A name that an import binds: ``member`` of ``module`` (dots first), or all of it. ``*`` stands for every name.

    ``optional``: in a ``try``, or for types only; ``inner``: not a statement of the file itself, which always runs.
    """

    name: str
    module: str
    member: str
    line: int
    optional: bool = False
    inner: bool = False

    @property
    def origin(self) -> str:
        """The whole name of what it binds, dots first."""
        dot = "" if self.module.endswith(".") or not self.member else "."
        return f"{self.module}{dot}{self.member}"


class Call(NamedTuple):
    """A call: of what, where, and with which expressions.

    ``? .name`` is a method of something that has no words. A short text and a small number are given as themselves
    behind a quote: ``'w``, ``'2``; so are a list of things (``'[ rank``, ``'[ a , b``) and the name of a device
    (``'cuda:{ rank``).
    """

    callee: str
    line: int
    given: Sequence[str] = ()
    named: Sequence[Sequence[str]] = ()


class FunctionRecord(NamedTuple):
    """A function, or the body of a file.

    ``name`` has the names around it (``Trainer.fit``, ``main.inner``); ``owner`` is the class whose method it is,
    ``first`` and ``last`` its lines from 1, decorators left out. ``assigned`` are names (also ``self .x``, and
    ``self .x [`` for an item) with what they are given. ``reads`` are attributes, items and names that are read and not
    called, ``outer`` the names that ``global`` and ``nonlocal`` name, ``raised`` the lines of ``raise``. ``summed`` is
    what is added to in place, ``compared`` what is with each other, ``divided`` the attributes of ``self`` that are.
    ``signs`` is a letter each: ``y`` it yields, ``g`` without an end, ``l`` has a loop, ``i`` a comprehension, ``t`` a
    ``try``, ``w`` a ``with``, ``a`` is asynchronous, ``c`` asks on what a call gives which way to go, ``b`` gives an
    answer that is true or false, ``r`` imports by a text and drops what that gives.
    """

    name: str
    owner: str
    first: int
    last: int
    params: Sequence[str]
    hints: Sequence[Sequence[str]]
    decorators: Sequence[str]
    calls: Sequence[Call]
    reads: Sequence[str]
    assigned: Sequence[Sequence[str]]
    returned: Sequence[str]
    outer: Sequence[str]
    raised: Sequence[int]
    summed: Sequence[str]
    compared: Sequence[Sequence[str]]
    divided: Sequence[str]
    signs: str


class ClassRecord(NamedTuple):
    """A class: ``fields`` are the names its body binds, with their values, ``hints`` those that are annotated."""

    name: str
    first: int
    last: int
    bases: Sequence[str]
    decorators: Sequence[str]
    fields: Sequence[Sequence[str]]
    hints: Sequence[Sequence[str]]


class FileRecord(NamedTuple):
    """A file.

    ``tables`` are names that hold several things: the function or class that binds them, the name, the things.
    ``paths`` are folders that the file adds to ``sys.path``, from its own; ``script``: it has a part that runs where it
    is started. ``problem`` says why nothing more is known.
    """

    functions: Sequence[FunctionRecord] = ()
    classes: Sequence[ClassRecord] = ()
    imports: Sequence[Import] = ()
    tables: Sequence[Sequence[Any]] = ()
    paths: Sequence[str] = ()
    script: bool = False
    problem: str = ""


def record_from(kept: Any) -> FileRecord:
    """A record from what JSON made of it. Raises ``TypeError`` or ``ValueError`` for what is none."""
    functions, classes, imports, tables, paths, script, problem = kept
    return FileRecord(
        [_function(one) for one in functions],
        [ClassRecord(*one) for one in classes],
        [Import(*one) for one in imports],
        tables,
        paths,
        script,
        problem,
    )


def _function(kept: Any) -> FunctionRecord:
    found = FunctionRecord(*kept)
    return found._replace(calls=[Call(*one) for one in found.calls])


def shown(expression: str) -> str:
    """An expression as people write it."""
    text = ""
    for word in expression.split(" "):
        text += f"[{word[1:] or '…'}]" if word.startswith("[") else word
    return text.replace("()", "(…)") if text else "…"
