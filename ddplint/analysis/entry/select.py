"""Where walks begin: the module's own body (as a script), then every function that nothing walked so far called."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain import limits, symbols
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    TRUE,
    Class,
    Const,
    Function,
    Generator,
    Instance,
    OnRanks,
    Value,
)
from ddplint.analysis.entry import inner, wiring
from ddplint.analysis.entry.one_walk import walk_entry
from ddplint.analysis.entry.receivers import Receivers
from ddplint.analysis.entry.uses import Uses
from ddplint.analysis.interp import asides
from ddplint.analysis.interp.interpreter import Interpreter
from ddplint.analysis.memory import classes, presence
from ddplint.analysis.memory.frames import CallFrame, Tail
from ddplint.analysis.memory.store import ALONE
from ddplint.analysis.models.python.processes import Processes
from ddplint.analysis.openworld.programs import between_hooks, framework_hooks, one_process
from ddplint.analysis.openworld.values import initial_state
from ddplint.analysis.openworld.values.parameters import Entered
from ddplint.analysis.semantics import context_managers, statements
from ddplint.analysis.semantics.calling import calls
from ddplint.analysis.semantics.looping import drawing
from ddplint.analysis.summaries import syntax
from ddplint.analysis.trace.events import ONE_OF_ALL, Walk
from ddplint.knowledge import Knowledge
from ddplint.knowledge.own_rows import knowledge_with
from ddplint.project.modules import Project
from ddplint.project.pool import is_test
from ddplint.project.records import NOT_ENTERED
from ddplint.project.visits import MADE, NAMED
from ddplint.source import tree
from ddplint.source.file import SourceFile
from ddplint.util.budget import SPENT, is_spent

if TYPE_CHECKING:
    from ddplint.config.settings import Settings


_UNREGISTERED = frozenset({"staticmethod", "classmethod", "no_grad", "inference_mode", "wraps", "override"})
"""Decorators that leave a function to those who name it."""


def walk_file(
    file: SourceFile,
    project: Project,
    settings: Settings | None,
    uses: frozenset[str] | None = None,
    entries: frozenset[str] | None = None,
) -> list[Walk]:
    """All walks of a file, or those that may lead to one of the names it ``uses``, or those of some ``entries``."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limits.PYTHON_FRAMES))
    try:
        own = knowledge_with(getattr(settings, "knowledge", None))
        return _Entries(file, project, own, uses, entries).run()
    finally:
        sys.setrecursionlimit(before)
        symbols.reset()
        syntax.reset()


class _Entries:
    def __init__(
        self,
        file: SourceFile,
        project: Project,
        knowledge: Knowledge,
        uses: frozenset[str] | None,
        entries: frozenset[str] | None,
    ) -> None:
        self.file = file
        self.entries = entries
        self.budget = limits.FILE_STEPS if uses is None else limits.OUTSIDE_STEPS
        self.w = Interpreter(project, knowledge, wiring.EVALUATORS, wiring.HANDLERS, wiring.SEMANTICS, wiring.MODELS)
        if uses is None and is_test(file):
            self.w.soft_steps, self.budget = limits.TEST_STEPS, limits.TEST_FILE_STEPS
        self.module = project.module_of(file)
        self.w.home = self.module
        self.uses = None if uses is None else Uses(self.w, file, self.module, uses)
        self.receivers = Receivers(self.w)
        self.walks: list[Walk] = []
        self.done = 0
        self.prepared: set[int] = set()

    def run(self) -> list[Walk]:
        tree = self.file.module
        w, module = self.w, self.module
        w.loaded.add(module.key)
        module.scope = w.new_scope(None)
        w.frames = [CallFrame(module, "<module>", module.scope, None)]
        w.state.write((module.scope, "__name__"), Const("__main__"))
        self._walk("<module>", lambda: self._program(tree))
        initial_state.loaded(w, module)
        if self.entries is None or bool(self.entries - {"<module>"}):
            self._functions()
        return [walk for walk in self.walks if self.entries is None or walk.entry in self.entries]

    def _walk(self, entry: str, begin: Callable[[], object], hook: str = "", compared: bool = True) -> None:
        self.walks.append(walk_entry(self.w, self.file, entry, begin, hook, compared))

    def _program(self, tree: cst.Module) -> None:
        """The module's own statements, and the functions in functions that a signal calls some time."""
        statements.block(self.w, tree.body)
        for one in list(self.w.defined):
            given = one.key in self.w.record(Processes).signalled and one.owner is None
            if given and one.key not in self.w.called and one.module is self.module:
                self._call(one, [], one.node)

    def _functions(self) -> None:
        """Functions whose name the file calls come last, methods that objects call on themselves behind all others:

        whoever calls them says how.
        """
        initial_state.enter_apart(self.w)
        if self.uses is None and one_process.makes_a_group_of_one(self.w, self.module):
            self.w.state.write(ALONE, TRUE)
            self.w.alone += 1
        called = self.w.project.index.called_names(self.file)
        self._uncalled(lambda function: function.name not in called)
        own = self.w.project.index.called_of_itself(self.file)
        self._uncalled(lambda function: function.owner is not None and function.name not in own)
        some = syntax.called_by_some(self.file.module) if self.uses is not None else frozenset()
        self._uncalled(lambda function: not self._passed_by(function) and function.name not in some)
        if self.uses is None:
            self._define_what_others_were_given()
            handed = partial(inner.is_handed_out, self.w.project)
            self._uncalled(lambda function: function.name not in called and handed(function), within=True)

    def _define_what_others_were_given(self) -> None:
        """Run functions once more, out of sight, that another file has run, for what is defined in them."""
        w = self.w
        for function in list(w.defined):
            if function.module is not self.module or function.key in w.called or w.parents.get(function.scope):
                continue
            if self._was_walked(function) and inner.hands_out(w.project, function.node):
                with asides.out_of_sight(w, self.module), w.saved(path=w.state.path):
                    self._method(function) if function.owner is not None else self._call(function, [], function.node)
                w.state.gather()

    def _passed_by(self, function: Function) -> bool:
        """Whether a private function is called in code that was walked, under conditions that never held.

        As an entry it would lack them.
        """
        name = function.name
        if not name.startswith("_") or name.endswith("__"):
            return False
        callers = [node for node in self._callers.get(name, ()) if node is not function.node]
        return any(self.w.project.has_run(node) for node in callers)

    @cached_property
    def _callers(self) -> dict[str, list[cst.FunctionDef | cst.Lambda]]:
        """The functions of the file in which something of that name is called."""
        return syntax.callers(self.file.module)

    def _uncalled(self, wanted: Callable[[Function], bool], within: bool = False) -> None:
        w = self.w
        index = 0
        while index < len(w.defined):
            function = w.defined[index]
            index += 1
            if (
                function.module is not self.module
                or self._was_walked(function)
                or (w.parents.get(function.scope) is not None) is not within
            ):
                continue
            if not wanted(function) or not self._is_of_use(function):
                continue
            late = is_spent()
            if late or self.done >= limits.ENTRIES or w.total > self.budget:
                what = SPENT if late else "budget used up"
                w.limit(f"{self.file.path}: {what}, {NOT_ENTERED} {calls._qualified(function)} not walked")
                self.walks[-1].limits.extend(x for x in w.limits if x not in self.walks[-1].limits)
                break
            self.done += 1
            self._enter(function)

    def _was_walked(self, function: Function) -> bool:
        """Whether somebody called a function, so that it is no entry. Which are entries once more is known."""
        if self.entries is None:
            return function.key in self.w.called or self.w.project.has_run(function.node)
        name = calls._qualified(function)
        return name not in self.entries or any(walk.entry == name for walk in self.walks)

    def _is_of_use(self, function: Function) -> bool:
        """Whether the walk of a function may lead to where it should."""
        return self.uses is None or self.uses.is_of_use(function)

    def _enter(self, function: Function) -> None:
        w = self.w
        name = calls._qualified(function)
        known = len(w.defined)
        ranks = framework_hooks.ranks_of(w, function)
        if ranks == framework_hooks.NOBODY:
            return

        def run() -> Value | None:
            if function.owner is None:
                self._call(function, [], function.node)
            else:
                self._method(function)
            for one in w.defined[known:]:
                if one.key in w.called or w.project.has_run(one.node):
                    continue
                if one.module is self.module and w.state.mask:
                    self._call(one, [], one.node)
            del w.defined[known:]
            return None

        compared = self._left_to(function) is None
        drawn = drawing.drawing(w, worker=False) if ranks == framework_hooks.EACH else nullcontext()
        with drawn:
            w.state.arm(EVERYONE, None, lambda: self._walk(name, run, ranks, compared))
        self.walks[-1].uncalled = not ranks and self._is_uncalled(function)
        if function.owner is not None:
            self.walks[-1].begun = self.receivers.begun.get(function.owner.key, ())
            self.walks[-1].lineage = self.receivers.lineage(function, function.owner)
            made = self.w.project.ranks(MADE, function.owner.node)
            self.walks[-1].elsewhere = (lambda: True) if made else self._asked_of_objects(function)
        if ranks == "all":
            self.walks[-1].among_many = self._is_in_company
        if ranks == "all" and function.owner is not None and function.owner.key not in self.prepared:
            self.prepared.add(function.owner.key)
            self._prepare(function.owner)

    def _prepare(self, cls: Class) -> None:
        """Walk the hooks of one rank (``prepare_data``) that a class has from classes in other files."""
        w = self.w
        for above in classes.lineage(w, cls):
            if above.module is self.module:
                continue
            for part in above.node.body.body:
                name = part.name.value if isinstance(part, cst.FunctionDef) else ""
                held, owner = classes.find_in_class(w, cls, name) if name else (None, None)
                if owner is not above or not isinstance(held, Function):
                    continue
                ranks = framework_hooks.ranks_of(w, held)
                if ranks in ONE_OF_ALL:
                    run = partial(self._call, held, [self.receivers.instance(cls)], cls.node.name)
                    w.state.arm(EVERYONE, None, partial(self._walk, calls._qualified(held), run, ranks))
                    self.walks[-1].lineage = tuple(one.node for one in classes.lineage(w, cls))

    def _call(self, function: Function, args: list[Value], node: cst.CSTNode) -> None:
        w = self.w
        w.state.gather()
        if syntax.is_manager(function.node):
            context_managers.manage(w, Generator(function, tuple(args), ()), node, lambda value: None, lambda: None)
            return
        kept = self._kept_to(function) or self._left_to(function)
        if kept is not None and isinstance(function.node, cst.FunctionDef):
            node = function.node.name

        def run() -> Value:
            if kept is None and self._through_decorator(function, args, node):
                return NONE
            if syntax.is_generator(function.node):
                return calls.run_function(w, function, args, {}, node, lambda value: value)
            return calls.run_function(w, function, args, {}, node)

        if kept is None:
            run()
        else:
            w.on_ranks(kept.ranks, kept.trail, node, GuardKind.DECORATOR, run)

    def _through_decorator(self, function: Function, args: list[Value], node: cst.CSTNode) -> bool:
        """Call what a decorator of the project has made of a function; whether that calls the function."""
        made = self._held(function)
        plain = not isinstance(function.node, cst.FunctionDef) or not function.node.decorators
        if plain or not isinstance(made, Function) or made.key == function.key:
            return False
        if self.w.parents.get(made.scope) is None:  # another definition by that name
            return False
        self.w.record(Entered).through = function.key
        try:
            calls.call_value(self.w, made, args, {}, node)
        finally:
            self.w.record(Entered).through = None
        return function.key in self.w.called

    def _held(self, function: Function) -> Value | None:
        """What stands under the name of a function where it was defined."""
        return self.w.state.read((function.scope if function.owner is None else function.owner.key, function.name))

    def _kept_to(self, function: Function) -> OnRanks | None:
        """What a decorator has made of the function, if that is one that some ranks only run."""
        held = self._held(function)
        return held if isinstance(held, OnRanks) and held.function == function else None

    def _is_uncalled(self, function: Function) -> bool:
        """Whether nothing names a function, and no decorator can have handed it to somebody who calls it."""
        decorators = function.node.decorators if isinstance(function.node, cst.FunctionDef) else ()
        plain = all(tree.dotted(one.decorator).rpartition(".")[2] in _UNREGISTERED for one in decorators)
        return plain and self.w.project.is_unmentioned(function.name)

    def _asked_of_objects(self, function: Function) -> Callable[[], bool]:
        """Whether code of another class calls a method, or one that it stands for, or its name of an unknown object.

        Who asks has the calls of the whole project resolved, so that is done for what is reported only.
        """
        index = self.w.project.index
        lineage = list(classes.lineage(self.w, function.owner)) if function.owner is not None else []
        above = frozenset(one.node.name.value for one in lineage)
        same = [one for cls in lineage for one in index.named(cls.module.file, cls.node.name.value, function.name)]

        def asked() -> bool:
            if any(map(index.asks_objects, same)):
                return True
            callers = (caller for one in same for caller in index.callers(one))
            return any(caller.record.owner.rpartition(".")[2] not in above for caller in callers)

        return cache(asked)

    def _left_to(self, function: Function) -> OnRanks | None:
        """A function that only some ranks reach: they alone name it, or make the objects whose method it is."""
        owner = function.owner
        made = owner is not None and self.w.project.ranks(MADE, owner.node)
        what = f"make a {owner.name}" if owner is not None and made else f"name {function.name}"
        kept = self.receivers.on(self._comers(function), function.node, f"only some ranks {what}")
        return OnRanks(function, *kept) if kept is not None else None

    def _comers(self, function: Function) -> int:
        """The ranks (as bits) that are known to reach what nobody ran; 0 where nobody knows."""
        if function.owner is None:
            return self.w.project.ranks(NAMED, function.node)
        held = self.w.state.read((function.owner.key, function.name))
        kind = classes.method_kind(self.w, held) if held is not None else "method"
        if kind not in ("method", "property"):
            return 0
        return self.w.project.ranks(MADE, function.owner.node) or self.w.project.askers(function.name)

    def _method(self, function: Function) -> None:
        w = self.w
        owner = function.owner
        assert owner is not None
        held = w.state.read((owner.key, function.name))
        kind = classes.method_kind(w, held) if held is not None else "method"
        if kind == "staticmethod":
            self._call(function, [], function.node)
            return
        of_class = kind == "classmethod" or function.name == "__new__"
        receiver: Value = owner if of_class else self.receivers.instance(owner)
        if isinstance(receiver, Instance):
            w.state.assume(self.receivers.where_made(owner))
            between_hooks.enter(w, receiver, function)
            initial_state.open_instance(w, receiver, function.name)
            presence.made_before(w, bool(self.receivers.begun.get(owner.key)))
        if function.key not in w.called:
            w.tail = Tail(function.node, framework_hooks.then_of(w, function, receiver))
            self._call(function, [receiver], function.node)
            w.tail = None

    @cached_property
    def _is_in_company(self) -> bool:
        """Whether another module of the folder, where that is a package, is for several ranks."""
        folder = self.module.folder
        if not os.path.isfile(folder / "__init__.py"):
            return False
        names = sorted(path.stem for path in folder.glob("*.py"))
        package = self.module.name if self.module.is_package else self.module.name.rpartition(".")[0]
        found = (self.w.project.find(f"{package}.{name}", self.module) for name in names)
        others = (one.file for one in found if one is not None and one is not self.module)
        return any(map(self.w.project.index.is_for_several, others))
