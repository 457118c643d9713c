"""What a data set of the project is made of: other data sets, which may share the samples out in its place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.provenance import is_shared
from ddplint.analysis.domain.values import NONE, Class, Container, Instance, Object, Tuple, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data.files import parts_in
from ddplint.source.file import SourceFile


def classes_within(w: Interp, data: Value | None) -> tuple[tuple[SourceFile, cst.ClassDef], ...]:
    """Where the classes of the project in a data set are: its own, what it derives from, those of what it holds."""
    found: dict[Class, None] = {}
    for one in _held(w, data):
        if isinstance(one, Instance):
            rest = [one.cls]
            while rest:
                cls = rest.pop()
                if cls not in found:
                    found[cls] = None
                    rest += [base for base in cls.bases if isinstance(base, Class)]
    return tuple((cls.module.file, cls.node) for cls in found)


def instances_of(w: Interp, data: Value) -> Iterator[Instance]:
    """A data set of the project, or those whose elements one of a library passes on (``Subset``)."""
    for one in _held(w, data) if isinstance(data, Object) else (data,):
        if isinstance(one, Instance):
            yield one


def is_parted(w: Interp, data: Value | None) -> bool:
    """Whether a data set, or one that it holds, was given something that differs between ranks."""
    if isinstance(data, Object) and any(not _holds_alike(w, one) for one in _inside(w, data)):
        return True
    return any(isinstance(one, Instance) and not _is_alike(w, one) for one in _held(w, data))


def _holds_alike(w: Interp, one: Value) -> bool:
    """Whether a list holds the same on all ranks, as far as anything is known of it."""
    return not isinstance(one, Container) or is_shared(w.state.read((one.id, "")) or NONE)


def _is_alike(w: Interp, one: Instance) -> bool:
    return all(is_shared(value) for _, value in w.state.held(one.id))


def _held(w: Interp, data: Value | None) -> Iterator[Value]:
    """A data set and the objects that it was made of or holds, to some depth."""
    rest, seen = [(data, limits.DATA_DEPTH)], set[Value]()
    while rest:
        one, depth = rest.pop()
        if one is None or one in seen:
            continue
        seen.add(one)
        yield one
        if depth:
            inside = _inside(w, one)
            kept = [part for holder in inside if isinstance(holder, Container) for part in _kept(w, holder)]
            rest += [(way, depth - 1) for part in (*parts_in(w, inside), *kept) for way in alternatives(part)]


def _kept(w: Interp, holder: Container) -> list[Value]:
    """What a list or dictionary may hold, where it is not known how much that is."""
    content, added = (w.state.read((holder.id, name)) for name in ("", "object"))
    ways = alternatives(content) if content is not None else ()
    return [*(item for way in ways for item in _inside(w, way)), *(alternatives(added) if added is not None else ())]


def _inside(w: Interp, one: Value) -> list[Value]:
    if isinstance(one, Instance):
        return [value for _, value in w.state.held(one.id)]
    if isinstance(one, Object):
        return [*one.args, *(value for _, value in one.kwargs)]
    return list(one.items) if isinstance(one, Tuple) else []
