"""One entry is walked, and what the ranks did on the way is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ddplint.analysis.compare.search import LEFT_OUT, compare
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.values import EVERYONE
from ddplint.analysis.interp.interpreter import Interpreter, WalkLimit
from ddplint.analysis.memory import presence
from ddplint.analysis.models.distributed import learned
from ddplint.analysis.models.distributed.learned import Learned
from ddplint.analysis.models.python.processes import Processes
from ddplint.analysis.trace.events import Divergence, Walk
from ddplint.source.file import SourceFile
from ddplint.util.budget import Watched


def walk_entry(
    w: Interpreter, file: SourceFile, entry: str, begin: Callable[[], object], hook: str = "", compared: bool = True
) -> Walk:
    """Run one entry (``hook``: where a framework calls it, the ranks it does so on) and compare what ranks did.

    What only some ranks reach is not compared: who leads them there is.
    """
    w.events, w.limits, w.steps, w.state.trace = [], [], 0, []
    w.guards, w.locals, w.loops, w.tries, w.tolerant, w.around = (), (), [], [], 0, ()
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
        w.state.mask = EVERYONE
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
        walk.divergences = list(_with_doubt(divergences, walk.cut))
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
