"""How a program of several processes comes to a function, as calls lead there: asked where no walk of one did.

The index says who calls whom; what stands around each call on the way says whether all ranks make it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import libcst as cst

from ddplint.knowledge import rank_words
from ddplint.project import limits
from ddplint.project.index import library
from ddplint.project.pool import is_test
from ddplint.project.ways.answered import is_refused
from ddplint.source.ancestry import Tree, nodes_of, tree_of
from ddplint.source.calls import calls_in, last_part
from ddplint.source.file import SourceError
from ddplint.source.words import words_in

if TYPE_CHECKING:
    from ddplint.project.index.places import Finder
    from ddplint.project.index.units import Edge, Function, Why
    from ddplint.source.file import SourceFile


class Index(Protocol):
    """What is asked of the index."""

    def functions(self, file: SourceFile, name: str) -> list[Function]: ...
    def effects(self, function: Function) -> Mapping[str, Why]: ...
    def imports_a_launcher(self, file: SourceFile) -> bool: ...
    def link_all(self) -> None: ...


WAY = ">"
"""Begins, in a question about a file, the name of a function that is asked for its way."""

_OWN = (library.RANK, library.COMMUNICATES)
"""What a question does that has to do with other ranks."""
_DRAWN = frozenset({library.RANK, library.DRAWS, library.PARTS})
"""What gives each rank something else."""
_LISTS = frozenset({"sorted", "range", "listdir", "glob", "iterdir", "split", "splitlines"})
"""Functions of Python that give what is the same wherever they are asked."""
_MAKERS = frozenset({"__init__", "__new__", "__post_init__", "__call__", "__enter__"})
"""Methods that Python calls where the program says so; items of a data set are asked for by its loaders."""
_ENDS = (cst.Return, cst.Raise, cst.Continue, cst.Break)


@dataclass(frozen=True, eq=False)
class _Place:
    """A call, and the function that it stands in; ``edge`` says where it leads."""

    caller: Function
    edge: Edge

    @property
    def file(self) -> SourceFile:
        return self.caller.unit.file

    @property
    def found(self) -> cst.Call | None:
        """The call in the tree that there is now: trees are given back, and made again."""
        try:
            calls = [one for one in calls_in(self.file.module) if last_part(one.func) == _last(self.edge)]
        except SourceError:
            return None
        line = self.edge.call.line
        return next((one for one in calls if self.file.range_of(one).start_line == line), None)


class Step(_Place):
    """A call on the way, which all ranks make that come to its function."""

    @property
    def node(self) -> cst.Call:
        found = self.found
        assert found is not None, "the file has not changed"
        return found


@dataclass(eq=False)
class Way:
    """The calls by which a program of several processes comes to a function, the one next to it first."""

    index: Index
    steps: Sequence[Step]

    def digest(self) -> str:
        """A short text that differs where the files do that it leads through."""
        files = {step.file.path: zlib.crc32(step.file.data) for step in self.steps}
        return " ".join(f"{path}:{number}" for path, number in files.items())

    @cached_property
    def gives_alike(self) -> bool:
        """Whether the function gets the same arguments on all ranks, as far as the calls say it."""
        edge = self.steps[0].edge
        return all(self._is_alike(name, 0) for name in edge.target.record.params[edge.bound :])

    def _is_alike(self, name: str, number: int) -> bool:
        """Whether a parameter of what the step of that number calls gets the same everywhere."""
        if number == len(self.steps):
            return not _names_a_rank(name)
        step = self.steps[number]
        if any(arg.star == "*" for arg in step.node.args):
            return False
        params = list(step.edge.target.record.params)
        place = params.index(name) - step.edge.bound if name in params else -1
        plain = [arg.value for arg in step.node.args if arg.keyword is None and not arg.star]
        given = [arg.value for arg in step.node.args if arg.keyword is not None and arg.keyword.value == name]
        given += plain[place : place + 1] if place >= 0 else []
        given += [arg.value for arg in step.node.args if arg.star]
        return all(self._is_of_all(one, number, frozenset()) for one in given)

    def _is_of_all(self, code: cst.CSTNode, number: int, behind: frozenset[str]) -> bool:
        """Whether an expression of a caller is made of nothing that a rank has for itself.

        Parameters: ``behind``, the variables that it is to be the value of.
        """
        step = self.steps[number]
        if _gives_own(step, code) or _is_handed_out(step, code):
            return False
        attributes = {one.attr.value for one in nodes_of(code, cst.Attribute)}
        called = {one.name.rpartition(".")[2] for one in _called(step, code)}
        names = {one.value for one in nodes_of(code, cst.Name)} - attributes - behind
        if any(map(_names_a_rank, attributes - called)):
            return False
        return all(self._is_shared(name, number, behind | {name}, name in called) for name in names)

    def _is_shared(self, name: str, number: int, behind: frozenset[str], called: bool) -> bool:
        """Whether a name of a caller stands for the same on all ranks."""
        step = self.steps[number]
        values = list(_values_of(step, name))
        if values and not all(self._is_of_all(one, number, behind) for one in values):
            return False
        if name in step.caller.record.params:
            return self._is_alike(name, number + 1)
        return bool(values) or called or not _names_a_rank(name)


class Ways:
    """The ways to the functions of a project, each looked for once."""

    def __init__(self, index: Index, project: Finder) -> None:
        self._index = index
        self._project = project
        self._known: dict[tuple[SourceFile, str], Way | None] = {}

    def to(self, file: SourceFile, name: str) -> Way | None:
        """How a program of several processes comes to a function, by its full name. It is noted who asked."""
        self._project.answers.setdefault(f"{file.real_path}\0{WAY}{name}", self.said(file, name))
        return self._way(file, name)

    def said(self, file: SourceFile, name: str) -> str:
        """The same as a short text, which differs where a file does that the way leads through."""
        way = self._way(file, name)
        return way.digest() if way is not None else ""

    def _way(self, file: SourceFile, name: str) -> Way | None:
        if (file, name) not in self._known:
            found = self._index.functions(file, name)
            self._known[file, name] = _way_to(self._index, found[0]) if len(found) == 1 else None
        return self._known[file, name]


def _way_to(index: Index, start: Function) -> Way | None:
    """The shortest way on which a program of several processes surely comes to a function on all ranks."""
    index.link_all()
    seen, ring = {start}, [(start, list[Step]())]
    for _ in range(limits.WAY_LENGTH):
        following: list[tuple[Function, list[Step]]] = []
        for function, steps in ring:
            for caller in function.callers:
                step = _step(index, caller, function) if caller not in seen else None
                if step is None or (steps and _is_refused(steps[-1], step)):
                    continue
                seen.add(caller)
                way = [*steps, step]
                if _is_of_several(index, caller):
                    return Way(index, way)
                following.append((caller, way))
        ring = following[: limits.WAYS]
    return None


def _is_of_several(index: Index, function: Function) -> bool:
    """Whether a function does what only several processes do together, in a run that it or who calls it begins.

    Alone it shows little: a model may be wrapped, and ranks may meet, where there are several.
    """
    done = index.effects(function)
    if library.WRAPS not in done and library.MEETS not in done:
        return False
    above = [function, *function.callers]
    return any(library.BEGINS in index.effects(one) for one in above)


def _step(index: Index, caller: Function, function: Function) -> Step | None:
    """A call of a function that all ranks make which come to the caller; who starts the ranks is none of them."""
    file = caller.unit.file
    if (
        _is_called_by_python(function)
        or is_test(file)
        or library.SPAWNS in index.effects(caller)
        or index.imports_a_launcher(file)
    ):
        return None
    for edge in caller.edges:
        if edge.target is function and edge.how == "direct":
            step = Step(caller, edge)
            node = step.found
            if node is not None and _passes(index, step, node):
                return step
    return None


def _is_refused(inner: Step, outer: Step) -> bool:
    """Whether the outer call gives its function something by which that does not come to the inner one."""
    return is_refused(tree_of(inner.file.module), inner.node, outer.node, outer.edge.bound)


def _is_called_by_python(function: Function) -> bool:
    name = function.name.rpartition(".")[2]
    return name.startswith("__") and name not in _MAKERS


def _passes(index: Index, place: _Place, node: cst.Call) -> bool:
    """Whether nothing around a call asks for a rank, waits for another one, or takes it back."""
    tree = tree_of(place.file.module)
    return not any(
        one is None or any(_asks(part) or _does(index, place, part, _OWN) for part in _with_values(place, one))
        for one in _asked_before(tree, node)
    )


def _with_values(place: _Place, code: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Some code, and what the variables in it were given; of an object's attribute only its name says something."""
    seen, stack = set[str](), [code]
    while stack:
        part = stack.pop()
        yield part
        objects = {id(one.value) for one in nodes_of(part, cst.Attribute)}
        for name in {one.value for one in nodes_of(part, cst.Name) if id(one) not in objects} - seen:
            seen.add(name)
            stack += _values_of(place, name)


def _asked_before(tree: Tree, node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """What decides whether a place in a function is come to; ``None`` where nobody can tell."""
    for inner, step in tree.upward(node):
        if isinstance(step, (cst.If, cst.While, cst.IfExp)) and inner is not step.test:
            yield step.test
        elif isinstance(step, cst.BooleanOperation) and inner is step.right:
            yield step.left
        elif isinstance(step, (cst.With, cst.Try, cst.Lambda)):
            yield None
        elif isinstance(step, cst.IndentedBlock):
            yield from _left_before(step, inner)
        elif isinstance(step, cst.FunctionDef):
            yield from (one.decorator for one in step.decorators)
            return


def _left_before(block: cst.IndentedBlock, inner: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The conditions by which some leave a block before one of its statements."""
    for line in block.body:
        if line is inner:
            return
        if isinstance(line, cst.If) and any(next(nodes_of(line, kind), None) is not None for kind in _ENDS):
            yield line.test


def _asks(code: cst.CSTNode) -> bool:
    """Whether code has a word that may ask who the process is."""
    return any(
        rank_words.SEVERAL_PROCESSES.fullmatch(word) or rank_words.ASKS_FOR_RANKS.search(word) or _names_a_rank(word)
        for word in words_in(code)
    )


def _names_a_rank(word: str) -> bool:
    return rank_words.WHO_A_PROCESS_IS.search(word.lower()) is not None


def _does(index: Index, place: _Place, code: cst.CSTNode, effects: Sequence[str]) -> bool:
    """Whether something is done in code, itself or by functions of the project that it calls."""
    return any(one in effects for one in _own(place, code)) or any(
        effect in index.effects(one) for one in _called(place, code) for effect in effects
    )


def _gives_own(step: Step, code: cst.CSTNode) -> bool:
    """Whether code, or a function that it calls, itself asks for what each rank has for itself."""
    called = list(_called(step, code))
    below = [edge.target for one in called for edge in one.edges]
    return not _DRAWN.isdisjoint(_own(step, code)) or any(not _DRAWN.isdisjoint(one.own) for one in (*called, *below))


def _is_handed_out(place: _Place, code: cst.CSTNode) -> bool:
    """Whether a loop goes over it that may be over the rank's share of the data: it is no list that is seen here."""
    tree = tree_of(place.file.module)
    loop = tree.parent(code)
    if not isinstance(loop, cst.For) or loop.iter is not code:
        return False
    made = isinstance(code, (cst.Tuple, cst.List, cst.Set))
    return not made and not (isinstance(code, cst.Call) and last_part(code.func) in _LISTS)


def _own(place: _Place, code: cst.CSTNode) -> Iterator[str]:
    """The effects that a function has by itself on the lines of some code."""
    lines = place.file.range_of(code)
    return (one for one, why in place.caller.own.items() if lines.start_line <= why.line <= lines.end_line)


def _called(place: _Place, code: cst.CSTNode) -> Iterator[Function]:
    """The functions of the project that some code calls."""
    lines = place.file.range_of(code)
    names = {last_part(one.func) for one in calls_in(code)}
    for one in place.caller.edges:
        if lines.start_line <= one.call.line <= lines.end_line and _last(one) in names:
            yield one.target


def _last(edge: Edge) -> str:
    """The last name of what a call calls."""
    return edge.call.callee.rpartition(" ")[2].lstrip(".")


def _values_of(place: _Place, name: str) -> Iterator[cst.CSTNode]:
    """What a variable of a caller is given."""
    call = place.found
    function = tree_of(place.file.module).function(call) if call is not None else None
    for targets, value in _bindings(function) if function is not None else ():
        parts = (part for target in targets for part in (target, *_parts(target)))
        if value is not None and any(isinstance(part, cst.Name) and part.value == name for part in parts):
            yield value


def _bindings(function: cst.CSTNode) -> Iterator[tuple[list[cst.CSTNode], cst.CSTNode | None]]:
    for one in nodes_of(function, cst.Assign):
        yield [part.target for part in one.targets], one.value
    for hinted in nodes_of(function, cst.AnnAssign):
        yield [hinted.target], hinted.value
    for changed in nodes_of(function, cst.AugAssign):
        yield [changed.target], changed.value
    for loop in nodes_of(function, cst.For):
        yield [loop.target], loop.iter


def _parts(target: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(target, (cst.Tuple, cst.List)):
        yield from (one.value for one in target.elements)
