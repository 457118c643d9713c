"""``model.eval()`` and ``model.train()``: what ``self.training`` is afterwards, in a model and all of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import FALSE, TRUE, Container, Either, Instance, Object, Value, Wrapped
from ddplint.analysis.semantics import calls

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

FLAG = "training"
"""What every module of torch has from its beginning, whether or not its ``eval()`` has been called."""
_MAX_PARTS = 100


def switched(w: Walker, model: Value, method: str, args: list[Value]) -> None:
    """Note that ``model`` was told by ``method`` (``train``, ``eval``) whether it is trained; others say nothing."""
    if method not in ("train", "eval"):
        return
    flag = FALSE if method == "eval" else args[0] if args else TRUE
    seen: set[int] = set()
    waiting = [model]
    while waiting and len(seen) < _MAX_PARTS:
        one = waiting.pop()
        if isinstance(one, Instance) and one.id not in seen:
            seen.add(one.id)
            waiting += [value for _, value in w.state.held(one.id)]
            w.state.write((one.id, FLAG), flag)
        else:
            waiting += _parts(w, one)


def _parts(w: Walker, model: Value) -> tuple[Value, ...]:
    """The values among which the modules are that a model other than one of the project is made of."""
    if isinstance(model, Wrapped):
        return (model.inner,)
    if isinstance(model, Container):
        return tuple(calls.items_of(w, model) or ())
    if isinstance(model, Either):
        return (model.yes, model.no)
    return model.args if isinstance(model, Object) and model.name.startswith("torch.nn.") else ()
