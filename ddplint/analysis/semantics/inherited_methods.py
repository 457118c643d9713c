"""Methods that a class of the project has from a library, and that make or run something of the project's."""

from __future__ import annotations

from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import Bound, Class, External, Partial, Unknown, Value
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import tables


def of_class(w: Interp, cls: Class, name: str) -> Value | None:
    """What stands under a name that the classes of the project do not define; None where that is nothing special."""
    return _run_by(w, cls, name) or _parsed_by(w, cls, name)


_RUNS = {(name, "apply"): "forward" for name in tables.names("autograd_functions")}
"""What a class method of a library calls: a method that the project gives the class, with an object of its own first.

From torch/autograd/function.py: ``apply(*args)`` runs ``forward(ctx, *args)``, or without the context where the class
has a ``setup_context``.
"""


def _run_by(w: Interp, cls: Class, name: str) -> Value | None:
    runs = (_RUNS.get((base, name)) for base in classes.external_bases(w, cls))
    method = next((one for one in runs if one is not None), None)
    found, _ = classes.find_in_class(w, cls, method) if method is not None else (None, None)
    if found is None:
        return None
    apart = classes.find_in_class(w, cls, "setup_context")[0] is not None
    return Partial(classes.plain(found), () if apart else (Unknown(fresh("context")),), ())


def _parsed_by(w: Interp, cls: Class, name: str) -> Value | None:
    """A method that a class has from a library, and that makes an object of it of what is parsed."""
    names = (f"{base}.{name}" for base in classes.external_bases(w, cls))
    found = next((one for one in names if w.knowledge.parsed(one) is not None), None)
    return Bound(External(found), cls) if found is not None else None
