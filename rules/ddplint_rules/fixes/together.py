"""What belongs together: lines that make, fill, move and remove the same files go under one guard, or none does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Effect, Event, Guard, Walk
from ddplint.rule.code import Site, code_of, descend, nodes_of
from ddplint.rule.facts import paths

_TAKES = frozenset({Effect.DELETE, Effect.MOVE})
_PUTS = frozenset(
    {Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.DOWNLOAD, Effect.LINK, Effect.MOVE, Effect.CREATE_DIR}
)
_TOUCHES = frozenset({Effect.PROCESS, *_TAKES, *_PUTS})
_MAKES = frozenset({Effect.CREATE_DIR, Effect.WRITE, Effect.COPY, Effect.DOWNLOAD})


def left_behind(event: Event, inside: Sequence[cst.CSTNode], walks: Sequence[Walk]) -> str:
    """What the other ranks would still do with the files that rank 0 alone makes; ``""`` where that is nothing.

    Parameters: ``event``, what rank 0 is to do alone; ``inside``, the statements that go under its guard.
    """
    for walk in walks:
        others = [(other, paths.path_of(other.target)) for other in walk.doing(*_TOUCHES) if other.ranks - {0}]
        for mine in _at(walk, event):
            made = paths.path_of(mine.target)
            for other, touched in others:
                if _belongs(mine, made, other, touched) and not _is_inside(other, event, inside):
                    line = other.file.range_of(other.node).start_line
                    where = f"line {line}" if other.file is event.file else f"{other.file.path}:{line}"
                    return f"other ranks go on with the same files ({where}): they belong under one guard"
    return ""


def _at(walk: Walk, event: Event) -> Iterator[Event]:
    return (one for one in walk.events if one.node is event.node and one.effect == event.effect)


def _is_inside(other: Event, event: Event, inside: Sequence[cst.CSTNode]) -> bool:
    tree = Site(event.file, event.node).tree
    held = (frame.node for frame in other.stack if frame.node in tree)
    return any(tree.contains(statement, node) for node in held for statement in inside)


def _belongs(mine: Event, made: paths.Path, other: Event, touched: paths.Path) -> bool:
    """Whether another event needs what this one makes, or takes it away, or makes something else of it."""
    if other.effect == Effect.PROCESS:
        return _names(other, made)
    if not made or not touched:
        return False
    if other.effect in _TAKES and mine.effect not in _TAKES:
        return paths.touch(touched, made)
    needs = other.effect in _PUTS and other.order > mine.order and mine.effect in _MAKES
    return needs and len(touched) > len(made) and paths.within(touched, made)


def _names(process: Event, made: paths.Path) -> bool:
    """Whether a command names a file, or the folder that it is in."""
    spoken = [piece for value in process.args for piece in paths.pieces(value)]
    unknown = {piece for name in made for piece in name if not isinstance(piece, str)}
    if unknown:
        return any(piece in unknown for piece in spoken)
    line = " ".join(piece for piece in spoken if isinstance(piece, str))
    return any("/".join(map("".join, part)) in line for part in (made, made[:-1]) if part)  # type: ignore[arg-type]


def asked_again(guard: Guard) -> str:
    """Whether the function asks the same once more, further on, and does something there; the line, in words.

    What the first guard has made is then wanted where the second lets in: both ask for one rank, or neither.
    """
    site = Site(guard.file, guard.node)
    own, function = guard.statement, site.function
    if not isinstance(own, cst.If) or function is None:
        return ""
    here, text = guard.file.range_of(own).start_line, code_of(own.test).strip()
    for other in descend(function):
        if isinstance(other, cst.If) and other is not own and code_of(other.test).strip() == text:
            line = guard.file.range_of(other).start_line
            if line > here and any(nodes_of(other.body, cst.Call)):
                return f"line {line}"
    return ""
