"""A walk that is over, and what rules ask of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.facts.files import existence, first_rank, locks, tolerance, writers
from ddplint.analysis.facts.ranks import multiplicity, one_node, order
from ddplint.analysis.trace import events
from ddplint.analysis.trace.events import Event

__all__ = ["Walk"]


@dataclass(eq=False)
class Walk(events.Walk):
    """Everything one simulated program (one entry point) did, and the questions that need more of it than one event."""

    @classmethod
    def of(cls, walk: events.Walk) -> Walk:
        """A walk as rules see it."""
        return cls(**{one.name: getattr(walk, one.name) for one in fields(walk) if one.init})

    def run_together(self, event: Event) -> bool:
        """Whether several ranks surely run the code around an event: on its path they build a group, or meet."""
        return multiplicity.run_together(self, event)

    def asks_beside(self, event: Event) -> bool:
        """Whether the code around an event itself asks who the process is, and so is there for several."""
        return multiplicity.asks_beside(self, event)

    def side_by_side(self, first: Event, second: Event) -> bool:
        """Whether ranks that parted before it walked the same code, so that neither event comes before the other."""
        return multiplicity.side_by_side(self, first, second)

    @property
    def is_on_one_node(self) -> bool:
        """Whether all ranks of the program share one node."""
        return one_node.is_on_one_node(self)

    def comes_before(self, first: Event, one: int, second: Event, other: int) -> bool:
        """Whether rank ``one`` has surely done ``first`` by the time rank ``other`` does ``second``."""
        return order.comes_before(self, first, one, second, other)

    def starts_later(self, event: Event) -> bool:
        """Whether a framework may have started no other process when an event happens."""
        return order.starts_later(self, event)

    def is_by_all(self, event: Event, *, clock: bool = False, among: Sequence[events.Walk] = ()) -> bool:
        """Whether several ranks surely change one thing by an event, on a path that is the same for them.

        Parameters: ``clock``, the time may be in the path; ``among``, the walks of the file, in which other methods may
        say whose the path is.
        """
        return writers.is_by_all(self, event, clock=clock, among=among)

    def one_goes_first(self, event: Event, among: Sequence[events.Walk] = ()) -> bool:
        """Whether the first rank, or the first of every node, has done the same before any other rank comes to it."""
        return first_rank.one_goes_first(self, event, among)

    def listings(self, event: Event) -> list[Event]:
        """Where the ranks of an event found what it removes or moves, in a folder that is the same for them."""
        return writers.listings(self, event)

    def is_chosen_elsewhere(self, event: Event) -> bool:
        """Whether the path of an event is one that the walk cannot see, and that may differ by rank."""
        return writers.is_chosen_elsewhere(self, event)

    def tests_at(self, guard: Guard) -> Iterator[Event]:
        """The tests for a path that decide at a guard."""
        return existence.asked(self, guard)

    def tested(self, event: Event) -> Event | None:
        """The test for the very path that an event changes, where the ranks come to the event by its answer."""
        return tolerance.tested(self, event)

    def may_be_tested(self, event: Event) -> bool:
        """Whether ranks come to an event after they asked for something unknown that its path is made of."""
        return tolerance.may_be_tested(self, event)

    def refused(self, event: Event) -> Event | None:
        """A test before an event that raises if the path is there which the event then creates."""
        return tolerance.refused(self, event)

    def refused_to_others(self, event: Event) -> Event | None:
        """A test that all ranks make, and raise if the path is there, which some then make with no wait between."""
        return tolerance.refused_to_others(self, event)

    def is_careful(self, event: Event) -> bool:
        """Whether nothing is raised where the path of an event is not, or no longer, there."""
        return tolerance.is_careful(self, event)

    def locks_around(self, event: Event) -> Iterator[Event]:
        """The lock files that a rank holds when it comes to an event."""
        return locks.locks_around(self, event)

    def under_lock(self, event: Event) -> bool:
        """Whether a rank holds a lock file when it comes to an event."""
        return locks.under_lock(self, event)
