"""Which code gives which node of the language its meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.memory.protocol import Interp, Models, Semantics
from ddplint.analysis.models import decorators, dispatch, row_kinds, unmodelled
from ddplint.analysis.models.distributed import torch_modules, wrapped
from ddplint.analysis.models.python import paths
from ddplint.analysis.semantics import (
    attributes,
    comparison,
    context_managers,
    exceptions,
    expressions,
    names,
    operators,
    statements,
    subscripts,
)
from ddplint.analysis.semantics.calling import calls, definitions, instances, loading
from ddplint.analysis.semantics.looping import comprehensions, iteration, loops, while_loops

Evaluator = Callable[["Interp", Any], Value]

EVALUATORS: dict[type, Evaluator] = {
    cst.Name: names.eval_name,
    cst.Attribute: expressions.eval_attribute,
    cst.Call: expressions.eval_call,
    cst.Integer: expressions.eval_integer,
    cst.Float: expressions.eval_float,
    cst.SimpleString: expressions.eval_string,
    cst.ConcatenatedString: expressions.eval_string,
    cst.FormattedString: expressions.eval_formatted,
    cst.UnaryOperation: operators.eval_unary,
    cst.BinaryOperation: operators.eval_binary,
    cst.BooleanOperation: expressions.eval_boolean,
    cst.Comparison: comparison.eval_comparison,
    cst.IfExp: expressions.eval_conditional,
    cst.Tuple: expressions.eval_tuple,
    cst.List: expressions.eval_list,
    cst.Set: expressions.eval_list,
    cst.Dict: expressions.eval_dict,
    cst.Subscript: subscripts.eval_subscript,
    cst.Lambda: expressions.eval_lambda,
    cst.NamedExpr: expressions.eval_named_expr,
    cst.Await: expressions.eval_await,
    cst.Yield: expressions.eval_yield,
    cst.Ellipsis: lambda w, node: Const(...),
    cst.ListComp: comprehensions.comprehension,
    cst.SetComp: comprehensions.comprehension,
    cst.GeneratorExp: comprehensions.comprehension,
    cst.DictComp: comprehensions.comprehension,
}

HANDLERS: dict[type, Callable[[Any, Any], None]] = {
    cst.Expr: statements.run_expression,
    cst.Assign: statements.run_assign,
    cst.AnnAssign: statements.run_annotated,
    cst.AugAssign: statements.run_augmented,
    cst.If: statements.run_if,
    cst.For: loops.for_loop,
    cst.While: while_loops.while_loop,
    cst.With: context_managers.with_statement,
    cst.Try: exceptions.try_statement,
    cst.TryStar: exceptions.try_statement,
    cst.Return: statements.run_return,
    cst.Break: statements.run_break,
    cst.Continue: statements.run_continue,
    cst.Raise: statements.run_raise,
    cst.Assert: statements.run_assert,
    cst.Del: statements.run_delete,
    cst.Global: statements.run_global,
    cst.Nonlocal: statements.run_nonlocal,
    cst.FunctionDef: definitions.function,
    cst.ClassDef: definitions.class_,
    cst.Import: definitions.import_,
    cst.ImportFrom: definitions.import_from,
    cst.Match: statements.run_match,
}


class _Semantics:
    evaluate = staticmethod(expressions.evaluate)
    block = staticmethod(statements.block)
    set_item = staticmethod(subscripts.set_item)
    store_item = staticmethod(subscripts.store_item)
    assign = staticmethod(names.assign)
    element_of = staticmethod(iteration.element_of)
    call = staticmethod(calls.call)
    call_value = staticmethod(calls.call_value)
    run_function = staticmethod(calls.run_function)
    load = staticmethod(loading.load)
    item = staticmethod(subscripts.item)
    super_attribute = staticmethod(instances.super_attribute)
    used = staticmethod(names.used)
    get = staticmethod(attributes.get)
    set_attribute = staticmethod(attributes.set_attribute)
    of_class = staticmethod(attributes.of_class)
    of_instance = staticmethod(attributes.of_instance)
    resolve = staticmethod(definitions.resolve)
    end_process = staticmethod(exceptions.end_process)
    at_the_end = staticmethod(exceptions.at_the_end)
    is_there = staticmethod(names.is_there)
    tracker_call = staticmethod(names.tracker_call)


SEMANTICS: Semantics = _Semantics()


class _Models:
    call_external = staticmethod(dispatch.call_external)
    call_method = staticmethod(dispatch.call_method)
    call_object = staticmethod(dispatch.call_object)
    call_unknown = staticmethod(unmodelled.call_unknown)
    of_unknown = staticmethod(unmodelled.of_unknown)
    decorate = staticmethod(decorators.decorate)
    manager = staticmethod(row_kinds.manage)
    value_of = staticmethod(dispatch.value_of)
    apply = staticmethod(row_kinds.apply)
    path_of = staticmethod(paths.path_of)
    note_name = staticmethod(torch_modules.note_name)
    wrapped = staticmethod(wrapped.wrapped)


MODELS: Models = _Models()
