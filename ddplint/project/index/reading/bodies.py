"""The body of one function becomes its record; functions and classes in it are left for records of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ddplint.project.index.reading.expressions import choices, described, given_as, made_of_things
from ddplint.project.index.reading.things import callee_of, things_in
from ddplint.project.index.records import MODULE, Call, FunctionRecord

Inner = ast.FunctionDef | ast.AsyncFunctionDef
Node = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
_ADDING = frozenset({".append", ".insert"})
_OF_TYPES = frozenset({"callable", "getattr", "hasattr", "isinstance", "issubclass", "type"})
_IMPORTING = ("import_module", "__import__")


class Body:
    """What is read of a body: ``inner`` functions (with the class they are methods of, and their full name),
    ``classes`` (with their full name), ``tables``, and what :meth:`record` gives."""

    def __init__(self, node: Node, name: str, owner: str) -> None:
        self._node, self._name, self._owner = node, name, owner
        self._prefix = "" if name == MODULE else f"{name}."
        self.inner: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str, str]] = []
        self.classes: list[tuple[ast.ClassDef, str]] = []
        self.tables: list[tuple[str, str, list[str]]] = []
        self._calls: list[Call] = []
        self._reads: dict[str, None] = {}
        self._assigned: list[tuple[str, str]] = []
        self._hints: list[tuple[str, str]] = []
        self._returned: list[str] = []
        self._outer: list[str] = []
        self._raised: list[int] = []
        self._summed: list[str] = []
        self._compared: list[tuple[str, str]] = []
        self._divided: list[str] = []
        self._signs: dict[str, None] = {"a": None} if isinstance(node, ast.AsyncFunctionDef) else {}
        self._stack: list[Any] = list(reversed(node.body))
        self._run()

    def record(self) -> FunctionRecord:
        """The record of the function."""
        node, params, decorators = self._node, [], []
        first, last = 1, 1
        if isinstance(node, ast.Module):
            last = (node.body[-1].end_lineno or 1) if node.body else 1
        else:
            given = node.args
            params = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            params += [one for one in (given.vararg, given.kwarg) if one is not None]
            self._hints += [(one.arg, hint) for one in params for hint in _hinted(one.annotation)]
            decorators = [described(one) for one in node.decorator_list]
            first, last = node.lineno, node.end_lineno or node.lineno
        return FunctionRecord(
            self._name,
            self._owner,
            first,
            last,
            [one.arg for one in params],
            self._hints,
            decorators,
            self._calls,
            list(self._reads),
            self._assigned,
            self._returned,
            self._outer,
            self._raised,
            self._summed,
            self._compared,
            self._divided,
            "".join(self._signs),
        )

    def _run(self) -> None:
        stack, handlers = self._stack, _HANDLERS
        while stack:
            node = stack.pop()
            handler = handlers.get(type(node))
            if handler is not None:
                handler(self, node)
                continue
            for name in node._fields:
                value = getattr(node, name, None)
                if type(value) is list:
                    stack += [one for one in reversed(value) if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST):
                    stack.append(value)

    def _function(self, node: Inner, owner: str = "", prefix: str | None = None) -> None:
        self.inner.append((node, owner, f"{self._prefix if prefix is None else prefix}{node.name}"))
        self._stack += [*node.decorator_list, *node.args.defaults, *(one for one in node.args.kw_defaults if one)]

    def _class(self, node: ast.ClassDef, prefix: str | None = None) -> None:
        name = f"{self._prefix if prefix is None else prefix}{node.name}"
        self.classes.append((node, name))
        self._stack += [*node.decorator_list, *node.bases, *(one.value for one in node.keywords)]
        for part in node.body:
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._function(part, name, f"{name}.")
            elif isinstance(part, ast.ClassDef):
                self._class(part, f"{name}.")
            else:
                value = getattr(part, "value", None)
                self._stack += [part] if value is None else [value]
                self._table_of(name, part)

    def _table_of(self, scope: str, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self._table(scope, target.id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self._table(scope, node.target.id, node.value)

    def _table(self, scope: str, name: str, value: ast.AST | None) -> None:
        things = list(things_in(value))
        if things:
            self.tables.append((scope, name, things))

    def _call(self, node: ast.Call) -> None:
        callee = callee_of(node.func)
        given = [given_as(one) for one in node.args]
        named = [(one.arg or "**", given_as(one.value)) for one in node.keywords]
        self._calls.append(Call(callee, node.lineno, given, named))
        self._added(callee, node)
        self._beneath(node.func)
        self._stack += node.args
        self._stack += [one.value for one in node.keywords]

    def _added(self, callee: str, node: ast.Call) -> None:
        """What is made for a list: ``blocks.append(Block())``."""
        holder, _, method = callee.rpartition(" ")
        if method in _ADDING and node.args and holder:
            made = [words for words in choices(node.args[-1]) if words.endswith(" ()")]
            if made:
                self.tables.append((self._name, holder, made))

    def _beneath(self, node: ast.AST) -> None:
        """What is worked out before an attribute or an item is asked for."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Subscript):
                self._stack.append(node.slice)
            node = node.value
        if isinstance(node, ast.Name):
            self._reads[node.id] = None
        else:
            self._stack.append(node)

    def _read(self, node: ast.Attribute | ast.Subscript) -> None:
        if type(node.ctx) is ast.Load and (words := described(node)):
            self._reads[words] = None
        self._beneath(node)

    def _name_read(self, node: ast.Name) -> None:
        if type(node.ctx) is ast.Load:
            self._reads[node.id] = None

    def _assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)
            self._stack.append(target)
        self._stack.append(node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        name = described(node.target)
        self._hints += [(name, hint) for hint in _hinted(node.annotation)]
        if node.value is not None:
            self._bind(node.target, node.value)
            self._stack.append(node.value)

    def _walrus(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, node.value)
        self._stack.append(node.value)

    def _bind(self, target: ast.AST, value: ast.AST | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            self._bind_each(target.elts, value)
            return
        name = described(target)
        if name:
            found = choices(value) or [made_of_things(value)] if value is not None else [""]
            self._assigned += [(name, words) for words in found]
            self._table(self._name, name, value)

    def _bind_each(self, targets: Sequence[ast.expr], value: ast.AST | None) -> None:
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
            for target, part in zip(targets, value.elts, strict=True):
                self._bind(target, part)
            return
        words = described(value)
        for number, target in enumerate(targets):
            if isinstance(target, (ast.Tuple, ast.List)):
                self._bind_each(target.elts, None)
            elif name := described(target):
                self._assigned.append((name, f"{words} [{number}" if words else ""))

    def _augmented(self, node: ast.AugAssign) -> None:
        name = described(node.target)
        if name:
            self._summed.append(name)
        self._stack += [node.value, node.target]

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self._signs["l"] = None
        self._element(node.target, node.iter)
        self._stack += [*reversed(node.orelse), *reversed(node.body), node.iter]
        if described(node.iter).endswith("count ()") and _yields(node.body):
            self._signs["g"] = None

    def _comprehension(self, node: ast.comprehension) -> None:
        self._signs["i"] = None
        self._element(node.target, node.iter)
        self._stack += [*node.ifs, node.iter]

    def _element(self, target: ast.AST, source: ast.AST) -> None:
        words = described(source)
        many = isinstance(target, (ast.Tuple, ast.List))
        inside = [described(one) for one in source.args] if isinstance(source, ast.Call) else []
        if many and words == "enumerate ()" and len(target.elts) == 2 and inside:  # type: ignore[attr-defined]
            self._element_of(target.elts[1], inside[0])  # type: ignore[attr-defined]
        elif many and words == "zip ()" and len(inside) == len(target.elts):  # type: ignore[attr-defined]
            for one, source_words in zip(target.elts, inside, strict=True):  # type: ignore[attr-defined]
                self._element_of(one, source_words)
        else:
            self._element_of(target, words)

    def _element_of(self, target: ast.AST, words: str) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = list(target.elts)
            last = parts[-1] if words.endswith(".items ()") and len(parts) == 2 else None
            for part in parts:
                self._element_of(part, words.removesuffix(" .items ()") if part is last else "")
        elif name := described(target):
            self._assigned.append((name, f"{words} [" if words else ""))

    def _if(self, node: ast.If | ast.IfExp) -> None:
        if any(map(_is_worked_out, ast.walk(node.test))):
            self._signs["c"] = None
        both = (node.body, node.orelse)
        self._stack.append(node.test)
        for arm in both:
            self._stack += reversed(arm) if isinstance(arm, list) else [arm]

    def _while(self, node: ast.While) -> None:
        self._signs["l"] = None
        if isinstance(node.test, ast.Constant) and node.test.value and _yields(node.body):
            self._signs["g"] = None
        self._stack += [*reversed(node.orelse), *reversed(node.body), node.test]

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        self._signs["w"] = None
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, item.context_expr)
        self._stack += [*reversed(node.body), *(item.context_expr for item in node.items)]

    def _dropped(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and callee_of(node.value.func).endswith(_IMPORTING):
            self._signs["r"] = None
        self._stack.append(node.value)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            if _is_answer(node.value):
                self._signs["b"] = None
            self._returned += choices(node.value)
            self._table(self._name, "return", node.value)
            self._stack.append(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self._signs["y"] = None
        if node.value is not None:
            self._stack.append(node.value)

    def _raise(self, node: ast.Raise) -> None:
        self._raised.append(node.lineno)
        self._stack += [one for one in (node.exc, node.cause) if one is not None]

    def _names(self, node: ast.Global | ast.Nonlocal) -> None:
        self._outer += node.names

    def _try(self, node: Any) -> None:
        self._signs["t"] = None
        self._stack += [
            *reversed(node.finalbody),
            *reversed(node.orelse),
            *reversed(node.handlers),
            *reversed(node.body),
        ]

    def _compare(self, node: ast.Compare) -> None:
        sides = [described(one) or made_of_things(one) for one in (node.left, *node.comparators)]
        if len(sides) == 2 and all(sides):
            self._compared.append((sides[0], sides[1]))
        self._stack += [node.left, *node.comparators]

    def _binary(self, node: ast.BinOp) -> None:
        if type(node.op) is ast.Div and (words := described(node.left)).startswith("self ."):
            self._divided.append(words)
        self._stack += [node.right, node.left]

    def _nothing(self, node: ast.AST) -> None:
        """Has nothing that is noted here."""


def _hinted(node: ast.AST | None) -> list[str]:
    """The classes that an annotation may mean: also of ``Optional[X]``, ``X | None`` and ``"X"``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = " .".join(part.strip() for part in node.value.split("."))
        return [words] if node.value.replace(".", "").isidentifier() else []
    if isinstance(node, ast.BinOp):
        return [*_hinted(node.left), *_hinted(node.right)]
    if isinstance(node, ast.Subscript):
        outer = described(node.value).rpartition(".")[2]
        if outer in ("Optional", "Union", "Annotated", "Type", "type"):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return [hint for one in inner for hint in _hinted(one)]
        return []
    words = described(node)
    return [words] if words and words != "None" else []


def _is_worked_out(node: ast.AST) -> bool:
    """Whether a condition asks what a call gives, or for a part of something that is no setting."""
    if isinstance(node, ast.Subscript):
        return not described(node).startswith("self .")
    return isinstance(node, ast.Call) and callee_of(node.func) not in _OF_TYPES


def _is_answer(node: ast.expr) -> bool:
    """Whether an expression is written as something that is true or false."""
    if isinstance(node, ast.BoolOp):
        return any(map(_is_answer, node.values))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))


def _yields(statements: Sequence[ast.stmt]) -> bool:
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for part in statements for one in ast.walk(part))


_HANDLERS: dict[type, Callable[[Body, Any], None]] = {
    ast.FunctionDef: Body._function,
    ast.AsyncFunctionDef: Body._function,
    ast.ClassDef: Body._class,
    ast.Call: Body._call,
    ast.Attribute: Body._read,
    ast.Subscript: Body._read,
    ast.Name: Body._name_read,
    ast.Assign: Body._assign,
    ast.AnnAssign: Body._annotated,
    ast.NamedExpr: Body._walrus,
    ast.AugAssign: Body._augmented,
    ast.If: Body._if,
    ast.IfExp: Body._if,
    ast.For: Body._for,
    ast.AsyncFor: Body._for,
    ast.comprehension: Body._comprehension,
    ast.While: Body._while,
    ast.With: Body._with,
    ast.AsyncWith: Body._with,
    ast.Expr: Body._dropped,
    ast.Return: Body._return,
    ast.Yield: Body._yield,
    ast.YieldFrom: Body._yield,
    ast.Raise: Body._raise,
    ast.Global: Body._names,
    ast.Nonlocal: Body._names,
    ast.Try: Body._try,
    ast.Compare: Body._compare,
    ast.BinOp: Body._binary,
    ast.Constant: Body._nothing,
    ast.Import: Body._nothing,
    ast.ImportFrom: Body._nothing,
    ast.Pass: Body._nothing,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = Body._try
