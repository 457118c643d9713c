"""What a walk does beside the path that it is on: modules that are loaded, calls that nobody can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain import provenance
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Class, Function, Value
from ddplint.analysis.memory import filling
from ddplint.analysis.memory.frames import CallFrame
from ddplint.analysis.memory.journal import Arm
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.summaries.helper_modules import is_unheard
from ddplint.analysis.trace.nodes import Opaque
from ddplint.project.modules import Module


@dataclass(slots=True)
class Left(Record):
    """Whether there has been a call that nobody could follow: it may have done anything to the process."""

    life = Life.ENTRY
    ever: bool = False


@contextmanager
def out_of_sight(w: Interp, module: Module) -> Iterator[None]:
    """What runs inside belongs to no path of the program: it is not compared, and what it writes stays."""
    frames = [CallFrame(module, "<module>", module.scope, None)]
    quiet = w.quiet + 1
    with w.saved(frames=frames, guards=(), loops=[], tries=[], locals=(), quiet=quiet), w.state.unjournaled():
        yield


def forgotten(w: Interp, run: Callable[[], Value | None]) -> Arm:
    """Run something to look at what it would do: nothing of it is compared, and what it writes is taken back."""
    around = w.saved(guards=w.guards, locals=w.locals, around=w.around, frames=list(w.frames), quiet=w.quiet + 1)
    with around, w.saved(loops=[], tries=[]):
        return w.state.arm(w.state.mask, None, run)


def function_value(w: Interp, node: cst.FunctionDef | cst.Lambda, name: str, owner: Class | None = None) -> Function:
    """The value of a ``def`` or ``lambda`` in the current scope."""
    w.keep_scopes()
    scope = w.frame.scope
    if owner is not None:
        scope = w.parents.get(w.frame.scope) or w.frame.scope
    return Function(node, w.frame.module, scope, name, w.owner((id(node), scope)), owner)


def opaque(
    w: Interp,
    node: cst.CSTNode,
    name: str,
    model: bool = False,
    args: Sequence[Value] = (),
    beside: Iterable[Value] = (),
) -> None:
    """Note a call that could not be followed and might communicate; ``beside`` is what else it is given."""
    beside = tuple(beside)
    w.risks.note(w.state.path, own=not all(map(provenance.is_shared, (*args, *beside))))
    filling.hand_out(w, (*args, *beside))
    w.record(Left).ever = True
    if not w.quiet and not is_unheard(w):
        w.state.trace.append(Opaque(w.here(node), name, w.state.mask, model))
        w.emit(name, Effect.OPAQUE, node, args=(*args, *beside))
