"""What the model inside has, asked of its wrapper, which has nothing of that name: every rank raises there.

``DistributedDataParallel`` passes on no attribute but those of every module. So ``model.save_pretrained(...)`` behind
``model = accelerator.prepare(model)`` works in one process, where nothing is wrapped, and in no run of several. FSDP
and DeepSpeed's engine do pass on what they lack: a file that speaks of them may mean those, unless it writes out which
wrapper it is.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import UNBOUND, Instance, Object, Value, Wrapped
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import WrappedModels
from ddplint.knowledge import tables
from ddplint.source.file import SourceFile
from ddplint.source.words import words_in, words_of
from ddplint.util.kept import kept

_HANDLERS = "kwargs_handlers"
"""The argument by which an accelerator is given the settings of what it wraps with."""


def note(w: Interp, model: Wrapped, name: str, node: cst.CSTNode) -> None:
    """A method of a wrapper is called that the tables do not know: a sign that the program is one process."""
    if name in w.knowledge.quiet("wrapper_methods") or not _lacks(w, model, name) or _may_be_hidden(w, node):
        return
    _asked(w, model, name, node, Effect.BEHIND_WRAPPER if _speaks_of_others(w) else Effect.LACKING)


def read(w: Interp, model: Wrapped, name: str, node: cst.CSTNode) -> None:
    """An attribute of a wrapper is read. What is called is noted by then."""
    known = name in w.knowledge.quiet("wrapper_methods") or name in w.knowledge.quiet("wrapper_attributes")
    if isinstance(node, cst.Attribute) and not known and _lacks(w, model, name) and not _may_be_hidden(w, node):
        _asked(w, model, name, node, Effect.BEHIND_WRAPPER)


def is_plain(w: Interp, maker: Value | None) -> bool:
    """Whether the object that wraps a model was given settings of a wrapper that passes on nothing, and of no other."""
    handlers = dict(maker.kwargs).get(_HANDLERS) if isinstance(maker, Object) else None
    items = containers.items_of(w, handlers) if handlers is not None else None
    return any(isinstance(one, Object) and one.name in tables.names("plain_settings") for one in items or ())


def _asked(w: Interp, model: Wrapped, name: str, node: cst.CSTNode, effect: Effect) -> None:
    """It is asked of the wrapper, if the file says which wrapper that is."""
    if model.api.form == "class" or not _speaks_of_others(w):
        w.emit(f"{model.name}.{name}", effect, node, receiver=model, label=name)


def _lacks(w: Interp, model: Wrapped, name: str) -> bool:
    """Whether it is a wrapper that passes on nothing, around a model that is surely one."""
    plain = model.api.name in tables.names("plain_wrappers") and not model.split
    return (
        plain
        and not name.startswith("_")
        and not isinstance(model.inner, Wrapped)
        and _may_have(w, model.inner, name)
        and model.id not in w.record(WrappedModels).by_name
    )


def _may_have(w: Interp, inner: Value, name: str) -> bool:
    """Whether a model may have an attribute. What its class does not say, nor any base, somebody has set elsewhere."""
    if not isinstance(inner, Instance) or set(classes.external_bases(w, inner.cls)) - tables.names("module_bases"):
        return True
    own = w.state.read((inner.id, name))
    return (own is not None and own is not UNBOUND) or classes.find_in_class(w, inner.cls, name)[0] is not None


def _speaks_of_others(w: Interp) -> bool:
    return any(names_others(frame.module.file) for frame in w.frames)


@kept
def names_others(file: SourceFile) -> bool:
    """Whether a file speaks of wrappers that pass on what they lack."""
    return any(other in word.lower() for word in words_of(file) for other in tables.names("other_wrappers"))


def _may_be_hidden(w: Interp, node: cst.CSTNode) -> bool:
    """Whether a ``try`` that takes errors or a question for the attribute stands around it."""
    for below, step in w.frame.module.file.upward(node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return False
        if isinstance(step, cst.Try) and below is step.body and step.handlers:
            return True
        asked = step.left if isinstance(step, cst.BooleanOperation) else getattr(step, "test", None)
        if asked is not None and asked is not below and any("attr" in word for word in words_in(asked)):
            return True
    return False
