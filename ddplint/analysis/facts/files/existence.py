"""Questions that code asks about a path before it acts: does it exist?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, Origin, Reason
from ddplint.analysis.trace import paths
from ddplint.analysis.trace.events import Event, Walk
from ddplint.analysis.trace.paths import TESTS, Path, all_paths
from ddplint.fixing.code.site import Site
from ddplint.source.ancestry import descend, up_to_function
from ddplint.source.file import SourceFile
from ddplint.util.kept import kept

_LOOKS = TESTS | {"isdir", "isfile", "lexists"}


def tests_at(walk: Walk, guard: Guard) -> Iterator[Event]:
    """The tests for a path that decide at a guard."""
    if guard.reason is not Reason.FILESYSTEM:
        return
    causes = {id(origin.node) for origin in guard.origins} | {id(node) for node in _descend(guard.node)}
    yield from (event for event in tests(walk) if id(event.node) in causes)


def tests(walk: Walk) -> Sequence[Event]:
    """What looks whether a path is there, or what is in it."""
    return walk.doing(Effect.EXISTS, Effect.LIST)


@kept
def looked_for(walk: Walk, test: Event, rank: int) -> frozenset[Path]:
    """The paths that a test is for, as a rank sees them."""
    return all_paths(test.details.get("path"), rank)


def asked_around(event: Event) -> cst.Call | None:
    """The question ``path.exists()`` in a condition around an event."""
    site = Site(event.file, event.node)
    for step in up_to_function(site.tree.ancestors(event.node)):
        if isinstance(step, (cst.If, cst.IfExp)) and (found := next(filter(_asks, _descend(step.test)), None)):
            return found
    return None


def _asks(node: cst.CSTNode) -> TypeGuard[cst.Call]:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    return node.func.attr.value in TESTS and not node.args


def asked_on_the_way(event: Event) -> bool:
    """Whether the way to an event leads through a condition that asks what is there already."""
    return any(_is_asked(frame.file, frame.node) for frame in event.stack)


def _is_asked(file: SourceFile, node: cst.CSTNode) -> bool:
    for step in up_to_function(file.ancestors(node)):
        if isinstance(step, cst.If) and any(map(_looks, _descend(step.test))):
            return True
    return False


def _looks(node: cst.CSTNode) -> bool:
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in _LOOKS


def refuses(test: Event, others: Iterable[Event] = ()) -> bool:
    """Whether code raises where a test for a path finds it, unless one of ``others`` finds it to be what it should be.

    ``exists(path) and not isfile(path)`` asks for a folder in the way, which no rank that writes the file makes.
    """
    site = Site(test.file, test.node)
    for step in up_to_function(site.tree.ancestors(test.node)):
        if isinstance(step, cst.If):
            inside = site.tree.contains(step.test, test.node) and not _denied(site, step, test.node)
            if not inside or not ends_in_raise(step.body):
                return False
            beside = (other.node for other in others if other.file is test.file and other.node is not test.node)
            return not any(site.tree.contains(step.test, node) and _denied(site, step, node) for node in beside)
    return False


def asks_inside(test: Event, listings: Iterable[Event]) -> bool:
    """Whether the condition of a test also asks that something is in the folder, which one just made has not.

    ``if exists(folder) and listdir(folder): raise``. A helper that lists it answers for itself, whatever it is asked.
    """
    site = Site(test.file, test.node)
    asked_in = next((one for one in site.tree.ancestors(test.node) if isinstance(one, cst.If)), None)
    if asked_in is None:
        return False
    beside = [(frame.node, other) for other in listings for frame in other.stack if frame.file is test.file]
    inside = [(node, other) for node, other in beside if site.tree.contains(asked_in.test, node)]
    return any(node is not other.node or not _denied(site, asked_in, node) for node, other in inside)


def is_done_inside(test: Event, event: Event) -> bool:
    """Whether an event is done in the block that a test leads to: what it makes is there already."""
    site = Site(test.file, test.node)
    asked_in = next((one for one in site.tree.ancestors(test.node) if isinstance(one, cst.If)), None)
    steps = (frame.node for frame in event.stack if frame.file is test.file)
    return asked_in is not None and any(site.tree.contains(asked_in.body, node) for node in steps)


def found_first(test: Event, event: Event) -> bool:
    """Whether code comes to an event where a loop before it has found none of the paths that it tests for.

    ``for path in paths: if exists(path): return path``, and then ``makedirs(path)``.
    """
    here, there = test.stack[-1], event.stack[-1]
    if here.file is not there.file or here.function != there.function or test.order > event.order:
        return False
    site = Site(test.file, test.node)
    steps = list(site.tree.ancestors(test.node))
    searched = next((one for one in steps if isinstance(one, (cst.For, cst.While, cst.FunctionDef))), None)
    asked_in = next((one for one in steps if isinstance(one, cst.If)), None)
    if not isinstance(searched, cst.For) or asked_in is None or site.tree.contains(searched, event.node):
        return False
    inside = site.tree.contains(asked_in.test, test.node) and not _denied(site, asked_in, test.node)
    return inside and ends_in(asked_in.body, cst.Return)


def asked_again(origin: Origin) -> bool:
    """Whether something is asked by the condition of a loop: ``while exists(name): name = next one``."""
    return isinstance(_asking(origin), cst.While)


def asked_once(origin: Origin) -> bool:
    """Whether something is asked to choose between two ways: ``if exists(name): ...``, or one of two values."""
    return isinstance(_asking(origin), (cst.If, cst.IfExp))


def _asking(origin: Origin) -> cst.CSTNode | None:
    for inner, step in origin.file.upward(origin.node):
        if isinstance(step, (cst.While, cst.If, cst.IfExp)):
            return step if inner is step.test else None
        if isinstance(step, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            return None
    return None


def _denied(site: Site, statement: cst.If, node: cst.CSTNode) -> bool:
    """Whether a part of a condition is asked to be false."""
    denials = 0
    for step in site.tree.ancestors(node):
        if step is statement:
            break
        denials += isinstance(step, cst.UnaryOperation) and isinstance(step.operator, cst.Not)
    return denials % 2 == 1


def ends_in_raise(body: cst.BaseSuite) -> bool:
    """Whether whoever comes into a block leaves by an exception."""
    return ends_in(body, cst.Raise)


def ends_in(body: cst.BaseSuite, *kinds: type[cst.CSTNode]) -> bool:
    """Whether the last statement of a block is of one of these kinds."""
    last = body.body[-1] if body.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last
    return isinstance(small, kinds)


def _descend(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [node]
    while stack:
        step = stack.pop()
        yield step
        stack.extend(step.children)


_FITS = {"startswith": (0, str.startswith), "endswith": (-1, str.endswith)}


def passed_over(listing: Event, path: paths.Path, rank: int) -> bool:
    """Whether a program that lists a folder leaves out the entry that a path is, or is in.

    ``names = os.listdir(folder)``, and then ``names = [name for name in names if name.startswith("checkpoint")]``.
    """
    folder = listing.looked_at(rank)
    if listing.effect != Effect.LIST or len(path) <= len(folder) or not paths.within(path, folder):
        return False
    entry = path[len(folder)]
    picked = _picked(listing)
    return picked is not None and any(not _may_fit(entry, test) for test in _tests(picked))


def _may_fit(entry: paths.Name, test: cst.Call) -> bool:
    """Whether a name may be one that a test takes: only its known pieces can tell."""
    assert isinstance(test.func, cst.Attribute)
    wanted = test.args[0].value
    text = wanted.evaluated_value if isinstance(wanted, cst.SimpleString) else None
    place, fits = _FITS[test.func.attr.value]
    piece = entry[place]
    if not isinstance(text, str) or not isinstance(piece, str):
        return True
    return fits(piece, text) or (len(entry) > 1 and fits(text, piece))


def _tests(picked: cst.CompFor) -> list[cst.Call]:
    """What every element that is taken has been asked."""
    found = []
    for condition in picked.ifs:
        test = condition.test
        if not isinstance(test, cst.Call) or not isinstance(test.func, cst.Attribute) or len(test.args) != 1:
            continue
        asked = test.func.value
        own = isinstance(asked, cst.Name) and isinstance(picked.target, cst.Name) and asked.value == picked.target.value
        found += [test] if own and test.func.attr.value in _FITS else []
    return found


def _picked(listing: Event) -> cst.CompFor | None:
    """The comprehension that goes through what is listed: at once, or in the statement behind the one that names it."""
    steps = list(listing.file.ancestors(listing.node))
    if steps and isinstance(steps[0], cst.CompFor):
        return steps[0]
    line = next((place for place, step in enumerate(steps) if isinstance(step, cst.SimpleStatementLine)), None)
    if line is None or line + 1 >= len(steps):
        return None
    statement, block = steps[line], steps[line + 1]
    assign = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(assign, cst.Assign) or assign.value is not listing.node or len(assign.targets) != 1:
        return None
    body = block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ()
    behind = next((body[place + 1] for place, one in enumerate(body[:-1]) if one is statement), None)
    named = assign.targets[0].target
    again = behind.body[0] if isinstance(behind, cst.SimpleStatementLine) else None
    if not isinstance(again, cst.Assign) or not isinstance(again.value, (cst.ListComp, cst.GeneratorExp)):
        return None
    if not isinstance(named, cst.Name) or not again.targets[0].target.deep_equals(named):
        return None
    picked = again.value.for_in
    return picked if isinstance(picked.iter, cst.Name) and picked.iter.value == named.value else None


_OF_SOME = frozenset({"max", "min"})

_BEHIND = 3
"""How many statements behind the list may take something of it."""


def takes_some(listing: Event) -> bool:
    """Whether an element is taken of what is listed, there or a few statements behind, and that without a question."""
    steps = list(listing.file.ancestors(listing.node))
    if any(_takes(step) for step in _within_statement(steps)):
        return True
    line = next((place for place, step in enumerate(steps) if isinstance(step, cst.SimpleStatementLine)), None)
    if line is None or line + 1 >= len(steps):
        return False
    statement, block = steps[line], steps[line + 1]
    names = {target.value for target in _targets(statement)}
    body = block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ()
    at = next((place for place, one in enumerate(body) if one is statement), len(body))
    for behind in body[at + 1 : at + 1 + _BEHIND]:
        if not isinstance(behind, cst.SimpleStatementLine):
            return False
        if any(_takes(node) and _mentions(node, names) for node in descend(behind)):
            return True
    return False


def _within_statement(steps: list[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    for step in steps:
        if isinstance(step, (cst.BaseStatement, cst.IfExp, cst.Lambda, cst.BooleanOperation)):
            return
        yield step


def _takes(node: cst.CSTNode) -> bool:
    """``max(names)`` without a default, or ``names[-1]``."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = node.slice[0].slice.value
        return isinstance(index, cst.Integer) or (
            isinstance(index, cst.UnaryOperation) and isinstance(index.expression, cst.Integer)
        )
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value not in _OF_SOME:
        return False
    plain = [arg for arg in node.args if arg.keyword is None]
    return len(plain) == 1 and not any(arg.keyword is not None and arg.keyword.value == "default" for arg in node.args)


def _targets(statement: cst.CSTNode) -> Iterator[cst.Name]:
    for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        for target in part.targets if isinstance(part, cst.Assign) else ():
            if isinstance(target.target, cst.Name):
                yield target.target


def _mentions(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether what is taken is of one of these names: not a number inside its own elements (``x.split()[0]``)."""
    whole = (
        node.value if isinstance(node, cst.Subscript) else node.args[0].value if isinstance(node, cst.Call) else node
    )
    if isinstance(node, cst.Subscript):
        return isinstance(whole, cst.Name) and whole.value in names
    return any(isinstance(step, cst.Name) and step.value in names for step in descend(whole))
