from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.notes import related


class AverageTakenTwice(Rule):
    """## What it does
    Finds a loss that the program divides before it is differentiated, by a number by which what averages the gradients
    divides once more:

    - by the number of ranks, behind `DistributedDataParallel`, `FullyShardedDataParallel` or `fully_shard`;
    - by the steps between two updates that `Accelerator(gradient_accumulation_steps=…)` was told of, before
      `accelerator.backward`;
    - by the number of samples (tokens, pixels) that `all_reduce` has added up over the ranks, where the loss itself is
      that of a rank's own samples.

    A number that is written in the program (`loss / 4`), losses that other ranks are in, and programs that exchange
    something else before the backward pass, or average gradients by themselves, are not reported.

    ## Why is this bad
    The gradients are smaller by this factor than what the learning rate, the clipping and the weight decay were chosen
    for. Nothing is raised, and the loss goes down. Measured on gloo with two processes and torch 2.13, the norm of one
    layer's gradient was 0.1519 with `loss / world_size`; with the loss as it is it was 0.3037, as in one process with
    the samples of both. For a sum of losses over the number of tokens of both ranks it was 0.1997; times the number of
    ranks, or in one process, 0.3993. With accelerate 1.15.0 and two steps between updates: 0.8258 with `loss / 2`, and
    1.6515 without, as in one process.

    It happened in NVIDIA/apex#696, sanderwood/bgpt#5 and huggingface/transformers#26312.

    ## Example
    ```python
    loss = criterion(model(x), y) / dist.get_world_size()
    loss.backward()
    ```

    ## Use instead
    ```python
    loss = criterion(model(x), y)
    loss.backward()
    ```

    ## Fix safety
    There is no automatic fix: the gradients get larger, and the learning rate may have been tuned to the small ones.
    """

    code = "DDP610"
    name = "average-taken-twice"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.divided_anew import divided_anew, divided_by_all

        for found in divided_anew(walk):
            what = "the steps between two updates" if found.by_steps else "the number of ranks"
            again = "by accelerator.backward" if found.by_steps else "by the wrapper, which averages its gradients"
            yield self.finding(
                Place.of(found.ratio),
                f"the loss is divided by {what} here, and once more {again}",
                because=Because.ORDER_OF_USE,
                notes=(related(found.backward, "the loss is differentiated here"),),
                no_fix="differentiate the loss as it is, and divide a copy for the log",
            )
        for found in divided_by_all(walk):
            yield self.finding(
                Place.of(found.ratio),
                "this rank's loss is divided by the samples of all ranks, and then averaged over the ranks as well",
                because=Because.ORDER_OF_USE,
                notes=(related(found.backward, "the loss is differentiated here"),),
                no_fix="multiply the loss by the number of ranks, or divide the number of samples by it",
            )
