"""The parser of a program's command line, where all of its options are to be seen."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.knowledge import tables
from ddplint.source.ancestry import nodes_of
from ddplint.source.calls import calls_in, last_part, names_called, starred
from ddplint.source.file import SourceFile
from ddplint.source.words import words_of

_PARSER = "argparse.ArgumentParser"
_TAKES = frozenset({"argv", "parse_known_args", "parse_known_intermixed_args"})
"""How a program takes options that its parser does not know, or takes them away before it asks."""


def lone_parse(file: SourceFile) -> cst.Call | None:
    """``parser.parse_args()``: the one call that reads the command line of a program, all options written beside it.

    None where other code gets to see the parser, which may give it more options, or where nobody calls it.
    """
    site = Site(file, file.module)
    calls = list(calls_in(file.module))
    made = [call for call in calls if site.qualified(call.func) == _PARSER]
    parses = [call for call in calls if last_part(call.func) == "parse_args"]
    if len(made) != 1 or len(parses) != 1 or parses[0].args or not _TAKES.isdisjoint(words_of(file)):
        return None
    name = _name_of(file, made[0])
    asked = parses[0].func
    of = asked.value if isinstance(asked, cst.Attribute) else None
    if name is None or not isinstance(of, cst.Name) or of.value != name or not _is_seen_whole(site, name, calls):
        return None
    return parses[0] if _is_run(file, parses[0]) else None


def _name_of(file: SourceFile, made: cst.Call) -> str | None:
    """The variable that a parser is kept in, if it takes over no options of other parsers."""
    kept = file.parents.get(made)
    target = kept.targets[0].target if isinstance(kept, cst.Assign) and len(kept.targets) == 1 else None
    given = {arg.keyword.value for arg in made.args if arg.keyword is not None}
    inherits = starred(made) or "parents" in given
    return target.value if isinstance(target, cst.Name) and not inherits else None


def _is_seen_whole(site: Site, name: str, calls: Iterable[cst.Call]) -> bool:
    """Whether nothing but the file itself adds options to a parser, each under a name that is written out."""
    parents = site.file.parents
    for node in nodes_of(site.file.module, cst.Name):
        if node.value != name:
            continue
        around = parents.get(node)
        if isinstance(around, cst.Attribute) and around.value is node:
            continue
        call = parents.get(around) if isinstance(around, cst.Arg) else None
        adds = isinstance(call, cst.Call) and site.qualified(call.func) in tables.names("adds_own_options")
        if not isinstance(around, cst.AssignTarget) and not adds:
            return False
    return all(_is_written_out(call) for call in calls if last_part(call.func) == "add_argument")


def _is_written_out(call: cst.Call) -> bool:
    flags = [arg.value for arg in call.args if arg.keyword is None]
    return not starred(call) and bool(flags) and all(isinstance(flag, cst.SimpleString) for flag in flags)


def _is_run(file: SourceFile, parse: cst.Call) -> bool:
    """Whether a program comes there: outside of functions, or in one that the file itself calls."""
    inside = [step for step in file.ancestors(parse) if isinstance(step, cst.FunctionDef)]
    return not inside or inside[-1].name.value in names_called(file.module)
