"""DDP101 guarded-collective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import Const, Divergence, Effect, Event, Finding, Harm, PerRank, Rule, Severity, Walk
from ddplint_rules.common import reporting
from ddplint_rules.fixes.offer import repair_of


class GuardedCollective(Rule):
    """## What it does
    Finds a collective that only some ranks reach because of who they are: in an `if`, a ternary or behind an `and`,
    after an early `return`, `continue` or `break` that the other ranks take, in a function that a decorator restricts
    to rank 0, or hidden in an API that communicates (`accelerator.gather`, a metric's `compute()`, a helper of yours).
    So are attributes that every rank must set alike, because the loop ends where they are set (`trainer.should_stop`).

    Barriers in complementary branches, collectives in both branches, point-to-point calls, and collectives on a group
    that has only the guarded ranks as members all match and are not reported. Where ranks do different jobs (pipelines,
    tensor parallelism, device meshes) few of the groups are known, and a divergence is a warning; so is one where the
    walk came to its limit, and one of ranks that may have diverged before.

    ## Why is this bad
    What happens depends on what the other ranks do next, and the report says which it is. Collectives have no names:
    whatever two ranks call next goes together. Measured on gloo with torch 2.13 and two processes:

    - **They call the same collective next: the two meet, one step out of line, and all go on.** In a loop of three
      `all_reduce` calls the results were wrong on every rank from the first step on, and nothing was raised until one
      rank ran out of calls. This is the usual shape, and it corrupts training silently. Barriers slip the same way: in
      fixtures/helper_barrier the others passed the barrier before a file was written, and did not find it.
    - They call something of another kind: both sides wait until the process group's timeout (30 minutes by default, 10
      with NCCL) and raise; `torchrun` then ends the others. NCCL does not compare kinds: on one H200 with torch 2.11
      most such pairs waited as well, but a `broadcast` that met the construction of DDP raised "Rank 1 has 4 params,
      while rank 0 has inconsistent 76 params", and a gather of objects asked for more than 1EB of memory.
    - They call nothing more: the guarded rank waits. Where their processes end, gloo raises "Connection closed by peer"
      at once.

    A guard around `async_op=True` whose handle is dropped hides even the exception.

    Reported in Lightning-AI/pytorch-lightning#4529 (a metric's `compute` on rank 0), huggingface/transformers#1081
    (barriers that only some ranks pass), huggingface/transformers#31532 and facebookresearch/kill-the-bits#25.

    ## Example
    ```python
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
        dist.barrier()
    ```

    ## Use instead
    ```python
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()
    ```

    ## Fix safety
    The fix moves the collective to where every rank reaches it, with everything else that communicates behind the same
    guard; the rest stays guarded. It is safe where nothing but communication moves, and unsafe where a helper moves
    that also computes. There is no automatic fix where the operands exist on the guarded ranks only, where the
    collective stands in a loop or `try` of the guard, or where a helper also writes files: the report says which.
    """

    code = "DDP101"
    name = "guarded-collective"
    severity = Severity.ERROR
    otherwise = (
        "A warning where ranks have different jobs (pipelines, tensor parallelism) and where the analysis came to a "
        "limit."
    )
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk, divergence in ((one, found) for one in walks for found in reporting.of(self, [one])):
            if not _is_left_open(walk, divergence):
                yield reporting.reported(
                    self,
                    divergence,
                    f"{divergence.event.label} reached by {reporting.who(divergence.ranks)} only",
                    answer=repair_of(divergence, walks),
                )


def _is_left_open(walk: Walk, divergence: Divergence) -> bool:
    """Whether the operation may be one of fewer ranks, or what some ranks set there all set anew behind it."""
    event = divergence.event
    if event.effect == Effect.SET_FOR_ALL:
        return any(
            later.effect == event.effect and later.name == event.name and later.by_all
            for later in walk.events
            if later.order > event.order
        )
    if event.effect == Effect.INIT:
        return _is_of_nodes(event)
    if event.api is None or "own_mesh" not in event.api.also or event.group:
        return False
    return any(other.effect == Effect.COLLECTIVE and other.group for other in walk.events)


def _is_of_nodes(event: Event) -> bool:
    """Whether a group gets one process of each node, with the number of the node for its rank."""
    given = event.kwargs.get("rank")
    if not isinstance(given, PerRank):
        return False
    numbers = [given.values[rank] for rank in sorted(event.ranks)]
    return len(event.ranks) < len(event.everyone) and numbers == [Const(number) for number in range(len(numbers))]
