"""One entry is walked, and what the ranks did on the way is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from ddplint.analysis.compare.search import LEFT_OUT, compare
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.interp.interpreter import Interpreter, WalkLimit
from ddplint.analysis.memory import presence
from ddplint.analysis.models.distributed import learned
from ddplint.analysis.models.distributed.learned import Learned
from ddplint.analysis.models.python.processes import Processes
from ddplint.analysis.trace.events import Divergence, Event, Walk
from ddplint.analysis.trace.exits import OF_LOOPS
from ddplint.analysis.trace.nodes import Loop, Nodes, Op, every, matters
from ddplint.source.file import SourceFile
from ddplint.util.budget import Watched


def walk_entry(
    w: Interpreter, file: SourceFile, entry: str, begin: Callable[[], object], hook: str = "", compared: bool = True
) -> Walk:
    """Run one entry (``hook``: where a framework calls it, the ranks it does so on) and compare what ranks did.

    What only some ranks reach is not compared: who leads them there is.
    """
    w.begin_entry()
    frames, quiet, depth = list(w.frames), w.quiet, len(w.state.journals)
    presence.begin(w, program=entry == "<module>", framework=hook == "all")
    complete, unfinished = True, False
    try:
        begin()
    except (WalkLimit, RecursionError) as error:
        complete, unfinished = False, isinstance(error, WalkLimit)
        what = str(error) if isinstance(error, WalkLimit) else "nested too deeply"
        w.limit(f"{file.path}: {entry}: {what}, not compared")
        w.frames, w.quiet = frames, quiet
        w.state.unwind(depth)
        w.state.gather()
    if complete and limits.precision() is limits.EXACT:
        w.project.visits.add(w.visits)
    w.visits.clear()
    w.total += w.steps
    presence.end(w, complete)
    distributed = w.distributed or (w.home is not None and w.project.index.communicates(w.home.file))
    walk = Walk(file, entry, Watched(w.events), [], w.limits, distributed, hook)
    walk.presence, walk.index = w.presence, w.project.index
    walk.handlers, walk.cut = frozenset(w.record(Processes).signalled.values()), bool(w.limits)
    if complete and w.state.trace and compared:
        divergences, reached = compare(learned.decided_alone(w.state.trace, w.record(Learned).places))
        parted = _among_ranks(_without_late_wrapping(divergences, w.state.trace), w.events)
        walk.divergences = list(_with_doubt(parted, walk.cut))
        walk.limits += [f"{file.path}: {entry}: {text}" for text in reached]
        unfinished = any(text != LEFT_OUT for text in reached)
    walk.unfinished = unfinished or w.tired
    w.state.trace = []
    w.forget_entry()
    return walk


def _with_doubt(divergences: Sequence[Divergence], doubt: bool) -> Iterator[Divergence]:
    """The divergences of a walk, marked where it was cut short, or where ranks may have parted before, as a guess.

    If they have, they are out of step from there on, and what follows is no more certain.
    """
    for one in divergences:
        yield replace(one, doubtful=doubt) if doubt else one
        doubt |= one.guard.guess and one.guard.reason is Reason.IDENTITY


def _among_ranks(divergences: Sequence[Divergence], events: Sequence[Event]) -> Sequence[Divergence]:
    """The divergences, without those of the one process that starts the ranks: what it decides is so for all."""
    launches = {id(event.node) for event in events if event.effect == Effect.LAUNCH}
    return [one for one in divergences if one.guard.reason is Reason.IDENTITY or not _before_a_launch(one, launches)]


def _before_a_launch(divergence: Divergence, launches: Set[int]) -> bool:
    """Whether the call that leads to the operation from where it was decided is, or leads to, a start of processes."""
    nodes = [id(frame.node) for frame in divergence.event.stack]
    anchor = nodes.index(id(divergence.anchor.node)) if id(divergence.anchor.node) in nodes else len(nodes)
    return not launches.isdisjoint(nodes[anchor:])


def _without_late_wrapping(divergences: Sequence[Divergence], trace: Nodes) -> Sequence[Divergence]:
    """The divergences, without models that some ranks wrap only where no loop has asked for them before.

    Behind a training loop without any iteration, rank 0 would be the first to ask for a model that is wrapped when it
    is asked for: there is nothing to save then. A list that may be empty is another matter.
    """
    made = [one for one in divergences if one.event.effect == Effect.CONSTRUCT]
    loops = [one for one in every(trace) if isinstance(one, Loop) and one.more and not one.local] if made else []
    idle = {one.more[0] for one in loops if _trains_or_meets(one)}
    late = [one for one in made if any(one.event.path.get(what) is False for what in idle)]
    return [one for one in divergences if one not in late]


def _trains_or_meets(loop: Loop) -> bool:
    """Whether ranks train in a loop, or meet in one whose number of iterations no list says."""
    first = loop.iterations[0]
    if loop.more[0].is_fresh("round"):
        return matters(first, OF_LOOPS)
    return any(isinstance(one, Op) and one.event.effect == Effect.BACKWARD for one in every(first))
