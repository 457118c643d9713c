"""Objects that every rank has, known by what their methods do: whoever meets in a method has made the object before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.facts.ranks import multiplicity
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.knowledge import rank_words
from ddplint.source.ancestry import nodes_of, tree_of
from ddplint.source.tree import dotted

_NEUTRAL = frozenset({"staticmethod", "classmethod", "property", "override", "typing.override"})


def is_made(walk: Walk, event: Event, among: Sequence[Walk]) -> bool:
    """Whether every rank comes to an event because it makes an object there whose methods all ranks call together.

    A script makes what it likes: whether several ranks run it is not for the classes to say that it uses. What begins
    the run, or starts the processes, in a method of its own was made before there were ranks. A method that the program
    which makes the object is not seen to call is called by a framework, perhaps on the rank that saves.
    """
    if walk.is_of_a_script or multiplicity.is_apart(walk, event):
        return False
    if any(_is_everywhere(cls, among, event) for cls in _made(event)):
        return True
    if not any(_is_everywhere(cls, among, event, told=False) for cls in walk.lineage[:1]):
        return False
    return not (_is_decorated(walk, event) or walk.elsewhere())


def _is_decorated(walk: Walk, event: Event) -> bool:
    """Whether something has been made of the method that a walk begins with, perhaps what only one rank runs."""
    frame = next((one for one in event.stack if one.function == walk.entry), None)
    tree = tree_of(frame.file.module) if frame is not None else None
    function = tree.function(frame.node) if frame is not None and tree is not None and frame.node in tree else None
    return function is not None and any(dotted(one.decorator) not in _NEUTRAL for one in function.decorators)


def _is_everywhere(cls: cst.ClassDef, among: Sequence[Walk], event: Event, *, told: bool = True) -> bool:
    own = next((walk.lineage for walk in among if walk.lineage and walk.lineage[0] is cls), (cls,))
    above = {id(one) for one in own}
    walks = [
        walk for walk in among if any(one is cls for one in walk.lineage) or above & set(map(id, walk.lineage[:1]))
    ]
    if any(one.effect in (Effect.INIT, Effect.LAUNCH) for walk in walks for one in walk.events):
        return False
    owners = dict.fromkeys(owner for walk in walks for owner in walk.lineage)
    return any(_meets_or_parts(walk, event) for walk in walks) or (told and any(map(_has_told, owners)))


def _made(event: Event) -> Iterator[cst.ClassDef]:
    """The classes whose ``__init__`` leads to an event."""
    for frame in event.stack:
        tree = tree_of(frame.file.module)
        if frame.function.endswith(".__init__") and frame.node in tree:
            owner = next((step for step in tree.ancestors(frame.node) if isinstance(step, cst.ClassDef)), None)
            if owner is not None:
                yield owner


def _meets_or_parts(walk: Walk, event: Event) -> bool:
    """Whether ranks meet or part in a method, in a run in which they may come to the event."""
    return any(uniformity.agree(sign.path, event.together) for sign in multiplicity.signs_of(walk))


@lru_cache(maxsize=256)
def _has_told(cls: cst.ClassDef) -> bool:
    """Whether a method of a class is given, or asks, for the rank and for how many there are."""
    return any(isinstance(item, cst.FunctionDef) and _is_told(item) for item in cls.body.body)


def _is_told(item: cst.FunctionDef) -> bool:
    names = {step.value for step in nodes_of(item, cst.Name)}
    return any(map(rank_words.OWN_NUMBER.fullmatch, names)) and any(map(rank_words.ALL_NUMBERS.fullmatch, names))
