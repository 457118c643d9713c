"""Which functions and classes of the project have been run, named and made, and by whom."""

from __future__ import annotations

from ddplint.analysis.domain.values import EVERYONE, Class, Function
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.project.visits import MADE, NAMED


def note_made(w: Interp, cls: Class) -> None:
    """Note which ranks make an object of a class; what a module makes on import, all do."""
    ranks = EVERYONE if w.quiet else w.state.mask
    for each in classes.lineage(w, cls):
        w.visits.note(MADE, each.node, each.module.file, ranks)


def note_named(w: Interp, function: Function) -> None:
    """Note which ranks name a function, whoever calls it then."""
    if not w.quiet:
        w.visits.note(NAMED, function.node, function.module.file, w.state.mask)
