"""DDP504 variable-set-too-late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.rule import Because, Finding, Note, Place, Rule, Severity
from ddplint.rule.code import Site
from ddplint.rule.knowledge import Env

if TYPE_CHECKING:
    from ddplint.rule.launch import Assignment, LaunchFile


_READERS = frozenset({"torch", "nccl", "cuda"})


class VariableSetTooLate(Rule):
    """## What it does
    Finds environment variables that a Python file sets in its own process after they have been read: those of the
    process group after `init_process_group`, those of CUDA after the device was set or asked about, those of NCCL
    after a collective.

    Only what surely runs before, in the same function, counts. A file that starts processes is left alone: they inherit
    the variable.

    ## Why is this bad
    The setting has no effect, and nothing says so. The libraries read these variables once, when they start; the
    knowledge table says when, from their sources and guides. Seen in NVIDIA/NeMo and volcengine/verl, where
    `CUDA_DEVICE_MAX_CONNECTIONS` was set by a callback or a worker when CUDA was running already; it has to be in the
    environment that the processes start with. What CUDA does with a late value was not measured here.

    It happened in pytorch/pytorch#23544 and open-mmlab/mmdetection3d#1020 with `CUDA_VISIBLE_DEVICES`.

    ## Example
    ```python
    dist.init_process_group("nccl")
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "3"
    ```

    ## Use instead
    ```python
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "3"
    dist.init_process_group("nccl")
    ```

    ## Fix safety
    There is no automatic fix: the value may depend on what comes before it, and a variable that then takes effect
    changes how the program runs.
    """

    code = "DDP504"
    name = "variable-set-too-late"
    severity = Severity.WARNING

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        if file.kind != "python":
            return
        from ddplint.rule.code import Site
        from ddplint.rule.knowledge import load_knowledge
        from ddplint_rules.launch._helpers.env_order import starts_children

        rows = load_knowledge().envs()
        for one in file.assignments:
            row = rows.get(one.name)
            if row is None or one.child or row.rank or row.status == "no_effect" or not _READERS & set(row.reader):
                continue
            site = Site(file.file, one.place.node)
            call = None if starts_children(site) else _reader(site, row)
            if call is not None:
                yield self._found(one, site, call, row)

    def _found(self, one: Assignment, site: Site, call: cst.Call, row: Env) -> Finding:
        text = f"{one.name} is set when it has been read already: {_moment(row)}"
        note = Note("related", Place(site.file, call), "runs before")
        remedy = "set it before, best where the processes are started"
        because = Because.LIBRARY if row.set_before == "cuda_init" else Because.AS_WRITTEN
        return self.finding(one.place, text, notes=(note,), no_fix=remedy, because=because)


def _reader(site: Site, row: Env) -> cst.Call | None:
    """The earlier call by which the variable has been read."""
    from ddplint_rules.launch._helpers.env_order import earlier_calls, initialises_cuda, meets

    for call in earlier_calls(site):
        if row.set_before == "cuda_init" and initialises_cuda(site, call):
            return call
        if row.set_before == "init_process_group" and meets(site, call, "init"):
            return call
        if row.set_before == "first_collective" and meets(site, call, "collective"):
            return call
    return None


def _moment(row: Env) -> str:
    moments = {
        "cuda_init": "CUDA looks at it when it is initialised",
        "init_process_group": "torch looks at it when the process group is made",
        "first_collective": "NCCL looks at it when ranks first communicate",
    }
    return moments[row.set_before]
