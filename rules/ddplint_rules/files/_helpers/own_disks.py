"""Whether nodes share a disk, as far as paths, options and what they say in their help tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Effect, Event, Value, Walk, terms
from ddplint.rule.code import SourceFile, called, calls_in
from ddplint.rule.facts import paths, uniformity

_NODE_DISKS = ("/tmp", "/dev/shm", "/scratch", "/local", "/var/tmp", "/raid", "/mnt/local", "/localdisk")
"""Where nodes commonly keep what is theirs alone."""

_NODE_VARIABLES = re.compile(r"TMPDIR|JOBFS|LOCAL_?SCRATCH|LSCRATCH|^TE?MP$")
_ON_NODE = re.compile(r"(each|per|every|local)_?node|node_?local|local_?(storage|disk|fs)|(storage|disk|fs)_?local")
"""Names of options that say where the files are: every node has its own."""

_SHARED_DISK = re.compile(
    r"(shared|network|global)_?(fs|file_?system|storage|disk)|is_nfs|(fs|storage|disk)_(is_)?shared"
)

_LOCAL = re.compile(
    r"local (?:storage|disks?|ssd|drive|scratch|to (?:a|each|the) node)|node.local"
    r"|(?:each|every|per|one) node|on the node|not (?:on )?(?:a )?shared|scratch (?:space|disk|folder|directory)",
    re.IGNORECASE,
)


def is_shared(walk: Walk, event: Event) -> bool:
    """Whether nodes would do this to one and the same path."""
    writers = walk.writers(event)
    if writers.are_chosen_by_the_call or writers.tolerate_each_other or event.depends_on_a_part:
        return False
    if walk.under_lock(event) or writers.append:
        return False
    if not (walk.run_together(event) or walk.asks_beside(event)) or _says_own_disks(event):
        return False
    if event.effect == Effect.TRACKER:
        return all(map(uniformity.same_for_all, (*event.args, *event.kwargs.values())))
    listed = writers.listings
    if listed:
        return not any(path is not None and _is_on_node(path) for path in (one.details["path"] for one in listed))
    target = event.target
    if target is None or _is_on_node(target) or writers.may_differ_by_caller:
        return False
    return uniformity.same_for_all(target) and not _says_option(walk, event)


def _is_on_node(target: Value) -> bool:
    """Whether a path begins in a folder that each node has for itself."""
    first = next(iter(paths.pieces(target)), "")
    if isinstance(first, str):
        return first.startswith(_NODE_DISKS)
    return isinstance(first, terms.Environment) and _NODE_VARIABLES.search(first.name) is not None


def _says_own_disks(event: Event) -> bool:
    """Whether an option that is on says so; what is renamed or linked where it is off must be there once only.

    An option for a shared disk that is off says so too.
    """
    if any(uniformity.mentions(what.whole, _SHARED_DISK) and not known for what, known in event.path.items()):
        return True
    asked = [known for what, known in event.path.items() if uniformity.mentions(what.whole, _ON_NODE)]
    return any(asked) or (bool(asked) and event.effect not in (Effect.MOVE, Effect.LINK))


def _says_option(walk: Walk, event: Event) -> bool:
    """Whether the option that a path begins with says so, in the program or where the file is written."""
    target = event.target
    names = set(_options(target)) if target is not None else set()
    around = {id(file): file for file in (walk.file, event.file, *(frame.file for frame in event.stack))}
    return any(_is_local(call) for file in around.values() for call in _added(file, names))


def _options(target: Value) -> Iterator[str]:
    """The attributes that the first piece of a path was read from: ``args.output``."""
    first = next(iter(paths.pieces(target)), None)
    stack = [first]
    while stack:
        part = stack.pop()
        term = terms.term_of(part)
        if term is None:
            continue
        made = term.whole
        if isinstance(made, terms.Attr) and isinstance(made.name, str):
            yield made.name
        else:
            stack.extend(made.parts)


def _added(file: SourceFile, names: set[str]) -> Iterator[cst.Call]:
    """The calls ``add_argument("--name", ...)`` for these names."""
    if not names or "add_argument" not in file.text or not any(name in file.text for name in names):
        return
    for call in calls_in(file.module):
        if called(call).endswith(".add_argument") and _name_of(call) in names:
            yield call


def _name_of(call: cst.Call) -> str:
    flags = [_text(arg.value) for arg in call.args if arg.keyword is None]
    dest = next((_text(arg.value) for arg in call.args if arg.keyword and arg.keyword.value == "dest"), "")
    return dest or max(flags, key=len, default="").lstrip("-").replace("-", "_")


def _is_local(call: cst.Call) -> bool:
    given = {arg.keyword.value: _text(arg.value) for arg in call.args if arg.keyword is not None}
    return given.get("default", "").startswith(_NODE_DISKS) or _LOCAL.search(given.get("help", "")) is not None


def _text(node: cst.BaseExpression) -> str:
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        value = node.evaluated_value
        return value if isinstance(value, str) else ""
    return ""
