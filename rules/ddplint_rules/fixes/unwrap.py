"""The fix of guarded forwards: on the guarded ranks, call the module inside the wrapper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from ddplint.rule import Effect, Event, Frame, Walk, Wrapped
from ddplint.rule.code import Site, dotted, own_nodes, positional
from ddplint.rule.fixes import Built, CannotBuild, Edit, Replace, own_object, unwrapped

_TESTS = (cst.If, cst.IfExp, cst.Try, cst.BooleanOperation)


def alone(frame: Frame, walks: Iterable[Walk], ranks: frozenset[int]) -> bool:
    """Whether only ``ranks`` ever come to the call at ``frame``, on every way through the file."""
    for walk in walks:
        for event in walk.events:
            if event.ranks <= ranks and not event.by_all:
                continue
            if any(step.node is frame.node for step in event.stack):
                return False
    return True


@dataclass(eq=False)
class Unwrapping:
    """Edits that let forward passes of one guard go to the module inside, each expression once."""

    walks: Sequence[Walk]
    edits: list[Edit] = field(default_factory=list)
    done: set[int] = field(default_factory=set)

    def add(self, event: Event) -> None:
        """The edit for one forward pass. Raises :class:`CannotBuild` where there is none."""
        frame, wrapper = self._where(event)
        if id(wrapper.target) in self.done:
            return
        self.done.add(id(wrapper.target))
        site = Site(frame.file, wrapper.target)
        built = self._inside(site, wrapper, event)
        self.edits += [Replace(site.file, wrapper.target, built.expression), *built.edits]

    def _where(self, event: Event) -> tuple[Frame, _Place]:
        """The innermost place that only the guarded ranks come to and where the wrapper is named."""
        steps = list(event.stack)
        first = steps[-1]
        place = _called(first)
        while place is not None:
            frame = steps.pop()
            if place.is_named(frame) and alone(frame, self.walks, event.ranks):
                return frame, place
            place = _passed(steps[-1], frame, place) if steps else None
        raise CannotBuild(
            f"`{first.function}` also serves other ranks; give the guarded ones their own call of the module"
        )

    def _inside(self, site: Site, place: _Place, event: Event) -> Built:
        wrapped = event.details.get("wrapped")
        if not isinstance(wrapped, Wrapped):  # one of several, as an option says
            raise CannotBuild("it is not known which wrapper the module is in")
        if wrapped.api.framework == "accelerate":
            if own_object(site, "unwrap_model") is None:
                raise CannotBuild("there is no accelerator here to unwrap the model with")
            return unwrapped(site, place.wrapper)
        if wrapped.api.wraps != "ddp":
            raise CannotBuild("the wrapper has no plain module to call instead")
        plain = _maybe_plain(wrapped, self.walks) and _is_simple(place.wrapper)
        return unwrapped(site, place.wrapper, maybe_plain=plain)


@dataclass(frozen=True, eq=False)
class _Place:
    """``target`` is to be replaced by the module inside ``wrapper``: mostly the same expression.

    Where it is a method that only hands its arguments on (``through``), ``wrapper`` is what that method calls.
    """

    target: cst.BaseExpression
    wrapper: cst.BaseExpression
    through: cst.FunctionDef | None = None

    def is_named(self, frame: Frame) -> bool:
        """Whether ``target`` stands for the wrapper by itself here, rather than for whatever the caller gave."""
        if self.through is None:
            return True
        here, there = Site(frame.file, frame.node), Site(frame.file, self.through)
        method = dotted(self.target) == f"self.{self.through.name.value}"
        return method and self.through in here.tree and here.owner is there.owner and here.owner is not None


def _called(frame: Frame) -> _Place | None:
    """The wrapper in the call of a forward pass: what is called, also as ``model.forward``."""
    if frame.call is None:
        return None
    callee = frame.call.func
    if isinstance(callee, cst.Attribute) and callee.attr.value == "forward":
        return _Place(callee.value, callee.value)
    return _Place(callee, callee)


def _passed(outer: Frame, inner: Frame, place: _Place) -> _Place | None:
    """The same wrapper as the caller at ``outer`` names it, where its function got it as an argument."""
    function = Site(inner.file, inner.node).function
    if function is None or outer.call is None:
        return None
    if not isinstance(place.target, cst.Name):
        handed = place.through is None and _hands_on(function, inner.node, place.target)
        return replace(place, target=outer.call.func, through=function) if handed else None
    name = place.target.value
    if place.through is None and not _only_called(function, name):
        return None
    given = _argument(outer.call, function, name)
    if given is None:
        return None
    return replace(place, target=given) if place.through else _Place(given, given)


def _only_called(function: cst.FunctionDef, name: str) -> bool:
    """Whether a parameter is never asked for its ``module``: the module itself may take its place."""
    return not any(isinstance(node, cst.Attribute) and dotted(node) == f"{name}.module" for node in own_nodes(function))


def _argument(call: cst.Call, function: cst.FunctionDef, name: str) -> cst.BaseExpression | None:
    """The expression that a call gives for a parameter."""
    for argument in call.args:
        if argument.star:
            return None
        if argument.keyword is not None and argument.keyword.value == name:
            return argument.value
    params = positional(function.params)
    if name not in params:
        return None
    place = params.index(name) - (1 if params[0] in ("self", "cls") and isinstance(call.func, cst.Attribute) else 0)
    if 0 <= place < len(call.args) and call.args[place].keyword is None:
        return call.args[place].value
    return None


def _hands_on(function: cst.FunctionDef, call: cst.CSTNode, callee: cst.BaseExpression) -> bool:
    """Whether a method does nothing but ``return callee(its own arguments)``."""
    params, body = function.params, [line for line in function.body.body if not _is_docstring(line)]
    odd = params.star_kwarg or params.kwonly_params or params.posonly_params or isinstance(params.star_arg, cst.Param)
    if odd or function.decorators or len(body) != 1 or not isinstance(body[0], cst.SimpleStatementLine):
        return False
    only = body[0].body[0]
    if not isinstance(call, cst.Call) or call.func is not callee or not isinstance(only, cst.Return):
        return False
    given = [dotted(argument.value) for argument in call.args if not argument.star and argument.keyword is None]
    wanted = [param.name.value for param in params.params if param.name.value != "self"]
    return only.value is call and len(given) == len(call.args) and given == wanted


def _is_docstring(line: cst.CSTNode) -> bool:
    only = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(only, cst.Expr) and isinstance(only.value, (cst.SimpleString, cst.ConcatenatedString))


def _is_simple(wrapper: cst.BaseExpression) -> bool:
    return bool(dotted(wrapper))


def _maybe_plain(wrapped: Wrapped, walks: Iterable[Walk]) -> bool:
    """Whether some runs (one process) leave the model unwrapped: its construction hangs on a condition."""
    site = wrapped.site
    if not isinstance(site, Frame):
        return True
    for walk in walks:
        for event in walk.events:
            if event.node is site.node and event.effect == Effect.CONSTRUCT:
                return any(_hangs_on_condition(frame) for frame in event.stack)
    return _hangs_on_condition(site)


def _hangs_on_condition(frame: Frame) -> bool:
    site = Site(frame.file, frame.node)
    for step in site.tree.ancestors(frame.node):
        if isinstance(step, _TESTS) and not (isinstance(step, cst.If) and _is_entry_test(step.test)):
            return True
        if isinstance(step, (cst.FunctionDef, cst.Lambda)):
            return False
    return False


def _is_entry_test(test: cst.BaseExpression) -> bool:
    return isinstance(test, cst.Comparison) and dotted(test.left) == "__name__"
