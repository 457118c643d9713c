"""What the conditions of a difference say: shapes, members of groups, parts that stay unfilled."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Container, Effect, Event, Symbol, Walk, terms
from ddplint.rule.code import Tree, argument, called, code_of, descend, dotted, tree_of
from ddplint.rule.facts import last_name, name_words
from ddplint.rule.knowledge import load_knowledge

_FUNCTIONS = (cst.FunctionDef, cst.Lambda, cst.ClassDef)


def membership_around(event: Event) -> cst.Comparison | None:
    """The question whether the rank is one of the members, by which others do not come to the call that makes a group.

    Unlike a divergence this needs no list that is known: in a loop over all groups every rank gets there once.
    """
    call = event.node
    if last_name(event.name) != "new_group" or not isinstance(call, cst.Call):
        return None
    local = event.kwargs.get("use_local_synchronization")
    members = argument(call, "ranks", 0)
    if not isinstance(members, (cst.Name, cst.Attribute)) or not (local is None or local == Const(False)):
        return None
    for inner, step in event.file.upward(call):
        if isinstance(step, _FUNCTIONS):
            return None
        if isinstance(step, (cst.If, cst.IfExp)) and inner is step.body and not _makes_another(step):
            asked = next((one for one in _parts(step.test) if _asks(one, members)), None)
            if asked is not None:
                return asked
    return None


def _makes_another(step: cst.If | cst.IfExp) -> bool:
    """Whether the others make a group, too."""
    return step.orelse is not None and "new_group" in code_of(step.orelse)


def _parts(test: cst.BaseExpression) -> Iterator[cst.Comparison]:
    """What all must hold."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _parts(test.left)
        yield from _parts(test.right)
    elif isinstance(test, cst.Comparison):
        yield test


def _asks(test: cst.Comparison, members: cst.BaseExpression) -> bool:
    """Whether it is asked of the rank if it is one of the members."""
    [*_, last] = test.comparisons
    within = len(test.comparisons) == 1 and isinstance(last.operator, cst.In) and last.comparator.deep_equals(members)
    return within and "rank" in name_words(test.left)


_KEEP = frozenset({"clone", "contiguous", "cpu", "cuda", "detach", "float", "long", "to"})

_GATHERS = ("all_gather", "gather", "all_gather_object", "gather_object", "all_gather_into_tensor")

_MOST_PARTS = 500


def unfilled(walk: Walk) -> Iterator[tuple[Event, cst.BaseExpression]]:
    """What gathers the content of a list, or what a mask selects, only where there is any; with the test that asks so.

    What each rank sends is its own, or nobody would gather it (or sum it up). Where nothing is sent in the empty case
    either, a rank whose list is empty goes on alone.
    """
    for event in walk.events:
        last = event.name.rpartition(".")[2]
        if event.effect != Effect.COLLECTIVE or last not in (*_GATHERS, *_REDUCES):
            continue
        for what, known in event.path.items():
            asked: Container | Symbol | None = _selection_asked(what, known) or _measured(event, what, known)
            if asked is None and not event.group and last in _GATHERS:
                asked = _asked(what, known)
            if asked is None or not any(_holds(value, asked) for value in event.args):
                continue
            if any(other.path.get(what) is (not known) and other.effect == Effect.COLLECTIVE for other in walk.events):
                continue  # who has nothing communicates too
            test = _test_before(event)
            if test is not None:
                yield event, test


_REDUCES = ("all_reduce", "gather_for_metrics", "reduce")

_COUNTS = frozenset({"len", "numel", "size"})


def _selection_asked(what: Symbol, known: bool) -> Symbol | None:
    """What a mask has selected, of which something says that it is not empty."""
    asked, known = what.without_not(known)
    if not isinstance(asked, Symbol):
        return None
    if known and (itself := _selection(asked)) is not None:
        return itself  # its length, asked whether there is any
    compared = asked.whole
    if not isinstance(compared, terms.Operation) or len(compared.operands) != 2:
        return None
    left, right = compared.operands
    if compared.sign == "==" and right == Const(0) and not known:
        return _counted(left)
    return _counted(right) if compared.sign == "<" and left == Const(0) and known else None


def _measured(event: Event, what: Symbol, known: bool) -> Symbol | None:
    """An argument of the function that is not empty, where the ranks tell one another how long it is: each has its own.

    Who writes so knows that it differs.
    """
    asked, there = what.without_not(known)
    if not isinstance(asked, terms.Parameter) or not there:
        return None
    if event.name.rpartition(".")[2] not in _GATHERS:
        return None
    return asked if any(_holds_length(value, asked) for value in event.args) else None


def _holds_length(value: object, of: Symbol) -> bool:
    term = terms.term_of(value)
    if term is None:
        return False
    if isinstance(term.whole, terms.Len):
        return term.whole.last is of
    return any(_holds_length(part, of) for part in term.whole.symbols)


def _counted(size: object) -> Symbol | None:
    """What a number of elements is that of."""
    made = size.whole if isinstance(size, Symbol) else None
    if isinstance(made, terms.Method) and made.name in _COUNTS:
        return _selection(made.receiver)
    if isinstance(made, terms.Len):
        return _selection(made.of)
    inner = made.base if isinstance(made, terms.Item) else None
    shape = inner.whole if isinstance(inner, Symbol) else None
    return _selection(shape.base) if isinstance(shape, terms.Attr) and shape.name == "shape" else None


def _selection(what: object) -> Symbol | None:
    """A value itself, where a mask selects what is in it."""
    if not isinstance(what, Symbol):
        return None
    made, words = _behind_casts(what), load_knowledge().quiet
    if isinstance(made, terms.Item):
        return what if _is_mask_symbol(made.index, words("masking")) else None
    return what if isinstance(made, terms.Called) and made.last_name in words("selecting") else None


def _behind_casts(what: Symbol) -> Symbol | None:
    """What is moved or cast, which keeps its shape."""
    made = what.whole
    while True:
        if isinstance(made, terms.Supplied):
            inner = made.of
        elif isinstance(made, terms.Method) and made.name in _KEEP:
            inner = made.receiver
        else:
            return made
        if not isinstance(inner, Symbol):
            return None
        made = inner.whole


def _is_mask_symbol(index: object, masking: frozenset[str]) -> bool:
    made = index.whole if isinstance(index, Symbol) else None
    if isinstance(made, terms.Parameter):
        return "mask" in made.name
    if isinstance(made, terms.Called):
        return made.last_name in masking
    return isinstance(made, terms.Operation) and made.sign in ("<", "<=", "==", "!=", ">", ">=")


def _asked(what: Symbol, known: bool) -> Container | None:
    """The container of which something says that it is not empty."""
    if isinstance(what, terms.Truth) and known and isinstance(what.of, Container):
        return what.of
    if not isinstance(what, terms.Operation) or len(what.operands) != 2 or what.operands[1] not in (0, Const(0)):
        return None
    says = (what.sign == "==" and not known) or (what.sign in (">", "!=") and known)
    size = what.operands[0]
    return size.of if says and isinstance(size, terms.Len) and isinstance(size.of, Container) else None


def _holds(value: object, what: Container | Symbol) -> bool:
    """Whether a value is a container or worked out from it."""
    rest, seen = [value], set[int]()
    while rest and len(seen) < _MOST_PARTS:
        part = rest.pop()
        if part == what:
            return True
        term = terms.term_of(part)
        if term is not None and id(term) not in seen:
            seen.add(id(term))
            rest += term.whole.parts
    return False


def _test_before(event: Event) -> cst.BaseExpression | None:
    """The test for emptiness on the way to an event, in its own function, of something that is used behind it."""
    tree = tree_of(event.file.module)
    function = tree.function(event.node) if event.node in tree else None
    if function is None:
        return None
    for node in descend(function, into_functions=False):
        if not isinstance(node, cst.If) or tree.order(node) > tree.order(event.node) or not _decides(tree, node, event):
            continue
        name = _of_emptiness(node.test)
        below = (
            one for one in descend(function) if tree.order(one) > tree.order(node) and not tree.contains(node.test, one)
        )
        if name and any(isinstance(one, (cst.Name, cst.Attribute)) and dotted(one) == name for one in below):
            return node.test
    return None


def _decides(tree: Tree, node: cst.If, event: Event) -> bool:
    """Whether an ``if`` is around an event, or leaves the function before it."""
    if tree.contains(node, event.node):
        return True
    body = node.body.body
    last = body[-1] if body else None
    small = last.body[0] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, (cst.Return, cst.Continue, cst.Break))


_NO_AMOUNTS = (cst.In, cst.NotIn, cst.Is, cst.IsNot)
"""Comparisons that ask for no amount: ``x is None`` says nothing of how much there is."""


def _of_emptiness(test: cst.BaseExpression) -> str:
    """What is asked for: ``not x``, ``x``, ``len(x) == 0``, ``len(x) > 0``; empty for other tests."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test = test.expression
    if isinstance(test, cst.Comparison):
        if any(isinstance(part.operator, _NO_AMOUNTS) for part in test.comparisons):
            return ""
        test = test.left
    if isinstance(test, cst.Call) and called(test) == "len" and len(test.args) == 1:
        test = test.args[0].value
    if isinstance(test, cst.Call) and isinstance(test.func, cst.Attribute) and test.func.attr.value in _COUNTS:
        test = test.func.value
    if isinstance(test, cst.Subscript) and isinstance(test.value, cst.Attribute) and test.value.attr.value == "shape":
        test = test.value.value
    return dotted(test)
