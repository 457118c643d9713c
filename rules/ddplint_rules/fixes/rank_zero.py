"""The fix of the rules about files: let rank 0 alone do it, and the others wait until it is done."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.rule import (
    MEETS,
    Answer,
    Effect,
    Event,
    Fix,
    Guard,
    GuardKind,
    Origin,
    PerRank,
    Reason,
    Safety,
    Varying,
    Walk,
    replace,
)
from ddplint.rule.code import Site, Statement, variable_of
from ddplint.rule.facts import Writers, paths, uniformity
from ddplint.rule.fixes import (
    COLLECTIVE,
    GUARD,
    Against,
    CannotBuild,
    Demand,
    InsertAfter,
    InsertBefore,
    NeededByAll,
    Replace,
    against,
    barrier_statement,
    demand,
    group_surely_exists,
    guard_statements,
    imported_tests,
    quoted,
    rank_test,
    set_keyword,
)
from ddplint.rule.fixes import reason as reason_of
from ddplint_rules.fixes.claims import claims
from ddplint_rules.fixes.leftovers import is_needed_on_every_node, run_is_used
from ddplint_rules.fixes.together import asked_again, left_behind

_MEETS = MEETS | {Effect.INIT, Effect.TEARDOWN, Effect.LAUNCH}


def left_to_rank_zero(event: Event, others: Sequence[Event], walks: Sequence[Walk]) -> Answer:
    """The statement of an event under the file's own test for rank 0, with a barrier behind it.

    Parameters: ``others``, further events of the file that want the same (neighbouring statements go under one guard);
    ``walks``, all walks of the file, to see what else the statements do.
    """
    for guard in event.guards:
        if guard.reason is not Reason.IDENTITY:
            return Answer(no_fix=_undecided(guard, event))
    try:
        site = Site(event.file, event.node)
        statements = _run(site, [other for other in others if other.file is event.file])
        _check(site, statements, walks)
        speaks = against(site, walks[0].presence if walks else None)
        if speaks & Against.STRANGE and paths.is_named_by_caller(event.target):
            raise CannotBuild("whoever calls it chooses the name, which may hold the rank")
        behind = left_behind(event, statements, walks)
        if behind:
            raise CannotBuild(behind)
        fix = _guarded(site, statements, speaks, walks)
        needed = event.effect == Effect.TRACKER or is_needed_on_every_node(event, walks)
        return Answer(replace(fix, safety=Safety.UNSAFE) if needed or _own_content(event) is not None else fix)
    except NeededByAll as reason:
        return Answer(no_fix=f"let rank 0 alone do what writes, and every rank what it needs: {reason}")
    except CannotBuild as reason:
        return Answer(no_fix=f"let rank 0 alone do this, and the others wait in a barrier after it: {reason}")


def _undecided(guard: Guard, event: Event) -> str:
    """What to do where each rank decides for itself whether it gets there."""
    line = guard.file.range_of(guard.node).start_line
    where = f"on line {line}" if guard.file is event.file else f"at {guard.file.path}:{line}"
    return f"first let all ranks take the same decision {where}, then let rank 0 alone do this"


def _guarded(site: Site, statements: Sequence[Statement], speaks: int, walks: Sequence[Walk]) -> Fix:
    """The guard, with a barrier where all ranks get there in every context. Raises :class:`CannotBuild`."""
    if speaks & GUARD:
        raise CannotBuild(reason_of(speaks & GUARD))
    test = rank_test(site, known=imported_tests(site, walks[0].presence if walks else None))
    if speaks & COLLECTIVE:
        edits = guard_statements(site, statements, test.expression)
        title = f"Let rank 0 alone do this (without a barrier: {reason_of(speaks & COLLECTIVE)})"
        unproven = Against.STRANGE | Against.GROUPLESS | Against.DECIDED
        safety = Safety.UNSAFE if speaks & unproven else Safety.SAFE
        return Fix(title, safety, (*edits, *test.edits), _demands(site, GUARD))
    barrier = barrier_statement(site)
    edits = guard_statements(site, statements, test.expression, after=barrier.statements)
    title = "Let rank 0 alone do this, and the others wait for it"
    safety = Safety.UNSAFE if speaks & Against.GROUPLESS else Safety.SAFE
    return Fix(title, safety, (*edits, *test.edits, *barrier.edits), _demands(site, COLLECTIVE | GUARD))


def _demands(site: Site, against: int) -> tuple[Demand, ...]:
    wanted = demand(site.file, site.statement, against)
    if wanted is None:
        raise CannotBuild(reason_of(int(Against.UNSEEN)))
    return (wanted,)


def _run(site: Site, others: Sequence[Event]) -> list[Statement]:
    """The statement of the site, and the wanted ones that stand directly above and below it."""
    own = site.statement
    block = site.tree.block(own)
    wanted = {id(site.tree.statement(other.node)) for other in others if other.node in site.tree}
    body: list[Statement] = list(getattr(block, "body", ()))
    if own not in body:
        return [own]
    first = last = body.index(own)
    while first and id(body[first - 1]) in wanted:
        first -= 1
    while last + 1 < len(body) and id(body[last + 1]) in wanted:
        last += 1
    return body[first : last + 1]


def _check(site: Site, statements: Sequence[Statement], walks: Sequence[Walk]) -> None:
    """Raise :class:`CannotBuild` where the statements do what every rank must do."""
    for statement in statements:
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            raise CannotBuild("a definition would have to be guarded")
        for event in _inside(site, statement, walks):
            if event.effect in _MEETS:
                raise NeededByAll(f"the same statement holds {event.label}, which every rank must reach")
            if event.effect == Effect.TRACKER and run_is_used(site, event):
                raise NeededByAll(f"the other ranks ask for {event.name.partition('.')[0]}'s run, too")
            if event.effect == Effect.APPEND:
                raise CannotBuild("what the other ranks add would be lost")
            if _is_of_the_rank(_own_content(event)):
                raise CannotBuild("each rank writes something of its own")


def _own_content(event: Event) -> Varying | PerRank | None:
    """What ranks write that differs between them; files are taken to be the same for all."""
    if event.effect != Effect.WRITE:
        return None
    content = uniformity.differing(event.details.get("content", ()))
    return None if isinstance(content, Varying) and content.reason is Reason.FILESYSTEM else content


def _is_of_the_rank(content: Varying | PerRank | None) -> bool:
    """Whether what is written follows from who the rank is: then each is wanted, in a file of its own."""
    return isinstance(content, PerRank) or (content is not None and content.reason is Reason.IDENTITY)


def _inside(site: Site, statement: Statement, walks: Sequence[Walk]) -> list[Event]:
    found = []
    for walk in walks:
        for event in walk.events:
            if any(frame.node in site.tree and site.tree.contains(statement, frame.node) for frame in event.stack):
                found.append(event)
    return found


def waited_for(first: Event, second: Event) -> Answer:
    """A barrier between what some ranks make and the others use: before the use, or behind the guard of the making."""
    advice = "let every rank wait in a barrier after the write"
    for at in (_before(second, first), _behind(first)):
        if at is None:
            continue
        event, statement, after = at
        barrier = barrier_statement(Site(event.file, statement))
        place = InsertAfter if after else InsertBefore
        edit = place(event.file, statement, barrier.statements)
        return Answer(Fix("Let every rank wait until it is written", Safety.SAFE, (edit, *barrier.edits)))
    return Answer(no_fix=advice)


def waited_before(second: Event) -> Answer:
    """A barrier in front of the guard under which one rank uses what all have made."""
    behind = _behind(second)
    if behind is not None:
        event, statement, _after = behind
        site = Site(event.file, statement)
        if statement in getattr(site.tree.block(statement), "body", ()):
            barrier = barrier_statement(site)
            edit = InsertBefore(event.file, statement, barrier.statements)
            return Answer(Fix("Let every rank have written its part first", Safety.SAFE, (edit, *barrier.edits)))
    return Answer(no_fix="let every rank wait in a barrier before this")


def _before(event: Event, made: Event) -> tuple[Event, cst.CSTNode, bool] | None:
    """The statement of an event that every rank comes to, unless it is repeated more often than what made the file."""
    if not event.by_all or event.guards or len(event.loops) > len(made.loops):
        return None
    statement = Site(event.file, event.node).statement
    return (event, statement, False) if isinstance(statement, cst.BaseStatement) else None


def _behind(event: Event) -> tuple[Event, cst.CSTNode, bool] | None:
    """The guarded statement itself, where the guard is an ``if`` and the only one."""
    own = [guard for guard in event.guards if guard.reason is Reason.IDENTITY]
    if len(own) != 1 or len(event.guards) != 1 or not isinstance(own[0].statement, cst.If):
        return None
    site = Site(own[0].file, own[0].statement)
    if own[0].file is event.file and not site.tree.contains(own[0].statement, event.node):
        return None
    return replace(event, file=own[0].file), own[0].statement, True


def existing_allowed(event: Event) -> Answer:
    """``exist_ok=True`` for a call that creates a folder."""
    row = event.api
    if row is None or row.effect != Effect.CREATE_DIR or not row.exist_ok.name or event.call is None:
        return Answer(no_fix="let rank 0 alone test and do this, and the others wait in a barrier after it")
    if any(arg.keyword is not None and arg.keyword.value == row.exist_ok.name for arg in event.call.args):
        return Answer(no_fix=f"pass {row.exist_ok.name}=True")
    if claims(Site(event.file, event.node)):
        return Answer(no_fix="only who makes the folder goes on here: let rank 0 do it all, and the others wait")
    call = set_keyword(event.call, row.exist_ok.name, cst.Name("True"))
    title = "Let the folder be there already"
    return Answer(Fix(title, Safety.SAFE, (Replace(event.file, event.node, call),)))


def met_first(event: Event) -> Answer:
    """A barrier right before the statement of an event that every rank comes to."""
    site = Site(event.file, event.node)
    statement = site.statement
    if not event.by_all or not isinstance(statement, cst.BaseStatement):
        return Answer(no_fix="let every rank wait in a barrier between the test and this")
    barrier = barrier_statement(site)
    edit = InsertBefore(event.file, statement, barrier.statements)
    return Answer(Fix("Let every rank have tested first", Safety.SAFE, (edit, *barrier.edits)))


def drawn_once(origin: Origin) -> Answer:
    """The variable that a drawn name goes into gets rank 0's value on all ranks."""
    advice = "let rank 0 draw the name and broadcast it"
    site = Site(origin.file, origin.node)
    target = variable_of(site.statement)
    if target is None or not group_surely_exists(site):
        return Answer(no_fix=advice)
    call = site.name("torch.distributed.broadcast_object_list")
    shared = site.unused("shared")
    lines = (
        _line(cst.Assign([cst.AssignTarget(cst.Name(shared))], cst.List([cst.Element(target)]))),
        _line(cst.Expr(cst.Call(call.expression, [cst.Arg(cst.Name(shared)), _zero()]))),
        _line(cst.Assign([cst.AssignTarget(target)], cst.Subscript(cst.Name(shared), [_first()]))),
    )
    edits = (InsertAfter(site.file, site.statement, lines), *call.edits)
    return Answer(Fix("Let all ranks use the name that rank 0 drew", Safety.UNSAFE, edits), advice)


def _line(small: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([small])


def _zero() -> cst.Arg:
    plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(cst.Integer("0"), keyword=cst.Name("src"), equal=plain)


def _first() -> cst.SubscriptElement:
    return cst.SubscriptElement(cst.Index(cst.Integer("0")))


def asked_globally(guard: Guard, *, makes: bool) -> Answer:
    """The test for rank 0 of all nodes in place of the one for the first rank of each.

    Parameters: ``makes``, whether files or folders are made behind it, which later lines may want.
    """
    advice = "ask for the global rank"
    if guard.kind is not GuardKind.IF or not isinstance(
        guard.node, (cst.Comparison, cst.Name, cst.Attribute, cst.Call)
    ):
        return Answer(no_fix=advice)
    again = asked_again(guard) if makes else ""
    if again:
        return Answer(no_fix=f"{advice}, there and wherever else the function asks this ({again})")
    test = rank_test(Site(guard.file, guard.node))
    new = test.expression
    if isinstance(new, cst.BooleanOperation) and not new.lpar:
        new = new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    edits = (Replace(guard.file, guard.node, new), *test.edits)
    return Answer(Fix("Ask for the global rank", Safety.UNSAFE, edits), advice)


def loaded_to_cpu(event: Event) -> Answer:
    """``map_location="cpu"``."""
    if event.call is None or any(argument.star for argument in event.call.args):
        return Answer(no_fix='pass map_location="cpu"')
    call = set_keyword(event.call, "map_location", quoted(Site(event.file, event.call), "cpu"))
    return Answer(Fix("Load to the CPU", Safety.SAFE, (Replace(event.file, event.node, call),)))


def guarded_by_rank_zero(writers: Writers, beside: Sequence[Writers], walks: Sequence[Walk]) -> Answer:
    """What helps where ranks change one path alike: rank 0 does it, unless these are not all ranks."""
    if writers.event.depends_on_a_part:
        return Answer(no_fix="ask for rank 0 of all ranks, or name the part in the path")
    if not writers.are_all:
        return Answer(no_fix="let one rank do this, and the others wait in a barrier after it")
    return left_to_rank_zero(writers.event, [one.event for one in beside], walks)
