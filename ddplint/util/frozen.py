"""Frozen dataclasses that are quick to make: a walk makes millions of values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

__all__ = ["frozen"]

T = TypeVar("T")

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    def frozen(*, eq: bool = True, slots: bool = True) -> Callable[[type[T]], type[T]]:
        """A dataclass that nobody may change, with a hash where it can be compared.

        The type checker sees to that. ``dataclass(frozen=True)`` would at run time, too, and set each field by way of
        ``object.__setattr__``, which takes three times as long.
        """
else:

    def frozen(*, eq: bool = True, slots: bool = True) -> Callable[[type[T]], type[T]]:
        return dataclass(eq=eq, unsafe_hash=eq, slots=slots)
