"""The option by which the old launcher passes the local rank: who declares it, and who knows the rank otherwise."""

from __future__ import annotations

import libcst as cst

from ddplint.rule.code import Site, SourceError, SourceFile, calls_in, nodes_of
from ddplint.rule.knowledge import load_knowledge

OLD = "torch.distributed.launch"
FROM_ENVIRONMENT = ("--use_env", "--use-env")
_KNOWN, _HANDED_OVER = "--local_rank", "--local-rank"
_DEEPSPEED, _WITHOUT = "deepspeed", frozenset({"--no_local_rank", "--launcher", "--elastic_training"})
"""The launcher that passes ``--local_rank``, unless it is asked not to, or to have another one start the processes."""
FLAGS = frozenset({_KNOWN, _HANDED_OVER})
_RENAMED_IN = (2, 0)
"""The version of torch from which on the launcher passes the other spelling."""


def unknown_option(file: SourceFile) -> cst.Call | None:
    """``add_argument("--local_rank")``, if the launcher passes the other spelling, which the parser refuses."""
    from ddplint.rule.launch import excluded, is_started

    if _KNOWN not in file.text or _HANDED_OVER in file.text or "parse_known_args" in file.text:
        return None
    if excluded(file.real_path, "torch", _RENAMED_IN):
        return None
    declared = _declaration(file)
    return declared if declared is not None and is_started(file, OLD, FROM_ENVIRONMENT) else None


def refused_option(file: SourceFile) -> tuple[cst.Call, str] | None:
    """Where a program reads a command line in which DeepSpeed's launcher puts an option that its parser refuses.

    And the file that starts it so.
    """
    from ddplint.rule.launch import lone_parse, passing_starts

    if "ArgumentParser" not in file.text or any(flag.lstrip("-") in file.text for flag in FLAGS):
        return None
    starts = passing_starts(file, _DEEPSPEED, _WITHOUT)
    parse = lone_parse(file) if starts else None
    return (parse, f"{starts[0].path}:{starts[0].line}") if parse is not None else None


def only_read(file: SourceFile) -> cst.Call | None:
    """``add_argument("--local_rank")`` of a program that makes a process group and only ever reads the option."""
    from ddplint.rule.launch import beside

    declared = _declaration(file)
    if declared is None or _may_know(file):
        return None
    helpers = list(beside(file))
    if any(map(_may_know, helpers)) or not any(map(_makes_group, (file, *helpers))):
        return None
    uses = [node for node in nodes_of(file.module, cst.Attribute) if node.attr.value == "local_rank"]
    written = any(isinstance(file.parents.get(node), (cst.AssignTarget, cst.AnnAssign)) for node in uses)
    return declared if uses and not written else None


def is_started_by_torchrun(file: SourceFile) -> bool:
    """Whether a launch line near a file starts it with the launcher that passes no option."""
    from ddplint.rule.launch import is_started

    return any(is_started(file, one, tuple(FLAGS)) for one in ("torchrun", "torch.distributed.run"))


def _declaration(file: SourceFile) -> cst.Call | None:
    """The one declaration of the option in a file."""
    declared = [call for call in calls_in(file.module) if _declares(call)]
    return declared[0] if len(declared) == 1 else None


def _declares(call: cst.Call) -> bool:
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "add_argument":
        return False
    words = [arg.value.evaluated_value for arg in call.args if isinstance(arg.value, cst.SimpleString)]
    return any(word in FLAGS for word in words)


def _makes_group(file: SourceFile) -> bool:
    try:
        site = Site(file, file.module)
        rows = (site.known(call.func) for call in calls_in(file.module))
        return any(row is not None and row.kind == "init" for row in rows)
    except SourceError:
        return False


def _may_know(file: SourceFile) -> bool:
    """Whether a file may find out its number on the node otherwise: from a variable, or from DeepSpeed's launcher."""
    from ddplint.rule.launch import reads

    local = (row.name for row in load_knowledge().envs().values() if row.rank == "local")
    return b"deepspeed" in file.data.lower() or any(reads(name, file) for name in local)
