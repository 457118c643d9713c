"""Effects go from what is called to who calls it, until nothing more comes."""

from __future__ import annotations

from collections.abc import Iterable

from ddplint.project.index.library import ENDS, STATE
from ddplint.project.index.linking import Linker, arguments
from ddplint.project.index.records import Call, shown
from ddplint.project.index.units import Edge, Function, Why

_BY_NAME = frozenset({ENDS, STATE})
"""Effects that a call by its name alone does not bring along: nearly everything changes something."""


def spread(start: Iterable[Function], linker: Linker) -> None:
    """Fill the effects of functions, and of all that they reach.

    What was filled before stays as it is: it has seen all that it reaches.
    """
    _Spreading(linker).run(start)


_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})


class _Spreading:
    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._waiting: dict[Function, None] = {}
        self._replaced: set[tuple[object, ...]] = set()

    def run(self, start: Iterable[Function]) -> None:
        for one in start:
            self._meet(one)
        while self._waiting:
            function, _ = self._waiting.popitem()
            if self._take(function):
                self._again(function)
            while self._linker.touched:
                self._again(self._linker.touched.pop())

    def _again(self, function: Function) -> None:
        """Something is new in a function: those that call it look at it again."""
        self._waiting.update(dict.fromkeys(one for one in function.callers if one.linked))

    def _meet(self, function: Function) -> None:
        """Link a function and what it reaches."""
        stack = [function]
        while stack:
            one = stack.pop()
            if not one.linked:
                self._linker.link(one)
                one.effects.update(one.own)
                self._waiting[one] = None
                stack += [edge.target for edge in one.edges]

    def _take(self, function: Function) -> bool:
        """Take over what the called ones have; whether that is news."""
        known = len(function.effects), len(function.given)
        for edge in list(function.edges):
            for effect in edge.target.effects:
                if effect not in function.effects and not (effect in _BY_NAME and _stays(edge, effect)):
                    function.effects[effect] = Why(edge.call.line, f"{shown(edge.call.callee)} → {edge.target.name}")
            if edge.target.given and edge.how != "handed":
                self._give(function, edge)
        return known != (len(function.effects), len(function.given))

    def _give(self, function: Function, edge: Edge) -> None:
        """What a called function does with what it is given is done here, with what stands here."""
        given = dict(arguments(edge))
        for number, path in list(edge.target.given):
            words = given.get(number)
            if not words:
                continue
            expression = f"{words} {path}".rstrip()
            for thing in self._linker.resolver.evaluate(expression, function):
                key = function, id(edge.call), edge.target, number, path, thing
                if key in self._replaced:
                    continue
                self._replaced.add(key)
                self._reach(function, thing, edge)

    def _reach(self, function: Function, thing: object, edge: Edge) -> None:
        before, own = len(function.edges), dict(function.own)
        self._linker.called(function, thing, Call(edge.call.callee, edge.call.line), "given")  # type: ignore[arg-type]
        for effect in function.own.keys() - own.keys():
            function.effects.setdefault(effect, function.own[effect])
        for one in function.edges[before:]:
            self._meet(one.target)
            why = Why(edge.call.line, f"{shown(edge.call.callee)} → {one.target.name}")
            for effect in one.target.effects:
                function.effects.setdefault(effect, why)


def _stays(edge: Edge, effect: str) -> bool:
    """Whether an effect stays with the called: what a new object holds changed nothing that was there before."""
    return edge.how == "name" or (effect == STATE and is_maker(edge.target))


def is_maker(function: Function) -> bool:
    """Whether a function makes the object that it is called on."""
    return function.kind == "method" and function.name.rpartition(".")[2] in _MAKERS
