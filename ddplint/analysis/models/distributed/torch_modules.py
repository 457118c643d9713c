"""What modules of torch are: their buffers, devices and modes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives, either, rank_join
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Call, Joined, Text
from ddplint.analysis.domain.values import (
    FALSE,
    TRUE,
    Const,
    Container,
    Either,
    External,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed import parts
from ddplint.knowledge import tables
from ddplint.project.modules import Module
from ddplint.util import figures


def buffers_of(w: Interp, model: Value, depth: int = 0) -> bool | None:
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
        if found is None and _are_its_own(w, parts, _words_without_buffers(w, model.cls.module, model.cls.name)):
            found = False
        external = [name for name in classes.external_bases(w, model.cls) if not name.endswith("nn.Module")]
        return found if found or not external else None
    if isinstance(model, Object):
        last = model.name.rpartition(".")[2]
        if any(word in last for word in w.knowledge.quiet("buffered")):
            return True
        if model.name in w.knowledge.quiet("bufferless_modules"):
            return False
        if last in w.knowledge.quiet("holders"):
            return _any(w, list(model.args), depth)
        if model.name.startswith("torch.") or last == "Namespace":
            return False if last in w.knowledge.quiet("bufferless") or last == "Namespace" else None
        given = [*model.args, *(value for _, value in model.kwargs)]
        return False if _any(w, given, depth) is False and _is_plain(w, model.name) else None
    if isinstance(model, Container):
        items = containers.items_of(w, model)
        return None if items is None else _any(w, items, depth)
    if isinstance(model, (Const, Tuple)):
        return False
    return None


def _any(w: Interp, parts: list[Value], depth: int) -> bool | None:
    answers = [buffers_of(w, part, depth + 1) for part in parts if not isinstance(part, (Unknown, External))]
    if any(answers):
        return True
    unknown_module = any(
        isinstance(p, Object) and tables.begins("layers", p.name) and a is None
        for p, a in zip(parts, answers, strict=False)
    )
    return None if None in answers or unknown_module else False


_MAKE_BUFFERS = ("BatchNorm", "batch_norm", "InstanceNorm", "spectral_norm", "SpectralNorm", "EMA", "ema_")
"""What names hold that make buffers."""

_BUFFERS = frozenset({"register_buffer", "nn.Buffer"})


def _is_plain(w: Interp, name: str) -> bool:
    """Whether the source of a project's class provably makes no buffers. It is not walked."""
    module, _, last = name.rpartition(".")
    if w.home is None:
        return False
    found = w.project.find(module, w.home) or _imported_as(w, w.home, name)
    return found is not None and _words_without_buffers(w, found, last) is not None


def _imported_as(w: Interp, home: Module, name: str) -> Module | None:
    """The module that a class comes from which the walked file imports by the whole path of its folders."""
    for word, origin in w.project.index.unit(home.file).origins.items():
        full = w.project.full_name(origin, home)
        if word == name.rpartition(".")[2] and full.endswith(f".{name}"):
            return w.project.find(full.rpartition(".")[0], home)
    return None


def _are_its_own(w: Interp, given: list[Value], words: frozenset[str] | None) -> bool:
    """Whether a module made all its parts itself, of classes that its source names; ``None``: that makes buffers."""
    rest = deque(given)
    for _ in range(limits.MODEL_PARTS if words is not None else 0):
        if not rest:
            return True
        part = rest.popleft()
        if isinstance(part, Container):
            rest += containers.items_of(w, part) or ()
        elif isinstance(part, Either):
            rest += alternatives(part)
        elif isinstance(part, (Instance, Object)):
            last = part.cls.name if isinstance(part, Instance) else part.name.rpartition(".")[2]
            if last in w.knowledge.quiet("holders") and isinstance(part, Object):
                rest += part.args
            elif last not in (words or ()) and buffers_of(w, part) is not False:
                return False
    return False


def _words_without_buffers(w: Interp, module: Module, name: str) -> frozenset[str] | None:
    """What a name's source uses, here and in the modules it comes from; ``None`` where some of it makes buffers."""
    waiting = {(module.key, name): (module, name)}
    seen: set[tuple[int, str]] = set()
    words: set[str] = set()
    while waiting:
        place, (module, name) = waiting.popitem()
        used = _used_by(w, module, name)
        if used is None:
            return None
        seen.add(place)
        words |= {one.rpartition(".")[2] for one in w.project.index.words_at_top(module.file).get(name, ())}
        waiting.update({(one.key, word): (one, word) for one, word in used if (one.key, word) not in seen})
    return frozenset(words)


def _used_by(w: Interp, module: Module, name: str) -> list[tuple[Module, str]] | None:
    """What a name's source uses, and where that stands; ``None`` where it makes buffers, or nothing is known of it."""
    every = w.project.index.words_at_top(module.file)
    words = every.get(name)
    if words is None or _has_buffers(words):
        return None
    origins = w.project.index.unit(module.file).origins
    found = [(module, word) for word in words & every.keys()]
    for word in words & origins.keys():
        inner = _from_elsewhere(w, module, origins[word], _members(words, word))
        if inner is None:
            return None
        found += inner
    return found


def _has_buffers(words: frozenset[str]) -> bool:
    return not words.isdisjoint(_BUFFERS) or any(sign in word for word in words for sign in _MAKE_BUFFERS)


def _from_elsewhere(w: Interp, module: Module, origin: str, members: set[str]) -> list[tuple[Module, str]] | None:
    """where an imported name stands, or the used members of an imported module; ``None`` where nobody knows."""
    if origin.partition(".")[0] in w.knowledge.quiet("bufferless_packages"):
        return []
    if origin in w.knowledge.quiet("bufferless_modules"):
        return []
    full = w.project.full_name(origin, module)
    whole = w.project.find(full, module)
    if whole is not None:
        return [(whole, member) for member in members]
    parent, _, last = full.rpartition(".")
    if last.startswith("__"):
        return []  # such as the number of the version
    found = w.project.find(parent, module)
    return None if found is None else [(found, last)]


def _members(words: frozenset[str], word: str) -> set[str]:
    return {one.removeprefix(f"{word}.") for one in words if one.startswith(f"{word}.")}


_NAME = re.compile(r"(?:cuda|gpu|hpu|mlu|musa|npu|xpu):(\d+)")

_MOVES = frozenset({"cuda", "to"})

DEVICE = "torch.device"


def type_of(device: Unknown | Varying) -> Value | None:
    """``torch.device("cuda", rank).type``: whatever the number, the kind is one; None for anything but a device."""
    made = device.symbol
    if not isinstance(made, Call) or made.name != DEVICE:
        return None
    return _type_in(next(iter(made.args), None)) or Unknown(symbol("attr", made, "type"))


def _type_in(named: object) -> Value | None:
    if isinstance(named, Const) and isinstance(named.value, str):
        return Const(named.value.partition(":")[0])
    if isinstance(named, PerRank):
        kinds = [kind for one in named.values if (kind := _type_in(one)) is not None]
        return rank_join(kinds, named.trail) if len(kinds) == len(named.values) else None
    if isinstance(named, Either) and named.local is None:
        yes, no = _type_in(named.yes), _type_in(named.no)
        return None if yes is None or no is None else either(named.symbol, yes, no)
    return None


def note_name(w: Interp, node: cst.CSTNode, made_of: Sequence[Value], text: Value) -> None:
    """Report a text that is put together here, and names another device on each rank."""
    numbers = _numbers(text)
    if numbers is not None and all(_numbers(part) is None for part in made_of):
        w.emit(DEVICE, Effect.NAME_DEVICE, node, args=(numbers,))


def note_number(w: Interp, node: cst.CSTNode, args: Sequence[Value]) -> None:
    """Report a device made of a number that is another on each rank: ``torch.device("cuda", rank)``.

    Or of a text with such a number behind a kind that is not known.
    """
    for value in args:
        named = value if _is_numbered(value) else _numbered_kind(value)
        if named is not None:
            w.emit(DEVICE, Effect.NAME_DEVICE, node, args=(named,))


def note_move(w: Interp, node: cst.CSTNode, name: str, args: Sequence[Value]) -> None:
    """Report what goes to a device by a number: ``model.to(rank)``, ``model.cuda(0)``; or to the current one."""
    if name not in _MOVES:
        return
    if _is_current(args[0]) if args else name == "cuda":
        w.emit(name, Effect.USE_DEVICE, node)
    if not args:
        return
    number = Const(_number_of(args[0]))
    if number.value is not None or _is_numbered(args[0]):
        w.emit(name, Effect.NAME_DEVICE, node, args=(number if number.value is not None else args[0],))


def _is_current(device: object) -> bool:
    """Whether a device is the current one, if it is a GPU at all: ``"cuda"``, or a device made of that."""
    if isinstance(device, Either) and device.local is None:
        return _is_current(device.yes) or _is_current(device.no)
    device = Unknown(device) if isinstance(device, Symbol) else device
    made = device.symbol.whole if isinstance(device, Unknown) else None
    if isinstance(made, Joined):
        return any(map(_is_current, made.ways))
    if isinstance(made, Call) and made.name == DEVICE:
        return len(made.args) == 1 and _is_current(made.args[0])
    return device == Const("cuda")


def _is_numbered(value: Value) -> bool:
    return isinstance(value, PerRank) and all(type(getattr(one, "value", None)) is int for one in value.values)


def _number_of(value: object) -> int | None:
    """The number of a device that is the same on all ranks: ``0``, ``"cuda:0"``, ``torch.device("cuda:0")``."""
    made = value.symbol if isinstance(value, Unknown) else None
    if isinstance(made, Call) and made.name == DEVICE:
        return next((number for part in made.args if (number := _number_of(part)) is not None), None)
    if not isinstance(value, Const):
        return None
    name = _NAME.fullmatch(value.value) if isinstance(value.value, str) else None
    return figures.written(name[1]) if name is not None else value.value if type(value.value) is int else None


def _numbers(text: Value) -> PerRank | None:
    """The numbers of the devices that a text names on the ranks."""
    if not isinstance(text, PerRank):
        return None
    texts = [one.value for one in text.values if isinstance(one, Const) and isinstance(one.value, str)]
    names = [name for name in map(_NAME.fullmatch, texts) if name is not None]
    numbers = tuple(Const(figures.written(name[1])) for name in names)
    return PerRank(numbers, text.trail) if len(names) == len(text.values) else None


def _numbered_kind(text: Value) -> PerRank | None:
    """The numbers in ``f"{kind}:{rank}"``, where the kind of device is not known."""
    pieces = [_pieces(one) for one in text.values] if isinstance(text, PerRank) else []
    numbers = tuple(ends[1] for ends in pieces if len(ends) == 2 and _ends_in_colon(ends[0]) and _is_number(ends[1]))
    return PerRank(numbers, text.trail) if isinstance(text, PerRank) and len(numbers) == len(text.values) else None


def _pieces(text: Value) -> tuple[object, ...]:
    """The last two parts of a text that is put together."""
    made = text.symbol.whole if isinstance(text, Unknown) else None
    last = deque(made.parts if isinstance(made, Text) else (), maxlen=2)
    return tuple(last)


def _ends_in_colon(part: object) -> bool:
    return isinstance(part, Const) and isinstance(part.value, str) and part.value.endswith(":")


def _is_number(part: object) -> TypeGuard[Const]:
    return isinstance(part, Const) and type(part.value) is int


FLAG = "training"
"""What every module of torch has from its beginning, whether or not its ``eval()`` has been called."""


def switched(w: Interp, model: Value, method: str, args: list[Value], node: cst.CSTNode) -> None:
    """Note that ``model`` was set by ``method`` (``train``, ``eval``) whether it is trained; others say nothing."""
    if method not in ("train", "eval"):
        parts.told(w, model, method, args[0] if args else TRUE, node)
        return
    flag = FALSE if method == "eval" else args[0] if args else TRUE
    w.emit(f"torch.nn.Module.{method}", Effect.MODE, node, args=(flag,), receiver=model)
    seen: set[int] = set()
    waiting = [model]
    while waiting and len(seen) < limits.MODEL_PARTS:
        one = waiting.pop()
        if isinstance(one, Instance) and one.id not in seen:
            seen.add(one.id)
            waiting += [value for _, value in w.state.held(one.id)]
            w.state.write((one.id, FLAG), flag)
        else:
            waiting += _parts(w, one)


def _parts(w: Interp, model: Value) -> tuple[Value, ...]:
    """The values among which the modules are that a model other than one of the project is made of."""
    if isinstance(model, Wrapped):
        return (model.inner,)
    if isinstance(model, Container):
        return tuple(containers.items_of(w, model) or ())
    if isinstance(model, Either):
        return (model.yes, model.no)
    return model.args if isinstance(model, Object) and tables.begins("layers", model.name) else ()
