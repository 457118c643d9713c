"""Classes whose objects share one ``__dict__`` (``self.__dict__ = cls._state``): they count as one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import UNBOUND, Class, Const, Container, Instance, Tuple, Unknown, Value
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from ddplint.analysis.memory.journal import Location
    from ddplint.analysis.memory.protocol import Interp


_MAKERS = frozenset({"__new__", "__init__"})


@dataclass(slots=True)
class Made(Record):
    """The first object that the program made of each class, and what held wherever it made one."""

    life = Life.FILE
    of_class: dict[int, Instance] = field(default_factory=dict)
    known: dict[int, PathCondition] = field(default_factory=dict)

    def note(self, new: Instance, path: PathCondition) -> None:
        """The program makes an object. Parameters: ``path``, what holds there."""
        key = new.cls.key
        self.of_class.setdefault(key, new)
        known = self.known.get(key)
        self.known[key] = path if known is None else known.common(path)


def object_of(w: Interp, cls: Class) -> Instance | None:
    """The one object that all of a class's stand for, where what one of them has all have."""
    for owner in classes.lineage(w, cls):
        name = _shared(owner.node)
        if name:
            found = Instance(w.owner(("one dict", owner.key)), cls)
            _open(w, owner, name, found)
            if not w.quiet:
                w.record(Made).note(found, w.state.path)
            return found
    return None


def place_of(w: Interp, base: Container, key: object) -> Location | None:
    """Where an element of such a dictionary is kept: it is an attribute of the objects."""
    owner = w.owners.get(("names of", base.id)) if isinstance(key, str) else None
    return (owner, str(key)) if owner is not None else None


def kept(w: Interp, base: Value, key: Value) -> Value | None:
    """What is known of an element of such a dictionary."""
    where = place_of(w, base, key.value) if isinstance(base, Container) and isinstance(key, Const) else None
    found = w.state.read(where) if where is not None else None
    return None if found is UNBOUND else found


def _open(w: Interp, owner: Class, name: str, found: Instance) -> None:
    """From now on what the dictionary holds is kept as attributes; what else it holds is not known."""
    held = w.state.read((owner.key, name))
    if not isinstance(held, Container) or ("names of", held.id) in w.owners:
        return
    content = w.state.read((held.id, ""))
    for key in content.items if isinstance(content, Tuple) else ():
        value = w.state.read((held.id, f"[{key.value!r}]")) if isinstance(key, Const) else None
        if value is not None and isinstance(key, Const) and isinstance(key.value, str):
            w.state.write((found.id, key.value), value)
    w.owners["names of", held.id] = found.id
    w.state.write((held.id, ""), Unknown(fresh("content")))


def _shared(node: cst.ClassDef) -> str:
    """The attribute of a class that its objects are given for their ``__dict__``; none where each has its own."""
    for member in node.body.body:
        if not isinstance(member, cst.FunctionDef) or member.name.value not in _MAKERS:
            continue
        for line in member.body.body:
            for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
                if isinstance(part, cst.Assign) and (name := _given(part, node.name.value)):
                    return name
    return ""


def _given(part: cst.Assign, own: str) -> str:
    target, value = part.targets[0].target, part.value
    if not isinstance(target, cst.Attribute) or target.attr.value != "__dict__" or not isinstance(value, cst.Attribute):
        return ""
    owner = value.value
    return value.attr.value if isinstance(owner, cst.Name) and owner.value in ("cls", "self", own) else ""
