"""DDP403 device-not-bound."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Answer,
    Because,
    Effect,
    Event,
    Finding,
    Note,
    Place,
    Rule,
    Safety,
    Severity,
    Walk,
)
from ddplint.rule.facts import (
    is_of_one_process,
    misnumbered,
    pinned,
)
from ddplint.rule.fixes import offer
from ddplint.rule.notes import came_from, related
from ddplint_rules.runtime._helpers.named_devices import moved_before_bound
from ddplint_rules.runtime._helpers.one_gpu import bound_alike
from ddplint_rules.runtime._helpers.unbound import UnboundGroup, unbound_groups

_UNNAMED = "no process is bound to its GPU: whatever names no device, a barrier for one, takes GPU 0 on every rank"
_EARLIER = "call torch.cuda.set_device before anything goes to the GPU"


class DeviceNotBound(Rule):
    """## What it does
    Finds an NCCL process group whose processes communicate before, or without ever, being bound to their GPU
    (`torch.cuda.set_device`, or `device_id=` in `init_process_group`): a warning where a barrier, an object collective
    or one of a tensor that went to the current device runs unbound, advice where only the order of the two lines is
    the wrong way round, or where the program names its GPU (`f"cuda:{local_rank}"`, `device_ids=[local_rank]`) and
    binds nothing to it. Also a device (`set_device`, `device_ids=`, `f"cuda:{rank}"`, `model.to(rank)`, the one in
    `CUDA_VISIBLE_DEVICES`) that gets the global rank in a program that asks for the local rank elsewhere (advice
    where it does not), and what every process
    puts on the same GPU (`model.to("cuda:0")`, `device_map={"": 0}`, or `model.cuda()` before `set_device`) beside a
    device with the local rank, or is bound to (`set_device(0)`).

    ## Why is this bad
    `barrier()` and the collectives of Python objects bring no tensor that says which GPU is meant. NCCL then takes
    the process's current device, which is GPU 0 for every process of a node until `set_device`, or guesses from the
    rank ("Guessing device ID based on global rank. This can cause a hang if rank to GPU mapping is heterogeneous").
    Two ranks on one GPU end in `Duplicate GPU detected` or a hang, and each process keeps a context on GPU 0
    (pytorch/pytorch#124714, hkchengrex/MMAudio#57). These texts were read in torch 2.13 and NCCL 2.29; there was no
    GPU to run them on.

    With `init_process_group` first and `set_device` right behind it nothing is lost yet: any collective that
    someone puts between them is. Binding first costs nothing, unless the number comes from the group itself
    (`dist.get_rank() % torch.cuda.device_count()`): then there is no advice.

    ## Example
    ```python
    dist.init_process_group("nccl")
    dist.barrier()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ```

    ## Use instead
    ```python
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    dist.barrier()
    ```

    ## Fix safety
    Unsafe: the binding moves above the creation of the group, with the plain assignments it needs; what
    `device_id=` would do instead (communicators are made at once) is left to you, and on a CPU it raises.
    """

    code = "DDP403"
    name = "device-not-bound"
    severity = Severity.WARNING
    otherwise = (
        "Advice where the global rank may be meant for one node, where the device is bound right after the group, "
        "and where it is named only later."
    )
    one_in_file = True

    def check(self, walk: Walk) -> Iterator[Finding]:
        if is_of_one_process(walk):
            return
        yield from self._misnumbered(walk)
        yield from self._pinned(walk)
        yield from self._bound_alike(walk)
        yield from self._moved_early(walk)
        for group in unbound_groups(walk):
            unbound = self._unbound(group) or self._early(group)
            yield from [unbound] if unbound is not None else self._late(group)
            yield from self._never(group) if unbound is None and not group.bound else ()

    def _misnumbered(self, walk: Walk) -> Iterator[Finding]:
        """Devices that get the number of the process in the job: one mistake, wherever the number is used."""
        found = sorted(misnumbered(walk), key=lambda one: (not one.sure, one.event.order))
        for first in found[:1]:
            frame, event = first.frame, first.event
            notes = list(came_from(first.value, "the global rank"))
            if event.node is not frame.node:
                notes.append(Note("call", Place.of(event), "the number of the device"))
            later = {one.frame.node: one.frame for one in found if one.frame.node is not frame.node}
            notes += [related(one, "the same number again") for one in later.values()]
            text = "the global rank as the number of a device: the GPUs of the second node are counted from 0 again"
            yield self.finding(
                Place.of(frame),
                text if first.sure else f"{text}, so it is right on one node only",
                severity=Severity.WARNING if first.sure else Severity.ADVICE,
                few_nodes=Severity.WARNING if first.sure else None,
                because=Because.SEVERAL_NODES,
                notes=tuple(notes),
                no_fix="pass the local rank",
            )

    def _pinned(self, walk: Walk) -> Iterator[Finding]:
        """What all processes of a node put on one GPU, where each has its own; the first for each GPU."""
        for event, number, own in pinned(walk):
            text = f"every process of a node puts this on GPU {number}, though each has a GPU of its own"
            yield self._of_gpus(event, text, "pass the local rank", related(own, "the GPU of this process"))

    def _bound_alike(self, walk: Walk) -> Iterator[Finding]:
        """Bindings of all processes to one GPU."""
        for event, number in bound_alike(walk):
            yield self._of_gpus(event, f"every process of a node is bound to GPU {number}", "pass the local rank")

    def _moved_early(self, walk: Walk) -> Iterator[Finding]:
        """What goes to the current device before that is the process's own."""
        found = moved_before_bound(walk)
        if found is not None:
            moved, binding = found
            text = "this goes to GPU 0 in every process of a node: the device is bound only afterwards"
            yield self._of_gpus(moved, text, _EARLIER, related(binding, "the GPU of this process, from here on"))

    def _unbound(self, group: UnboundGroup) -> Finding | None:
        """A barrier or object collective before any binding."""
        event = group.first_on_the_current_device()
        if event is None:
            return None
        where = "on NCCL" if group.backend is not None else "(on NCCL, where that is the backend)"
        text = f"{event.label} {where} before torch.cuda.set_device: every process of a node takes the same GPU"
        if event.effect == Effect.USE_DEVICE:
            text = "this goes to GPU 0 in every process of a node: torch.cuda.set_device is not called"
        place, note = Place.of(event), related(group.init, "the group, made without a device")
        if group.init.file is group.walk.file is not event.file:
            place, note = note.place, related(event, "where the device is needed")
        return self.finding(place, text, notes=(note,), because=Because.SEVERAL_GPUS)

    def _early(self, group: UnboundGroup) -> Finding | None:
        """A collective of a tensor that went to the current device before the binding."""
        found = group.sent_early()
        if found is None:
            return None
        collective, moved, binding = found
        text = f"{collective.label} of a tensor on GPU 0 of every process of a node: it went there before set_device"
        notes = related(moved, "this goes to the current device"), related(binding, "which is chosen only here")
        return self._of_gpus(collective, text, _EARLIER, *notes)

    def _never(self, group: UnboundGroup) -> Iterator[Finding]:
        """Devices that are named by their number where they are needed, and not bound at all."""
        named = group.named_later()
        if named is not None:
            note = related(named, "the GPU of this process, named only here")
            remedy = "call torch.cuda.set_device with the local rank first"
            yield self._of_gpus(group.init, _UNNAMED, remedy, note, severity=Severity.ADVICE)

    def _of_gpus(self, event: Event, text: str, remedy: str, *notes: Note, severity: Severity = severity) -> Finding:
        """What is wrong where a node has several GPUs."""
        return self.finding(Place.of(event), text, Because.SEVERAL_GPUS, severity=severity, notes=notes, no_fix=remedy)

    def _late(self, group: UnboundGroup) -> Iterator[Finding]:
        """The binding right after the group."""
        binding = group.bound_right_behind()
        if binding is not None:
            yield self.finding(
                Place.of(group.init),
                "the process group is made before set_device: bind the device first",
                severity=Severity.ADVICE,
                notes=(related(binding, "the device is bound only here"),),
                answer=_answer(group.init, binding),
            )


def _answer(init: Event, binding: Event) -> Answer:
    from ddplint_rules.fixes.bind_first import moved_up

    return offer("Bind the device first", Safety.UNSAFE, lambda: moved_up(init, binding))
