"""Process groups that are made before their processes are bound to a GPU, and where that shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddplint.rule import Const, Effect, Event, Walk
from ddplint.rule.facts import (
    INIT,
    always_after,
    always_before,
    asks_the_current_device,
    asks_the_group,
    backend_of,
    bindings,
    with_its_test,
)
from ddplint_rules.runtime._helpers.named_devices import named_instead, sent_before
from ddplint_rules.runtime._helpers.unseen_bindings import may_bind, names_device

_ON_THE_CPU = ("", "gloo", "mpi", "ucc")


@dataclass(frozen=True, eq=False)
class UnboundGroup:
    """A group that ``init`` makes in ``walk``; ``bound`` is what binds the process to its GPU later."""

    walk: Walk
    init: Event
    bound: Sequence[Event]

    @property
    def backend(self) -> str | None:
        """Its backend; ``None`` where that is not known."""
        return backend_of(self.init)

    @property
    def is_on_nccl(self) -> bool:
        """Whether its operations surely go over GPUs."""
        return "nccl" in (self.backend or "")

    def first_on_the_current_device(self) -> Event | None:
        """The first barrier, collective of objects, or move to the current device, if it comes before any binding."""
        bound = min((other.order for other in self.bound), default=None)
        first = next(filter(self._needs_a_device, self.walk.events), None)
        if first is None or (bound is not None and bound < first.order):
            return None
        if bound is None and (self.backend is None or may_bind(self.walk, first)):
            return None
        return first if self.backend is None or self.is_on_nccl else None

    def _needs_a_device(self, event: Event) -> bool:
        if event.order < self.init.order or event.by_worker:
            return False
        if event.effect == Effect.USE_DEVICE:
            return not self.bound and event.by_all and always_before(self.init, event)
        return asks_the_current_device(event) and always_before(self.init, event)

    def sent_early(self) -> tuple[Event, Event, Event] | None:
        """A collective of a tensor on the current device, what moved it there, and what binds the process later."""
        binding = next((event for event in self.bound if event.order > self.init.order), None)
        if binding is None or binding.effect != Effect.BIND_DEVICE or not self.is_on_nccl:
            return None
        found = sent_before(self.walk, self.init, binding)
        return None if found is None else (*found, binding)

    def named_later(self) -> Event | None:
        """What names the GPU of the process by its number, where nothing binds it and nothing unseen may."""
        named = named_instead(self.walk, self.init) if self.is_on_nccl else None
        unsure = named is None or may_bind(self.walk, self.init) or may_bind(self.walk, named)
        return None if unsure else named

    def bound_right_behind(self) -> Event | None:
        """The binding that always follows, by a number that is known without the group."""
        chosen = (one for one in self.bound if one.effect == Effect.BIND_DEVICE and one.order > self.init.order)
        binding = next(chosen, None)
        if binding is None or binding.name.endswith("cuda.device") or asks_the_group(binding):
            return None
        always = always_after(binding, self.init) or always_after(with_its_test(binding), self.init)
        return binding if always else None


def unbound_groups(walk: Walk) -> Iterator[UnboundGroup]:
    """The groups of several processes, not on the CPU, that are made before any binding and name no device."""
    bound = bindings(walk)
    for event in walk.events:
        if event.name != INIT or backend_of(event) in _ON_THE_CPU or names_device(event):
            continue
        if any(other.order < event.order for other in bound) or event.kwargs.get("world_size") == Const(1):
            continue
        yield UnboundGroup(walk, event, bound)
