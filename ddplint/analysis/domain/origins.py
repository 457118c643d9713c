"""Where a value that ranks see differently comes from, and for what reason they do."""

from __future__ import annotations

import enum

from ddplint.source.file import SourceFile
from ddplint.source.tree import Node
from ddplint.util.frozen import frozen
from ddplint.util.word import Word


class Reason(enum.Enum):
    """Why ranks part: who they are, or something each of them sees for itself."""

    IDENTITY = "identity"
    DATA = "data"
    CLOCK = "clock"
    FILESYSTEM = "filesystem"
    RANDOM = "random"
    EXCEPTION = "exception"
    LENGTH = "length"


class GuardKind(Word):
    """What the statement or expression is where ranks part."""

    IF = "if"
    TERNARY = "ternary"
    AND = "and"
    OR = "or"
    MATCH = "match"
    WHILE = "while"
    FOR = "for"
    COMPREHENSION = "comprehension"
    WITH = "with"
    EXCEPT = "except"
    DECORATOR = "decorator"
    CALL = "call"
    """A call of, on or with something that ranks see differently."""


@frozen(eq=False)
class Guard:
    """A place where ranks part.

    ``node`` is the condition (or loop, handler,
    decorator); ``statement`` the whole statement; ``depth`` the number of activations on the call stack there.
    ``origins`` is the provenance of the condition, first cause first: pairs of frame-less place and text. ``guess``:
    a loop over numbers that differ between ranks, though none is known, so that they may well go equally far; or an
    exit under conditions of which it is not known for which ranks they hold.
    """

    kind: GuardKind
    file: SourceFile
    node: Node
    statement: Node
    reason: Reason
    origins: tuple[Origin, ...] = ()
    function: str = ""
    depth: int = 0
    guess: bool = False


@frozen(eq=False)
class Origin:
    """A link of a provenance chain: ``node`` of ``file`` made the value differ; ``text`` says what it is.

    ``ranks``: which rank the tables say that this gives (``global``, ``local``, ``node``), and, of a property of an
    object, which others there are beside it.
    """

    file: SourceFile
    node: Node
    text: str
    ranks: frozenset[str] = frozenset()
