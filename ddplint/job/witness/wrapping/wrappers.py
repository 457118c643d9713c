"""What wrappers need: the arguments of a call by name, cheaply, and putting a wrapper in the place of a function."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


class Given:
    """The arguments of one call: ``given("group")`` is what it passes, or the default, or nothing."""

    __slots__ = ("args", "kwargs", "places")

    def __init__(
        self, places: Mapping[str, tuple[int, Any]], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> None:
        self.places, self.args, self.kwargs = places, args, kwargs or {}

    @staticmethod
    def of(call: Callable[..., Any]) -> Given:
        """What is to be known of a function before it is called."""
        places = {}
        for index, one in enumerate(inspect.signature(call).parameters.values()):
            places[one.name] = (index, None if one.default is one.empty else one.default)
        return Given(places)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Given:
        """The same for one call."""
        return Given(self.places, args, kwargs)

    def has(self, name: str) -> bool:
        """Whether the function has such a parameter."""
        return name in self.places

    def __call__(self, name: str) -> Any:
        if name in self.kwargs:
            return self.kwargs[name]
        index, default = self.places.get(name, (1 << 30, None))
        return self.args[index] if index < len(self.args) else default


def compiling() -> bool:
    """Whether torch is tracing this call into a graph: then it is passed on as it is."""
    compiler = sys.modules.get("torch.compiler")
    return compiler is not None and bool(compiler.is_compiling())


def replace_everywhere(owner: ModuleType, name: str, wrapper: Callable[..., Any]) -> None:
    """Put ``wrapper`` in the place of ``owner.name``, also where modules of torch have taken it from there already."""
    old = getattr(owner, name)
    setattr(owner, name, wrapper)
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("torch.") and getattr(module, "__dict__", {}).get(name) is old:
            setattr(module, name, wrapper)
