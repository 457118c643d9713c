"""DDP204 node-local-guard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import (
    CHANGES,
    Answer,
    Because,
    Effect,
    Event,
    Finding,
    Guard,
    Harm,
    Note,
    Place,
    Rule,
    Severity,
    Walk,
    notes,
)
from ddplint.rule.facts import (
    INIT,
    asked_elsewhere,
    calls_of,
    given_local_ranks,
    is_local_by_name,
    local_guard,
    numbering,
    passed_ranks,
)
from ddplint_rules.files._helpers import several_nodes
from ddplint_rules.files._helpers.own_disks import is_shared

_SHARED = CHANGES - {Effect.DOWNLOAD} | {Effect.TRACKER}
"""What is wrong once per node. Downloads and builds are not: a node may well have a disk of its own for them."""


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
    compiled extension on the node's own disk the local rank is right, and the rule is silent. Data that nobody in the
    program writes, copied or unpacked by local rank 0 and removed by it at the end, may be meant for that disk, too:
    advice.

    Where nothing shows that jobs run on several nodes (launch files, documentation, the setting `nodes`), it is advice
    unless the second node raises or writes something else. So is what local rank 0 removes, unless all ranks save
    there.

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
        "nothing is lost, and for data that is brought to a node."
    )
    harm = Harm.DATA
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk in walks:
            yield from self._of_walk(walk)
        for call in calls_of(walks, [INIT]) if walks else ():
            if is_local_by_name(call.node, call.site.file):
                text = "the process group gets `rank`, which is not the global rank here: there is one beside it"
                place = Place(call.site.file, call.node)
                remedy = "pass the global rank"
                harm, few = Harm.HANG, Severity.WARNING
                yield self.finding(place, text, because=Because.NAMED_SO, harm=harm, few_nodes=few, no_fix=remedy)

    def _of_walk(self, walk: Walk) -> Iterator[Finding]:
        by_guard: dict[int, tuple[Guard, list[Event]]] = {}
        for event in walk.events:
            guard = local_guard(event) if event.effect in _SHARED else None
            if guard is not None and not walk.is_on_one_node and is_shared(walk, event):
                by_guard.setdefault(id(guard.node), (guard, []))[1].append(event)
        for guard, events in by_guard.values():
            yield self._guarded(guard, events, walk)
        for event in given_local_ranks(walk):
            yield self._started(event)
        exported = numbering.exported(walk)
        if exported is not None:
            text = "RANK is set to the local rank: on two nodes processes get the same rank, and the group never forms"
            place = Place.of(exported)
            remedy = "add the offset of the node"
            harm, few = Harm.HANG, Severity.WARNING
            yield self.finding(place, text, because=Because.SEVERAL_NODES, harm=harm, few_nodes=few, no_fix=remedy)

    def _guarded(self, guard: Guard, events: list[Event], walk: Walk) -> Finding:
        first, *others = dict.fromkeys(events)
        seen = {id(first.node)}
        related: list[Note] = []
        for other in others:
            if id(other.node) not in seen:
                seen.add(id(other.node))
                related.append(Note("related", Place.of(other), f"the same: {other.callee}"))
        chosen = asked_elsewhere(guard, first)
        if chosen is not None:
            related.insert(0, Note("related", Place.of(first), "written here"))
            what = "a run of its own each" if first.effect == Effect.TRACKER else "the same path if they share it"
            text = f"on several nodes, local rank 0 of each is let in by this, to {what}"
        elif first.effect == Effect.TRACKER:
            text = "on several nodes, local rank 0 of each starts a run of its own here"
        else:
            text = "on several nodes, local rank 0 of each comes here, for the same path if they share it"
        severity, few = several_nodes.graded(walk, events)
        return self.finding(
            Place.of(chosen) if chosen is not None else Place.of(first),
            f"{text} ({first.callee})",
            severity=severity,
            because=Because.SEVERAL_NODES,
            few_nodes=few,
            notes=(*notes.parted_at(guard, "true once on every node", "the local rank"), *related),
            answer=_answer(guard, walk),
        )

    def _started(self, event: Event) -> Finding:
        assigned = (Note("origin", Place(event.file, one), "the rank that is passed") for one in passed_ranks(event))
        return self.finding(
            Place.of(event),
            "the process group gets the local rank and the number of all processes: on two nodes it never forms",
            severity=Severity.ERROR,
            few_nodes=Severity.WARNING,
            because=Because.AS_WRITTEN,
            harm=Harm.HANG,
            notes=(*assigned, *notes.led_here(event)),
            no_fix="pass the global rank",
        )


_MADE = frozenset({Effect.CREATE_DIR, Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.DOWNLOAD, Effect.LINK})
"""What leaves something behind that later lines may want."""


def _answer(guard: Guard, walk: Walk) -> Answer:
    from ddplint_rules.fixes.rank_zero import asked_globally

    behind = (event for event in walk.events if any(one.node is guard.node for one in event.guards))
    return asked_globally(guard, makes=any(event.effect in _MADE for event in behind))
