"""Calls a function when a module has been imported, so that nothing is imported earlier than the program does it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

Action = Callable[[ModuleType], None]


class _Finder(MetaPathFinder):
    """Finds nothing by itself: what the other finders find runs the actions once it is loaded."""

    def __init__(self) -> None:
        self.actions: dict[str, list[Action]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        actions = self.actions.pop(fullname, None)
        if not actions:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return _acting(spec, actions)
        return None


def _acting(spec: ModuleSpec, actions: list[Action]) -> ModuleSpec:
    loader = spec.loader
    load = getattr(loader, "exec_module", None)
    if load is None:
        return spec

    def exec_module(module: ModuleType) -> None:
        load(module)
        for action in actions:
            action(module)

    loader.exec_module = exec_module  # type: ignore[union-attr,method-assign]
    return spec


_finder = _Finder()


def when_imported(name: str, action: Action) -> None:
    """Run ``action`` on module ``name``: now where it is loaded, else right after it was."""
    if name in sys.modules:
        action(sys.modules[name])
        return
    _finder.actions.setdefault(name, []).append(action)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
