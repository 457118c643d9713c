"""DDP505 deprecated-launcher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.rule import Because, Finding, Fix, Harm, Place, Rule, Safety, Severity
from ddplint.rule.code import nodes_of

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.rule.code import SourceFile
    from ddplint.rule.launch import Launch, LaunchFile


_OLD = "torch.distributed.launch"
_FROM_ENVIRONMENT = ("--use_env", "--use-env")
_KNOWN, _HANDED_OVER = "--local_rank", "--local-rank"
_FLAGS = frozenset({_KNOWN, _HANDED_OVER})
_RENAMED_IN = (2, 0)
"""The version of torch from which on the launcher passes the other spelling."""


class DeprecatedLauncher(Rule):
    """## What it does
    Finds `python -m torch.distributed.launch` in launch files, and Python programs that know their local rank only
    from an option `--local_rank`, which only that launcher passes.

    Where a launch file of the project starts a program with that launcher, and the program's parser knows
    `--local_rank` only, it is reported there as a warning, since it does not start with torch 2, which passes
    `--local-rank`, unless what the project demands (requirements, conda, pyproject.toml) leaves torch 2 out.
    Otherwise a program that reads the variable `LOCAL_RANK` (or another one of the number on the node), itself or
    in a module that it imports, sets the option itself, or uses DeepSpeed, whose launcher passes it, too, is not
    reported. Where a launch file starts the program with torchrun, and gives it no such option, that is a warning.

    ## Why is this bad
    torch warns that the module is deprecated and goes on through torchrun. Since torch 2.0 it passes
    `--local-rank`, so that programs that declare only `--local_rank` end with `unrecognized arguments`
    (huggingface/pytorch-image-models#1728, microsoft/LoRA#79). Under torchrun such a program keeps the option's
    default: every process takes itself for the same local rank, or trains alone.

    ## Example
    ```console
    $ python -m torch.distributed.launch --use_env --nproc_per_node=2 train.py
    ```

    ## Use instead
    ```console
    $ torchrun --nproc_per_node=2 train.py
    ```

    ## Fix safety
    Unsafe: `torchrun` must be the one of the same environment, and restarts and log files are those of torchrun. With
    `--use_env` the program reads `LOCAL_RANK` already; without it there is no automatic fix, since the program would no
    longer get its option.
    """

    code = "DDP505"
    name = "deprecated-launcher"
    severity = Severity.ADVICE
    otherwise = "A warning where the program would not start, and where it is started by torchrun here."
    harm = Harm.CRASH
    looks_around = True

    def looks_around_for(self, file: LaunchFile) -> bool:
        asked = file.kind == "python" and any(flag in file.file.text for flag in _FLAGS)
        return asked or any(one.module == _OLD for one in file.launches)

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        for one in file.launches:
            if one.module == _OLD:
                fix = _fix(one)
                remedy = "" if fix else _remedy(file.file)
                yield self.finding(one.place, f"{_OLD} is deprecated in favour of torchrun", fix=fix, no_fix=remedy)
        if file.kind == "python":
            yield from self._of_option(file.file)

    def _of_option(self, file: SourceFile) -> Iterator[Finding]:
        unknown = _unknown_option(file)
        if unknown is not None:
            text = f"{_OLD} of torch 2 passes --local-rank, which this program refuses: it does not start"
            remedy = "declare it as well: add_argument('--local_rank', '--local-rank', ...), or start it with torchrun"
            yield self.finding(
                Place(file, unknown),
                text,
                severity=Severity.WARNING,
                because=Because.LIBRARY,
                no_fix=remedy,
                mistake="--local_rank",
            )
            return
        declared = _declared(file)
        if declared is None:
            return
        text, severity = "the local rank comes from an option that torchrun does not pass", self.severity
        if _is_started_by_torchrun(file):
            text, severity = f"{text}: every process that it starts here takes the default", Severity.WARNING
        yield self.finding(
            Place(file, declared),
            text,
            severity=severity,
            because=Because.NAMED_SO,
            no_fix='read it from the environment: int(os.environ["LOCAL_RANK"])',
        )


def _remedy(file: SourceFile) -> str:
    from ddplint.rule.launch import is_read

    if is_read("LOCAL_RANK", file):
        return "start it with torchrun: it sets LOCAL_RANK, which the project reads, and passes no --local-rank"
    return "start it with torchrun, under which the program must read LOCAL_RANK"


def _fix(launch: Launch) -> Fix | None:
    if not any(option in _FROM_ENVIRONMENT for option in launch.options):
        return None
    new = "torchrun" if launch.plain else "torch.distributed.run"
    return launch.replaced(new, f"Start it with {new}", _FROM_ENVIRONMENT, Safety.UNSAFE)


def _unknown_option(file: SourceFile) -> cst.Call | None:
    """``add_argument("--local_rank")``, if the launcher passes the other spelling, which the parser refuses."""
    if _KNOWN not in file.text or _HANDED_OVER in file.text or "parse_known_args" in file.text:
        return None
    from ddplint.rule.launch import excluded, is_started

    if excluded(file.real_path, "torch", _RENAMED_IN):
        return None

    declared = [call for call in _calls(file) if _is_declaration(call)]
    return declared[0] if len(declared) == 1 and is_started(file, _OLD, _FROM_ENVIRONMENT) else None


def _declared(file: SourceFile) -> cst.Call | None:
    """``add_argument("--local_rank")`` of a program that makes a process group and only ever reads the option."""
    import libcst as cst

    from ddplint.rule.code import Site
    from ddplint.rule.launch import beside

    declared = [call for call in _calls(file) if _is_declaration(call)]
    if len(declared) != 1 or _may_know(file):
        return None
    helpers = list(beside(file))
    if any(map(_may_know, helpers)) or not any(map(_makes_group, (file, *helpers))):
        return None
    site = Site(file, declared[0])
    uses = [node for node in nodes_of(file.module, cst.Attribute) if node.attr.value == "local_rank"]
    written = any(isinstance(site.file.parents.get(node), (cst.AssignTarget, cst.AnnAssign)) for node in uses)
    return declared[0] if uses and not written else None


def _makes_group(file: SourceFile) -> bool:
    from ddplint.rule.code import Site, SourceError

    try:
        site = Site(file, file.module)
        rows = (site.known(call.func) for call in _calls(file))
        return any(row is not None and row.kind == "init" for row in rows)
    except SourceError:
        return False


def _may_know(file: SourceFile) -> bool:
    """Whether a file may find out its number on the node otherwise: from a variable, or from DeepSpeed's launcher."""
    from ddplint.rule.knowledge import load_knowledge
    from ddplint.rule.launch import reads

    local = (row.name for row in load_knowledge().envs().values() if row.rank == "local")
    return b"deepspeed" in file.data.lower() or any(reads(name, file) for name in local)


def _is_started_by_torchrun(file: SourceFile) -> bool:
    from ddplint.rule.launch import is_started

    return any(is_started(file, one, tuple(_FLAGS)) for one in ("torchrun", "torch.distributed.run"))


def _calls(file: SourceFile) -> list[cst.Call]:
    import libcst as cst

    from ddplint.rule.code import descend

    return [node for node in descend(file.module) if type(node) is cst.Call]


def _is_declaration(call: cst.Call) -> bool:
    import libcst as cst

    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "add_argument":
        return False
    words = [arg.value.evaluated_value for arg in call.args if isinstance(arg.value, cst.SimpleString)]
    return any(word in _FLAGS for word in words)
