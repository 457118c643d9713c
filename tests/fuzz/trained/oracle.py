"""The truth about a program that trains: executed for four ranks, and judged by what they have at the end."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tests.fuzz.rendezvous import PROGRAM, Rank, World
from tests.fuzz.standin import Parser, environment
from tests.fuzz.trained.torch_of_one import Library

LUCK = 4
"""How often a program is run with other random numbers."""

Assignment = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Truth:
    """What goes wrong, each with how the program was called when it did.

    ``hang``: ranks wait for each other, or a wrapper complains; ``drift``: they end with other weights; ``dead``: what
    has gradients is stepped by nobody; ``alike``: what each draws for itself is the same; ``shares``: parts overlap.
    ``errors`` are no part of the language: a program that raises them says nothing.
    """

    faults: Mapping[str, Assignment]
    errors: frozenset[str]

    def __str__(self) -> str:
        return ", ".join(f"{kind} with {dict(how)}" for kind, how in self.faults.items()) or "fine"


def truth(world: World, source: str) -> Truth:
    """Execute ``source`` under every assignment of its options, a few times each."""
    code = compile(source, PROGRAM, "exec", dont_inherit=True)
    faults: dict[str, Assignment] = {}
    errors: set[str] = set()
    for assignment in _assignments(source):
        libraries: list[Library] = []
        world.run(code, lambda rank, how=assignment, made=libraries: _namespace(world, dict(how), rank, made))  # type: ignore[misc]
        raised = {rank.error for rank in world.ranks if rank.error}
        errors |= {error for error in raised if "Expected to have finished" not in error}
        hung = bool(raised) or any(not rank.ended for rank in world.ranks)
        for kind in ("hang",) if hung else _judged(libraries):
            faults.setdefault(kind, assignment)
        world.abandon()
    return Truth(faults, frozenset(errors))


def _assignments(source: str) -> Iterator[Assignment]:
    flags = [
        str(ast.literal_eval(node.args[0])).lstrip("-")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"
    ]
    for values in itertools.product((False, True), repeat=len(flags)):
        for luck in range(LUCK):
            yield (*zip(flags, values, strict=True), ("luck", luck))


def _namespace(world: World, how: Mapping[str, object], rank: Rank, made: list[Library]) -> dict[str, Any]:
    library = Library(world, rank, int(str(how["luck"])))
    made.append(library)
    modules: dict[str, Any] = {
        "torch": library.torch,
        "os": SimpleNamespace(environ=environment(rank.number)),
        "random": SimpleNamespace(
            random=library.python.random, seed=library.python.seed, shuffle=library.python.shuffle, Random=_random
        ),
        "argparse": SimpleNamespace(ArgumentParser=lambda: Parser(how)),
    }

    def find(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        top, *rest = name.split(".")
        if top not in modules:
            return __import__(name, globals_, locals_, fromlist, level)
        found = modules[top]
        for part in rest if fromlist else ():
            found = getattr(found, part)
        return found

    known = {**vars(builtins), "__import__": find, "print": library.show}
    return {"__name__": "__main__", "__builtins__": known}


def _random(seed: object) -> Any:
    import random

    return random.Random(str(seed))


def _judged(libraries: list[Library]) -> Iterator[str]:
    ends = [_weights(library) for library in libraries]
    if any(abs(ends[0].get(which, value) - value) > 1e-9 for end in ends[1:] for which, value in end.items()):
        yield "drift"
    if any(not weight.stepped for one in libraries for weight in one.trained if any(o.steps for o in one.optimizers)):
        yield "dead"
    if any(count > 1 for count in Counter(draw for library in libraries for draw in library.noise).values()):
        yield "alike"
    if any(_overlap(libraries)):
        yield "shares"


def _weights(library: Library) -> dict[tuple[int, int], float]:
    """What each optimizer has trained; of shards, of which each rank has its own, by which rates."""
    return {
        (number, index): weight.value if weight.home is None else weight.stepped
        for number, made in enumerate(library.optimizers)
        for index, weight in enumerate(made.weights)
        if weight in library.trained
    }


def _overlap(libraries: list[Library]) -> Iterator[bool]:
    """For each line that shows numbers on all ranks, whether one is shown twice."""
    shown: dict[int, list[Counter[object]]] = {}
    for library in libraries:
        for line in {line for line, _ in library.shown}:
            own = Counter[object](value for where, value in library.shown if where == line and isinstance(value, int))
            shown.setdefault(line, []).append(own)
    for parts in shown.values():
        if len(parts) == len(libraries):
            yield any(count > 1 for count in sum(parts, Counter[object]()).values())
