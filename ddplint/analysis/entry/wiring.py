"""Which code gives which node of the language its meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.semantics import (
    comprehensions,
    context_managers,
    definitions,
    exceptions,
    expressions,
    imports,
    loops,
    statements,
)

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

Evaluator = Callable[["Walker", Any], Value]

EVALUATORS: dict[type, Evaluator] = {
    cst.Name: expressions.eval_name,
    cst.Attribute: expressions.eval_attribute,
    cst.Call: expressions.eval_call,
    cst.Integer: expressions.eval_integer,
    cst.Float: expressions.eval_float,
    cst.SimpleString: expressions.eval_string,
    cst.ConcatenatedString: expressions.eval_string,
    cst.FormattedString: expressions.eval_formatted,
    cst.UnaryOperation: expressions.eval_unary,
    cst.BinaryOperation: expressions.eval_binary,
    cst.BooleanOperation: expressions.eval_boolean,
    cst.Comparison: expressions.eval_comparison,
    cst.IfExp: expressions.eval_conditional,
    cst.Tuple: expressions.eval_tuple,
    cst.List: expressions.eval_list,
    cst.Set: expressions.eval_list,
    cst.Dict: expressions.eval_dict,
    cst.Subscript: expressions.eval_subscript,
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
    cst.While: loops.while_loop,
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
    cst.Import: imports.import_,
    cst.ImportFrom: imports.import_from,
    cst.Match: statements.run_match,
}
