"""Objects of classes that the configuration of a program names: ``instantiate(cfg.trainer, model)``.

Where the configuration files of the project name one class under that key, it is made as if the program called it:
with what the call gives, and with what the configuration has beside the name, of which the values are not known. Of
several, the object is of one of them.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Attr, Item
from ddplint.analysis.domain.values import Class, Const, Deferred, Unknown, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.openworld.values import class_choice
from ddplint.project.configured import Target


def made(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What a call makes of a part of the configuration; ``None`` where that is not one class of the project."""
    asked = args[0] if args else None
    classes = _classes(w, asked)
    if not isinstance(asked, Unknown) or len(classes) != 1:
        return None
    target, cls = classes[0]
    if target.partial:
        return None
    given = {name: value for name, value in kwargs.items() if not name.startswith("_")}
    beside = {name: Unknown(symbol("attr", asked.symbol, name)) for name in sorted(target.keys)}
    return w.semantics.call_value(w, cls, list(args[1:]), {**beside, **given}, node)


def note(w: Interp, args: Args, found: Value) -> Value:
    """Remember of which classes an object is that a call made of a part of the configuration."""
    classes = _classes(w, args[0] if args else None) if isinstance(found, Unknown) else []
    if isinstance(found, Unknown) and 0 < len(classes) <= limits.PICKED_CLASSES:
        kept = w.record(class_choice.Picks)
        every = tuple(cls for _, cls in classes)
        (kept.classes if any(target.partial for target, _ in classes) else kept.objects)[found.symbol] = every
    return found


def _classes(w: Interp, asked: Value | None) -> list[tuple[Target, Value]]:
    """The classes of the project that its configuration files name under a key; none where they name others, too."""
    key = _key(asked.symbol) if isinstance(asked, Unknown) else ""
    found: list[tuple[Target, Value]] = []
    for target in w.project.configured(key, w.frame.module) if key else ():
        source, _, name = target.name.rpartition(".")
        module = w.project.find(source, w.frame.module)
        cls = w.semantics.resolve(w, Deferred(module, module.name, name)) if module is not None else None
        if not isinstance(cls, Class):
            return []
        if all(known != cls for _, known in found):
            found.append((target, cls))
    return found


def _key(what: Symbol) -> str:
    """The last key of a part of a configuration: ``cfg.trainer``, ``cfg["trainer"]``."""
    if isinstance(what, Attr):
        return str(what.name)
    if isinstance(what, Item) and isinstance(what.index, Const) and isinstance(what.index.value, str):
        return what.index.value
    return ""
