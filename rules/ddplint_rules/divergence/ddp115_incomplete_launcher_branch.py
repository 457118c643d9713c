"""DDP115 incomplete-launcher-branch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.rule import Because, Finding, Fix, Harm, Note, Place, Rule, Safety, Severity, Walk
from ddplint.rule.code import Site, SourceFile
from ddplint.rule.fixes import InsertAfter

if TYPE_CHECKING:
    from ddplint_rules.divergence._helpers.launcher_branches import Incomplete


class IncompleteLauncherBranch(Rule):
    """## What it does
    Finds a start of the run with a branch for SLURM or MPI that takes the rank from the scheduler and leaves the number
    of processes as it was (or the reverse), or says 1, while another branch sets both and `init_process_group` takes
    both.

    ## Why is this bad
    What is left is the default of an option, mostly 1. Measured with torch 2.13 on gloo, two processes with the ranks 0
    and 1 and `world_size=1`: rank 0 was alone in a world of its own and went on, as if it were the whole job; rank 1
    raised `rank < size. 1 vs 1` where it came while rank 0 was there, else it waited until its time limit. With the
    number from the scheduler and rank 0 on both, the second could not listen on the port, and the first waited for
    `1/2 clients` until its time limit.

    The branch comes with copies of DETR's `init_distributed_mode`, whose number of processes submitit sets: it is
    advice, because another file may do that here, too, and a file that speaks of submitit is left alone.

    NVlabs/Long-RL#20 is such a start: under SLURM it had no number of processes.

    ## Example
    ```python
    if "RANK" in os.environ:
        args.rank, args.world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    elif "SLURM_PROCID" in os.environ:
        args.rank = int(os.environ["SLURM_PROCID"])
    dist.init_process_group("nccl", rank=args.rank, world_size=args.world_size)
    ```

    ## Use instead
    ```python
    if "RANK" in os.environ:
        args.rank, args.world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    elif "SLURM_PROCID" in os.environ:
        args.rank = int(os.environ["SLURM_PROCID"])
        args.world_size = int(os.environ["SLURM_NTASKS"])
    dist.init_process_group("nccl", rank=args.rank, world_size=args.world_size)
    ```

    ## Fix safety
    Unsafe: a job that is given the number as an option as well then takes that of the scheduler.
    """

    code = "DDP115"
    name = "incomplete-launcher-branch"
    severity = Severity.ADVICE
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.divergence._helpers.launcher_branches import incomplete_branches

        for walk in walks[:1]:
            for found in incomplete_branches(walk.file):
                what, other = ("rank", "number of processes") if found.size else ("number of processes", "rank")
                source = "says that there is one process" if found.alone else f"the {other} from nowhere"
                yield self.finding(
                    Place(walk.file, found.given),
                    f"this branch takes the {what} from {found.variable}, and {source}",
                    because=Because.NOT_WALKED,
                    notes=(
                        Note("related", Place(walk.file, found.complete), "this branch sets both"),
                        Note("related", Place(walk.file, found.init), "both are taken here"),
                    ),
                    fix=None if found.alone else _fix(walk.file, found),
                )


def _fix(file: SourceFile, found: Incomplete) -> Fix:
    from ddplint_rules.divergence._helpers.launcher_branches import SIZES

    names = SIZES if found.size else {size: rank for rank, size in SIZES.items()} | {"SLURM_NPROCS": "SLURM_PROCID"}
    value = cst.parse_expression(f'int(os.environ["{names[found.variable]}"])')
    if isinstance(found.given.targets[0].target, cst.Subscript):
        value = cst.parse_expression(f'os.environ["{names[found.variable]}"]')
    line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(found.missing)], value)])
    site = Site(file, found.given)
    return Fix(f"Read {names[found.variable]}, too", Safety.UNSAFE, (InsertAfter(file, site.statement, (line,)),))
