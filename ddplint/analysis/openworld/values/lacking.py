"""Methods of the model inside that are called on its wrapper, which has none of that name: every rank raises there.

``DistributedDataParallel`` passes on no attribute but those of every module. So ``model.save_pretrained(...)`` behind
``model = accelerator.prepare(model)`` works in one process, where nothing is wrapped, and in no run of several. FSDP
and DeepSpeed's engine do pass on what they lack: a file that speaks of them may mean those.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Wrapped
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import WrappedModels
from ddplint.knowledge import tables
from ddplint.source.file import SourceFile
from ddplint.source.words import words_in, words_of
from ddplint.util.kept import kept


def note(w: Interp, model: Wrapped, name: str, node: cst.CSTNode) -> None:
    """A method of a wrapper is called that the tables do not know."""
    if name in w.knowledge.quiet("wrapper_methods") or name.startswith("_"):
        return
    if model.api.name not in tables.names("plain_wrappers") or model.split:
        return
    if model.id in w.record(WrappedModels).by_name:
        return
    if isinstance(model.inner, Wrapped) or any(_speaks_of_others(frame.module.file) for frame in w.frames):
        return
    if _may_be_hidden(w, node):
        return
    w.emit(f"{model.name}.{name}", Effect.LACKING, node, receiver=model, label=name)


@kept
def _speaks_of_others(file: SourceFile) -> bool:
    return any(other in word.lower() for word in words_of(file) for other in tables.names("other_wrappers"))


def _may_be_hidden(w: Interp, node: cst.CSTNode) -> bool:
    """Whether a ``try`` or a question for the attribute stands around the call."""
    for step in w.frame.module.file.ancestors(node):
        if isinstance(step, (cst.FunctionDef, cst.ClassDef)):
            return False
        asked = words_in(step.test) if isinstance(step, cst.If) else ()
        if isinstance(step, cst.Try) or any("attr" in word for word in asked):
            return True
    return False
