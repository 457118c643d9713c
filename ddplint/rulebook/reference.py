"""The reference of what rules may use, made from the docstrings of :mod:`ddplint.rule`."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

MODULES = (
    "ddplint.rule",
    *(f"ddplint.rule.{name}" for name in ("facts", "notes", "code", "fixes", "launch", "knowledge")),
)

_ROLE = re.compile(r":\w+:`~?([\w.]+)`")


def rule_api() -> str:
    """A page with every public name: what it is, what it takes, what it says."""
    lines = ["# What rules may use", "", "Made from the docstrings. [Write a rule](../guides/own-rules.md) says how."]
    for name in MODULES:
        module = importlib.import_module(name)
        lines += ["", f"## {name}", "", _whole(module), ""]
        for word in sorted(module.__all__, key=str.lower):
            lines += _entry(word, getattr(module, word))
    return "\n".join(lines) + "\n"


def _entry(name: str, thing: object) -> Iterator[str]:
    if isinstance(thing, ModuleType):
        yield f"- **`{name}`** {_first(thing)}"
        own = ((word, value) for word, value in vars(thing).items() if inspect.isfunction(value))
        functions = [(word, one) for word, one in own if one.__module__ == thing.__name__ and not word.startswith("_")]
        yield from (f"    - `{name}.{word}{_signature(one)}`: {_first(one)}" for word, one in sorted(functions))
        kinds = ((word, getattr(thing, word)) for word in getattr(thing, "__all__", ()))
        yield from (f"    - `{name}.{word}`: {_first(one)}" for word, one in kinds if inspect.isclass(one))
    elif inspect.isclass(thing):
        yield f"- **`{name}`** {' '.join(map(_whole, _layers(thing)))}"
        if issubclass(thing, enum.Enum):
            yield f"    - {', '.join(f'`{member.name}`' for member in thing)}"
        else:
            yield from _members(thing)
    elif inspect.isfunction(thing):
        yield f"- `{name}{_signature(thing)}`: {_first(thing)}"
    else:
        yield f"- `{name}`"


def _layers(kind: type) -> list[type]:
    """A class, and what it adds to under the same name: the record of a walk, say, below the questions about it."""
    return [one for one in kind.__mro__ if one.__name__ == kind.__name__]


def _members(kind: type) -> Iterator[str]:
    """Fields, properties and methods, in their order."""
    layers = _layers(kind)
    fields = [name for layer in layers for name in inspect.get_annotations(layer) if not name.startswith("_")]
    if fields:
        yield f"    - {', '.join(f'`{name}`' for name in fields)}"
    for name, value in (pair for layer in layers for pair in vars(layer).items()):
        if name.startswith("_") or name in fields:
            continue
        if isinstance(value, property):
            yield f"    - `{name}`: {_first(value)}"
        elif inspect.isfunction(value):
            yield f"    - `{name}{_signature(value)}`: {_first(value)}"


def _signature(function: object) -> str:
    assert callable(function)
    text = str(inspect.signature(inspect.unwrap(function)))
    return re.sub(r"\((?:self|walk: Walk)(?:, |(?=\)))", "(", text.replace("'", ""), count=1)


def _first(thing: object) -> str:
    """The first sentence, or paragraph, of a docstring."""
    return _plain((inspect.getdoc(thing) or "").partition("\n\n")[0])


def _whole(thing: object) -> str:
    """A docstring on one line: it stands in a list."""
    return _plain(inspect.getdoc(thing) or "")


def _plain(text: str) -> str:
    """Markdown on one line from the markup of docstrings."""
    return " ".join(_ROLE.sub(r"`\1`", text).replace("``", "`").split())
