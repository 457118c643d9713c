"""The rewrite of verified-save: rank 0 saves, checks and moves; all ranks hear how it went."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Event, Guard, GuardKind
from ddplint.rule.code import Site, Statement, conjuncts, descend, dotted, joined, nodes_of
from ddplint.rule.fixes import CannotBuild, Edit, InsertBefore, Replace, fitted, helper, parted
from ddplint_rules.codemods._helpers.checkpoints import Save, own_guards
from ddplint_rules.codemods._helpers.same_condition import conditions_after

_NEEDS = (
    *(f"torch.distributed.{name}" for name in ("is_available", "is_initialized", "get_world_size", "get_rank")),
    "torch.distributed.broadcast_object_list",
    "json.dumps",
    "pathlib.Path",
    "tempfile.TemporaryDirectory",
)
_SAVE = '''\
def save_verified(save=None, path=None, **facts):
    """Let rank 0 save beside ``path``, check what came, and move it into place; all ranks go on or raise together.

    Every rank calls this, only rank 0 needs to say what: ``save`` is called with the name to save to. Beside ``path``,
    ``.saved.json`` gets ``facts``, the number of processes, and the files with their sizes. One process just saves.
    """
    if not ($is_available() and $is_initialized()) or $get_world_size() == 1:
        if save is not None:
            save(path)
        return
    failure, cause = [None], None
    if $get_rank() == 0:
        try:
            target = $Path(path).absolute()
            target.parent.mkdir(parents=True, exist_ok=True)
            with $TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as temporary:
                save(str($Path(temporary, target.name)))
                files = sorted(file for file in $Path(temporary).rglob("*") if file.is_file())
                if not files or not all(file.stat().st_size for file in files):
                    raise OSError(f"{path}: " + ("there is an empty file" if files else "no file was written"))
                moved = set()
                for file in files:
                    place = target.parent / file.relative_to(temporary)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    moved.add(file.replace(place))
                there = sorted(file for file in {*moved, *target.rglob("*")} if file.is_file())
                sizes = {str(file.relative_to(target.parent)): file.stat().st_size for file in there}
                facts = {**facts, "world_size": $get_world_size(), "files": sizes}
                note = $Path(temporary, "saved.json")
                note.write_text($dumps(facts, indent=2, default=str))
                note.replace(f"{target}.saved.json")
        except Exception as error:
            failure, cause = [f"{type(error).__name__}: {error}"], error
    $broadcast_object_list(failure, src=0)
    if failure[0] is not None:
        raise RuntimeError(f"rank 0 could not save: {failure[0]}") from cause
'''


def verified(save: Save) -> tuple[Edit, ...]:
    """The edits that hand a save to the function that verifies it. Raises :class:`CannotBuild`."""
    site = save.site
    _check(save)
    name = helper(site, _SAVE, _NEEDS)
    edits: list[Edit] = [Replace(site.file, site.node, _handed_over(save, name.expression))]
    done: set[int] = set()
    for guard, event in save.guards:
        if id(guard.statement) not in done:
            done.add(id(guard.statement))
            edits.append(_met_by_others(guard, event, name.expression, site))
    return (*edits, *name.edits)


def _check(save: Save) -> None:
    """Raise :class:`CannotBuild` where the call cannot be put into a lambda, or its value is used."""
    site, call = save.site, save.site.node
    if not isinstance(site.tree.parent(call), cst.Expr):
        raise CannotBuild("the result of the save is used")
    if isinstance(next(iter(site.tree.scopes(call))), (cst.ClassDef, cst.Lambda)):
        raise CannotBuild("the save is not in the body of a function or of the module")
    for node in descend(call):
        if isinstance(node, (cst.Await, cst.Yield, cst.NamedExpr)) or dotted(node) in ("super", "locals"):
            raise CannotBuild("the save cannot be moved into a lambda")
    args = call.args if isinstance(call, cst.Call) else ()
    if save.path is None:
        raise CannotBuild("the arguments of the save are not written out")
    if any(arg.keyword is not None and arg.keyword.value in ("push_to_hub", "repo_id") for arg in args):
        raise CannotBuild("the save is an upload too")
    if save.guards and any(len(own_guards(event)) != 1 for event in save.events):
        raise CannotBuild("several conditions together leave it to rank 0")


def _handed_over(save: Save, name: cst.BaseExpression) -> cst.Call:
    """``save_verified(lambda target: torch.save(state, target), path, epoch=epoch)``."""
    call, path = save.site.node, save.path
    assert isinstance(call, cst.Call)
    assert path is not None
    taken = {node.value for node in nodes_of(call, cst.Name)}
    target = next(one for one in ("target", "place", "target_path", "target_") if one not in taken)
    inner = call.with_changes(
        args=[arg.with_changes(value=cst.Name(target)) if arg is path else arg for arg in call.args]
    )
    function = cst.Lambda(cst.Parameters([cst.Param(cst.Name(target))]), inner)
    plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    facts = [cst.Arg(cst.Name(one), keyword=cst.Name(one), equal=plain) for one in _counters(save)]
    column = save.site.file.range_of(call).start_col
    return fitted(cst.Call(name, [cst.Arg(function), cst.Arg(path.value), *facts]), column, save.site.file.lines)


def _counters(save: Save) -> list[str]:
    """The variables that count the iterations of the loops around a save, in its own function."""
    site, found = save.site, []
    for loop in save.events[0].loops:
        inside = loop.file is site.file and loop.node in site.tree and site.tree.contains(loop.node, site.node)
        if not inside or not isinstance(loop.node, cst.For) or site.moved(loop.node).function is not site.function:
            continue
        target: cst.BaseExpression = loop.node.target
        kind = getattr(loop.source, "name", "")
        if kind == "builtins.enumerate" and isinstance(target, cst.Tuple):
            target = target.elements[0].value
        if (
            kind in ("builtins.range", "builtins.enumerate")
            and isinstance(target, cst.Name)
            and target.value.strip("_")
        ):
            found.append(target.value)
    return [one for one in dict.fromkeys(found) if one not in ("save", "path", "world_size", "files")]


# The other ranks


def _met_by_others(guard: Guard, event: Event, name: cst.BaseExpression, site: Site) -> Edit:
    """``save_verified()`` where the ranks go that do not save, under the further conditions on the save."""
    statement = guard.statement
    node = event.stack[min(guard.depth, len(event.stack)) - 1].node
    if guard.kind is not GuardKind.IF or not isinstance(statement, cst.If) or guard.file is not site.file:
        raise CannotBuild("no plain `if` of this file leaves the save to rank 0")
    named = site.scopes.lookup(dotted(name), statement)
    if named is not None and named[0] is not site.module:
        raise CannotBuild("the name of the function means something else there")
    asked = conditions_after(guard, event)
    call = cst.SimpleStatementLine([cst.Expr(cst.Call(name))])
    line = cst.If(joined(asked), cst.IndentedBlock([call])) if asked else call
    other = statement.orelse
    if not site.tree.contains(statement, node):
        return InsertBefore(site.file, _exit_of(statement), (line,))
    shared = _shared_part(site, guard, statement)
    if site.tree.contains(statement.body, node):
        every = [*([] if shared is None else conjuncts(shared)), *asked]
        if other is None:
            return Replace(site.file, statement, statement.with_changes(orelse=_otherwise(every, call)))
        if isinstance(other, cst.If) and every and other.orelse is None and other.test.deep_equals(joined(every)):
            return InsertBefore(site.file, _first(other.body), (call,))
        if shared is None and isinstance(other, cst.Else):
            return InsertBefore(site.file, _first(other.body), (line,))
    elif shared is None and isinstance(other, cst.Else):
        return InsertBefore(site.file, _first(statement.body), (line,))
    raise CannotBuild("the ranks that do not save go several ways")


def _shared_part(site: Site, guard: Guard, statement: cst.If) -> cst.BaseExpression | None:
    """The part of a condition that all ranks answer alike; ``None`` where there is none."""
    own = [guard.node] if isinstance(guard.node, cst.BaseExpression) and guard.node is not statement.test else []
    return parted(site.moved(statement), statement.test, own)[0]


def _otherwise(asked: list[cst.BaseExpression], line: cst.SimpleStatementLine) -> cst.If | cst.Else:
    block = cst.IndentedBlock([line])
    return cst.If(joined(asked), block) if asked else cst.Else(block)


def _first(body: cst.BaseSuite) -> Statement:
    return next(_statements(body))


def _exit_of(statement: cst.If) -> Statement:
    """The ``return`` or ``continue`` by which the other ranks leave before the save."""
    last = list(_statements(statement.body))[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if statement.orelse is None and isinstance(small, (cst.Return, cst.Continue)):
        return small if isinstance(last, cst.SimpleStatementLine) and len(last.body) > 1 else last
    raise CannotBuild("the other ranks leave before the save in more than one way")


def _statements(body: cst.BaseSuite) -> Iterator[Statement]:
    assert isinstance(body, (cst.IndentedBlock, cst.SimpleStatementSuite))
    yield from body.body
