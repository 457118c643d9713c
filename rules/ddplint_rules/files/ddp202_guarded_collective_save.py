"""DDP202 guarded-collective-save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import Because, Divergence, Effect, Event, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.facts import name_words
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers import sharded
from ddplint_rules.fixes.offer import repair_of

_RANDOM_STATE_ONLY = "accelerate.Accelerator.save_state"
"""The one save of the tables that completes on some ranks where nothing is sharded: it then lacks the others' state."""


class GuardedCollectiveSave(Rule):
    """## What it does
    Finds a save that every rank must enter, under a guard that lets only some of them in: the full state dict of a
    sharded model (FSDP `state_dict`, `get_model_state_dict(full_state_dict=True)`), DeepSpeed's `save_checkpoint`,
    `torch.distributed.checkpoint.save`, Lightning's `save_checkpoint`, `consolidate_state_dict` of a sharded optimizer,
    `accelerator.save_state`. It also finds the state dict of a `fully_shard` model written on one rank: nothing gathers
    it, so the file holds that rank's shard. `accelerator.get_state_dict` and `save_model` in a file that speaks of
    DeepSpeed or FSDP are a warning: whether the model is sharded is decided when the program is launched.

    ## Why is this bad
    The guarded rank waits for shards that the others never send. Measured on gloo with torch 2.13: `full_tensor()`,
    `get_model_state_dict(full_state_dict=True)`, FSDP's full state dict, `torch.distributed.checkpoint.save` (with
    plain tensors too), `consolidate_state_dict` and Lightning's `save_checkpoint` on rank 0 all hang until the
    timeout; `async_save` returns and raises when its result is asked for. DeepSpeed documents the same.

    Two cases do not hang. `accelerator.save_state` on the main process completes under plain DDP, but writes
    `random_states_0.pkl` only: after `load_state` the other ranks silently keep the random state they had. And
    `state_dict()` of a `fully_shard` model communicates nothing: the checkpoint that rank 0 writes holds 4 of 8
    rows of every weight, and no error says so.

    It happened in huggingface/accelerate#2000, huggingface/accelerate#2690, huggingface/diffusers#5279 and
    kvablack/ddpo-pytorch#13.

    ## Example
    ```python
    if dist.get_rank() == 0:
        state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
        torch.save(state, "model.pt")
    ```

    ## Use instead
    ```python
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    if dist.get_rank() == 0:
        torch.save(state, "model.pt")
    ```

    ## Fix safety
    Moving the save out of the guard is safe: the API decides itself who writes, and what else stands under the
    guard stays there. Where the guarded call does more than save, and where the shards of a `fully_shard` model are
    written, there is no automatic fix.
    """

    code = "DDP202"
    name = "guarded-collective-save"
    severity = Severity.ERROR
    otherwise = (
        "A warning where only the random state of other ranks is lost, where it needs a sharded model that is "
        "chosen elsewhere, and where ranks have different jobs."
    )
    harm = Harm.DATA

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for divergence in reporting.of(self, walks):
            yield self._parted(divergence, walks)
        for walk in walks:
            yield from self._partial(walk)
            for event in walk.events:
                if sharded.may_gather(walk, event):
                    yield self._perhaps(event, walk)

    def _perhaps(self, event: Event, walk: Walk) -> Finding:
        writes = any(other.node is event.node and other.effect == Effect.WRITE for other in walk.events)
        return self.finding(
            Place.of(event),
            f"{event.label} on {reporting.who(event.ranks)} only: with a sharded model (FSDP, ZeRO-3) "
            "it waits for the others",
            severity=Severity.WARNING,
            because=Because.SHARDED_MODEL,
            notes=tuple(sharded.notes(event)),
            no_fix="call it on every rank" + ("" if writes else ", and write what it gives on rank 0"),
        )

    def _parted(self, divergence: Divergence, walks: Sequence[Walk]) -> Finding:
        event, ranks = divergence.event, reporting.who(divergence.ranks)
        message = f"{event.label} is entered by {ranks} only, and waits for the others"
        severity, because = self.severity, None
        named = event.args or "output_dir" in event.kwargs
        if event.name == _RANDOM_STATE_ONLY and named and not event.details.get("sharded"):
            severity = Severity.WARNING
            message = (
                f"save_state on {ranks} only: the other ranks' random state is lost (and with sharded models it hangs)"
            )
            because = Because.CONFIGURED if _asks_for_shards(divergence) else None
        answer = repair_of(divergence, walks)
        return reporting.reported(self, divergence, message, severity=severity, because=because, answer=answer)

    def _partial(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if sharded.writes_own_shard(event):
                yield self.finding(
                    Place.of(event),
                    f"{reporting.who(event.ranks)} only: state_dict() of a fully_shard model gathers "
                    "nothing, so the file holds one shard of every weight",
                    because=Because.SHARDED_MODEL,
                    notes=tuple(sharded.notes(event)),
                    no_fix="let every rank call get_model_state_dict(model, options=StateDictOptions("
                    "full_state_dict=True, cpu_offload=True)) and write what it gives on rank 0",
                )


def _asks_for_shards(divergence: Divergence) -> bool:
    """Whether the guard asks for how the model is split, and so lets every rank in where it has to."""
    words = name_words(divergence.guard.node) if divergence.guard is not None else set()
    return {"distributed", "type"} <= words or bool(words & {"deepspeed", "fsdp"})
