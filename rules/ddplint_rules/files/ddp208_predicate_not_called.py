"""DDP208 predicate-not-called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import (
    Bound,
    Effect,
    Event,
    External,
    Finding,
    Fix,
    Function,
    Harm,
    Note,
    Place,
    Rule,
    Safety,
    Severity,
    Walk,
)
from ddplint.rule.code import Site, calls_in, depends_on_rank, returned
from ddplint.rule.fixes import Replace


class PredicateNotCalled(Rule):
    """## What it does
    Finds a function that asks who the process is, or whether there are others, and that is named in a condition
    instead of called:
    `if is_main_process:`, `if dist.is_initialized and …`, `if not trainer.is_world_process_zero:`.

    Only functions that can be called without arguments count, under their own name or the one that an import gives
    them: what another name holds (`if callback:`) may be asked for being there at all.

    ## Why is this bad
    A function is true, whatever it would say. The guard guards nothing: every rank enters, writes the same files and
    logs the same lines; behind `not` no rank ever does. Nothing is raised.

    It happened in allenai/OLMo#601: `get_global_rank` asked `if is_distributed:`.

    ## Example
    ```python
    def is_main_process():
        return dist.get_rank() == 0

    if is_main_process:
        torch.save(model.state_dict(), "model.pt")
    ```

    ## Use instead
    ```python
    if is_main_process():
        torch.save(model.state_dict(), "model.pt")
    ```

    ## Fix safety
    Unsafe: only some ranks enter from then on, which is its purpose; what all of them must do there has to move out.
    """

    code = "DDP208"
    name = "predicate-not-called"
    severity = Severity.WARNING
    harm = Harm.DATA

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for event in (one for walk in walks for one in walk.events):
            node = event.node
            if event.effect != Effect.UNCALLED or not _is_asked(event):
                continue
            assert isinstance(node, (cst.Name, cst.Attribute))
            defined = _defined(event)
            if (defined is None and not _is_of_table(event)) or not _is_there(event):
                continue
            name = event.file.module.code_for_node(node)
            yield self.finding(
                Place(event.file, node),
                f"{name} is a function, and always true: it is not called here",
                notes=(Note("related", defined, "what was meant to be asked"),) if defined is not None else (),
                fix=_fix(event, node),
            )


def _is_asked(event: Event) -> bool:
    """Whether an event stands in a condition; elsewhere a function may be handed on."""
    for inner, step in event.file.upward(event.node):
        if isinstance(step, (cst.If, cst.IfExp, cst.While)):
            return inner is step.test
        if not isinstance(step, cst.BooleanOperation):
            return isinstance(step, cst.UnaryOperation) and isinstance(step.operator, cst.Not)
    return False


def _is_there(event: Event) -> bool:
    """Whether the name stands for the function and nothing else: no other one binds it, nor does an attempt."""
    node, (value,) = event.node, event.args
    function = value.function if isinstance(value, Bound) else value
    if not isinstance(node, cst.Name) or not isinstance(function, (External, Function)):
        return True
    site = Site(event.file, node)
    _, bound = site.scopes.lookup(node.value, node) or (None, [])
    if any(isinstance(one.node, cst.Param) for one in bound):
        return False
    if function.name.rpartition(".")[2] == node.value:
        return True
    around = site.tree.ancestors(bound[0].node) if len(bound) == 1 else ()
    return len(bound) == 1 and not any(isinstance(step, (cst.Try, cst.If)) for step in around)


def _is_of_table(event: Event) -> bool:
    """Whether it is a function of a framework that tells who the process is, or whether there are others."""
    row = event.api
    if row is None or row.form not in ("function", "method"):
        return False
    return bool({"rank_predicate", "rank_source"} & set(row.roles)) or row.name == _THERE


def _defined(event: Event) -> Place | None:
    """The function of the project, if its answer depends on the rank and it needs no arguments."""
    (value,) = event.args
    function = value.function if isinstance(value, Bound) else value
    if isinstance(function, External) or not isinstance(function, Function):
        return None
    node, file = function.node, function.module.file
    if not isinstance(node, cst.FunctionDef) or _needed(node) > isinstance(value, Bound) or node.decorators:
        return None
    site = Site(file, node.body)
    if not any(depends_on_rank(site, answer) or _asks_for_others(site, answer) for answer in returned(node)):
        return None
    return Place(file, node.name)


def _asks_for_others(site: Site, answer: cst.BaseExpression) -> bool:
    """Whether an answer says if there is a process group."""

    calls = calls_in(answer)
    return any((row := site.known(one.func)) is not None and row.name == _THERE for one in calls)


_THERE = "torch.distributed.is_initialized"


def _needed(node: cst.FunctionDef) -> int:
    """How many arguments a function must be given."""
    params = node.params
    return sum(one.default is None for one in (*params.posonly_params, *params.params, *params.kwonly_params))


def _fix(event: Event, node: cst.Name | cst.Attribute) -> Fix:
    return Fix("Call it", Safety.UNSAFE, (Replace(event.file, node, cst.Call(node)),))
