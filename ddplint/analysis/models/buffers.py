"""Whether a model has buffers, which the forward pass of a data-parallel wrapper hands out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import Const, Container, External, Instance, Object, Tuple, Unknown, Value, Wrapped
from ddplint.analysis.semantics import attributes, calls
from ddplint.project.import_scan import full_name, imported

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.project.modules import Module


def buffers_of(w: Walker, model: Value, depth: int = 0) -> bool | None:
    """Whether a module has buffers: yes, provably no, or not known."""
    if depth > 6:
        return None
    if isinstance(model, Wrapped):
        return buffers_of(w, model.inner, depth + 1)
    if isinstance(model, Instance):
        if ("register_buffer", model.id) in w.marks:
            return True
        parts = [value for _, value in w.state.held(model.id)]
        found = _any(w, parts, depth)
        external = [name for name in attributes.external_bases(w, model.cls) if not name.endswith("nn.Module")]
        return found if found or not external else None
    if isinstance(model, Object):
        last = model.name.rpartition(".")[2]
        if any(word in last for word in w.knowledge.quiet("buffered")):
            return True
        if last in w.knowledge.quiet("holders"):
            return _any(w, list(model.args), depth)
        if model.name.startswith("torch.") or last == "Namespace":
            return False if last in w.knowledge.quiet("bufferless") or last == "Namespace" else None
        return False if _any(w, list(model.args), depth) is False and _is_plain(w, model.name) else None
    if isinstance(model, Container):
        items = calls.items_of(w, model)
        return None if items is None else _any(w, items, depth)
    if isinstance(model, (Const, Tuple)):
        return False
    return None


def _any(w: Walker, parts: list[Value], depth: int) -> bool | None:
    answers = [buffers_of(w, part, depth + 1) for part in parts if not isinstance(part, (Unknown, External))]
    if any(answers):
        return True
    unknown_module = any(
        isinstance(p, Object) and p.name.startswith("torch.nn") and a is None
        for p, a in zip(parts, answers, strict=False)
    )
    return None if None in answers or unknown_module else False


_SIGNS = re.compile(r"register_buffer|nn\.Buffer|BatchNorm|batch_norm|InstanceNorm|spectral_norm|SpectralNorm|EMA|ema_")
"""What a model's source says that makes buffers."""

_TOP = re.compile(r"^(?:async def|def|class)\s+(\w+)", re.MULTILINE)
_END = re.compile(r"^(?=[^\s#)\]}])", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MOST_NAMES = 200


def _is_plain(w: Walker, name: str) -> bool:
    """Whether the source of a project's class provably makes no buffers. It is read as text, not walked."""
    module, _, last = name.rpartition(".")
    found = w.project.find(module, w.home) if w.home is not None else None
    return found is not None and _makes_none(w, found, last, set())


def _makes_none(w: Walker, module: Module, name: str, seen: set[tuple[int, str]]) -> bool:
    """Whether nothing that a name's source uses, here and in the modules it comes from, makes buffers."""
    if (module.key, name) in seen:
        return True
    seen.add((module.key, name))
    sources = _sources(module.text)
    source = sources.get(name)
    if len(seen) > _MOST_NAMES or source is None or _SIGNS.search(source):
        return False
    words = set(_WORD.findall(source))
    if any(not _makes_none(w, module, word, seen) for word in words & sources.keys() - {name}):
        return False
    used = ((word, origin) for word, origin in imported(module.text) if word in words)
    return all(_comes_without(w, module, origin, _members(source, word), seen) for word, origin in used)


def _comes_without(w: Walker, module: Module, origin: str, members: set[str], seen: set[tuple[int, str]]) -> bool:
    """Whether an imported name, or the members of an imported module that are used, make no buffers."""
    if origin.partition(".")[0] in w.knowledge.quiet("bufferless_packages"):
        return True
    full = full_name(w.project, module, origin)
    whole = w.project.find(full, module)
    if whole is not None:
        return all(_makes_none(w, whole, member, seen) for member in members)
    parent, _, last = full.rpartition(".")
    found = w.project.find(parent, module)
    return found is not None and _makes_none(w, found, last, seen)


def _members(source: str, word: str) -> set[str]:
    return set(re.findall(rf"\b{word}\.(\w+)", source))


@lru_cache(maxsize=64)
def _sources(text: str) -> dict[str, str]:
    """The source of each function and class of a module."""
    found = {}
    for match in _TOP.finditer(text):
        end = _END.search(text, match.end())
        found[match.group(1)] = text[match.start() : end.start() if end is not None else len(text)]
    return found
