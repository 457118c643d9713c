"""Who changes a path: one object for what is known of the ranks that come to one event, among the walks of its file.

What is worked out stands in the modules beside this one, a subject each; this is where others ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ddplint.analysis.domain.origins import Guard, Reason
from ddplint.analysis.domain.values import Const, Either, Object, Value
from ddplint.analysis.facts.files import commands, first_rank, little, sharing, tolerance
from ddplint.analysis.facts.files.existence import asked_around
from ddplint.analysis.facts.files.locks import locks_around
from ddplint.analysis.facts.ranks import called_from, order
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Ranks, Walk
from ddplint.findings.model import Place
from ddplint.knowledge import tables
from ddplint.source.ancestry import tree_of


@dataclass(frozen=True, eq=False)
class Writers:
    """The ranks that change what ``event`` changes.

    ``walks``: those of the file, in which other methods may say whose a path is, or let one rank go first.
    """

    walk: Walk
    event: Event
    walks: Sequence[Walk] = ()

    def under_one_name(self, *, clock: bool = True) -> Ranks:
        """Those whose path is surely one; none where each may have its own.

        Parameters: ``clock``, whether a name with the time in it counts as one.
        """
        return sharing.writers(self.event, clock=clock)

    @property
    def ranks(self) -> Ranks:
        """Those under one name; where that is not known, all who come there."""
        return sharing.who(self.event)

    @property
    def are_all(self) -> bool:
        """Whether every rank that could is one of them."""
        return self.ranks == self.event.everyone

    def share(self, *, clock: bool = False, locked: bool = False, called: bool = False) -> bool:
        """Whether several ranks surely do it, under one name (but for the time, with ``clock``).

        Parameters: ``locked``, one after the other, under a lock; ``called``, as far as calls say it.
        """
        return sharing.is_by_all(self.walk, self.event, clock=clock, among=self.walks, locked=locked, called=called)

    @property
    def program(self) -> Place | None:
        """The call by which a program of several processes leads to them, where only the calls say so."""
        by_calls = not self.share() and self.share(called=True)
        way = called_from.way_to(self.walk, self.event) if by_calls else None
        return Place.of(way.steps[-1]) if way is not None else None

    @property
    def may_differ_by_option(self) -> bool:
        """Whether an option of the program, on or off, gives each of them a path of its own."""
        target = self.event.target
        return isinstance(target, Either) and not uniformity.same_for_all(target, clock=True)

    @property
    def end_alone(self) -> bool:
        """Whether what each of them alone sees leads it there, and then it ends the run: a last look at its data."""
        over = self.walk.presence.over if self.walk.presence is not None else {}
        own = (one for one in self.event.guards if one.reason in (Reason.DATA, Reason.LENGTH) and id(one) in over)
        return any(_is_inside(self.event, one) for one in own)

    @property
    def may_differ_by_caller(self) -> bool:
        """Whether who calls chooses the path, and may choose another one on each rank."""
        return sharing.is_chosen_elsewhere(self.walk, self.event, self.walks)

    @property
    def listings(self) -> list[Event]:
        """Where each of them found what it removes or moves, in a folder that is the same for all."""
        return sharing.listings(self.walk, self.event)

    @property
    def command(self) -> str:
        """The words of a command that changes files; empty where it is something else."""
        return commands.changes_files(self.event)

    @property
    def are_chosen_by_the_call(self) -> bool:
        """Whether the call decides who writes."""
        return sharing.guards_itself(self.event)

    @property
    def append(self) -> bool:
        """Whether each adds its own behind what others have written (mode ``a``), and nothing is lost."""
        handle = self.event.details.get("handle")
        if isinstance(handle, Object):
            return _is_for_adding(handle.argument(-1, "mode"))
        return not tables.begins("keeps_a_table", self.event.name) and _is_for_adding(self.event.details.get("mode"))

    @property
    def tolerate_each_other(self) -> bool:
        """Whether the call was told that others may have been first, or the program catches what is raised then."""
        return tolerance.tolerates(self.event)

    @property
    def write_alike_and_unread(self) -> bool:
        """Whether it is the same few lines from each, and all have met before one looks at them."""
        return little.is_alike_and_unread(self.event, self.walks)

    @property
    def test(self) -> Event | None:
        """The test for the very path by whose answer they come here."""
        return tolerance.tested(self.walk, self.event)

    @property
    def may_have_tested(self) -> bool:
        """Whether they come here after asking ``exists()`` of something unknown that the path is made of."""
        return tolerance.may_be_tested(self.walk, self.event)

    @property
    def question(self) -> Place | None:
        """Where each asks for the path that it then changes, be it of something whose class nobody knows."""
        test = self.test
        if test is not None:
            return Place.of(test)
        asked = asked_around(self.event) if self.may_have_tested else None
        return Place(self.event.file, asked) if asked is not None else None

    @property
    def tolerate_absence(self) -> bool:
        """Whether nothing is raised where the path is not, or no longer, there."""
        return self.tolerate_each_other or self.may_have_tested or self.test is not None

    @property
    def refusal(self) -> Event | None:
        """A test before that raises if the path is there which they then create."""
        return tolerance.refused(self.walk, self.event)

    @property
    def refusal_of_others(self) -> Event | None:
        """A test of all ranks that raises if the path is there, which only these then make, with no wait between."""
        return tolerance.refused_to_others(self.walk, self.event)

    @property
    def wait_for_one(self) -> bool:
        """Whether the first rank, or the first of every node, has surely done it before any other comes to it."""
        return first_rank.one_goes_first(self.walk, self.event, self.walks)

    @property
    def locks(self) -> Iterator[Event]:
        """The lock files that each of them holds."""
        return locks_around(self.walk, self.event)

    @property
    def start_later(self) -> bool:
        """Whether a framework may have started no other process yet."""
        return order.starts_later(self.walk, self.event)

    def have_met_since(self, before: Event) -> bool:
        """Whether one of them has waited for what another did before."""
        ranks = self.event.ranks
        pairs = ((one, other) for one in ranks for other in ranks if one != other)
        return any(order.comes_before(self.walk, before, one, self.event, other) for one, other in pairs)

    def use_stream_of(self, opened: Iterable[Event]) -> bool:
        """Whether they write into a file whose opening is among ``opened``."""
        return sharing.is_opened_by(self.event, opened)


def _is_for_adding(mode: Value | None) -> bool:
    return isinstance(mode, Const) and isinstance(mode.value, str) and "a" in mode.value


def _is_inside(event: Event, guard: Guard) -> bool:
    """Whether an event, or the call that leads to it, stands in the statement of a guard, not behind it."""
    tree = tree_of(guard.file.module)
    return any(tree.contains(guard.statement, one.node) for one in event.stack if one.file is guard.file)
