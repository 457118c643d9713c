"""DDP308 collective-in-loader-worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import Effect, Effects, Event, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import led_here

_MEETS: Effects = frozenset({Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS})


class CollectiveInLoaderWorker(Rule):
    """## What it does
    Finds collectives (a barrier, an `all_reduce`) in the `__getitem__` or `__iter__` of a data set, in a `collate_fn`
    or a `worker_init_fn`, and in what they call, where a `DataLoader` with `num_workers` above 0 runs them. What is
    behind a test of `get_worker_info()` for the rank's own process is not reported.

    ## Why is this bad
    Workers are processes of their own. They are no members of the group, and nobody waits for them there. Measured with
    two ranks and two workers each on gloo (torch 2.13), an `all_reduce` in `__getitem__`: with forked workers the job
    stood still, long past the group's timeout of 15 seconds, which no watchdog of a forked process looks after; with
    `num_workers=0` it went through, which is how such code comes to look right.

    In meta-pytorch/data#868 and meta-pytorch/data#1117 a data pipe that gathers among the ranks does so in the process
    of the rank, and fails or stands still in a worker.

    ## Example
    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            if not self.is_prepared:
                dist.barrier()
            return self.rows[index]

    loader = DataLoader(Rows(), num_workers=4)
    ```

    ## Use instead
    ```python
    rows = Rows()
    dist.barrier()
    loader = DataLoader(rows, num_workers=4)
    ```

    ## Fix safety
    There is no automatic fix: where the ranks may meet instead is before the loop over the loader, and what they are to
    agree on there is yours to say.
    """

    code = "DDP308"
    name = "collective-in-loader-worker"
    severity = Severity.ERROR
    harm = Harm.HANG

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for event in (one for walk in walks for one in walk.events):
            if _is_in_worker(event):
                yield self.finding(
                    Place.of(event),
                    f"{event.label} in a worker of a loader: workers are not in the group, nobody meets them",
                    notes=tuple(led_here(event)),
                    no_fix="meet before the loop over the loader",
                )


def _is_in_worker(event: Event) -> bool:
    return event.by_worker and event.effect in _MEETS and not event.alone
