"""What expressions mean: constant folding where possible, symbols and rank-local values where not."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import libcst as cst

from ddplint.analysis.domain import likeness
from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.join import is_given, trail_of
from ddplint.analysis.domain.provenance import is_drawn_name, is_sample, is_whole_sample, may_be_name
from ddplint.analysis.domain.symbols import GIVEN, Symbol, fresh, measured, symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Class,
    Const,
    Container,
    Deferred,
    Either,
    External,
    Function,
    Group,
    Instance,
    ModuleValue,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    by_rank_in,
    source_of,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import filling, loop_names, selection, unordered
from ddplint.analysis.memory.store import NARROWED
from ddplint.analysis.models import grouped, iterables, shares
from ddplint.analysis.models.python import paths
from ddplint.analysis.openworld import gradients, rank_evidence
from ddplint.analysis.semantics import attributes, calls, context_managers, imports, may_raise, reads
from ddplint.project.visits import NAMED
from ddplint.source.tree import children

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

Evaluator = Callable[["Walker", Any], Value]

_MAX_TEXT = 2000
_MOST_REPEATED = 64
"""How long a repeated list is followed element by element."""
_MAX_NUMBER = 1 << 64


def evaluate(w: Walker, node: cst.BaseExpression) -> Value:
    """The value of an expression for the active ranks."""
    w.tick()
    handler = w.evaluators.get(type(node))
    if handler is None:
        return unknown("expression")
    value = handler(w, node)
    return w.state.narrow(value) if type(value) in NARROWED else value


def eval_integer(w: Walker, node: cst.Integer) -> Value:
    try:
        return Const(int(node.value.replace("_", ""), 0))
    except ValueError:
        return unknown("number")


def eval_float(w: Walker, node: cst.Float) -> Value:
    return Const(float(node.value.replace("_", "")))


def eval_string(w: Walker, node: cst.SimpleString | cst.ConcatenatedString) -> Value:
    if type(node) is not cst.SimpleString:
        assert isinstance(node, cst.ConcatenatedString)
        left, right = evaluate(w, node.left), evaluate(w, node.right)
        return w.lift(node, lambda a, b: text_of(a, b), left, right)
    return _literal(node.value) or unknown("string")


_QUOTES = ('"', "'")
_LONG_QUOTES = ('"""', "'''")


@lru_cache(maxsize=8192)
def _literal(text: str) -> Const | None:
    if text[0] in _QUOTES and "\\" not in text and "\r" not in text:
        marks = 3 if text[:3] in _LONG_QUOTES else 1
        return Const(text[marks:-marks])
    try:
        return Const(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError):
        return None


def text_of(*parts: Value) -> Value:
    """The concatenation of printed values: known where all are, else a symbol that names the parts.

    Where each rank's own data is in it, it is a text of that: the time, or what is on a disk, may be alike.
    """
    if all(isinstance(part, Const) for part in parts):
        return Const("".join(str(part.value) for part in parts if isinstance(part, Const))[:_MAX_TEXT])
    found = [local for part in parts if (local := varying_in(part)) is not None]
    local = next((one for one in found if one.reason is Reason.DATA), next(iter(found), None))
    what = symbol("text", *(key_of(part) for part in parts))
    return Varying(local.reason, what, local.trail) if local else Unknown(what)


def eval_formatted(w: Walker, node: cst.FormattedString) -> Value:
    parts: list[Value] = []
    for part in node.parts:
        if type(part) is cst.FormattedStringText:
            parts.append(Const(part.value))
        elif type(part) is cst.FormattedStringExpression:
            parts.append(evaluate(w, part.expression))
    return w.lift(node, lambda *found: text_of(*map(paths.text_of, found)), *parts)


def key_of(value: Value) -> object:
    """A hashable stand-in for a value inside a symbol."""
    kind = type(value)
    if kind is Unknown or kind is Varying:
        return value.symbol  # type: ignore[attr-defined]
    if isinstance(value, Const):
        try:
            hash(value.value)
        except TypeError:
            return repr(value.value)
        return value
    return value


def eval_name(w: Walker, node: cst.Name) -> Value:
    if w.state.partial:
        reads.name_read(w, node.value, node)
    if node.value in w.state.bound:
        loop_names.read(w, node)
    found = lookup(w, node.value, node)
    if type(found) is Function:
        note_named(w, found)
    return found


def note_named(w: Walker, function: Function) -> None:
    """Note which ranks name a function, whoever calls it then."""
    if not w.quiet:
        w.visits.note(NAMED, function.node, function.module.file, w.state.mask)


_NAMED = {"True": TRUE, "False": FALSE, "None": NONE}


def lookup(w: Walker, name: str, node: cst.CSTNode) -> Value:
    """A name's value through the enclosing scopes, then the builtins."""
    if name in _NAMED:
        return _NAMED[name]
    frame, store, parents = w.frames[-1], w.state.store, w.parents
    scope: int | None = frame.outer_names.get(name, frame.scope) if frame.outer_names else frame.scope
    while scope is not None:
        found = store.get((scope, name))
        if found is not None:
            found = w.state.narrow(found) if type(found) in NARROWED else found
            if found is not UNBOUND:
                return imports.resolve(w, found, node) if type(found) is Deferred else found
        scope = parents.get(scope)
    if name in _BUILTINS:
        return External(f"builtins.{name}")
    starred = imports.through_star(w, w.frame.module.scope, name)
    if starred is not None:
        return starred
    return attributes.unknown_name(w, name, node)


_BUILTINS = frozenset(dir(__import__("builtins")))


def eval_attribute(w: Walker, node: cst.Attribute) -> Value:
    base = evaluate(w, node.value)
    reads.attribute_read(w, base, node)
    found = attributes.get(w, base, node.attr.value, node)
    if type(found) is Function:
        note_named(w, found)
    return found


def eval_unary(w: Walker, node: cst.UnaryOperation) -> Value:
    value = evaluate(w, node.expression)
    if type(node.operator) is cst.Not:
        return w.lift(node, lambda v: negate(w, v, node), value)
    compute = _UNARY.get(type(node.operator))
    return w.lift(node, lambda v: _folded("unary", compute, v), value)


_UNARY: dict[type, Callable[[Any], Any]] = {
    cst.Minus: operator.neg,
    cst.Plus: operator.pos,
    cst.BitInvert: operator.invert,
}


def negate(w: Walker, value: Value, node: cst.CSTNode) -> Value:
    """Logical not."""
    if isinstance(value, Container):
        value = filling.asked(w, value, node)
    known = w.truth(value)
    if isinstance(known, Symbol):
        return Unknown(_not(known))
    if isinstance(value, Varying):
        return Varying(value.reason, _not(value.symbol), value.trail)
    if known is None:
        return w.lift(node, lambda v: negate(w, v, node), value)
    return FALSE if known else TRUE


def _not(what: Symbol) -> Symbol:
    if what.key[0] == "not" and isinstance(what.key[1], Symbol):
        return what.key[1]
    return symbol("not", what)


BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    cst.Add: ("+", operator.add),
    cst.Subtract: ("-", operator.sub),
    cst.Multiply: ("*", operator.mul),
    cst.Divide: ("/", operator.truediv),
    cst.FloorDivide: ("//", operator.floordiv),
    cst.Modulo: ("%", operator.mod),
    cst.BitAnd: ("&", operator.and_),
    cst.BitOr: ("|", operator.or_),
    cst.BitXor: ("^", operator.xor),
    cst.LeftShift: ("<<", operator.lshift),
    cst.RightShift: (">>", operator.rshift),
    cst.Power: ("**", operator.pow),
    cst.MatrixMultiply: ("@", operator.matmul),
}


def eval_binary(w: Walker, node: cst.BinaryOperation) -> Value:
    left, right = evaluate(w, node.left), evaluate(w, node.right)
    name, compute = BINARY[type(node.operator)]
    may_raise.note_sum(w, left, right)
    return binary(w, node, name, compute, left, right)


def binary(w: Walker, node: cst.CSTNode, name: str, compute: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """A binary operator on any values."""

    if name == "+" and (rank := rank_evidence.among_nodes(a, b)) is not None:
        return rank
    if name == "%" and isinstance(b, Tuple):
        return w.lift(node, lambda x, *ys: _formatted(x, ys) or _folded(name, None, x, Tuple(ys)), a, *b.items)

    def apply(x: Value, y: Value) -> Value:
        if name == "%" and (made := _formatted(x, (y,))) is not None:
            return made
        if name == "+" and isinstance(x, (Tuple, Container)) and isinstance(y, (Tuple, Container)):
            return _joined(w, x, y)
        if name == "*" and (repeated := _repeated(w, x, y) or _repeated(w, y, x)) is not None:
            return repeated
        if name == "/" and not (isinstance(x, Const) and isinstance(y, Const)) and paths.is_path(x):
            return paths.path_of(w, paths.joined(x, y))
        if name in ("%", "//") and x == Const(0) and isinstance(y, Unknown):
            return Const(0)
        return _folded(name, compute, x, y)

    return w.lift(node, apply, a, b)


def _formatted(template: Value, items: tuple[Value, ...]) -> Value | None:
    from ddplint.analysis.domain import formatting

    return formatting.percent(template, items)


def _joined(w: Walker, x: Value, y: Value) -> Value:
    first, second = calls.items_of(w, x), calls.items_of(w, y)
    if first is None or second is None:
        return w.container("list", None, varying_in(x) or varying_in(y))
    if isinstance(x, Tuple):
        return Tuple((*first, *second))
    return w.container("list", [*first, *second])


def _repeated(w: Walker, value: Value, times: Value) -> Value | None:
    """``value * times`` for a list or tuple of known content and a known number."""
    if not isinstance(value, (Tuple, Container)) or not isinstance(times, Const) or type(times.value) is not int:
        return None
    items = calls.items_of(w, value)
    if items is None or len(items) * times.value > _MOST_REPEATED:
        return None
    items *= times.value
    return Tuple(tuple(items)) if isinstance(value, Tuple) else w.container("list", items)


def _folded(name: str, compute: Callable[..., Any] | None, *values: Value) -> Value:
    """Fold constants, else name the operation."""
    if compute is not None and all(isinstance(value, Const) for value in values):
        found = _safely(name, compute, *(value.value for value in values if isinstance(value, Const)))
        if found is not None:
            return found
    return derived(("op", name), values)


def _safely(name: str, compute: Callable[..., Any], *args: Any) -> Value | None:
    if name in ("**", "<<") and any(isinstance(arg, (int, float)) and abs(arg) > 64 for arg in args):
        return None
    if name == "*" and any(isinstance(arg, (str, bytes)) for arg in args):
        return None
    if name == "%" and args and isinstance(args[0], (str, bytes)):
        return None
    try:
        found = compute(*args)
    except Exception:
        return None
    if isinstance(found, int) and abs(found) > _MAX_NUMBER:
        return None
    if isinstance(found, (str, bytes)) and len(found) > _MAX_TEXT:
        return None
    if found is None or isinstance(found, (bool, int, float, complex, str, bytes)):
        return Const(found)
    return None


def derived(head: tuple[object, ...], values: tuple[Value, ...] | list[Value]) -> Value:
    """The result of an operation that is not folded: uniform if its inputs are, rank-local if one is."""
    source: Wrapped | None = None
    local: Varying | None = None
    for value in values:
        kind = type(value)
        if kind is Unknown:
            source = source or value.source  # type: ignore[attr-defined]
        elif kind is not Const:
            source = source or source_of(value)
            local = local or varying_in(value)
    what = symbol(*head, *map(key_of, values))
    if local is not None:
        return Varying(local.reason, what, local.trail, source)
    return Unknown(what, source)


def eval_boolean(w: Walker, node: cst.BooleanOperation) -> Value:
    left = evaluate(w, node.left)
    is_and = type(node.operator) is cst.And
    if isinstance(left, Unknown) and w.state.path.get(left.symbol) is None and not may_act(node.right):
        right = evaluate(w, node.right)
        if isinstance(right, (Unknown, Varying)):
            return _both_asked(is_and, left, right)
    if isinstance(left, Varying) and w.truth(left) is None and not may_act(node.right):
        right = evaluate(w, node.right)
        if right == (FALSE if is_and else TRUE):
            return right  # whatever the other one is
        if isinstance(right, (Unknown, Varying)):
            return _both_asked(is_and, left, right)
    kind = "and" if is_and else "or"
    by_identity: list[bool] = []

    def right_side() -> Value:
        value = evaluate(w, node.right)
        by_identity.append(isinstance(value, PerRank))
        return value

    def left_side() -> Value:
        value = w.state.narrow(left)
        settled = isinstance(value, Varying) and is_and and any(by_identity)
        return value if not settled and not _is_settled(value) else FALSE if is_and else TRUE

    if is_and:
        return w.branch(left, node.left, node, kind, right_side, left_side) or NONE
    return w.branch(left, node.left, node, kind, left_side, right_side) or NONE


def _both_asked(is_and: bool, left: Unknown | Varying, right: Unknown | Varying) -> Value:
    """``left and right``, where neither is known: a rank-local one remembers what all ranks see alike of it."""
    what = symbol("and" if is_and else "or", left.symbol, right.symbol)
    local = next((side for side in (left, right) if isinstance(side, Varying)), None)
    if local is None:
        return Unknown(what)
    what.shared = tuple(side.symbol for side in (left, right) if isinstance(side, Unknown))
    return Varying(local.reason, what, local.trail)


def _is_settled(value: Value) -> bool:
    """Whether a value that is true or false, and nothing else, holds something that only each rank knows."""
    if isinstance(value, PerRank):
        parts = [part for part in value.values if part is not UNBOUND]
        return all(part in (TRUE, FALSE) or _is_settled(part) for part in parts)
    return isinstance(value, Varying) and _is_truth(value)


_TRUTHS = frozenset({"in", "is", "isinstance", "not"})


def _is_truth(value: Varying) -> bool:
    """Whether a rank-local value is True or False, and nothing else."""
    key = value.symbol.made_of  # also of one that is too large to be looked into
    if key[0] == "op":
        return key[1] in ("<", "<=", "==", "!=", ">", ">=")
    return key[0] in _TRUTHS or (key[0] == "call" and value.reason is Reason.FILESYSTEM)


def may_act(node: cst.CSTNode) -> bool:
    """Whether evaluating an expression may run code (a call, an await, an assignment expression)."""
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) in _ACTS:
            return True
        stack += [child for child in children(node) if _ENTERED[type(child)]]
    return False


_ACTS = frozenset({cst.Call, cst.Await, cst.NamedExpr, cst.Yield})


class _Entered(dict[type, bool]):
    """Whether nodes of a class are looked into, asked once for each class."""

    def __missing__(self, kind: type) -> bool:
        leaf = kind in (cst.Name, cst.Integer, cst.SimpleString, cst.Float)
        found = self[kind] = not leaf and issubclass(kind, (cst.BaseExpression, cst.ComparisonTarget))
        return found


_ENTERED = _Entered()


def eval_conditional(w: Walker, node: cst.IfExp) -> Value:
    test = evaluate(w, node.test)
    return (
        w.branch(test, node.test, node, "ternary", lambda: evaluate(w, node.body), lambda: evaluate(w, node.orelse))
        or NONE
    )


_SAMENESS = (cst.Equal, cst.NotEqual)
_IDENTITY = (cst.Is, cst.IsNot)
_NOTHING = (Const(0), Const(0.0))


def _stands_in(value: Value, number: Value) -> bool:
    """Whether a number takes the place of a value on some path, such as 0 that of a loss that was not worked out."""
    if not isinstance(value, Either) or value.local is not None:
        return value == number
    return _stands_in(value.yes, number) or _stands_in(value.no, number)


def _present(value: Value) -> Value:
    """A value for which a number stands in elsewhere: what each rank worked out is not that number."""
    if isinstance(value, Either):
        return Either(value.symbol, _present(value.yes), _present(value.no), value.leaves, value.local)
    return TRUE if isinstance(value, Varying) and value.reason is Reason.DATA else value


def eval_comparison(w: Walker, node: cst.Comparison) -> Value:
    left = evaluate(w, node.left)
    result: Value | None = None
    for target in node.comparisons:
        right = evaluate(w, target.comparator)
        own = filling.by_rank(w, right)
        if type(target.operator) in _SAMENESS and right in _NOTHING and _stands_in(left, right):
            left = _present(left)
        if type(target.operator) in _IDENTITY and right == NONE:
            left = likeness.of_one_thing(w.state.narrow(left))
        number = _is_number_of_rank(w, left, right)
        step = w.lift(
            node, lambda a, b, *_, op=target.operator, n=number: compare(w, op, a, b, node, n), left, right, *own
        )
        result = step if result is None else _both(w, node, result, step)
        left = right
    return result or NONE


def _is_number_of_rank(w: Walker, left: Value, right: Value) -> bool:
    """Whether something that is reckoned from the rank is held against 0 or less: ``first + rank >= 0``.

    No such number is negative.
    """
    if not isinstance(right, Const) or type(right.value) is not int or right.value > 0:
        return False
    return by_rank_in(w.state.narrow(left))


def _both(w: Walker, node: cst.CSTNode, first: Value, second: Value) -> Value:
    def conjunction(a: Value, b: Value) -> Value:
        known = w.truth(a)
        if isinstance(known, bool):
            return b if known else a
        return derived(("and",), (a, b))

    return w.lift(node, conjunction, first, second)


def compare(w: Walker, op: cst.BaseCompOp, a: Value, b: Value, node: cst.CSTNode, is_number: bool = False) -> Value:
    """One comparison of two narrowed values, asked at ``node``; ``is_number``: what is unknown is not negative."""
    kind = type(op)
    if kind is cst.In or kind is cst.NotIn:
        found = _contains(w, b, a)
        return found if kind is cst.In else negate(w, found, node)
    if kind is cst.Is or kind is cst.IsNot:
        found = _same(_may_be_none(w, a), _may_be_none(w, b))
        return found if kind is cst.Is else negate(w, found, node)
    name, compute, flipped, negated = _COMPARE[kind]
    if isinstance(a, Const) and isinstance(b, Const):
        try:
            return TRUE if compute(a.value, b.value) else FALSE
        except Exception:
            return unknown("comparison")
    if name == "==" and a == b and not isinstance(a, Varying):
        return FALSE if negated else TRUE
    if name == "==" and _distinct(a, b):
        return TRUE if negated else FALSE
    x, y = (b, a) if flipped else (a, b)
    known = _bounded(w, name, x, y, 0 if is_number else None)
    asked = _filling(name, x, y) or derived(("op", name), (x, y))
    found = asked if known is None else TRUE if known else FALSE
    return negate(w, found, node) if negated else found


def _filling(name: str, x: Value, y: Value) -> Value | None:
    """``0 < len(a)``, ``len(a) == 0`` and ``len(a) < 1`` as what ``a`` and ``not a`` ask: whether there is anything."""
    if name == "<" and x == Const(0):
        measured = _measured(y)
        return Unknown(measured) if measured is not None else None
    for size, number in ((x, y), (y, x)) if name == "==" else ((x, y),):
        measured = _measured(size)
        if measured is not None and number == Const(0 if name == "==" else 1):
            return Unknown(symbol("not", measured))
    return None


def _measured(value: Value) -> Symbol | None:
    return measured(value.symbol) if isinstance(value, Unknown) else None


def _bounded(w: Walker, name: str, x: Value, y: Value, unknown: int | None) -> bool | None:
    """``x < y`` or ``x == y`` where one side has a known lower bound; ``unknown`` is that of what is not known."""
    for value, other, swapped in ((x, y, False), (y, x, True)):
        if not isinstance(value, Unknown) or not isinstance(other, Const):
            continue
        least = _least(w, value.symbol, unknown)
        if least is None or type(other.value) is not int:
            continue
        if name == "==":
            return False if other.value < least else None
        if swapped:
            return True if other.value < least else None
        return False if other.value <= least else None
    return None


def _least(w: Walker, what: object, unknown: int | None = None) -> int | None:
    """The least that a number can be: how many processes there are, what the value table says, sums and products."""
    if isinstance(what, Const):
        return what.value if type(what.value) is int else None
    if not isinstance(what, Symbol):
        return unknown
    if what in w.several:
        return 2
    if what.key[:2] in _GROWS:
        first, second = (_least(w, part, unknown) for part in what.key[2:])
        known = first is not None and second is not None and min(first, second) >= 0
        return _GROWS[what.key[:2]](first, second) if known else None
    if what.key[:1] == ("op",):
        return None
    row = w.knowledge.value(str(what.key[1])) if what.key[0] == "call" else None
    return row.at_least if row is not None and row.at_least is not None else unknown


_GROWS: dict[tuple[object, ...], Callable[[Any, Any], int]] = {
    ("op", "+"): operator.add,
    ("op", "*"): operator.mul,
}


_COMPARE: dict[type, tuple[str, Callable[[Any, Any], bool], bool, bool]] = {
    cst.Equal: ("==", operator.eq, False, False),
    cst.NotEqual: ("==", operator.ne, False, True),
    cst.LessThan: ("<", operator.lt, False, False),
    cst.GreaterThan: ("<", operator.gt, True, False),
    cst.LessThanEqual: ("<", operator.le, True, True),
    cst.GreaterThanEqual: ("<", operator.ge, False, True),
}

_OBJECTS = (Function, Class, Instance, Container, ModuleValue, Object, Wrapped, Bound, Tuple, Group)


def _distinct(a: Value, b: Value) -> bool:
    return _is_never(a, b) or _is_never(b, a)


def _is_never(one: Value, other: Value) -> bool:
    """Whether a value is a constant that another one cannot be."""
    if not isinstance(one, Const):
        return False
    return (one.value is None and _is_object(other)) or (isinstance(one.value, str) and _is_counter(other))


def _is_counter(value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol.key[:2] == ("fresh", "index")


def _is_object(value: Value) -> bool:
    """Whether a value is surely not None; an attribute of an external object may be, and what is drawn from a list."""
    if isinstance(value, Varying):
        drawn = value.reason is Reason.RANDOM and value.symbol.key[0] == "fresh"
        return drawn and not any(word in str(value.symbol.key[1]) for word in ("choice", "sample"))
    return isinstance(value, _OBJECTS) and not (isinstance(value, Bound) and isinstance(value.function, External))


def _may_be_none(w: Walker, value: Value) -> Value:
    """A setting of a package that no table knows, as the unknown that it is; any other value as it is."""
    what = w.plain_attribute(value) if isinstance(value, External) else None
    if isinstance(value, Unknown) and gradients.are_there(w, value):
        return Unknown(symbol("supplied", value.symbol, GIVEN))
    if isinstance(value, Unknown) and value.symbol.made_of[0] == "method":
        name = value.symbol.made_of[1]
        if any(name in w.knowledge.quiet(kind) for kind in ("given", "tensor_methods")):
            return Unknown(symbol("supplied", value.symbol, GIVEN))
    return value if what is None else Unknown(what)


def _same(a: Value, b: Value) -> Value:
    """``is``: of constants and objects known, of what is worked out from samples the same on all ranks."""
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if a == b else FALSE
    if _distinct(a, b) or (NONE in (a, b) and all(value == NONE or is_given(value) for value in (a, b))):
        return FALSE
    for value, against in ((a, b), (b, a)):
        if isinstance(value, Varying) and isinstance(against, Const):
            if may_be_name(value):
                return FALSE if is_drawn_name(value.symbol) else Unknown(symbol("is", value.symbol, against))
            if value.reason is Reason.DATA and not (value.source is None and is_whole_sample(value.symbol)):
                return Unknown(symbol("is", value.symbol, against))
            return Varying(value.reason, symbol("is", value.symbol, against), value.trail)
    return derived(("is",), (a, b))


def _contains(w: Walker, whole: Value, part: Value) -> Value:
    if isinstance(whole, External) and whole.name == "os.environ" and isinstance(part, Const):
        return calls.in_environment(w, str(part.value))
    items = None if isinstance(whole, Const) and isinstance(whole.value, str) else calls.items_of(w, whole)
    if items is not None:
        if any(item == part and not isinstance(part, Varying) for item in items):
            return TRUE
        if all(isinstance(item, Const) for item in items):
            if isinstance(part, Const):
                return TRUE if any(_equal(item, part) for item in items) else FALSE
            whole = Tuple(tuple(items))  # named by what it holds: the next list of the same asks the same
    if isinstance(whole, Const) and isinstance(part, Const):
        try:
            return TRUE if part.value in whole.value else FALSE
        except Exception:
            return unknown("in")
    if isinstance(part, Const) and grouped.is_of_all(w, whole):
        return TRUE
    if isinstance(whole, Varying) and whole.reason is Reason.DATA and _is_key(part, whole):
        return Unknown(symbol("in", key_of(part), whole.symbol))  # a key by configuration is there on all ranks or none
    return derived(("in",), (part, whole))


def _is_key(part: Value, whole: Varying) -> bool:
    """Whether what is looked for in samples, or in what a model gives, is the name of a field."""
    if isinstance(part, Const):
        given = whole.source is not None and whole.symbol.key[:2] == ("fresh", "output")
        return isinstance(part.value, str) and (given or is_sample(whole.symbol))
    return not isinstance(part, (Varying, PerRank)) and varying_in(part) is None


def _equal(a: Value, b: Value) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and bool(a.value == b.value)


def eval_tuple(w: Walker, node: cst.Tuple) -> Value:
    items = _elements(w, node.elements)
    return Tuple(tuple(items)) if items is not None else unknown("tuple")


def eval_list(w: Walker, node: cst.List | cst.Set) -> Value:
    items = _elements(w, node.elements)
    if isinstance(node, cst.List):
        return w.container("list", items)
    return unordered.made(w, w.container("set", items), items)


def _elements(w: Walker, elements: Any) -> list[Value] | None:
    items: list[Value] | None = []
    for element in elements:
        value = evaluate(w, element.value)
        if type(element) is cst.StarredElement:
            inner = calls.items_of(w, value)
            items = items + inner if items is not None and inner is not None else None
        elif items is not None:
            items.append(value)
    return items


def eval_dict(w: Walker, node: cst.Dict) -> Value:
    pairs: list[Value] | None = []
    for element in node.elements:
        value = evaluate(w, element.value)
        if isinstance(element, cst.DictElement):
            key = evaluate(w, element.key)
            if pairs is not None:
                pairs.append(Tuple((key, value)))
        else:
            inner = calls.pairs_of(w, value)
            pairs = pairs + inner if pairs is not None and inner is not None else None
    return w.container("dict", pairs)


def eval_subscript(w: Walker, node: cst.Subscript) -> Value:
    base = evaluate(w, node.value)
    may_raise.note_use(w, base)
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = evaluate(w, node.slice[0].slice.value)
        may_raise.note_use(w, index)
        share = shares.of_parts(w, w.state.narrow(base), index, node)
        if share is not None:
            return share
        return w.lift(node, lambda b, i: selection.by_mask(w, b, i) or calls.item(w, node, b, i), base, index)
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice):
        cut = node.slice[0].slice
        bounds = [evaluate(w, part) if part is not None else NONE for part in (cut.lower, cut.upper, cut.step)]
        return _sliced(w, node, base, bounds)
    parts: list[Value] = [base]
    for element in node.slice:
        if isinstance(element.slice, cst.Index):
            parts.append(evaluate(w, element.slice.value))
    return w.lift(node, lambda *vs: derived(("item",), vs), *parts)


def _to_the_end(base: Value, stop: Value) -> bool:
    """Whether a slice goes to the end of a sequence, also where its own length is named as the stop."""
    whole = isinstance(stop, Unknown) and stop.symbol.key[:2] in (("len", base), ("len", key_of(base)))
    return stop == NONE or whole


def _sliced(w: Walker, node: cst.Subscript, base: Value, bounds: list[Value]) -> Value:
    items = calls.items_of(w, base)
    by_rank = next((b for b in bounds if isinstance(b, PerRank)), None)
    if items is None and by_rank is not None:
        strided = bounds[2] != NONE and _to_the_end(base, bounds[1]) and not iterables.evened(w, base, bounds[2])
        reason = Reason.LENGTH if strided else Reason.DATA
        return Varying(reason, fresh("slice"), w.trail(node, "", trail_of(by_rank)))
    if (
        isinstance(base, Varying)
        and base.reason is Reason.LENGTH
        and bounds[1] != NONE
        and may_raise.is_shared(bounds[1])
    ):
        return Varying(Reason.DATA, fresh("slice"), base.trail)  # cut to a length that is the same for all

    def cut(b: Value, lower: Value, upper: Value, step: Value) -> Value:
        inner = calls.items_of(w, b)
        limits = [bound.value for bound in (lower, upper, step) if isinstance(bound, Const)]
        if inner is not None and len(limits) == 3 and all(x is None or isinstance(x, int) for x in limits):
            try:
                part = inner[slice(*limits)]
            except ValueError:
                return unknown("slice")
            return Tuple(tuple(part)) if isinstance(b, Tuple) else w.container("list", part)
        if isinstance(b, Const) and isinstance(b.value, (str, bytes)) and len(limits) == 3:
            return _safely("slice", lambda: b.value[slice(*limits)]) or unknown("slice")
        return derived(("slice",), (b, lower, upper, step))

    return w.lift(node, cut, base, *bounds)


def eval_lambda(w: Walker, node: cst.Lambda) -> Value:
    return calls.function_value(w, node, "<lambda>")


def eval_named_expr(w: Walker, node: cst.NamedExpr) -> Value:
    value = evaluate(w, node.value)
    if isinstance(node.target, cst.Name):
        w.state.write((w.frame.outer_names.get(node.target.value, w.frame.scope), node.target.value), value)
    return value


def eval_await(w: Walker, node: cst.Await) -> Value:
    return evaluate(w, node.expression)


def eval_yield(w: Walker, node: cst.Yield) -> Value:
    value: Value = NONE
    if isinstance(node.value, cst.From):
        inner = evaluate(w, node.value.item)
        return calls.yield_from(w, node, inner)
    if node.value is not None:
        value = evaluate(w, node.value)
        context_managers.handed_out(w, node, value)
    if w.frame.on_yield is not None:
        return w.frame.on_yield(value)
    return unknown("sent")


def eval_call(w: Walker, node: cst.Call) -> Value:
    return calls.call(w, node)
