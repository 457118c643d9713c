"""Copies of an object with some attributes changed, as ``dataclasses.replace`` makes them."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Instance, Value
from ddplint.analysis.memory.protocol import Interp

COPYING = ("copy.replace", "dataclasses.replace", "attr.evolve", "attrs.evolve")
"""Functions that give another object of the class, with some attributes changed."""


def changed_copy(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``dataclasses.replace(options, save=True)``: another object of the class; the one that was copied stays as it is.

    None where it is no object of a class of the project.
    """
    given = w.state.narrow(args[0]) if args else None
    if not isinstance(given, Instance):
        return None
    made = w.instance(given.cls)
    for name, value in (*w.state.held(given.id), *kwargs.items()):
        w.state.write((made.id, name), value)
    return made
