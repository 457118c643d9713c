"""Which loop counts the epochs, whether the sampler is given the epoch, and how the sampler is reached from there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import libcst as cst

from ddplint.rule import (
    Const,
    Container,
    Effect,
    Event,
    Frame,
    Generator,
    Instance,
    LoopFrame,
    Object,
    Place,
    Tuple,
    Value,
    Walk,
)
from ddplint.rule.code import (
    Site,
    SourceFile,
    Tree,
    argument,
    calls_in,
    class_of,
    descend,
    dotted,
    figures,
    last_part,
    nodes_of,
    plain_arguments,
    positional,
    starred,
    tree_of,
    up_to_function,
    words_in,
)
from ddplint.rule.facts import SAMPLER, Drawing, Pass, around, made_by, passes, sampler_of, shuffles, trains
from ddplint.rule.fixes import Built, CannotBuild, Edit, InsertBefore, insert_set_epoch


@dataclass(frozen=True, eq=False)
class WithoutEpoch:
    """A pass that trains on a sampler that may shuffle, again and again, and of which not all ranks learn the epoch.

    ``made`` is where the sampler is, ``epochs`` the loop that begins the data again, ``ranks`` who learns it.
    """

    found: Pass
    made: Event
    epochs: LoopFrame
    ranks: frozenset[int]


def passes_without_epoch(walks: Sequence[Walk], without: Collection[object]) -> Iterator[WithoutEpoch]:
    """Each place of a pass once for each sampler, but for the samplers of ``without``."""
    done: set[tuple[object, object]] = set()
    for walk, found in ((one, found) for one in walks for found in passes(one)):
        key = (found.event.node, found.sampler.site)
        if key in done or found.sampler.site in without or shuffles(found.sampler) is False or not trains(walk, found):
            continue
        done.add(key)
        made = made_by(walks, found.sampler)
        epochs = epochs_of(found, made) if made is not None else None
        handed = epochs is not None and _may_learn_it(found, epochs, walks)
        ranks = ranks_with_epoch(found, walks) if epochs is not None and not handed else None
        if made is not None and epochs is not None and ranks is not None and not ranks >= found.event.ranks:
            yield WithoutEpoch(found, made, epochs, ranks)


def head(loop: LoopFrame) -> Place:
    """What a loop goes over, or asks for."""
    node = loop.node
    if isinstance(node, (cst.For, cst.CompFor)):
        return Place(loop.file, node.iter)
    return Place(loop.file, node.test if isinstance(node, cst.While) else node)


def epochs_of(found: Drawing, made: Event) -> LoopFrame | None:
    """The loop that makes several passes over the same sampler; ``None`` where there is no such loop."""
    for loop in reversed(found.event.loops):
        if loop in made.loops:
            return None
        if _repeats(loop):
            return loop
    return None


def _repeats(loop: LoopFrame) -> bool:
    source = loop.source
    if isinstance(source, Object) and source.name == "builtins.enumerate" and source.args:
        source = source.args[0]
    if isinstance(source, (Tuple, Container, Const, Generator, Instance)):  # who yields hands on what its own loop has
        return False
    if isinstance(source, Object) and source.name == "builtins.range":
        limits = [arg.value for arg in source.args if isinstance(arg, Const)]
        count = figures.count_of(limits) if len(limits) == len(source.args) else None
        return count is None or count > 1
    return not isinstance(loop.node, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))


def on_the_way(found: Drawing, epochs: LoopFrame) -> tuple[Frame, ...]:
    """From what the pass looks like in the loop over epochs (the inner loop itself, or a call) to the inner loop."""
    return found.event.stack[min(epochs.depth, len(found.event.stack)) - 1 :]


def ranks_with_epoch(found: Pass, walks: Sequence[Walk]) -> frozenset[int] | None:
    """The ranks on which the sampler learns the epoch; ``None`` where nobody can tell."""
    ranks: frozenset[int] = frozenset()
    seen: set[int] = set()
    for walk in walks:
        for event in walk.events:
            if event.effect == Effect.SET_EPOCH:
                seen.add(id(event.node))
                if not event.loops and event.args and isinstance(event.args[0], Const):
                    continue  # once and for all
                others = list(_receivers(event.receiver))
                if not others:
                    return None
                if any(other.site is found.sampler.site for other in others):
                    ranks |= event.ranks
    files = {id(frame.file): frame.file for frame in found.event.stack}
    for file in (walks[0].file, *files.values()):
        if "set_epoch" in file.text and any(id(node) not in seen for node in _calls(file.module)):
            return None
    return ranks


def _may_learn_it(found: Pass, epochs: LoopFrame, walks: Sequence[Walk]) -> bool:
    """Whether code that nobody knows is given the loader or its sampler in each epoch: it may tell it which one."""
    given = (
        value
        for walk in walks
        for event in walk.doing(Effect.OPAQUE)
        if any(loop.node is epochs.node for loop in event.loops) and event.node is not found.event.node
        for value in event.args
    )
    return any(other.site is found.sampler.site for value in given for other in _receivers(value))


def _receivers(value: Value | None) -> Iterator[Object]:
    for loader in around(value):
        yield from (sampler for sampler, _, _ in sampler_of(loader))


def _calls(module: cst.Module) -> Iterator[cst.Call]:
    for node in calls_in(module):
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "set_epoch":
            yield node


# -- the fix ---------------------------------------------------------------------------------------------------------


def epoch_edits(found: Pass, epochs: LoopFrame, made: Event) -> tuple[Edit, ...]:
    """``sampler.set_epoch(epoch)`` at the head of the loop over epochs. Raises :class:`CannotBuild`."""
    loop = epochs.node
    if found.loop is None:
        raise CannotBuild("call set_epoch with a growing number before each new iterator")
    if not isinstance(loop, cst.For):
        raise CannotBuild("call set_epoch with a growing number before each pass: this loop counts no epochs")
    loader = _seen_from(found, epochs)
    site = Site(epochs.file, loop.body.body[0])
    if loader is None or not site.scopes.available(dotted(loader).partition(".")[0], site.node):
        raise CannotBuild("call set_epoch(epoch) on the sampler at the head of each epoch")
    sampler = loader
    for part in found.path:
        sampler = cst.Attribute(sampler, cst.Name(part))
    if found.certain and not _conditional(made):
        return insert_set_epoch(site, loop, _own_name(site, made) or sampler)
    return _asked_first(site, sampler, insert_set_epoch(site, loop, sampler))


def _own_name(site: Site, made: Event) -> cst.Name | cst.Attribute | None:
    """The variable, or attribute of the same object, that holds the sampler and nothing else, where the site has it."""
    assigned = site.tree.parent(made.node) if made.node in site.tree else None
    if not isinstance(assigned, cst.Assign) or len(assigned.targets) != 1:
        return None
    name = assigned.targets[0].target
    if isinstance(name, cst.Attribute) and dotted(name.value) == "self":
        theirs = class_of(site.tree, made.node)
        own = theirs is not None and site.owner is theirs and site.scopes.available("self", site.node)
        return name.deep_clone() if own and site.values_of(name) == [made.node] else None
    if not isinstance(name, cst.Name) or not site.scopes.available(name.value, site.node):
        return None
    bound = site.scopes.lookup(name.value, site.node)
    return name if bound is not None and [one.value for one in bound[1]] == [made.node] else None


def _asked_first(site: Site, sampler: cst.BaseExpression, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The same under ``if isinstance(..., DistributedSampler)``: on one process there is another sampler."""
    kind = _sampler_name(site)
    test = cst.Call(cst.Name("isinstance"), [cst.Arg(sampler), cst.Arg(kind.expression)])
    out: list[Edit] = []
    for edit in edits:
        if isinstance(edit, InsertBefore):
            guarded = cst.If(test, cst.IndentedBlock(list(edit.new_statements)))
            edit = InsertBefore(edit.file, edit.statement, (guarded,))
        out.append(edit)
    return (*out, *kind.edits)


def _sampler_name(site: Site) -> Built:
    short = site.name("torch.utils.data.DistributedSampler")
    return short if not short.edits else site.name(SAMPLER)


def _conditional(made: Event) -> bool:
    """Whether the sampler is made on some runs only."""
    for frame in made.stack:
        tree = tree_of(frame.file.module)
        for step in up_to_function(tree.ancestors(frame.node)) if frame.node in tree else ():
            if isinstance(step, (cst.IfExp, cst.BooleanOperation)):
                return True
            if isinstance(step, cst.If) and "__name__" not in words_in(step.test):
                return True
    return False


def _seen_from(found: Pass, epochs: LoopFrame) -> cst.BaseExpression | None:
    """The loader as it is called where the epochs are counted."""
    stack = found.event.stack
    written = _inner(Site(stack[-1].file, stack[-1].node), stack[-1].node)
    below = list(reversed(stack[epochs.depth - 1 :]))
    for inner, outer in pairwise(below):
        if written is None:
            return None
        written = _outside(inner, outer, written)
    return written


def _inner(site: Site, node: cst.CSTNode, depth: int = 3) -> cst.BaseExpression | None:
    """The loader in ``enumerate(tqdm(loader))``."""
    if isinstance(node, cst.Call) and depth:
        args = plain_arguments(node)
        known = last_part(node.func) in ("enumerate", "tqdm", "islice", "iter", "track")
        return _inner(site, args[0], depth - 1) if known and args else None
    if isinstance(node, cst.IfExp) and depth:
        sides = [_inner(site, side, depth - 1) for side in (node.body, node.orelse)]
        same = sides[0] is not None and sides[1] is not None and sides[0].deep_equals(sides[1])
        return sides[0] if same else None
    if isinstance(node, cst.Name):
        values = [_inner(site, value, depth - 1) for value in site.values_of(node)] if depth else []
        first = values[0] if values else None
        if first is not None and all(value is not None and value.deep_equals(first) for value in values):
            return first
        return node
    return node if isinstance(node, cst.Attribute) and dotted(node) else None


def _outside(inner: Frame, outer: Frame, written: cst.BaseExpression) -> cst.BaseExpression | None:
    """An expression of a called function as its caller has it: a parameter is an argument, ``self`` stays ``self``."""
    call = outer.node
    function = Site(inner.file, inner.node).function
    if not isinstance(call, cst.Call) or function is None:
        return None
    params = positional(function.params)
    method = isinstance(call.func, cst.Attribute) and params[:1] == ["self"]
    if isinstance(written, cst.Attribute):
        same = method and dotted(call.func).count(".") == 1 and dotted(call.func).startswith("self.")
        return written if same and dotted(written).startswith("self.") else None
    if not isinstance(written, cst.Name) or written.value not in params:
        return None
    place = params.index(written.value) - (1 if method else 0)
    given = argument(call, written.value, place if place >= 0 and not starred(call) else None)
    return given if given is not None and dotted(given) else None


_EPOCH = "set_epoch"

_WITH_TARGET = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr)

_WITH_NAME = (cst.AsName, cst.NameItem, cst.Param)


def left_over(file: SourceFile) -> Iterator[tuple[cst.Call, cst.For]]:
    """The calls of ``set_epoch`` on a name that loops alone bind, behind these; and the last of the loops."""
    if _EPOCH not in file.text:
        return
    tree = tree_of(file.module)
    for call in tree.nodes(cst.Call):
        name = _told(call)
        scope = next(tree.scopes(call), None) if name else None
        if not isinstance(scope, (cst.FunctionDef, cst.Module)):
            continue
        loops = _loops_that_bind(scope, name)
        if loops and all(_is_through(tree, loop, call) for loop in loops):
            yield call, loops[-1]


def _told(call: cst.Call) -> str:
    """The name in ``name.set_epoch(…)`` or ``name.sampler.set_epoch(…)``."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != _EPOCH:
        return ""
    told = call.func.value
    while isinstance(told, cst.Attribute) and told.attr.value.endswith("sampler"):
        told = told.value
    return told.value if isinstance(told, cst.Name) else ""


def _loops_that_bind(scope: cst.FunctionDef | cst.Module, name: str) -> list[cst.For]:
    """The loops with this name as a target; none where something else may bind it too."""
    loops: list[cst.For] = []
    parts = (scope.params, scope.body) if isinstance(scope, cst.FunctionDef) else (scope,)
    for node in (node for part in parts for node in descend(part, into_functions=False)):
        if isinstance(node, cst.For) and _mentions(node.target, name):
            loops.append(node)
        elif _mentions(_bound(node), name):
            return []
    return loops


def _bound(node: cst.CSTNode) -> cst.CSTNode | None:
    """What something else than a loop binds."""
    if isinstance(node, _WITH_TARGET):
        return node.target
    return node.name if isinstance(node, _WITH_NAME) else None


def _mentions(target: cst.CSTNode | None, name: str) -> bool:
    """Whether a target binds the name; ``name.part = …`` and ``name[0] = …`` do not."""
    if isinstance(target, cst.Name):
        return target.value == name
    if isinstance(target, (cst.Tuple, cst.List)):
        return any(_mentions(element.value, name) for element in target.elements)
    return False


def _is_through(tree: Tree, loop: cst.For, call: cst.Call) -> bool:
    """Whether the loop has gone through all there is when the call comes: it is over, and is never left early."""
    if tree.contains(loop, call) or tree.order(loop) > tree.order(call):
        return False
    return not any(nodes_of(loop.body, cst.Break, cst.Return, into_functions=False))
