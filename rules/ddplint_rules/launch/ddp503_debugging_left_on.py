"""DDP503 debugging-left-on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.rule import Finding, Place, Rule, Severity

if TYPE_CHECKING:
    from ddplint.rule.launch import LaunchFile


_TRUE = frozenset({"1", "true", "yes", "y", "on", "t"})


class DebuggingLeftOn(Rule):
    """## What it does
    Finds environment variables that a training script sets although they are aids for finding a fault, and that slow
    down or weaken every later run: `CUDA_LAUNCH_BLOCKING=1`, `NCCL_P2P_DISABLE=1`, `NCCL_IB_DISABLE=1`,
    `TORCH_DISTRIBUTED_DEBUG=DETAIL`, `TORCH_NCCL_BLOCKING_WAIT=1`.

    Files for tests, benchmarks, debugging and CI services are left alone, and so are values that are not
    written out and settings that a condition of the program decides about.

    ## Why is this bad
    The message says what each of them costs, from the guides of CUDA, NCCL and PyTorch and the comments in their
    sources: kernels wait for the CPU one by one, traffic leaves the fast path, every collective is checked over a
    second group. With `CUDA_LAUNCH_BLOCKING=1` a step of a small transformer took 187 ms instead of 17 (two ranks on
    one H200, NCCL); the other costs were not measured here. Where hardware needs the setting for good (a machine
    without InfiniBand, GPUs without peer-to-peer access), a suppression comment is the place to say so.

    The settings come from threads in which they cured a machine: chenyilun95/DSGN2#20, deepspeedai/DeepSpeed#4433,
    pytorch/pytorch#76101.

    ## Example
    ```python
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    ```

    ## Use instead
    ```console
    $ CUDA_LAUNCH_BLOCKING=1 torchrun --nproc-per-node 2 train.py    # for the one run that looks for the fault
    ```

    ## Fix safety
    There is no automatic fix: whether the fault is gone is for a person to say.
    """

    code = "DDP503"
    name = "debugging-left-on"
    severity = Severity.ADVICE

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        from ddplint.rule.knowledge import load_knowledge

        rows = load_knowledge().envs()
        for one in file.assignments if not file.trial else ():
            row = rows.get(one.name)
            if row is not None and row.status == "renamed":
                row = rows.get(row.renamed_to)
            if row is None or one.value is None or not _is_costly(one.value, row.costly):
                continue
            if file.kind != "python" or not _is_chosen(one.place):
                # under its new name in any case, so that it stays the same finding when DDP502 renames it
                text = f"{row.name}={one.value} is an aid for debugging, left on: {_within(row.harmful)}"
                remedy = "set it for the single run that looks for the fault"
                yield self.finding(one.place, text, no_fix=remedy)


def _within(sentence: str) -> str:
    """A sentence as a part of another one."""
    first, rest = sentence[:1], sentence[1:].rstrip(".")
    return f"{first.lower() if rest[:1].islower() else first}{rest}"


def _is_chosen(place: Place) -> bool:
    """Whether a condition decides about it, such as an option of the program."""
    import libcst as cst

    return any(isinstance(step, (cst.If, cst.IfExp)) for step in place.file.ancestors(place.node))


def _is_costly(value: str, costly: tuple[str, ...]) -> bool:
    return value.upper() in costly or ("1" in costly and value.lower() in _TRUE)
