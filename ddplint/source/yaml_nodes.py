"""YAML as its nodes: no object is made of what stands in a file."""

from __future__ import annotations

from typing import Any, TypeAlias

Node: TypeAlias = Any
"""A node of PyYAML: its stubs leave out ``id`` and ``style``."""


class UnreadableError(ValueError):
    """Not YAML (often a template for it); the text says where."""


def documents(text: str, *, places: bool = True) -> list[Node]:
    """The documents of a text.

    Parameters: without ``places`` the faster reader is used, where PyYAML has it.

    Raises :class:`UnreadableError` for what is no YAML.
    """
    import yaml

    loader = yaml.SafeLoader if places else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return [one for one in yaml.compose_all(text, loader) if one is not None]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UnreadableError(f"no YAML: {str(error).partition(chr(10))[0]}") from None
