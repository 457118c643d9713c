"""DDP207 load-to-one-device."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Answer, Because, Const, Effect, Event, Finding, Place, Rule, Severity, Walk, notes
from ddplint.rule.facts import has_own, number_of, uniformity
from ddplint.rule.notes import related


class LoadToOneDevice(Rule):
    """## What it does
    Finds `torch.load` without `map_location`, or with the same GPU on every rank (`map_location="cuda:0"`), of a
    checkpoint that goes into `load_state_dict`, in a program that runs on GPUs.

    ## Why is this bad
    `torch.load` puts every tensor back on the device that it was saved from. A checkpoint written by rank 0 names
    `cuda:0`, so every process of the node opens a context on the first GPU and holds a copy of the whole checkpoint
    there until it is freed: memory that is full on one GPU only, at the moment of a resume. (Documented behaviour
    of `torch.load`; not measured here, for want of a GPU.)

    It happened in pytorch/pytorch#23138 and pytorch/examples#1078.

    ## Example
    ```python
    checkpoint = torch.load("checkpoint.pt")
    model.load_state_dict(checkpoint["model"])
    ```

    ## Use instead
    ```python
    checkpoint = torch.load("checkpoint.pt", map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    ```

    ## Fix safety
    `map_location="cpu"` is safe: `load_state_dict` copies into the parameters where they are.
    """

    code = "DDP207"
    name = "load-to-one-device"
    severity = Severity.WARNING

    def check(self, walk: Walk) -> Iterator[Finding]:
        device = next((event for event in walk.events if _is_on_gpu(event)), None)
        if device is None:
            return
        for event in walk.events:
            if event.name == "torch.load" and _is_wrong(walk, event):
                answer = _answer(event)
                yield self.finding(
                    Place.of(event),
                    _message(event),
                    because=Because.SEVERAL_GPUS,
                    notes=(
                        related(device, "each rank has a GPU of its own"),
                        *notes.led_here(event),
                    ),
                    answer=answer,
                )


def _is_on_gpu(event: Event) -> bool:
    if event.effect == Effect.BIND_DEVICE:
        return True
    return event.effect == Effect.INIT and any(
        isinstance(value, Const) and "nccl" in str(value.value) for value in (*event.args, *event.kwargs.values())
    )


def _is_wrong(walk: Walk, event: Event) -> bool:
    if len(event.ranks) < 2:
        return False
    if ("map_location" in event.kwargs or len(event.args) > 1) and not _is_pinned(walk, event):
        return False
    if not uniformity.same_for_all(event.details.get("path")) or not walk.run_together(event):
        return False
    return _restores(event)


def _one_gpu(event: Event) -> int | None:
    """The number of the GPU that ``map_location`` names on all ranks."""
    return number_of(event.kwargs.get("map_location"))


def _is_pinned(walk: Walk, event: Event) -> bool:
    """Whether all ranks load onto one GPU, in a program where each has a GPU of its own."""
    return _one_gpu(event) is not None and has_own(walk, event)


def _message(event: Event) -> str:
    number = _one_gpu(event)
    if number is None:
        return "every rank loads the checkpoint onto the GPU it was saved from: torch.load has no map_location"
    return f"every rank loads the checkpoint onto GPU {number}: map_location is the same on all of them"


def _restores(event: Event) -> bool:
    from ddplint_rules.files._helpers.load_target import goes_into_state

    return goes_into_state(event)


def _answer(event: Event) -> Answer:
    from ddplint_rules.fixes.rank_zero import loaded_to_cpu

    return loaded_to_cpu(event)
