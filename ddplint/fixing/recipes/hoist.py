"""Move an operation that all ranks must meet out of a guard that only some of them pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import libcst as cst

from ddplint.findings.edits import Edit, Replace, ReplaceStatements
from ddplint.fixing.code import shape
from ddplint.fixing.code.depends import assigned_paths, leaving, may_read, reads
from ddplint.fixing.code.logic import conjuncts, joined
from ddplint.fixing.code.site import CannotBuild, Site
from ddplint.fixing.recipes.compose import Guard, composed
from ddplint.fixing.recipes.ranks import depends_on_rank, is_steady
from ddplint.fixing.recipes.split import Parts, split_at_all
from ddplint.source.ancestry import descend
from ddplint.source.tree import dotted


def hoist_out_of_guard(
    site: Site,
    guard: cst.If,
    *,
    differs: Collection[cst.BaseExpression] = (),
    received: Collection[str] = (),
    more: Sequence[Site] = (),
    name: str = "",
) -> tuple[Edit, ...]:
    """The edits that let every rank run the operation at ``site``, and leave the rest of ``guard`` guarded.

    ``if g: a; X; b`` becomes ``if g: a``, ``X``, ``if g: b``. Of ``if u and g:`` only the part that differs
    by rank is left out: ``if u:`` stays around it. ``differs`` names that part (an operand of the condition, or
    something in it) where the walk knows it. ``received`` are names that the operation overwrites on the other ranks
    (the buffer of a broadcast): they may be filled under the guard, as long as they exist outside it. ``more`` are
    further operations of the block that leave with the first one, in the order they stand in it. Where the operation
    is an operand of a larger statement, its result gets a name (``name``, or one made from the callee) and only the
    call moves.

    Raises :class:`CannotBuild` where the move might change more than that: the operation uses names that only the
    guarded ranks have, an exit stands above it, it sits in a loop or ``try`` of the guarded block.
    """
    inverted = _branch(site, guard)
    shared, own = parted(site, guard.test, differs)
    if more and guard.orelse is not None:
        raise CannotBuild("several operations stand in a condition with an else branch")
    if inverted and shared is not None:
        raise CannotBuild("the operation is in the else branch of a condition with several parts")
    suite = guard.orelse.body if inverted and isinstance(guard.orelse, cst.Else) else guard.body
    parts = split_at_all([site, *more], suite, name)
    _check_movable(site, guard, parts, received)
    if shared is not None and guard.orelse is not None and not _stays(site, shared, [guard]):
        raise CannotBuild("the condition may change in its own block")
    later = inverted and bool(parts.after or parts.inner)
    taken, flag = _steady(site, Guard(shared, own, inverted), guard, parts, later=later)
    return (_placed(site, guard, _with_blanks(guard, [*flag, *composed(guard, taken, parts)])),)


def hoist_out_of_expression(site: Site, guard: cst.BooleanOperation | cst.IfExp) -> tuple[Edit, ...]:
    """``rank == 0 and dist.barrier()`` or ``dist.barrier() if rank == 0 else None`` as a statement: the call alone.

    ``site`` is the call. Raises :class:`CannotBuild` where the value of the expression is used.
    """
    statement = site.tree.parent(guard)
    if not isinstance(statement, cst.Expr):
        raise CannotBuild("the guarded value is used")
    if isinstance(guard, cst.IfExp):
        if guard.body is site.node and dotted(guard.orelse) == "None":
            return (Replace(site.file, guard, site.node),)
        raise CannotBuild("both arms of the expression do something")
    rest = [part for part in conjuncts(guard) if part is not site.node]
    shared = [part for part in rest if not depends_on_rank(site.moved(part), part)]
    if not isinstance(guard.operator, cst.And) or conjuncts(guard)[-1] is not site.node or len(shared) == len(rest):
        raise CannotBuild("which part of the condition differs by rank is unclear")
    assert isinstance(site.node, cst.BaseExpression)
    return (Replace(site.file, guard, joined([*shared, site.node])),)


def hoist_above_exit(site: Site, guard: cst.If, *, more: Sequence[Site] = ()) -> tuple[Edit, ...]:
    """The same for ``if not g: return`` (or ``continue``) with the operation further down in the same block.

    What stands between the exit and the operation, and after it, gets ``if g:``. Raises :class:`CannotBuild` where the
    exit returns a value, or leaves more than the block it stands in.
    """
    block = site.tree.block(guard)
    if not isinstance(block, cst.IndentedBlock) or not _ends_block(site, guard, block):
        raise CannotBuild("the early exit does more than skip the rest of its block")
    rest = list(block.body)[list(block.body).index(guard) + 1 :]
    parts = split_at_all([site, *more], cst.IndentedBlock(body=rest), "")
    _check_movable(site, guard, parts)
    if any(isinstance(line, (cst.FunctionDef, cst.ClassDef)) for line in rest):
        raise CannotBuild("definitions would have to be guarded")
    taken, flag = _steady(site, Guard(None, guard.test, inverted=True), guard, parts)
    bare = guard.with_changes(body=cst.IndentedBlock([], indent=block.indent), orelse=None)
    lines = _with_blanks(guard, [*flag, *composed(bare, replace(taken, own=taken.test(), inverted=False), parts)])
    return (
        ReplaceStatements(site.file, guard, tuple(lines)),
        *(ReplaceStatements(site.file, statement, ()) for statement in rest),
    )


def _with_blanks(guard: cst.If, lines: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """The blank lines above the guard go above what takes its place."""
    blank = shape.split_leading(guard.leading_lines)[0]
    first, *others = lines
    close = [line for place, line in enumerate(shape.leading(first)) if place or line.comment is not None or not blank]
    return [shape.with_leading(first, [*blank, *close]), *others]


# What is asked before anything moves


def _branch(site: Site, guard: cst.If) -> bool:
    """Whether the operation stands in the ``else`` of the guard rather than in its body."""
    if site.tree.contains(guard.body, site.node):
        return False
    if isinstance(guard.orelse, cst.Else) and site.tree.contains(guard.orelse, site.node):
        return True
    raise CannotBuild("the operation is not inside the guard")


def parted(
    site: Site, test: cst.BaseExpression, differs: Collection[cst.BaseExpression]
) -> tuple[cst.BaseExpression | None, cst.BaseExpression]:
    """The shared and the rank-dependent part of a condition."""
    every = conjuncts(test)
    if len(every) == 1:
        return None, test
    if differs:
        own = [part for part in every if any(_touches(site, part, node) for node in differs)]
    else:
        own = [part for part in every if depends_on_rank(site.moved(part), part)]
    shared = [part for part in every if part not in own]
    if not own:
        raise CannotBuild("which part of the condition differs by rank is unclear")
    if not shared:
        return None, test
    if not all(is_steady(site.moved(part), part) for part in every):
        raise CannotBuild("the condition does more than look at values")
    return joined(shared), joined(own)


def _touches(site: Site, part: cst.BaseExpression, node: cst.BaseExpression) -> bool:
    return node in site.tree and site.tree.contains(part, node)


def _check_movable(site: Site, guard: cst.If, parts: Parts, received: Collection[str] = ()) -> None:
    """Raise :class:`CannotBuild` where an operation hangs on what the guarded ranks did before it."""
    made: set[str] = set()
    known: set[str] = set()
    step: Parts | None = parts
    while step is not None:
        made |= assigned_paths([*step.before, *step.inside])
        _check_step(site, guard, step, made, known, received)
        fresh = assigned_paths([step.operation])
        made, known, step = made - fresh, known | fresh, step.then


def _check_step(
    site: Site, guard: cst.If, parts: Parts, made: set[str], known: set[str], received: Collection[str]
) -> None:
    exit_ = leaving(parts.before)
    if exit_:
        raise CannotBuild(f"a {exit_} stands between the guard and the operation")
    if leaving([parts.operation]):
        raise CannotBuild("the operation is part of a return or another exit")
    needed = reads(parts.operation).union(*map(reads, parts.heads))
    for path in sorted(needed):
        if may_read(made, path) and path not in received:
            raise CannotBuild(f"`{path}` is only set on the ranks that pass the guard")
        first = path.partition(".")[0]
        if first not in known and not _known_outside(site, guard, first):
            raise CannotBuild(f"`{first}` may not exist on the ranks that do not pass the guard")


def _known_outside(site: Site, guard: cst.If, name: str) -> bool:
    """Whether every rank has ``name`` by the time it comes to the guard."""
    found = site.scopes.lookup(name, guard)
    if found is None or site.scopes.available(name, guard) or found[0] is not site.scopes.visible_scopes(guard)[0]:
        return True
    for binding in found[1]:
        if site.tree.order(binding.node) < site.tree.order(guard) and not under_rank_test(site, binding.node):
            return True
    return False


def under_rank_test(site: Site, node: cst.CSTNode) -> bool:
    """Whether an ``if`` that asks for the rank is around a node."""
    return any(
        isinstance(step, cst.If) and depends_on_rank(site.moved(step.test), step.test)
        for step in site.tree.ancestors(node)
    )


def _ends_block(site: Site, guard: cst.If, block: cst.IndentedBlock) -> bool:
    """``if …: return`` in the body of a function, ``if …: continue`` in the body of a loop, and nothing else in it."""
    body: Sequence[cst.CSTNode] = getattr(guard.body, "body", ())
    if guard.orelse is not None or len(body) != 1:
        return False
    only = body[0]
    if isinstance(only, cst.SimpleStatementLine) and len(only.body) == 1:
        only = only.body[0]
    holder = site.tree.parent(block)
    if isinstance(only, cst.Return):
        return only.value is None and isinstance(holder, cst.FunctionDef)
    return isinstance(only, cst.Continue) and isinstance(holder, (cst.For, cst.While))


def _steady(
    site: Site, taken: Guard, guard: cst.If, parts: Parts, *, later: bool = False
) -> tuple[Guard, list[cst.BaseStatement]]:
    """The guard with a condition that may be asked again: a local variable holds it where it might change."""
    pieces = parts.pieces
    later = later or (not taken.inverted and (pieces > 1 or (pieces == 1 and not parts.before)))
    if not later or _stays(site, taken.own, [guard, *parts.lines]):
        return taken, []
    if site.tree.block(guard) is None:
        raise CannotBuild("the condition of the elif may change in its own block")
    name = site.unused("guarded")
    line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], taken.own)])
    return replace(taken, own=cst.Name(name)), [line]


def _stays(site: Site, test: cst.BaseExpression, passed: Sequence[cst.CSTNode]) -> bool:
    """Whether ``test`` gives the same again after ``passed`` ran."""
    if not is_steady(site.moved(test), test):
        return False
    made = assigned_paths(passed)
    paths = reads(cst.Expr(test))
    if any(may_read(made, path) for path in paths):
        return False
    attributes = {path.rpartition(".")[2] for path in paths if "." in path}
    return not attributes & _reassigned(site)


def _reassigned(site: Site) -> set[str]:
    """Names of attributes that some method other than a constructor assigns."""
    found: set[str] = set()
    for node in descend(site.module):
        if isinstance(node, cst.FunctionDef) and node.name.value != "__init__":
            found |= {path.rpartition(".")[2] for path in assigned_paths([node.body]) if path.startswith("self.")}
    return found


def _placed(site: Site, guard: cst.If, lines: Sequence[cst.BaseStatement]) -> Edit:
    if site.tree.block(guard) is not None:
        return ReplaceStatements(site.file, guard, tuple(lines))
    return Replace(site.file, guard, cst.Else(cst.IndentedBlock(list(lines))))
