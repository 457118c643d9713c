"""The fix of decisions that each rank takes for itself: take one together, just before they are needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Answer, Divergence, Effect, Fix, Guard, GuardKind, Reason, Safety
from ddplint.rule.code import Site, argument, called, descend, dotted, leaves, nodes_of
from ddplint.rule.fixes import Built, CannotBuild, Edit, InsertBefore, Replace, group_surely_exists, own_object

_ADVICE = "agree first (reduce the flag over ranks, or broadcast one rank's decision), then branch"
_WITH_NOTHING = "let ranks that have nothing take part too (with zeros or an empty object), or agree first if any has"
_LOOKS = frozenset({"abs", "isfinite", "isinf", "isnan", "max", "mean", "min", "norm", "sum"})
"""Last names of functions of torch that look at a tensor."""

_METHODS = frozenset({"isfinite", "isinf", "isnan", "item"})
"""Methods that tensors have and numbers have not."""


def agreed(divergence: Divergence) -> Answer:
    """Let one decision hold on all ranks: any rank's for data and clocks, rank 0's for files and random numbers.

    What was reduced to one rank, that one decides about: the others hold parts of the sum.
    """
    guard = divergence.guard
    statement = guard.statement
    site = Site(guard.file, guard.node)
    if guard.kind is not GuardKind.IF or not isinstance(statement, cst.If) or site.tree.block(statement) is None:
        return Answer(no_fix=_ADVICE)
    if guard.reason is Reason.LENGTH:
        return Answer(no_fix=_WITH_NOTHING)
    wanted = next(_asked_for_itself(statement), "")
    if wanted:
        return Answer(no_fix=f"{_WITH_NOTHING}: what follows uses `{wanted}`, which the other ranks do not have")
    reduced = _reduced(guard)
    if not all(_goes_to_rank_zero(call) for call in reduced):
        return Answer(no_fix=_ADVICE)
    any_rank = guard.reason in (Reason.DATA, Reason.CLOCK) and not reduced
    try:
        edits = _together(site, statement, divergence) if any_rank else _from_rank_zero(site, statement)
    except CannotBuild as reason:
        return Answer(no_fix=f"{_ADVICE}: {reason}")
    title = "Let any rank decide for all" if any_rank else "Let rank 0 decide for all"
    return Answer(Fix(title, Safety.UNSAFE, edits))


def _asked_for_itself(statement: cst.If) -> Iterator[str]:
    """What the condition asks to be there and the block uses: ranks that have nothing must not be led into it."""
    used = {dotted(node) for node in nodes_of(statement.body, cst.Name, cst.Attribute)}
    yield from (name for name in _wanted(statement.test) if name in used)


def _wanted(test: cst.BaseExpression) -> Iterator[str]:
    """The names that a condition asks for as such: ``x``, ``x is not None``, ``x != 0``, ``len(x)``."""
    if isinstance(test, cst.BooleanOperation):
        yield from (name for side in (test.left, test.right) for name in _wanted(side))
    elif isinstance(test, (cst.Name, cst.Attribute)):
        yield dotted(test)
    elif isinstance(test, cst.Call) and called(test) in ("len", "bool") and len(test.args) == 1:
        yield from _wanted(test.args[0].value)
    elif isinstance(test, cst.Comparison):
        counts = called(test.left) == "len"
        if counts or isinstance(test.comparisons[0].operator, (cst.IsNot, cst.NotEqual)):
            yield from _wanted(test.left)


def _reduced(guard: Guard) -> list[cst.Call]:
    """The calls of ``dist.reduce`` that the condition comes from."""
    found = []
    for origin in guard.origins:
        call = origin.node
        row = Site(origin.file, call).known(call.func) if isinstance(call, cst.Call) else None
        if row is not None and row.name == "torch.distributed.reduce" and isinstance(call, cst.Call):
            found.append(call)
    return found


def _goes_to_rank_zero(call: cst.Call) -> bool:
    root = argument(call, "dst", 1)
    return isinstance(root, cst.Integer) and root.value == "0" and argument(call, "group", 3) is None


def _together(site: Site, statement: cst.If, divergence: Divergence) -> tuple[Edit, ...]:
    """``flag = torch.tensor(float(test), device=x.device)``, ``all_reduce(flag, MAX)``, ``if flag:``.

    With an accelerator its own trigger does that.
    """
    accelerator = own_object(site, "check_trigger")
    if accelerator is not None and "set_trigger" not in site.file.text:
        return _triggered(site, statement, accelerator)
    tensor = next(_tensors(site, statement.test), None) or _first_parameter(site, divergence)
    if tensor is None:
        return _gathered(site, statement)
    name = cst.Name(site.unused(_wish(statement)))
    make, reduce, ops = map(site.name, ("torch.tensor", "torch.distributed.all_reduce", "torch.distributed.ReduceOp"))
    largest = cst.Attribute(ops.expression, cst.Name("MAX"))
    device = cst.Arg(cst.Attribute(tensor, cst.Name("device")), cst.Name("device"), equal=_EQUAL)
    flag = cst.Call(make.expression, [cst.Arg(cst.Call(cst.Name("float"), [cst.Arg(_truth(statement.test))])), device])
    call = cst.Call(reduce.expression, [cst.Arg(name), cst.Arg(largest, cst.Name("op"), equal=_EQUAL)])
    lines = [_assign(name, flag), _line(call)]
    return _built(site, statement, name, lines, [make, reduce, ops])


def _triggered(site: Site, statement: cst.If, accelerator: cst.BaseExpression) -> tuple[Edit, ...]:
    """``if test: accelerator.set_trigger()``, ``if accelerator.check_trigger():``."""
    raised, asked = (cst.Call(cst.Attribute(accelerator, cst.Name(f"{verb}_trigger"))) for verb in ("set", "check"))
    own = cst.If(statement.test.deep_clone(), cst.IndentedBlock([_line(raised)]))
    return (InsertBefore(site.file, statement, (own,)), Replace(site.file, statement.test, asked))


def _first_parameter(site: Site, divergence: Divergence) -> cst.BaseExpression | None:
    """``next(model.parameters())``, of the wrapped model that the same function calls, and has before the decision."""
    call = next(
        (side.event.node for side in divergence.sides if side.event and side.event.effect == Effect.FORWARD), None
    )
    if not isinstance(call, cst.Call) or call not in site.tree or site.moved(call).function is not site.function:
        return None
    model = call.func
    if isinstance(model, cst.Attribute) and model.attr.value == "forward":
        model = model.value
    name = dotted(model)
    if not isinstance(model, (cst.Name, cst.Attribute)) or not _is_module(site, name) or _is_set_later(site, name):
        return None
    parameters = cst.Call(cst.Attribute(model.deep_clone(), cst.Name("parameters")))
    return cst.Call(cst.Name("next"), [cst.Arg(parameters)])


_OF_MODULES = frozenset({"eval", "module", "no_sync", "parameters", "state_dict", "train", "zero_grad"})
"""What modules have and a bound method, which may be called like one, has not."""


def _is_module(site: Site, name: str) -> bool:
    """Whether the function, or the module for what several functions know, shows that a name is a module's own."""
    within = site.function if "." not in name and site.function is not None else site.file.module
    for one in descend(within):
        if isinstance(one, cst.Attribute) and one.attr.value in _OF_MODULES and name and dotted(one.value) == name:
            return True
        if isinstance(one, cst.Assign) and isinstance(one.value, cst.Call) and dotted(one.targets[0].target) == name:
            row = Site(site.file, one.value).known(one.value.func)
            if row is not None and row.kind == "wrapper":
                return True
    return False


def _is_set_later(site: Site, name: str) -> bool:
    """Whether the function gives something to a name behind the place: it may have had nothing before."""
    line = site.file.range_of(site.node).start_line
    targets = nodes_of(site.function or site.file.module, cst.AssignTarget)
    return any(dotted(one.target) == name and site.file.range_of(one).start_line > line for one in targets)


def _gathered(site: Site, statement: cst.If) -> tuple[Edit, ...]:
    """The same without a tensor to take the device from: ``all_gather_object`` of the decisions."""
    if not group_surely_exists(site):
        raise CannotBuild("there may be no process group here")
    name = cst.Name(site.unused(f"{_wish(statement)}_anywhere"))
    size, gather = map(site.name, ("torch.distributed.get_world_size", "torch.distributed.all_gather_object"))
    empty = cst.BinaryOperation(cst.List([cst.Element(cst.Name("None"))]), cst.Multiply(), cst.Call(size.expression))
    own = cst.Call(cst.Name("bool"), [cst.Arg(statement.test.deep_clone())])
    lines = [_assign(name, empty), _line(cst.Call(gather.expression, [cst.Arg(name), cst.Arg(own)]))]
    decided = cst.Call(cst.Name("any"), [cst.Arg(name)])
    return (
        InsertBefore(site.file, statement, tuple(lines)),
        Replace(site.file, statement.test, decided),
        *size.edits,
        *gather.edits,
    )


def _from_rank_zero(site: Site, statement: cst.If) -> tuple[Edit, ...]:
    """``decision = [test]``, ``broadcast_object_list(decision, src=0)``, ``if decision[0]:``."""
    name = cst.Name(site.unused("decision"))
    send = site.name("torch.distributed.broadcast_object_list")
    source = cst.Arg(cst.Integer("0"), cst.Name("src"), equal=_EQUAL)
    call = cst.Call(send.expression, [cst.Arg(name), source])
    own = cst.List([cst.Element(statement.test.deep_clone())])
    first = cst.Subscript(name, [cst.SubscriptElement(cst.Index(cst.Integer("0")))])
    return _built(site, statement, first, [_assign(name, own), _line(call)], [send])


def _built(
    site: Site, statement: cst.If, decided: cst.BaseExpression, above: list[cst.SimpleStatementLine], names: list[Built]
) -> tuple[Edit, ...]:
    """The lines above the ``if``; the last one, which communicates, only where there is a group."""
    lines: list[cst.BaseStatement] = [*above]
    edits: list[Edit] = [edit for name in names for edit in name.edits]
    if not group_surely_exists(site):
        known = site.name("torch.distributed.is_initialized")
        edits += known.edits
        lines[-1] = cst.If(cst.Call(known.expression), cst.IndentedBlock([lines[-1]]))
    return (
        InsertBefore(site.file, statement, tuple(lines)),
        Replace(site.file, statement.test, decided),
        *edits,
    )


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _assign(name: cst.Name, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(name)], value)])


def _line(call: cst.Call) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Expr(call)])


def _tensors(site: Site, test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Names in the condition that surely are tensors: what ``torch.isnan`` or ``.isnan()`` looks at."""
    for node in descend(test):
        if not isinstance(node, cst.Call):
            continue
        name = site.qualified(node.func)
        if name.startswith("torch.") and name.rpartition(".")[2] in _LOOKS and node.args:
            looked = node.args[0].value
        elif isinstance(node.func, cst.Attribute) and node.func.attr.value in _METHODS and not name:
            looked = node.func.value
        else:
            continue
        if dotted(looked) and not site.qualified(looked):
            yield looked.deep_clone()


def _truth(test: cst.BaseExpression) -> cst.BaseExpression:
    plain = isinstance(test, (cst.Comparison, cst.UnaryOperation, cst.Call))
    clone = test.deep_clone().with_changes(lpar=[], rpar=[])
    return clone if plain else cst.Call(cst.Name("bool"), [cst.Arg(clone)])


def _wish(statement: cst.If) -> str:
    """``skip`` or ``stop`` for a branch that only leaves, else ``agreed``."""
    if not leaves(statement.body):
        return "agreed"
    return "skip" if any(nodes_of(statement.body, cst.Continue)) else "stop"
