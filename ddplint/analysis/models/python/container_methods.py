"""Methods of Python's own containers and strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import either, rank_join
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import (
    NONE,
    Const,
    Container,
    Either,
    External,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import aliases, containers, filling
from ddplint.analysis.memory.contents import joined, ways
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import fitting
from ddplint.analysis.models.data import iterables
from ddplint.analysis.models.python import counting, environment, updating, views
from ddplint.analysis.models.python.iteration import collection
from ddplint.analysis.openworld.values import name_patterns, reflective_writes

Handler = Callable[["Interp", Value, Args, Kwargs, cst.CSTNode], "Value | None"]


def method_of(value: Value, name: str) -> Handler | None:
    """What a method does, where it is one of Python's own and known."""
    return _METHODS.get((kind_of(value), name))


def kind_of(value: Value) -> str:
    """The kind of container or constant a method belongs to."""
    if isinstance(value, Container):
        return value.kind
    if isinstance(value, Tuple):
        return "tuple"
    if isinstance(value, Const):
        return type(value.value).__name__
    if isinstance(value, External):
        return value.name
    if isinstance(value, Object):
        return value.name
    return ""


def _environ_get(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return environment.variable(w, args, node)


def _content(w: Interp, receiver: Value) -> Tuple | None:
    if isinstance(receiver, Container):
        content = w.state.read((receiver.id, ""))
        return content if isinstance(content, Tuple) else None
    return None


def _append(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    assert isinstance(receiver, Container)
    if _fills(w, receiver, node) or (receiver.kind == "set" and args and filling.keyed(w, receiver, args[0])):
        return NONE
    if receiver.kind == "set" and args and updating.has_taken(w, receiver, args[0]):
        return NONE
    content = _content(w, receiver)
    if args:
        containers.put_in(w, receiver, args[0], filling.loops_since(w, receiver))
        containers.appended(w, receiver, None if content is None else content.items, args[0])
    longer = _longer(w, receiver, args[:1])
    if longer is not None:
        w.state.write((receiver.id, ""), longer)
    else:
        old = w.state.read((receiver.id, "")) or NONE
        local = varying_in(old) or filling.of_element(varying_in(args[0]) if args else None)
        w.state.write((receiver.id, ""), local or Unknown(fresh("content")))
    return NONE


def _longer(w: Interp, receiver: Container, more: Sequence[Value]) -> Value | None:
    """What a list of known content has when something is put behind it; None where the content is not known."""
    return _with(w.state.narrow(w.state.read((receiver.id, "")) or NONE), more)


def _with(content: Value, more: Sequence[Value]) -> Value | None:
    """The same path by path and rank by rank."""
    if isinstance(content, Tuple):
        return Tuple((*content.items, *more)) if len(content.items) < limits.KNOWN_ITEMS else None
    if isinstance(content, Either) and content.local is None:
        yes, no = _with(content.yes, more), _with(content.no, more)
        return None if yes is None or no is None else either(content.symbol, yes, no)
    if isinstance(content, PerRank):
        found = [_with(one, more) for one in content.values]
        return None if None in found else rank_join([one for one in found if one is not None], content.trail)
    return None


def _fills(w: Interp, receiver: Container, node: cst.CSTNode) -> bool:
    """Whether ranks put unequally many elements into a list, which is then its content."""
    if receiver.kind != "list":
        return False
    fitting.fits(w, receiver)
    cause = iterables.filled(w, receiver, node)
    if cause is not None:
        w.state.write((receiver.id, ""), cause)
    return cause is not None


def extend(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``receiver.extend(more)``, and ``receiver += more``, which is the same for a list."""
    assert isinstance(receiver, Container)
    containers.mixed(w, receiver)
    if _fills(w, receiver, node):
        return NONE
    more = containers.items_of(w, args[0]) if args else []
    longer = _longer(w, receiver, more) if more is not None else None
    before = containers.items_of(w, receiver) or []
    if longer is not None:
        w.state.write((receiver.id, ""), longer)
    else:
        given = args[0] if args else NONE
        held = (w.state.read((one.id, "")) for one in (receiver, given) if isinstance(one, Container))
        found = [local for one in (*held, given) if one is not None and (local := varying_in(one)) is not None]
        local = next((one for one in found if one.reason is Reason.LENGTH), next(iter(found), None))
        w.state.write((receiver.id, ""), local or Unknown(fresh("content")))
        joined.note(w, receiver, [*before, given])
    return NONE


def _insert(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``insert(index, value)``: one more, somewhere."""
    content = _content(w, receiver)
    place = args[0].value if len(args) == 2 and isinstance(args[0], Const) else None
    if content is None or not isinstance(place, int) or not isinstance(receiver, Container):
        return _append(w, receiver, args[1:], kwargs, node)
    items = list(content.items)
    items.insert(place, args[1])
    w.state.write((receiver.id, ""), Tuple(tuple(items)))
    return NONE


def _clear(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    assert isinstance(receiver, Container)
    w.state.write((receiver.id, ""), Tuple(()))
    filling.has_key(w, receiver, there=False)
    return NONE


def _pop(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    assert isinstance(receiver, Container)
    fitting.fits(w, receiver)
    content = _content(w, receiver)
    if content is not None and content.items and not args and receiver.kind == "list":
        w.state.write((receiver.id, ""), Tuple(content.items[:-1]))
        return content.items[-1]
    return None


def _pop_first(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    content = _content(w, receiver)
    if content is None or not content.items or not isinstance(receiver, Container):
        return None
    w.state.write((receiver.id, ""), Tuple(content.items[1:]))
    return content.items[0]


def remove(w: Interp, receiver: Value, key: Value) -> bool:
    """Take a constant key out of a dictionary of known keys; whether it was there."""
    if not isinstance(receiver, Container) or receiver.kind != "dict" or not isinstance(key, Const):
        return False
    content = w.state.read((receiver.id, "")) or NONE
    filling.has_key(w, receiver, there=False)
    left = ways.without_key(content, key)
    if left != content:
        w.state.write((receiver.id, ""), left)
    return left != content and isinstance(content, Tuple)


def _dict_pop(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    if _content(w, receiver) is None:
        remove(w, receiver, args[0])
        return None
    found = _dict_get(w, receiver, args, kwargs, node)
    was_there = remove(w, receiver, args[0])
    return found if was_there or len(args) > 1 else None


def _dict_get(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    if isinstance(w.state.narrow(args[0]), PerRank):
        rest = args[1:]
        return w.lift(node, lambda key: _dict_get(w, receiver, [key, *rest], kwargs, node) or unknown("item"), args[0])
    own = filling.by_rank(w, receiver)
    if own:
        return w.lift(node, lambda _: _dict_get(w, receiver, args, kwargs, node) or unknown("item"), *own)
    pairs = containers.pairs_of(w, receiver)
    if pairs is None and filling.own_length(w, receiver) is not None:
        return updating.found(w, receiver, args[0], args[1] if len(args) > 1 else NONE)
    if pairs is not None and (picked := name_patterns.under_a_key(w, args[0], pairs, args[1:])) is not None:
        return picked
    if pairs is None or not isinstance(args[0], Const):
        return aliases.kept(w, receiver, args[0])
    for pair in reversed(pairs):
        if isinstance(pair, Tuple) and pair.items[0] == args[0]:
            return pair.items[1]
    if all(isinstance(pair, Tuple) and isinstance(pair.items[0], Const) for pair in pairs):
        return args[1] if len(args) > 1 else NONE
    return None


def _dict_set_default(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args or not isinstance(receiver, Container) or filling.keyed(w, receiver, args[0]):
        return None
    pairs = containers.pairs_of(w, receiver)
    default = args[1] if len(args) > 1 else NONE
    if pairs is None:
        return updating.add_missing(w, receiver, args[0], default)
    if not isinstance(args[0], Const):
        return None
    found = next((pair.items[1] for pair in pairs if isinstance(pair, Tuple) and pair.items[0] == args[0]), None)
    if found is not None:
        return found
    w.semantics.set_item(w, receiver, args[0], default, node)
    return default


def _view(w: Interp, receiver: Value, name: str, node: cst.CSTNode) -> Value | None:
    if containers.sample_of(w, receiver, node) is None and filling.own_length(w, receiver) is None:
        return None
    return w.external_object(f"builtins.dict_{name}", [receiver], {}, None)


def _dict_items(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    pairs = containers.pairs_of(w, receiver)
    return Tuple(tuple(pairs)) if pairs is not None else _view(w, receiver, "items", node)


def _dict_values(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    pairs = containers.pairs_of(w, receiver)
    if pairs is None:
        return _view(w, receiver, "values", node)
    return Tuple(tuple(p.items[1] for p in pairs if isinstance(p, Tuple)))


def _dict_keys(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    pairs = containers.pairs_of(w, receiver)
    if pairs is None:
        return receiver if filling.own_length(w, receiver) is not None else None
    return Tuple(tuple(p.items[0] for p in pairs if isinstance(p, Tuple)))


def _dict_update(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    assert isinstance(receiver, Container)
    if (filling.COUNTS, receiver.id) in w.marks:
        counting.count(w, receiver, args, kwargs, node)
        return NONE
    pairs = containers.pairs_of(w, args[0]) if args else []
    if pairs is None:
        reflective_writes.items_of(w, receiver)
        w.state.write((receiver.id, ""), updating.updated(w, receiver, args[0]))
        updating.take_over(w, receiver, args, kwargs, node)
        return NONE
    for pair in pairs:
        if isinstance(pair, Tuple):
            w.semantics.set_item(w, receiver, pair.items[0], pair.items[1], node)
    for key, value in kwargs.items():
        w.semantics.set_item(w, receiver, Const(key), value, node)
    return NONE


def _most_common(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return None if args else _dict_items(w, receiver, args, kwargs, node)


def _copy(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return collection(receiver.kind)(w, [receiver], {}, node) if isinstance(receiver, Container) else None


def _string(name: str) -> Handler:
    def run(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        def apply(text: Value, *rest: Value) -> Value:
            if isinstance(text, Const) and all(isinstance(arg, Const) for arg in rest) and not kwargs:
                given = [arg.value for arg in rest if isinstance(arg, Const)]
                found = terms.safely("method", _method(name), text.value, *given)
                if found is not None:
                    return found
            return terms.derived(("method", name), (text, *rest))

        return w.lift(node, apply, receiver, *args)

    return run


def _method(name: str) -> Callable[..., object]:
    return lambda text, *given: getattr(text, name)(*given)


def _format(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    count, names = len(args), tuple(kwargs)

    def apply(template: Value, *given: Value) -> Value:
        return terms.braces(template, given[:count], dict(zip(names, given[count:], strict=True)))

    return w.lift(node, apply, receiver, *args, *kwargs.values())


def _join(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``"_".join(parts)`` of parts that are known one by one: a text, in which each keeps its place."""
    given = w.state.narrow(args[0]) if len(args) == 1 else NONE
    parts = containers.items_of(w, given) or (joined.parts_of(w, given) if isinstance(given, Container) else None)
    if not parts or len(parts) > limits.JOINED_PARTS:
        return None

    def apply(between: Value, *given: Value) -> Value:
        pieces = [piece for part in given for piece in (between, part)]
        return terms.text_of(*pieces[1:])

    return w.lift(node, apply, receiver, *parts)


def _lift_item(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return receiver


def _file_number(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """The number of an open file stands for the file."""
    return receiver


_METHODS: dict[tuple[str, str], Handler] = {
    ("list", "append"): _append,
    ("set", "add"): _append,
    ("list", "appendleft"): _append,
    ("list", "insert"): _insert,
    ("list", "extend"): views.method(extend),
    ("list", "extendleft"): views.method(extend),
    ("list", "popleft"): _pop_first,
    ("list", "clear"): _clear,
    ("dict", "clear"): _clear,
    ("set", "clear"): _clear,
    ("list", "pop"): _pop,
    ("dict", "get"): _dict_get,
    ("dict", "pop"): _dict_pop,
    ("dict", "setdefault"): _dict_set_default,
    ("dict", "items"): views.method(_dict_items),
    ("dict", "values"): views.method(_dict_values),
    ("dict", "keys"): views.method(_dict_keys),
    ("dict", "update"): views.method(_dict_update),
    ("dict", "most_common"): views.method(_most_common),
    ("set", "update"): views.method(counting.set_update),
    **{(kind, "copy"): views.method(_copy) for kind in ("dict", "list", "set")},
    ("str", "format"): _format,
    ("str", "join"): _join,
    ("os.environ", "get"): _environ_get,
    ("io.TextIOWrapper", "fileno"): _file_number,
    **{
        ("str", name): _string(name)
        for name in [
            "lower",
            "upper",
            "strip",
            "lstrip",
            "rstrip",
            "startswith",
            "endswith",
            "replace",
            "isdigit",
            "title",
            "removeprefix",
            "removesuffix",
            "capitalize",
            "casefold",
            "swapcase",
            "isalpha",
            "isdecimal",
            "isnumeric",
            "count",
            "find",
            "rfind",
        ]
    },
    **{(kind, "item"): _lift_item for kind in ("int", "float", "bool")},
}
