"""What the index asks of the project: which modules there are, and what an import leads to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ddplint.source.file import SourceFile


class Place(Protocol):
    """A module of the project."""

    @property
    def file(self) -> SourceFile: ...
    @property
    def name(self) -> str: ...
    @property
    def is_package(self) -> bool: ...


class Finder(Protocol):
    """The project. ``answers``: what the index has said of its files, by the question."""

    answers: dict[str, str]

    def module_of(self, file: SourceFile) -> Any: ...
    def absolute(self, name: str, level: int, module: Any) -> str: ...
    def where(self, name: str, module: Any) -> Any: ...
    def every(self) -> Iterable[SourceFile]: ...
    def named_under(self, key: str, module: Any) -> Iterable[str]: ...
