"""The ways out of a list of nodes, and which of them somebody asks for."""

from __future__ import annotations

from ddplint.util.word import Word


class ExitKind(Word):
    """How a rank leaves what it is in."""

    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    RAISE = "raise"
    EXIT = "exit"
    """The process ends, with an error."""
    QUIT = "quit"
    """The process ends as it should."""
    DONE = "done"
    """The test of a ``while`` with an ``else`` has become false."""
    SKIP = "skip"
    """A ``break`` on its way past the ``else`` of its loop."""
    PRUNED = "pruned"
    """What comes next was not walked."""


Exits = frozenset[str]
"""Kinds of exits. Seen from inside a generator, those of what runs in its place have :data:`HELD` in front."""

HELD = "^"
"""Exits from a hole: nothing between it and its generator stops them. One for each generator around it."""

RETURNS: Exits = frozenset({ExitKind.RETURN})
RAISES: Exits = frozenset({ExitKind.RAISE})

OF_LOOPS: Exits = frozenset({ExitKind.BREAK, ExitKind.CONTINUE, ExitKind.DONE})
"""What a loop stops."""

PLACES: Exits = frozenset({ExitKind.BREAK, ExitKind.CONTINUE, ExitKind.RETURN})
"""The statements by which a program goes on elsewhere."""

GOES: Exits = OF_LOOPS | {ExitKind.RETURN, ExitKind.SKIP}
"""After these the program goes on somewhere."""

ENDS: Exits = frozenset({ExitKind.EXIT, ExitKind.RAISE})
"""After these the program is over, unless somebody takes the exception."""

EXITS: Exits = ENDS | GOES
"""All that a walk writes down."""
