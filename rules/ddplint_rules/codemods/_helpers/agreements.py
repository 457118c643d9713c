"""Where the ranks begin to train together, what they must agree on there, and the check of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Effect, Event, LoopFrame, Walk
from ddplint.rule.code import Site, called, calls_in, descend, dotted, positional
from ddplint.rule.fixes import CannotBuild, Edit, InsertBefore, helper
from ddplint_rules.codemods._helpers.batch_loops import batch_loops
from ddplint_rules.codemods._helpers.models_at_hand import called_inside, is_at_hand, made_before

OF_A_GROUP = tuple(
    f"torch.distributed.{name}" for name in "is_available is_initialized get_world_size all_gather_object".split()
)
"""What a check of a group calls in the program that it is put into."""
_NEEDS = (
    *OF_A_GROUP,
    "os.environ",
    "hashlib.sha1",
)
_CHECK = '''\
def check_agreement(apart=None, **facts):
    """Raise on every rank, and name those that differ, unless all ranks say the same; ``apart`` must differ instead.

    Does nothing on one process, nor with DDP_AGREEMENT=0 in the environment of all.
    """
    if $environ.get("DDP_AGREEMENT") == "0":
        return
    if not ($is_available() and $is_initialized()) or $get_world_size() == 1:
        return
    own = ("rank", "local_rank", "global_rank", "node_rank", "gpu", "device", "process_index")

    def show(value):
        if hasattr(value, "parameters"):
            return f"{sum(one.detach().double().sum().item() for one in value.parameters()):.9g}"
        text = repr(value)
        if " at 0x" in text:
            text = type(value).__name__
        return text if len(text) < 60 else f"{text[:40]}... ({$sha1(text.encode()).hexdigest()[:8]})"

    said = {}
    for name, value in facts.items():
        inner = value if isinstance(value, dict) else getattr(value, "__dict__", None)
        if inner is None or hasattr(value, "parameters"):
            said[name] = show(value)
        else:
            said.update({f"{name}.{key}": show(one) for key, one in inner.items() if key not in own})
    gathered = [None] * $get_world_size()
    $all_gather_object(gathered, (said, {name: show(value) for name, value in (apart or {}).items()}))
    wrong = []
    for name in sorted({name for one, _ in gathered for name in one}):
        ranks = {}
        for rank, (one, _) in enumerate(gathered):
            ranks.setdefault(one.get(name, "nothing"), []).append(rank)
        if len(ranks) > 1:
            wrong.append(f"{name} is " + ", ".join(f"{text} on rank {numbers}" for text, numbers in ranks.items()))
    for name in sorted({name for _, one in gathered for name in one}):
        if len({one.get(name) for _, one in gathered}) == 1:
            wrong.append(f"{name} is the same on all ranks")
    if wrong:
        raise RuntimeError("the ranks do not agree: " + "; ".join(wrong))
'''


@dataclass(frozen=True, eq=False)
class Beginning:
    """The outermost loop of a training that all ranks run; ``event`` is what they do together inside, in ``walk``."""

    loop: LoopFrame
    event: Event
    walk: Walk
    walks: Sequence[Walk]

    @property
    def site(self) -> Site:
        """The loop as a place for code."""
        return Site(self.loop.file, self.loop.node)


def beginnings(walks: Sequence[Walk]) -> Iterator[Beginning]:
    """The outermost loops around the loops over batches, each once."""
    done: set[int] = set()
    owner = {id(event): walk for walk in walks for event in walk.events}
    for found in batch_loops(walks):
        loops = [loop for loop in found.event.loops if isinstance(loop.node, (cst.For, cst.While))]
        walk = owner.get(id(found.event))
        if walk is not None and id(loops[0].node) not in done:
            done.add(id(loops[0].node))
            yield Beginning(loops[0], found.event, walk, walks)


def is_agreed(found: Beginning) -> bool:
    """Whether a function of the file that gathers and can raise is called in front of the loop already."""
    site = found.site
    block = list(getattr(site.tree.block(found.loop.node), "body", ()))
    for statement in block[: block.index(found.loop.node)] if found.loop.node in block else ():
        if any(gathers_and_raises(site, call) for call in calls_in(statement)):
            return True
    return False


def gathers_and_raises(site: Site, call: cst.Call) -> bool:
    """Whether a call is one of a function of the file that gathers what the ranks say, and can raise then."""
    function = site.local_function(call.func)
    inside = list(descend(function.body)) if function is not None else []
    gathers = any(called(node).endswith("all_gather_object") for node in inside)
    return gathers and any(isinstance(node, cst.Raise) for node in inside)


def agreed_before(found: Beginning) -> tuple[Edit, ...]:
    """The edits that compare what is at hand in front of a loop. Raises :class:`CannotBuild` where nothing is."""
    site = found.site
    facts = dict(_facts(found))
    if not facts:
        raise CannotBuild("no settings, model or bounds of the loop are at hand in front of it")
    check = helper(site, _CHECK, _NEEDS)
    plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    args = [cst.Arg(cst.parse_expression(text), keyword=cst.Name(name), equal=plain) for name, text in facts.items()]
    call = cst.SimpleStatementLine([cst.Expr(cst.Call(check.expression, args))])
    return (InsertBefore(site.file, found.loop.node, (call,)), *check.edits)


def _facts(found: Beginning) -> Iterator[tuple[str, str]]:
    """What all ranks must have alike, by the name it is compared under, as it is written in front of the loop."""
    site = found.site
    settings = next(_settings(site), "")
    if settings:
        yield "settings", settings
    for bound in _bounds(found.loop.node):
        if bound.partition(".")[0] != settings:
            yield bound.rpartition(".")[2], bound
    model = made_before(site, found.event) or called_inside(found.loop, found.walks)
    if model:
        yield "weights", model
    for event in found.walk.events:
        if event.effect == Effect.SAMPLER and event.ranks == event.everyone and event.file is site.file:
            data = event.call.args[0].value if event.call is not None and event.call.args else None
            if isinstance(data, cst.Name) and is_at_hand(site, event.node, data.value):
                yield "data", data.value


def _settings(site: Site) -> Iterator[str]:
    """The name under which a function has what ``parse_args`` gave: its own, or a parameter that is handed it."""
    function = site.function
    scope: cst.CSTNode = function.body if function is not None else site.module
    for node in descend(scope, into_functions=False):
        if isinstance(node, cst.Assign) and _parses(node.value):
            name = dotted(node.targets[0].target)
            if name and "." not in name and site.tree.order(node) < site.tree.order(site.node):
                yield name
    for name in positional(function.params) if function is not None else ():
        if any(_parses(given) or _is_parsed(site, given) for given in _handed(site, function, name)):
            yield name


def _parses(value: cst.BaseExpression) -> bool:
    return (
        isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "parse_args"
    )


def _is_parsed(site: Site, given: cst.BaseExpression) -> bool:
    return isinstance(given, cst.Name) and any(_parses(value) for value in site.moved(given).values_of(given))


def _handed(site: Site, function: cst.FunctionDef | None, name: str) -> Iterator[cst.BaseExpression]:
    """What the calls of a function in its file pass for a parameter."""
    if function is None:
        return
    place = positional(function.params).index(name)
    for call in site.tree.nodes(cst.Call):
        if dotted(call.func) == function.name.value:
            plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
            named = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == name]
            yield from (*plain[place : place + 1], *named)


def _bounds(loop: cst.CSTNode) -> Iterator[str]:
    """The names in ``range(start, args.epochs)``, or in the test of a ``while``."""
    if isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call) and called(loop.iter) == "range":
        for arg in loop.iter.args:
            if dotted(arg.value):
                yield dotted(arg.value)
    elif isinstance(loop, cst.While) and isinstance(loop.test, cst.Comparison):
        for side in (loop.test.left, *(one.comparator for one in loop.test.comparisons)):
            if dotted(side):
                yield dotted(side)
