"""DDP204 node-local-guard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import (
    CHANGES,
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Guard,
    Harm,
    Note,
    Origin,
    Place,
    Reason,
    Rule,
    Severity,
    Value,
    Walk,
    notes,
    terms,
)
from ddplint.rule.code import code_of
from ddplint.rule.facts import (
    LOCAL_FIRST,
    adds_to,
    paths,
    tolerance,
    uniformity,
    writers,
)
from ddplint_rules.files._helpers.own_disks import NODE_DISKS, says_option

if TYPE_CHECKING:
    from ddplint.rule import Answer


_RAISE = frozenset({Effect.CREATE_DIR, Effect.DELETE, Effect.MOVE, Effect.LINK})
_SHARED = CHANGES - {Effect.DOWNLOAD} | {Effect.TRACKER}
"""What is wrong once per node. Downloads and builds are not: a node may well have a disk of its own for them."""

_PROCESSES = "4"
_NODE_VARIABLES = re.compile(r"TMPDIR|JOBFS|LOCAL_?SCRATCH|LSCRATCH|^TE?MP$")
_ON_NODE = re.compile(r"(each|per|every|local)_?node|node_?local|local_?(storage|disk|fs)|(storage|disk|fs)_?local")
"""Names of options that say where the files are: every node has its own."""

_SHARED_DISK = re.compile(
    r"(shared|network|global)_?(fs|file_?system|storage|disk)|is_nfs|(fs|storage|disk)_(is_)?shared"
)


class NodeLocalGuard(Rule):
    """## What it does
    Finds files that the first rank of every node writes, creates, moves or removes under one name, because the
    guard asks for local rank 0 (or for what is left of the rank when it is divided by the devices of a node,
    `rank % torch.cuda.device_count() == 0`), and a process group that gets the local rank with the number of all
    processes, as an argument or through the environment variable `RANK`. A group that meets at `localhost`, and a
    Lightning `Trainer` or `Fabric` that is not given more with `num_nodes`, are on one node, and are not reported;
    nor are paths that an option keeps on the node's own disk, by its default (`/tmp`) or its help.

    ## Why is this bad
    The local rank counts within a node, so on two nodes there are two local rank 0. With `LOCAL_RANK == 0` as the
    guard and a folder that both nodes see, two launchers of two processes each left 16 of 40 files unreadable where
    what the nodes wrote had different sizes, and `makedirs` raised on one of the nodes 40 times in 40; with `RANK
    == 0` all 40 were right. On one node nothing is wrong, which is why it goes unnoticed. For a download or a
    compiled extension on the node's own disk the local rank is right, and the rule is silent.

    Where nothing shows that jobs run on several nodes (launch files, documentation, the setting `nodes`), it is advice
    unless the second node raises or writes something else.

    A process group that gets local ranks waits for global ranks that no process has.

    It happened in NVIDIA/apex#886 (a corrupted checkpoint), huggingface/pytorch-image-models#693 (a moved file that
    another node looks for) and NVIDIA/DeepLearningExamples#1092.

    ## Example
    ```python
    if int(os.environ["LOCAL_RANK"]) == 0:
        torch.save(model.module.state_dict(), "/shared/model.pt")
    ```

    ## Use instead
    ```python
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "/shared/model.pt")
    ```

    ## Fix safety
    Asking for the global rank is unsafe: where every node has a disk of its own, only the first node keeps the
    file.
    """

    code = "DDP204"
    name = "node-local-guard"
    severity = Severity.WARNING
    otherwise = (
        "An error where the group is given the local rank; advice where nothing shows jobs on several nodes and "
        "nothing is lost."
    )
    harm = Harm.DATA
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint.rule.facts import INIT, calls_of, is_local_by_name

        told: set[int] = set()
        for walk in walks:
            for found in self._of_walk(walk):
                told.add(id(found.place.node))
                yield found
        for call in calls_of(walks, [INIT]) if walks else ():
            if id(call.node) not in told and is_local_by_name(call.node, call.site.file):
                text = "the process group gets `rank`, which is not the global rank here: there is one beside it"
                place = Place(call.site.file, call.node)
                remedy = "pass the global rank"
                harm, few = Harm.HANG, Severity.WARNING
                yield self.finding(place, text, because=Because.NAMED_SO, harm=harm, few_nodes=few, no_fix=remedy)

    def _of_walk(self, walk: Walk) -> Iterator[Finding]:
        from ddplint.rule.facts import numbering

        by_guard: dict[int, tuple[Guard, list[Event]]] = {}
        for event in walk.events:
            guard = _local_guard(event) if event.effect in _SHARED else None
            if guard is not None and not walk.is_on_one_node and _is_shared(walk, event):
                by_guard.setdefault(id(guard.node), (guard, []))[1].append(event)
        for guard, events in by_guard.values():
            yield self._guarded(guard, events, _answer(guard, walk))
        for event in walk.events:
            if (
                event.effect == Effect.INIT
                and _given_local_rank(event)
                and not numbering.meets_on_its_node(walk, event)
            ):
                yield self._started(event)
        exported = numbering.exported(walk)
        if exported is not None:
            text = "RANK is set to the local rank: on two nodes processes get the same rank, and the group never forms"
            place = Place(exported.file, exported.node)
            remedy = "add the offset of the node"
            harm, few = Harm.HANG, Severity.WARNING
            yield self.finding(place, text, because=Because.SEVERAL_NODES, harm=harm, few_nodes=few, no_fix=remedy)

    def _guarded(self, guard: Guard, events: list[Event], answer: Answer) -> Finding:
        first, *others = dict.fromkeys(events)
        seen = {id(first.node)}
        related: list[Note] = []
        for other in others:
            if id(other.node) not in seen:
                seen.add(id(other.node))
                related.append(Note("related", Place(other.file, other.node), f"the same: {other.callee}"))
        chosen = _chosen_elsewhere(guard, first)
        if chosen is not None:
            related.insert(0, Note("related", Place(first.file, first.node), "written here"))
            what = "a run of its own each" if first.effect == Effect.TRACKER else "the same path if they share it"
            text = f"on several nodes, local rank 0 of each is let in by this, to {what}"
        elif first.effect == Effect.TRACKER:
            text = "on several nodes, local rank 0 of each starts a run of its own here"
        else:
            text = "on several nodes, local rank 0 of each comes here, for the same path if they share it"
        return self.finding(
            chosen or Place(first.file, first.node),
            f"{text} ({first.callee})",
            because=Because.SEVERAL_NODES,
            few_nodes=Severity.WARNING if any(map(_hurts, events)) else Severity.ADVICE,
            notes=(*_origins(guard), *related),
            answer=answer,
        )

    def _started(self, event: Event) -> Finding:
        return self.finding(
            Place(event.file, event.node),
            "the process group gets the local rank and the number of all processes: on two nodes it never forms",
            severity=Severity.ERROR,
            few_nodes=Severity.WARNING,
            because=Because.AS_WRITTEN,
            harm=Harm.HANG,
            notes=(*_assigned(event), *notes.led_here(event)),
            no_fix="pass the global rank",
        )


def _hurts(event: Event) -> bool:
    """Whether a second process that does the same raises, or writes something else: the first was there before it."""
    content = event.details.get("content", ()) if event.effect == Effect.WRITE else ()
    return event.effect in _RAISE or uniformity.differing(content) is not None


def _assigned(event: Event) -> Iterator[Note]:
    """Where the variable that the call passes for the rank gets its value in the function around."""
    import libcst as cst

    from ddplint.rule.code import Site, descend

    passed, function = event.given("rank"), Site(event.file, event.node).function
    if not isinstance(passed, cst.Name) or function is None:
        return
    for step in descend(function, into_functions=False):
        targets = [one.target for one in step.targets] if isinstance(step, cst.Assign) else []
        if isinstance(step, cst.Assign) and any(
            isinstance(one, cst.Name) and one.value == passed.value for one in targets
        ):
            yield Note("origin", Place(event.file, step.value), "the rank that is passed")


def _local_guard(event: Event) -> Guard | None:
    """The guard that lets in the first rank of every node, if the local rank decides there."""
    if event.ranks != LOCAL_FIRST or event.by_all:
        return None
    for guard in event.guards:
        if any(map(_is_sum, guard.origins)):
            return None
        named = any("local" in origin.text.lower() for origin in guard.origins)
        if guard.reason is Reason.IDENTITY and (named or _or_locally(guard)):
            return guard
    return None


def _or_locally(guard: Guard) -> bool:
    """Whether the local rank is the second thing asked, without more: ``rank == 0 or local_rank == 0``."""
    import libcst as cst

    asked = guard.node.expression if isinstance(guard.node, cst.UnaryOperation) else guard.node
    if not isinstance(asked, cst.BooleanOperation) or not isinstance(asked.operator, cst.Or):
        return False
    sides = (asked.left, asked.right)
    if any(isinstance(side, cst.BooleanOperation) for side in sides):
        return False  # what is asked beside it may say that each node has a disk of its own
    return any("local" in code_of(side).lower() for side in sides)


def _is_sum(origin: Origin) -> bool:
    """Whether something was added to a number: a local rank behind the ranks of other nodes is none."""
    import libcst as cst

    return isinstance(origin.node, cst.BinaryOperation) and isinstance(origin.node.operator, cst.Add)


def _is_shared(walk: Walk, event: Event) -> bool:
    """Whether nodes would do this to one and the same path."""
    if writers.guards_itself(event) or tolerance.tolerates(event) or event.depends_on_a_part:
        return False
    if walk.under_lock(event) or adds_to(event):
        return False
    if not (walk.run_together(event) or walk.asks_beside(event)) or _says_own_disks(event):
        return False
    if event.effect == Effect.TRACKER:
        return all(map(uniformity.same_for_all, (*event.args, *event.kwargs.values())))
    listed = walk.listings(event)
    if listed:
        return not any(path is not None and _is_on_node(path) for path in (one.details["path"] for one in listed))
    target = event.target
    if target is None or _is_on_node(target) or walk.is_chosen_elsewhere(event):
        return False
    return uniformity.same_for_all(target) and not says_option(walk, event)


def _is_on_node(target: Value) -> bool:
    """Whether a path begins in a folder that each node has for itself."""
    first = next(iter(paths.pieces(target)), "")
    if isinstance(first, str):
        return first.startswith(NODE_DISKS)
    return isinstance(first, terms.Environment) and _NODE_VARIABLES.search(first.name) is not None


def _says_own_disks(event: Event) -> bool:
    """Whether an option that is on says so; what is renamed or linked where it is off must be there once only.

    An option for a shared disk that is off says so too.
    """
    if any(uniformity.mentions(what.whole, _SHARED_DISK) and not known for what, known in event.path.items()):
        return True
    asked = [known for what, known in event.path.items() if uniformity.mentions(what.whole, _ON_NODE)]
    return any(asked) or (bool(asked) and event.effect not in (Effect.MOVE, Effect.LINK))


def _given_local_rank(event: Event) -> bool:
    """Whether ``init_process_group`` gets the local rank and the size of the world."""
    if not event.name.endswith("init_process_group"):
        return False
    rank = event.kwargs.get("rank") or (event.args[4] if len(event.args) > 4 else None)
    size = event.kwargs.get("world_size") or (event.args[3] if len(event.args) > 3 else None)
    if not isinstance(size, Const) or str(size.value) != _PROCESSES:
        return False

    from ddplint.rule.code import Site, argument
    from ddplint.rule.facts import is_local, is_written_out

    written = argument(event.call, "world_size", 3) if event.call is not None else None
    return is_local(rank) and not is_written_out(Site(event.file, event.node), written)


def _chosen_elsewhere(guard: Guard, event: Event) -> Place | None:
    """Where another file than that of the write decided that the local rank counts, and handed over the answer."""
    import libcst as cst

    for origin in guard.origins:
        if isinstance(origin.node, (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation)):
            return Place(origin.file, origin.node) if origin.file is not event.file else None
    return None


def _origins(guard: Guard) -> Iterator[Note]:
    for origin in guard.origins:
        if origin.node is not guard.node:
            yield Note("origin", Place(origin.file, origin.node), origin.text or "the local rank")
    yield Note("guard", Place(guard.file, guard.node), "true once on every node")


_MADE = frozenset({Effect.CREATE_DIR, Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.DOWNLOAD, Effect.LINK})
"""What leaves something behind that later lines may want."""


def _answer(guard: Guard, walk: Walk) -> Answer:
    from ddplint_rules.fixes.rank_zero import asked_globally

    behind = (event for event in walk.events if any(one.node is guard.node for one in event.guards))
    return asked_globally(guard, makes=any(event.effect in _MADE for event in behind))
