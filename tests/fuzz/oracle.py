"""The truth about a program: executed for four ranks over every outcome of its uniform unknowns."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from tests.fuzz import modules, standin
from tests.fuzz.frameworks import FILLED
from tests.fuzz.rendezvous import PROGRAM, Rank, World

MAX_ASSIGNMENTS = 256
INTS = (0, 1, 2, 3)

Assignment = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Stop:
    """Where a rank was when nobody could go on: an operation with its line, or its end (line 0)."""

    op: str
    group: str
    line: int

    def __str__(self) -> str:
        return f"{self.op} line {self.line}" if self.line else self.op


@dataclass(frozen=True)
class Hang:
    """A divergence. ``kind``: ``missing`` (somebody has ended), ``mismatch`` (different kinds on one group),
    ``crossed`` (ranks wait for each other on different groups). ``stops`` is by rank.
    """

    kind: str
    stops: tuple[Stop, ...]

    def __str__(self) -> str:
        return f"{self.kind}: " + "; ".join(f"rank {rank} {stop}" for rank, stop in enumerate(self.stops))


@dataclass(frozen=True)
class Truth:
    """What really happens: ``hangs`` with one assignment each, ``errors`` that ranks raised, runs cut short.

    ``errors`` leaves out the deliberate ``stop``. ``torn``: in some run a rank died of it while others waited.
    ``dead``: lines of functions and handlers that no run ever entered, and, where no rank ever gets through a check of
    the program, all lines that never ran; about those the truth says nothing.
    """

    hangs: Mapping[Hang, Assignment]
    errors: frozenset[str]
    torn: bool
    dead: frozenset[int]
    cut_short: bool
    assignments: int

    @property
    def diverges(self) -> bool:
        return bool(self.hangs)


def unknowns(source: str) -> dict[str, tuple[object, ...]]:
    """The unknowns of a program and their values.

    Arguments of its parser that it reads are the same everywhere; what each rank sees for itself (a random number, a
    file) has a pattern over the ranks as its value, for each line that asks; a number that is not compared where it is
    drawn has a course over the rounds as well.
    """
    tree = ast.parse(source)
    compared = {id(node.left) for node in ast.walk(tree) if isinstance(node, ast.Compare)}
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found: dict[str, tuple[object, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            name = str(ast.literal_eval(node.args[0])).lstrip("-").replace("-", "_")
            flag = any(keyword.arg == "action" for keyword in node.keywords)
            values: tuple[object, ...] = (False, True) if flag else INTS
            found[name] = values if name in read else values[:1]
        if isinstance(node, ast.ClassDef) and node.name == FILLED:
            for field in (one for one in node.body if isinstance(one, ast.AnnAssign)):
                values = (False, True) if ast.unparse(field.annotation) == "bool" else INTS
                found[ast.unparse(field.target)] = values if ast.unparse(field.target) in read else values[:1]
        if isinstance(node, ast.Call) and ast.unparse(node.func) in standin.LOCAL_CALLS:
            number = ast.unparse(node.func) == "random.random" and id(node) not in compared
            found[standin.site(node.lineno)] = tuple(standin.COURSES if number else standin.PATTERNS)
    return found


def assignments(source: str) -> Iterator[Assignment]:
    """Every outcome of the unknowns; a fixed sample where there are more than ``MAX_ASSIGNMENTS``."""
    domains = unknowns(source)
    every = [tuple(zip(domains, values, strict=True)) for values in itertools.product(*domains.values())]
    if len(every) > MAX_ASSIGNMENTS:
        every = random.Random(0).sample(every, MAX_ASSIGNMENTS)
    yield from every


class Oracle:
    """Executes programs. Keeps its threads; use as a context manager."""

    def __init__(self) -> None:
        self._world = World()

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self._world.close()

    def truth(self, source: str, without: frozenset[int] = frozenset()) -> Truth:
        """Execute ``source`` under every assignment, leaving out the collectives issued from the lines ``without``.

        Raises ``SyntaxError`` for a program that does not compile.
        """
        self._world.skipped = without
        codes = {
            name: compile(text, PROGRAM, "exec", dont_inherit=True) for name, text in modules.split(source).items()
        }
        self._world.entered.clear()
        self._world.executed.clear()
        hangs: dict[Hang, Assignment] = {}
        errors: set[str] = set()
        cut_short = torn = through = False
        count = 0
        for assignment in assignments(source):
            count += 1
            self._world.run(codes[""], partial(standin.namespace, self._world, dict(assignment), codes))
            hang = self._judge()
            ranks = self._world.ranks
            cut_short = cut_short or any(rank.ended == "steps" for rank in ranks)
            errors.update(rank.error for rank in ranks if rank.error and not rank.error.endswith(": stop"))
            torn = torn or (any(rank.error for rank in ranks) and any(not rank.ended for rank in ranks))
            through = through or any(rank.ended != "raised" for rank in ranks)
            if hang is not None:
                hangs.setdefault(hang, assignment)
            self._world.abandon()
        dead = _dead(source, self._world.entered, self._world.executed)
        if not through:
            dead |= set(range(1, source.count("\n") + 2)) - self._world.executed
        return Truth(hangs, frozenset(errors), torn, dead, cut_short, count)

    def _judge(self) -> Hang | None:
        """What the world has come to. A rank that died of an error tears the job down: that is no hang."""
        ranks = self._world.ranks
        waiting = [rank for rank in ranks if not rank.ended]
        if not waiting or any(rank.ended in ("raised", "steps") for rank in ranks):
            return None
        stops = tuple(_stop(rank) for rank in ranks)
        return Hang(self._kind(waiting), stops)

    def _kind(self, waiting: list[Rank]) -> str:
        for rank in waiting:
            assert rank.waiting is not None
            group = rank.waiting.group
            theirs = [self._world.ranks[member].waiting for member in group.members]
            if all(op is not None and op.group == group for op in theirs):
                return "mismatch"
        return "missing" if len(waiting) < len(self._world.ranks) else "crossed"


def _stop(rank: Rank) -> Stop:
    if rank.ended or rank.waiting is None:
        return Stop("end", "", 0)
    return Stop(rank.waiting.kind, str(rank.waiting.group), rank.waiting.lines[0])


def _dead(source: str, entered: set[int], executed: set[int]) -> frozenset[int]:
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            alive = min([node.lineno, *(decorator.lineno for decorator in decorators)]) in entered
        elif isinstance(node, ast.ExceptHandler):
            alive = node.body[0].lineno in executed
        else:
            continue
        if not alive:
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def without(source: str, dead: frozenset[int]) -> str:
    """The program with nothing in the functions and handlers that no run ever entered."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ExceptHandler)) and node.lineno in dead:
            node.body = [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree))
