"""DDP609 replicas-of-one-process."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class ReplicasOfOneProcess(Rule):
    """## What it does
    Finds `torch.nn.DataParallel` around a model that each of several processes trains, in a program which has made
    a process group by then. Also a model that is trained on the shares of a shuffling `DistributedSampler`, and that
    nothing wraps.

    Programs that exchange gradients or weights by themselves, that make no group where they spread a model this way,
    and those in which each rank keeps its model in a file of its own are not reported.

    ## Why is this bad
    `DataParallel` spreads a batch over the GPUs of one process and knows of no other process. Each rank trains a model
    of its own, and with the default `device_ids` each does so on every GPU of its machine. Nothing is raised. Measured
    on gloo with two processes and torch 2.13, four steps from the same weights: their sums were 2.1782 and 2.9018;
    with `DistributedDataParallel` 2.5583 on both. Without any wrapper, on the shares of a sampler: 1.7411 and 2.2071,
    and 1.9771 on both.

    No public thread was found.

    ## Example
    ```python
    dist.init_process_group("nccl")
    model = nn.DataParallel(model.cuda(), device_ids=[local_rank])
    ```

    ## Use instead
    ```python
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model.cuda(), device_ids=[local_rank])
    ```

    ## Fix safety
    There is no automatic fix: the other wrapper asks for the device of each process, and wants every parameter used.
    """

    code = "DDP609"
    name = "replicas-of-one-process"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.own_replicas import own_replicas

        yield from self._never_wrapped(walk)
        for found in own_replicas(walk):
            yield self.finding(
                found.made,
                "DataParallel knows of this process alone: nobody averages the gradients of the ranks",
                because=Because.ORDER_OF_USE,
                notes=(
                    related(found.backward, "every rank has gradients of its own here"),
                    related(found.step, "and steps with them"),
                ),
                no_fix="wrap the model in DistributedDataParallel",
            )

    def _never_wrapped(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.never_wrapped import never_wrapped

        for found in never_wrapped(walk):
            yield self.finding(
                Place.of(found.backward),
                "nothing averages these gradients: every rank trains a model of its own on its share of the samples",
                because=Because.ORDER_OF_USE,
                notes=(
                    related(found.sampler, "gives each rank its share"),
                    related(found.step, "every rank steps with gradients of its own"),
                ),
                no_fix="wrap the model in DistributedDataParallel",
            )
