"""DDP403 device-not-bound."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Fix,
    Note,
    Place,
    Rule,
    Safety,
    Severity,
    Walk,
)
from ddplint.rule.facts import (
    INIT,
    always_after,
    always_before,
    asks_the_current_device,
    asks_the_group,
    backend_of,
    bindings,
    is_of_one_process,
    misnumbered,
    pinned,
    with_its_test,
)
from ddplint.rule.fixes import CannotBuild
from ddplint_rules.runtime._helpers.unseen_bindings import may_bind, names_device

_EARLIER = "call torch.cuda.set_device before anything goes to the GPU"


class DeviceNotBound(Rule):
    """## What it does
    Finds an NCCL process group whose processes communicate before, or without ever, being bound to their GPU
    (`torch.cuda.set_device`, or `device_id=` in `init_process_group`): a warning where a barrier, an object collective
    or one of a tensor that went to the current device runs unbound, advice where only the order of the two lines is
    the wrong way round, or where the program names its GPU (`f"cuda:{local_rank}"`, `device_ids=[local_rank]`) and
    binds nothing to it. Also a device (`set_device`, `device_ids=`, `f"cuda:{rank}"`, `model.to(rank)`) that gets the
    global rank in a program that asks for the local rank elsewhere (advice where it does not), and what every process
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
        bound = bindings(walk)
        for event in walk.events:
            if event.name != INIT or backend_of(event) in ("", "gloo", "mpi", "ucc") or names_device(event):
                continue
            if any(other.order < event.order for other in bound) or event.kwargs.get("world_size") == Const(1):
                continue
            unbound = self._unbound(walk, event, bound) or self._early(walk, event, bound)
            yield from [unbound] if unbound is not None else self._late(event, bound)
            yield from self._never(walk, event) if unbound is None and not bound else ()

    def _misnumbered(self, walk: Walk) -> Iterator[Finding]:
        """Devices that get the number of the process in the job: one mistake, wherever the number is used."""
        found = sorted(misnumbered(walk), key=lambda one: (not one.sure, one.event.order))
        for first in found[:1]:
            frame, event = first.frame, first.event
            origins = first.value.trail.links() if first.value.trail is not None else ()
            notes = [Note("origin", Place(one.file, one.node), one.text or "the global rank") for one in origins]
            if event.node is not frame.node:
                notes.append(Note("call", Place(event.file, event.node), "the number of the device"))
            later = {one.frame.node: one.frame for one in found if one.frame.node is not frame.node}
            notes += [Note("related", Place(one.file, one.node), "the same number again") for one in later.values()]
            text = "the global rank as the number of a device: the GPUs of the second node are counted from 0 again"
            yield self.finding(
                Place(frame.file, frame.node),
                text if first.sure else f"{text}, so it is right on one node only",
                severity=Severity.WARNING if first.sure else Severity.ADVICE,
                few_nodes=Severity.WARNING if first.sure else None,
                because=Because.SEVERAL_NODES,
                notes=tuple(notes),
                no_fix="pass the local rank",
            )

    def _pinned(self, walk: Walk) -> Iterator[Finding]:
        """What all processes of a node put on one GPU, where each has its own; the first for each GPU."""
        told: set[int] = set()
        for event, number, own in pinned(walk):
            if number in told:
                continue
            told.add(number)
            text = f"every process of a node puts this on GPU {number}, though each has a GPU of its own"
            yield self._of_gpus(event, text, "pass the local rank", _related(own, "the GPU of this process"))

    def _bound_alike(self, walk: Walk) -> Iterator[Finding]:
        """Bindings of all processes to one GPU."""
        from ddplint_rules.runtime._helpers.one_gpu import bound_alike

        for event, number in bound_alike(walk):
            yield self._of_gpus(event, f"every process of a node is bound to GPU {number}", "pass the local rank")

    def _moved_early(self, walk: Walk) -> Iterator[Finding]:
        """What goes to the current device before that is the process's own."""
        from ddplint_rules.runtime._helpers.named_devices import moved_before_bound

        found = moved_before_bound(walk)
        if found is not None:
            moved, binding = found
            text = "this goes to GPU 0 in every process of a node: the device is bound only afterwards"
            yield self._of_gpus(moved, text, _EARLIER, _related(binding, "the GPU of this process, from here on"))

    def _unbound(self, walk: Walk, init: Event, bound: list[Event]) -> Finding | None:
        """A barrier or object collective before any binding."""
        first = min((other.order for other in bound), default=None)
        for event in walk.events:
            needs = event.effect == Effect.USE_DEVICE or asks_the_current_device(event)
            if event.order < init.order or not needs or event.by_worker or not always_before(init, event):
                continue
            if event.effect == Effect.USE_DEVICE and (bound or not event.by_all):
                continue
            if first is not None and first < event.order:
                return None
            backend = backend_of(init)
            if first is None and (backend is None or may_bind(walk, event)):
                return None
            if backend is not None and "nccl" not in backend:
                return None
            where = "on NCCL" if backend is not None else "(on NCCL, where that is the backend)"
            text = f"{event.label} {where} before torch.cuda.set_device: every process of a node takes the same GPU"
            if event.effect == Effect.USE_DEVICE:
                text = "this goes to GPU 0 in every process of a node: torch.cuda.set_device is not called"
            note = _related(init, "the group, made without a device")
            place = Place(event.file, event.node)
            if init.file is walk.file is not event.file:
                place, note = note.place, Note("related", place, "where the device is needed")
            return self.finding(place, text, notes=(note,), because=Because.SEVERAL_GPUS)
        return None

    def _early(self, walk: Walk, init: Event, bound: list[Event]) -> Finding | None:
        """A collective of a tensor that went to the current device before the binding."""
        from ddplint_rules.runtime._helpers.named_devices import sent_before

        binding = next((event for event in bound if event.order > init.order), None)
        if binding is None or binding.effect != Effect.BIND_DEVICE or "nccl" not in (backend_of(init) or ""):
            return None
        found = sent_before(walk, init, binding)
        if found is None:
            return None
        collective, moved = found
        text = f"{collective.label} of a tensor on GPU 0 of every process of a node: it went there before set_device"
        notes = _related(moved, "this goes to the current device"), _related(binding, "which is chosen only here")
        return self._of_gpus(collective, text, _EARLIER, *notes)

    def _never(self, walk: Walk, init: Event) -> Iterator[Finding]:
        """Devices that are named by their number where they are needed, and not bound at all."""
        from ddplint_rules.runtime._helpers.named_devices import named_instead

        named = named_instead(walk, init) if "nccl" in (backend_of(init) or "") else None
        if named is None or may_bind(walk, init) or may_bind(walk, named):
            return
        text = "no process is bound to its GPU: whatever names no device, a barrier for one, takes GPU 0 on every rank"
        remedy, note = (
            "call torch.cuda.set_device with the local rank first",
            "the GPU of this process, named only here",
        )
        yield self._of_gpus(init, text, remedy, _related(named, note), severity=Severity.ADVICE)

    def _of_gpus(self, event: Event, text: str, remedy: str, *notes: Note, severity: Severity = severity) -> Finding:
        """What is wrong where a node has several GPUs."""
        place, because = Place(event.file, event.node), Because.SEVERAL_GPUS
        return self.finding(place, text, severity=severity, because=because, notes=notes, no_fix=remedy)

    def _late(self, init: Event, bound: list[Event]) -> Iterator[Finding]:
        """The binding right after the group."""
        binding = next(
            (other for other in bound if other.effect == Effect.BIND_DEVICE and other.order > init.order), None
        )
        if binding is None or binding.name.endswith("cuda.device") or asks_the_group(binding):
            return
        if not always_after(binding, init) and not always_after(with_its_test(binding), init):
            return
        fix, no_fix = _fix(init, binding)
        yield self.finding(
            Place(init.file, init.node),
            "the process group is made before set_device: bind the device first",
            severity=Severity.ADVICE,
            notes=(_related(binding, "the device is bound only here"),),
            fix=fix,
            no_fix=no_fix,
        )


def _related(event: Event, text: str) -> Note:
    return Note("related", Place(event.file, event.node), text)


def _fix(init: Event, binding: Event) -> tuple[Fix | None, str]:
    from ddplint_rules.fixes.bind_first import moved_up

    try:
        return Fix("Bind the device first", Safety.UNSAFE, moved_up(init, binding)), ""
    except CannotBuild as reason:
        return None, str(reason)
