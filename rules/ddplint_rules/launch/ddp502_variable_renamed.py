"""DDP502 variable-renamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.rule import Finding, Rule, Safety, Severity
from ddplint.rule.knowledge import Env

if TYPE_CHECKING:
    from ddplint.rule.launch import Assignment, LaunchFile


_COMMUNICATION = "init_process_group"


class VariableRenamed(Rule):
    """## What it does
    Finds environment variables of the process group that are set under their old names: `NCCL_BLOCKING_WAIT`,
    `NCCL_ASYNC_ERROR_HANDLING`, `TORCH_NCCL_TRACE_BUFFER_SIZE`.

    A file that sets both names, to serve old and new versions of torch, is not reported.

    ## Why is this bad
    torch still reads the old names but warns (`Environment variable TORCH_NCCL_TRACE_BUFFER_SIZE is deprecated; use
    TORCH_FR_BUFFER_SIZE instead`, seen with torch 2.13; the `NCCL_` names came with torch 2.2 under `TORCH_NCCL_`).
    They look like settings of NCCL, which never read them, and where somebody else sets the new name, that one wins.

    It happened in ray-project/ray#47286, NVIDIA/physicsnemo#568 and goodfire-ai/spd#250.

    ## Example
    ```python
    os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "1"
    ```

    ## Use instead
    ```python
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1"
    ```

    ## Fix safety
    Safe: torch reads the same value under the new name. Versions before 2.2 do not know it. There is no automatic fix
    where the project itself reads the old name.
    """

    code = "DDP502"
    name = "variable-renamed"
    severity = Severity.WARNING
    looks_around = True

    def looks_around_for(self, file: LaunchFile) -> bool:
        return any(True for _ in _in_question(file))

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        from ddplint.rule.launch import is_read

        for one, row in _in_question(file):
            text = f"{one.name} is the old name of {row.renamed_to}"
            if is_read(one.name, file.file):
                yield self.finding(one.place, text, no_fix="rename it where the project reads it, too")
            else:
                fix = one.renamed(row.renamed_to, f"Rename it to {row.renamed_to}", Safety.SAFE)
                yield self.finding(one.place, text, fix=fix, mistake=one.name)


def _in_question(file: LaunchFile) -> Iterator[tuple[Assignment, Env]]:
    """What is set under an old name, and not under the new one."""
    from ddplint.rule.knowledge import load_knowledge

    rows = load_knowledge().envs()
    names = {one.name for one in file.assignments}
    for one in file.assignments:
        row = rows.get(one.name)
        if row is None or row.status != "renamed" or row.set_before != _COMMUNICATION or row.renamed_to in names:
            continue
        yield one, row
