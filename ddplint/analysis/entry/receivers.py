"""The objects that methods are called on where no walk made one, and the ranks that reach them."""

from __future__ import annotations

from functools import partial

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import EVERYONE, WORLD_SIZE, Class, Function, Instance, Trail, Value
from ddplint.analysis.interp.interpreter import Interpreter
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.aliases import Made
from ddplint.analysis.openworld.values import initial_state, stand_ins
from ddplint.analysis.openworld.values.stand_ins import StandIns
from ddplint.analysis.semantics.calling import calls
from ddplint.analysis.trace.events import Event, Frame
from ddplint.project.visits import MADE
from ddplint.source.ancestry import tree_of


class Receivers:
    """One object of each class for all its methods; ``begun``: where making it set up the process group."""

    def __init__(self, w: Interpreter) -> None:
        self.begun: dict[int, tuple[Event, ...]] = {}
        self._w = w
        self._instances: dict[int, Instance] = {}

    def instance(self, cls: Class) -> Instance:
        """An object to call methods on: one the program made itself, else one made with unknown arguments."""
        made = self._w.record(Made).of_class.get(cls.key)
        if made is not None:
            return made
        new = self._instances.get(cls.key)
        if new is None:
            entered, cls = cls, stand_ins.to_make(self._w, cls)
            new = self._w.instance(cls)
            self._instances[entered.key] = new
            self._w.record(StandIns).objects.add(new.id)
            start, _owner = classes.find_in_class(self._w, cls, "__init__")
            saved, self._w.state.journals = self._w.state.journals, []
            known = len(self._w.events)
            try:
                if start is not None:
                    self._w.state.trace += self._w.trace_of(lambda: self._made(new, start, entered))
                else:
                    initial_state.open_fields(self._w, new)
            finally:
                self._w.state.journals = saved
                self._w.state.gather()
                self.begun[entered.key] = tuple(one for one in self._w.events[known:] if one.effect == Effect.INIT)
        return new

    def where_made(self, cls: Class) -> list[tuple[Symbol, bool]]:
        """What held wherever the program made an object of a class: it holds for each that there is."""
        known = self._w.record(Made).known.get(cls.key)
        return [] if known is None else known.independent()

    def _made(self, new: Instance, start: Value, entered: Class) -> None:
        """Run what makes an object, on the ranks that make one of its class, where that is known."""
        w, node = self._w, new.cls.node.name
        kept = self.on(w.project.ranks(MADE, entered.node), node, f"only some ranks make a {entered.name}")
        run, before = partial(calls.call_value, w, start, [new], {}, node), len(w.events)
        if kept is None:
            run()
        else:
            w.on_ranks(*kept, node, GuardKind.DECORATOR, run)
        for event in w.events[before:]:
            if any(map(self._has_run, event.stack)):
                event.details["imagined"] = True

    def _has_run(self, frame: Frame) -> bool:
        """Whether callers are known of the function that a step of a call stack is in."""
        function = tree_of(frame.file.module).function(frame.node)
        return function is not None and self._w.project.has_run(function)

    def lineage(self, function: Function, owner: Class) -> tuple[cst.ClassDef, ...]:
        """The classes of the object whose method an entry is; none for what needs no object."""
        held = self._w.state.read((owner.key, function.name))
        if held is None or classes.method_kind(self._w, held) not in ("method", "property"):
            return ()
        return tuple(cls.node for cls in classes.lineage(self._w, owner))

    def on(self, ranks: int, node: cst.CSTNode, text: str) -> tuple[tuple[bool, ...], Trail] | None:
        """Which ranks (given as bits) get there, and why, where that is only some of them."""
        if ranks in (0, EVERYONE):
            return None
        return tuple(bool(ranks >> rank & 1) for rank in range(WORLD_SIZE)), self._w.trail(node, text)
