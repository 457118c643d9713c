"""What annotations say of parameters and attributes: of which class of a library the object is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.values import NONE, Class, Either, External, Instance, Unknown, Value
from ddplint.analysis.memory import wrapping
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Promise, Promises, Record
from ddplint.source.tree_codec import may_hold


@dataclass(slots=True)
class Annotations(Record):
    """The annotated fields of classes, by the class."""

    life = Life.FILE
    of_class: dict[int, dict[str, cst.BaseExpression]] = field(default_factory=dict)


def value(w: Interp, annotation: cst.BaseExpression, scope: int, name: str) -> Value | None:
    """An object of the class that an annotation names, perhaps ``None`` where it says so; None for unknown classes.

    Parameters: ``scope``, where the names of the annotation are looked up; ``name``, of what is annotated.
    """
    found, optional = _in_scope(w, annotation, scope)
    made = _made(w, found, annotation, name) if isinstance(found, External) else None
    if made is None or not optional:
        return made
    return Either(symbol("given", name, fresh(name)), made, NONE, 2)


def class_of(w: Interp, annotation: cst.BaseExpression, scope: int) -> Value | None:
    """The class that an annotation names, be it the project's or a library's."""
    return _in_scope(w, annotation, scope)[0]


def _in_scope(w: Interp, annotation: cst.BaseExpression, scope: int) -> tuple[Value | None, bool]:
    saved, w.frame.scope = w.frame.scope, scope
    try:
        return _class_of(w, annotation)
    finally:
        w.frame.scope = saved


def _made(w: Interp, found: External, annotation: cst.BaseExpression, name: str) -> Value | None:
    unknown = Unknown(symbol("parameter", name, fresh(name)))
    if found.name == "pathlib.Path":
        return w.models.path_of(w, unknown)
    row = w.knowledge.lookup(found.name)
    if row is not None and row.form == "class" and wrapping.wraps_model(row):
        return w.models.wrapped(w, row, unknown, {}, annotation)
    return w.external_object(found.name, [], {}, annotation) if w.knowledge.is_class(found.name) else None


def _class_of(w: Interp, node: cst.BaseExpression | None) -> tuple[Value | None, bool]:
    """The class that an annotation names, and whether ``None`` will do too."""
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        text = node.evaluated_value
        node = _parsed(text) if isinstance(text, str) else None
    if isinstance(node, (cst.Name, cst.Attribute)):
        return w.semantics.evaluate(w, node), False
    members = _members(node)
    others = [one for one in members if not (isinstance(one, cst.Name) and one.value == "None")]
    if len(others) != 1:
        return None, False
    found, _ = _class_of(w, others[0])
    return found, True


@lru_cache(maxsize=512)
def _parsed(text: str) -> cst.BaseExpression | None:
    """The annotation in a string."""
    try:
        return cst.parse_expression(text) if len(text) <= limits.ANNOTATION_TEXT else None
    except cst.ParserSyntaxError:
        return None


def _members(node: cst.BaseExpression | None) -> list[cst.BaseExpression]:
    """What ``Optional[X]``, ``Union[X, None]`` and ``X | None`` offer; nothing for anything else."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        return [*(_members(node.left) or [node.left]), node.right]
    if isinstance(node, cst.Subscript):
        kind = node.value.attr if isinstance(node.value, cst.Attribute) else node.value
        if isinstance(kind, cst.Name) and kind.value in ("Optional", "Union"):
            return [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
    return []


def of_attribute(w: Interp, instance: Instance, name: str) -> Value | None:
    """An attribute that a class only annotates, or that its methods set later; None where nothing names its class."""
    found = annotation_of(w, instance.cls, name)
    if found is None:
        return None
    made = value(w, found[1], found[0].scope, name)
    if made is not None:
        w.state.write((instance.id, name), made)
    else:
        promise(w, symbol("attr", instance, name), found[1], found[0].scope)
    return made


def annotation_of(w: Interp, cls: Class, name: str, depth: int = 0) -> tuple[Class, cst.BaseExpression] | None:
    """The annotation of an attribute, and the class of the line that has it."""
    names = w.record(Annotations).of_class.get(cls.key)
    if names is None:
        names = w.record(Annotations).of_class[cls.key] = _of_class(cls.node)
    if name in names:
        return cls, names[name]
    bases = (w.state.narrow(base) for base in cls.bases if depth < 4)
    above = (annotation_of(w, base, name, depth + 1) for base in bases if isinstance(base, Class))
    return next((one for one in above if one is not None), None)


def _of_class(node: cst.ClassDef) -> dict[str, cst.BaseExpression]:
    """The annotations of a class body and of ``self.name`` in its methods."""
    found: dict[str, cst.BaseExpression] = {}
    stack: list[cst.CSTNode] = list(node.body.body)
    while stack:
        one = stack.pop()
        if isinstance(one, cst.AnnAssign):
            target = one.target.attr if isinstance(one.target, cst.Attribute) else one.target
            if isinstance(target, cst.Name):
                found.setdefault(target.value, one.annotation.annotation)
        elif isinstance(one, cst.SimpleStatementLine):
            stack += one.body
        elif (
            isinstance(one, cst.FunctionDef)
            and may_hold(one, cst.AnnAssign)
            and isinstance(one.body, cst.IndentedBlock)
        ):
            stack += [part for part in one.body.body if isinstance(part, cst.SimpleStatementLine)]
    return found


def promise(w: Interp, what: Symbol, annotation: cst.BaseExpression, scope: int) -> None:
    """Remember an annotation, for when somebody asks for an attribute; ``scope``: where its names are looked up."""
    w.record(Promises).of.setdefault(what, Promise(annotation, scope))
