"""Dictionaries whose values are communicated one name at a time in a training, and the check of their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Effect, Event, LoopFrame, Reason, Walk
from ddplint.rule.code import Site, assigned_paths, calls_in, descend, dotted, nodes_of, only_part
from ddplint.rule.facts import dictionary_of
from ddplint.rule.fixes import CannotBuild, Edit, InsertBefore, helper
from ddplint_rules.codemods._helpers.agreements import OF_A_GROUP, gathers_and_raises

_NEEDS = (*OF_A_GROUP, "os.environ")
_CHECK = '''\
def check_names(where, names, compared=set()):
    """Raise on every rank, and say which rank has other names, or another order of them, the first time at a place.

    Does nothing on one process, nor with DDP_AGREEMENT=0 in the environment of all; =always compares every time.
    """
    wanted = $environ.get("DDP_AGREEMENT", "")
    if wanted == "0" or not ($is_available() and $is_initialized()) or $get_world_size() == 1:
        return
    if where in compared and wanted != "always":
        return
    compared.add(where)
    gathered = [None] * $get_world_size()
    $all_gather_object(gathered, [str(name) for name in names])
    everything = {name for one in gathered for name in one}
    wrong = []
    for rank, one in enumerate(gathered):
        missing = sorted(everything.difference(one))
        if missing:
            wrong.append(f"rank {rank} has no {', '.join(missing)}")
        elif one != gathered[0] and not everything.difference(gathered[0]):
            wrong.append(f"rank {rank} has the order {', '.join(one)}, rank 0 {', '.join(gathered[0])}")
    if wrong:
        raise RuntimeError(f"the ranks do not agree on the names of {where}: " + "; ".join(wrong))
'''


@dataclass(frozen=True, eq=False)
class Named:
    """A loop over a dictionary, ``source`` in the code, with a collective for each name; ``ordered`` by name first."""

    loop: LoopFrame
    source: str
    ordered: bool

    @property
    def site(self) -> Site:
        """The loop as a place for code."""
        return Site(self.loop.file, self.loop.node)


def named_collectives(walks: Sequence[Walk], trainings: Sequence[cst.CSTNode]) -> Iterator[Named]:
    """The loops inside of ``trainings`` over the names in a dictionary in which all ranks communicate, each once."""
    done: set[int] = set()
    for walk in walks:
        for event in filter(_is_met, walk.doing(Effect.COLLECTIVE)):
            around = [place for place, loop in enumerate(event.loops) if any(loop.node is one for one in trainings)]
            for loop in event.loops[around[0] + 1 :] if around else ():
                source, ordered = dictionary_of(loop.node)
                if source and id(loop.node) not in done:
                    done.add(id(loop.node))
                    yield Named(loop, source, ordered)


def _is_met(event: Event) -> bool:
    """Whether all ranks come to an operation in the group of all, and not because of who they are."""
    plain = event.by_all and not event.group and not event.drawn
    return plain and all(guard.reason is not Reason.IDENTITY for guard in event.guards)


def is_named_alike(found: Named) -> bool:
    """Whether a function of the file that gathers and can raise is given the names above the loop already."""
    site = found.site
    block, statement = _place(site)
    for above in block[: block.index(statement)] if statement in block else ():
        for call in calls_in(above):
            given = any(dotted(part) == found.source for arg in call.args for part in descend(arg.value))
            if given and gathers_and_raises(site, call):
                return True
    return False


def named_before(found: Named) -> tuple[Edit, ...]:
    """The edits that compare the names above a loop. Raises :class:`CannotBuild` where they may not be known there."""
    site = found.site
    block, statement = _place(site)
    if statement not in block:
        raise CannotBuild("there is no place for a statement in front of the loop")
    if statement is not found.loop.node:
        if only_part(statement) is None:
            raise CannotBuild("the loop is a part of a larger statement")
        inner = {path.partition(".")[0] for path in assigned_paths(nodes_of(statement, cst.CompFor, cst.NamedExpr))}
        if found.source.partition(".")[0] in inner:
            raise CannotBuild("the dictionary is made in the statement of the loop")
    check = helper(site, _CHECK, _NEEDS)
    names = f"sorted({found.source})" if found.ordered else found.source
    where = f"{found.source} in {site.function.name.value}" if site.function is not None else found.source
    call = cst.Call(check.expression, [cst.Arg(cst.parse_expression(text)) for text in (f'"{where}"', names)])
    line = cst.SimpleStatementLine([cst.Expr(call)])
    return (InsertBefore(site.file, statement, (line,)), *check.edits)


def _place(site: Site) -> tuple[list[cst.CSTNode], cst.CSTNode]:
    """The block and, in it, the statement that is or holds a loop."""
    statement = site.statement
    return list(getattr(site.tree.block(statement), "body", ())), statement
