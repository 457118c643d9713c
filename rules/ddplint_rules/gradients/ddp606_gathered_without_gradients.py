"""DDP606 gathered-without-gradients."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Answer, Because, Event, Finding, Fix, Harm, Place, Rule, Safety, Severity, Walk
from ddplint.rule.code import Site, dotted
from ddplint.rule.fixes import InsertAfter
from ddplint.rule.notes import related

_BY_HAND = "put the own part back into what is gathered, or gather with torch.distributed.nn.functional"


class GatheredWithoutGradients(Rule):
    """## What it does
    Finds outputs of a `DistributedDataParallel` model that `dist.all_gather` brings into a list, or
    `dist.all_gather_into_tensor` into a tensor, which then joins the loss (a contrastive loss over the samples of all
    ranks), where nothing puts this rank's own part back into it; and those that `accelerator.gather` gives.

    Also a loss that `dist.all_reduce` sums up in place and the program divides by the number of ranks, before it is
    differentiated: the sum has no gradients, the division has.

    Gathers without gradients on purpose (`no_grad`, `detach()`, inside an `autograd.Function`) and those of
    `torch.distributed.nn` are not reported.

    ## Why is this bad
    `all_gather` fills tensors that have no history: the loss is right, but nothing flows back through what was
    gathered, not even to the samples of this rank. Measured on gloo with two processes and torch 2.13, a contrastive
    loss over eight pairs, each rank with the rows of its own four, against the gradient of one process: the averaged
    gradient had 0.52 of the length (cosine 0.93). With the own part put back it had 0.84 (0.96), with
    `torch.distributed.nn.functional.all_gather` 1.00 (1.00). Where both sides are taken from the lists, the loss
    requires no gradient at all and `backward()` raises.

    A loss that was summed up in place and divided by two: measured the same way, half of the gradient that the loss
    itself gave (0.935 for 1.870), for the wrapper divides once more. What is reduced for a log belongs into a copy.

    It happened in NVIDIA/apex#664, sanderwood/bgpt#5, 3dlg-hcvc/DuoduoCLIP#10 and huggingface/accelerate#1154.

    ## Example
    ```python
    everything = [torch.zeros_like(features) for _ in range(world_size)]
    dist.all_gather(everything, features)
    loss = contrastive(features, torch.cat(everything))
    ```

    ## Use instead
    ```python
    everything = [torch.zeros_like(features) for _ in range(world_size)]
    dist.all_gather(everything, features)
    everything[rank] = features
    loss = contrastive(features, torch.cat(everything))
    ```

    Where the terms of the other ranks are to count, too, gather with `torch.distributed.nn.functional.all_gather`: its
    gradients sum over the ranks.

    ## Fix safety
    Unsafe: it changes what is trained. The fix puts the own part back, the least that is missing.
    """

    code = "DDP606"
    name = "gathered-without-gradients"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.divided_losses import divided
        from ddplint_rules.gradients._helpers.gathered import lost

        for found in lost(walk):
            gather, backward = found.gather, found.backward
            yield self.finding(
                Place.of(gather),
                "what is gathered here has no gradients, this rank's own part neither, and joins the loss",
                because=Because.ORDER_OF_USE,
                notes=(related(backward, "the loss is differentiated here"),),
                answer=_answer(gather),
            )
        told: set[object] = set()
        for one in divided(walk):
            if one.ratio.node in told:
                continue
            told.add(one.ratio.node)
            yield self.finding(
                Place.of(one.ratio),
                "the loss is divided by the number of ranks here, and its gradients once more by the wrapper",
                because=Because.ORDER_OF_USE,
                notes=(
                    related(one.reduction, "the sum over the ranks has no gradients of theirs"),
                    related(one.backward, "the loss is differentiated here"),
                ),
                no_fix="differentiate the loss as it is, and reduce a copy for the log: loss.detach().clone()",
            )


def _answer(gather: Event) -> Answer:
    site, call = Site(gather.file, gather.node), gather.node
    plain = [arg.value for arg in call.args if arg.keyword is None] if isinstance(call, cst.Call) else []
    if not gather.name.endswith(".all_gather"):
        return Answer(no_fix=_BY_HAND)
    if len(plain) < 2 or not all(dotted(one) for one in plain[:2]) or not isinstance(site.tree.parent(call), cst.Expr):
        return Answer(no_fix="put the own part back: everything[rank] = features")
    rank = site.name("torch.distributed.get_rank")
    code = site.module.code_for_node(rank.expression)
    line = cst.parse_statement(f"{dotted(plain[0])}[{code}()] = {dotted(plain[1])}")
    assert isinstance(line, cst.SimpleStatementLine)
    edits = (InsertAfter(gather.file, site.statement, (line,)), *rank.edits)
    return Answer(Fix("Put this rank's own part back", Safety.UNSAFE, edits))
