"""DDP505 deprecated-launcher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.rule import Because, Finding, Fix, Harm, Place, Rule, Safety, Severity
from ddplint.rule.code import SourceFile
from ddplint_rules.launch._helpers.rank_option import (
    FLAGS,
    FROM_ENVIRONMENT,
    OLD,
    is_started_by_torchrun,
    only_read,
    refused_option,
    unknown_option,
)

if TYPE_CHECKING:
    from ddplint.rule.launch import Launch, LaunchFile


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

    So is a program that a launch file or the documentation starts with DeepSpeed's launcher, whose one parser is seen
    whole and knows neither spelling, unless that launcher is given `--no_local_rank`.

    ## Why is this bad
    torch warns that the module is deprecated and goes on through torchrun. Since torch 2.0 it passes
    `--local-rank`, so that programs that declare only `--local_rank` end with `unrecognized arguments`
    (huggingface/pytorch-image-models#1728, microsoft/LoRA#79). DeepSpeed's launcher passes `--local_rank`
    (deepspeed/launcher/launch.py of 0.16): commits that declared it are yangjianxin1/Firefly@b74150c and
    jingyaogong/minimind@4ef9c41. Under torchrun such a program keeps the option's
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
        asked = file.kind == "python" and any(word in file.file.text for word in (*FLAGS, "ArgumentParser"))
        return asked or any(one.module == OLD for one in file.launches)

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        for one in file.launches:
            if one.module == OLD:
                fix = _fix(one)
                remedy = "" if fix else _remedy(file.file)
                yield self.finding(one.place, f"{OLD} is deprecated in favour of torchrun", fix=fix, no_fix=remedy)
        if file.kind == "python":
            yield from self._of_option(file.file)

    def _of_option(self, file: SourceFile) -> Iterator[Finding]:
        refused = refused_option(file)
        if refused is not None:
            parse, where = refused
            yield self.finding(
                Place(file, parse),
                f"deepspeed ({where}) passes --local_rank, which this program refuses: it does not start",
                severity=Severity.WARNING,
                because=Because.LIBRARY,
                no_fix="declare it: add_argument('--local_rank', type=int, default=-1), or pass --no_local_rank",
                mistake="--local_rank",
            )
        unknown = unknown_option(file)
        if unknown is not None:
            text = f"{OLD} of torch 2 passes --local-rank, which this program refuses: it does not start"
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
        declared = only_read(file)
        if declared is None:
            return
        text, severity = "the local rank comes from an option that torchrun does not pass", self.severity
        if is_started_by_torchrun(file):
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
    if not any(option in FROM_ENVIRONMENT for option in launch.options):
        return None
    new = "torchrun" if launch.plain else "torch.distributed.run"
    return launch.replaced(new, f"Start it with {new}", FROM_ENVIRONMENT, Safety.UNSAFE)
