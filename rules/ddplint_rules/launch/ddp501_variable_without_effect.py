"""DDP501 variable-without-effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.rule import Finding, Rule, Severity
from ddplint.rule.knowledge import Env

if TYPE_CHECKING:
    from ddplint.rule.launch import Assignment, LaunchFile


class VariableWithoutEffect(Rule):
    """## What it does
    Finds environment variables that are set although nothing reads them: `NCCL_TIMEOUT`, `TORCH_DIST_TIMEOUT`,
    `NCCL_TREE_THRESHOLD` and the like, in Python, shell and SLURM scripts, Dockerfiles, and YAML (compose, Kubernetes,
    SkyPilot, CI).

    A variable that a file of the project reads itself is not reported.

    ## Why is this bad
    The run goes on with the defaults while its authors believe otherwise. Measured with torch 2.13 on gloo:
    `NCCL_TIMEOUT=2 TORCH_DIST_TIMEOUT=2` left a timeout of 6 s at 6.0 s. The names are neither in the libraries of
    torch 2.13 nor in NCCL 2.29.7 and 2.30. `TORCH_NCCL_AVOID_RECORD_STREAMS` only makes torch 2.13 warn that what it
    asked for is the default now (pytorch/torchtitan took it out for that reason).

    It happened in agiresearch/InstructGLM#3, where `NCCL_CHECKS_DISABLE` and `NCCL_LL_THRESHOLD` were set against a
    hang.

    ## Example
    ```python
    os.environ["NCCL_TIMEOUT"] = "3600"
    dist.init_process_group("nccl")
    ```

    ## Use instead
    ```python
    dist.init_process_group("nccl", timeout=timedelta(hours=1))
    ```

    ## Fix safety
    There is no automatic fix: the message names what does the job, and the value may have to change with it.
    """

    code = "DDP501"
    name = "variable-without-effect"
    severity = Severity.ADVICE
    looks_around = True

    def looks_around_for(self, file: LaunchFile) -> bool:
        return any(True for _ in _in_question(file))

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        from ddplint.rule.launch import is_read

        for one, row in _in_question(file):
            if is_read(one.name, file.file):
                continue
            if row.status == "no_effect" and row.reader == ("nobody",):
                text = f"nothing reads {one.name}: setting it has no effect"
            else:
                text = f"{one.name} has no effect any more (checked with torch 2.13)"
            yield self.finding(
                one.place, text, no_fix=f"what does the job is {row.instead}" if row.instead else "take it out"
            )


def _in_question(file: LaunchFile) -> Iterator[tuple[Assignment, Env]]:
    """What is set there, unless the project reads it itself, without effect."""
    from ddplint.rule.knowledge import load_knowledge

    rows = load_knowledge().envs()
    for one in file.assignments:
        row = rows.get(one.name)
        if row is not None and row.status in ("no_effect", "removed"):
            yield one, row
