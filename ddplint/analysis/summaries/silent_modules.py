"""Helper modules that say nothing of other ranks.

Of these only what touches files, takes long, looks up a variable of the environment for its caller, draws a name,
computes a gradient or makes a loader for it, yields what it is given again and again, or counts up to a limit of its
own, averages, or calls what it is given, is walked.

Of such a walk the events are kept. Where a helper raises is not, as of any other code that speaks to no rank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.values import External, Object, Value
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp
    from ddplint.project.modules import Module
    from ddplint.source.file import SourceFile


_NAME = re.compile(r"[A-Za-z_]\w*")
_LOOKS_UP = re.compile(rb"\b(?:getenv\s*\(|environ\s*(?:\.\s*get\s*\(|\[))\s*[A-Za-z_]")
"""A variable of the environment whose name is not written there: it may be that of the rank."""
_GOES_ON = re.compile(rb"(?s)\b(?:while\s+(?:True|1)\s*:|in\s+(?:itertools\s*\.\s*)?count\s*\().{0,600}?\byield\b")
"""A generator without an end: what it hands out comes again."""
_DRAWS_NAME = re.compile(rb"\b(?:strftime|uuid[14]|mkdtemp|mktemp|token_hex)\s*\(")
"""A name that each rank draws for itself: from the clock, or by chance."""
_COUNTS_TO = re.compile(rb"(?s)\bself\s*\.\s*\w+\s*\+=.{0,800}?\bself\s*\.\s*\w+\s*(?:[<>]=?|==)\s*self\s*\.\s*\w+")
"""An object that counts, and holds its count against a limit of its own: it says when to stop."""
_AVERAGES = re.compile(rb"(?s)\bself\.\w+\s*\+=.{0,300}?(?:=|return)\s*self\.\w+\s*/\s*(?:max\(\s*)?self\.\w+")
"""An object that sums up what it is given, and gives the mean of it."""
_CALLS_GIVEN = re.compile(
    rb"(?sm)^def\s+\w+\s*\([^()]*?\b(\w+)\b[^()]*\)[^:\n]*:(?:(?!\bdef\b).){0,900}?"
    rb"^\s+(?:[\w, ]+=\s*|return\s+)?\1\s*\(\s*\)"
)
"""A function that calls what it is given, as it is: what that does with other ranks happens there."""
_OWN_SIGNS = (_LOOKS_UP, _GOES_ON, _DRAWS_NAME, _COUNTS_TO, _AVERAGES, _CALLS_GIVEN)


@dataclass(slots=True)
class SilentModules(Record):
    """Modules without a word of ranks: ``keys`` of those that are walked quietly, ``plain`` by name."""

    life = Life.FILE
    keys: set[int] = field(default_factory=set)
    plain: dict[str, Module] = field(default_factory=dict)


def is_worth_it(w: Interp, module: Module) -> bool:
    """Whether anything in a helper module matters to a walk: while it takes minutes, other ranks wait."""
    known = w.knowledge
    signs = (known.touches(), known.learns(), known.lasts(), *_OWN_SIGNS)
    return any(module.file.mentions(sign) for sign in signs)


def keep_those_that_work(w: Interp, module: Module, tree: cst.Module) -> None:
    """Take all functions and classes of a loaded module for outside ones, but those that matter.

    Parameters: ``tree``, the module, whose body has been run in its scope.
    """
    w.record(SilentModules).keys.add(module.key)
    if module.idle is None:
        module.idle = _idle(w, module, tree)
    for name in module.idle:
        w.state.write((module.scope, name), External(f"{module.name}.{name}"))


def is_function(w: Interp, name: str) -> bool:
    """Whether a name of a helper module that nobody walked is a function's, whatever it is spelt like."""
    source, _, own = name.rpartition(".")
    module = w.record(SilentModules).plain.get(source)
    tree = module.tree() if module is not None else None
    return tree is not None and any(isinstance(one, cst.FunctionDef) and one.name.value == own for one in tree.body)


def class_of(w: Interp, made: Value | None) -> tuple[SourceFile, cst.ClassDef] | None:
    """The class of a helper module that an object was made from, or that a name means, though nobody walked it."""
    if not isinstance(made, (External, Object)):
        return None
    source, _, name = made.name.rpartition(".")
    module = w.record(SilentModules).plain.get(source)
    tree = module.tree() if module is not None else None
    found = (one for one in tree.body if isinstance(one, cst.ClassDef) and one.name.value == name) if tree else ()
    return next(((module.file, one) for one in found if module is not None), None)


def _idle(w: Interp, module: Module, tree: cst.Module) -> frozenset[str]:
    own = [one for one in tree.body if isinstance(one, (cst.FunctionDef, cst.ClassDef))]
    texts = {one.name.value: tree.code_for_node(one) for one in own}
    lasts = module.file.mentions(w.knowledge.lasts())
    signs = (w.knowledge.works() if lasts else w.knowledge.touches(), w.knowledge.learns(), *_OWN_SIGNS)
    return frozenset(texts.keys() - _mattering(texts, signs))


def _mattering(texts: dict[str, str], signs: Sequence[re.Pattern[bytes]]) -> set[str]:
    """The names whose text has a sign of work that counts, or the name of another one that has."""
    words = {name: set(_NAME.findall(text)) & texts.keys() for name, text in texts.items()}
    coded = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    found = {name for name, text in coded.items() if any(sign.search(text) for sign in signs)}
    while more := {name for name, used in words.items() if name not in found and used & found}:
        found |= more
    return found
