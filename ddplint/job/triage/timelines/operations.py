"""What a wait is in the program, in field terms."""

from __future__ import annotations

from ddplint.job.triage.facts import Wait

_BUCKET = 25 * 1024 * 1024 // 4
_NAMES = {
    "allreduce": "all-reduce",
    "allgather": "all-gather",
    "reducescatter": "reduce-scatter",
    "alltoall": "all-to-all",
}


def elements(number: int) -> str:
    return "1 element" if number == 1 else f"{number:,} elements"


def operation(wait: Wait) -> str:
    """What a wait is in the program: a barrier, a bucket of gradients."""
    op = wait.op.replace("_", "-").lower().strip("-")
    name = _NAMES.get(op.replace("-", "").removesuffix("base"), op)
    if op == "store":
        return f"a wait for the other ranks' entry {wait.group} in the store (new_group, or a group being set up)"
    if name == "all-reduce" and wait.elements == 1:
        return "an all-reduce of one element: a barrier, or a scalar (a loss, a flag) being reduced"
    if name == "all-reduce" and wait.elements and wait.elements > 1024:
        size = f"{wait.elements:,} elements, {wait.elements * 4 / 2**20:,.1f} MiB if float32"
        if wait.elements > 4 * _BUCKET:
            what = "one huge parameter, a flat gradient, or a bucket of ZeRO (500,000,000 elements unless configured)"
            return f"an all-reduce of {size}: more than a DDP bucket of 25 MiB; {what}"
        return f"an all-reduce of {size}: a bucket of gradients (DDP fills buckets up to about 25 MiB)"
    if name and wait.elements is not None:
        return f"{name} of {elements(wait.elements)}"
    return name
