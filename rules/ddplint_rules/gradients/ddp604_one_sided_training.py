"""DDP604 one-sided-training."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Note, Place, Rule, Severity, Walk
from ddplint.rule.notes import related
from ddplint_rules.common import reporting

_TEXTS = {
    "own": "each rank gives its scheduler a number of its own: the learning rates part, and with them the weights",
    "rate": "the learning rate changes on {} only, and every rank steps with it: the weights drift apart",
    "step": "the optimizer steps on {} only, though the gradients are those of all: the weights drift apart",
    "weights": "weights are loaded on {} only, into a model that is wrapped already: every rank trains its own",
    "drawn": "weights are set anew on {} only, in a model that is wrapped already: every rank trains its own",
    "unshared": "weights are loaded on {} only, and no wrapper copies them: the shards of the others stay as they were",
    "state": "the state of the optimizer is loaded on {} only, and every rank steps with it: the weights drift apart",
    "mode": "the mode of the model changes on {} only, and every rank trains it: they train different networks",
}
_OWN_STEP = "each rank decides for itself whether its optimizer steps with the gradients of all: they drift apart"
_OWN_RATE = "each rank decides for itself whether its learning rate changes: the weights drift apart"
_REMEDIES = {
    "own": "reduce the number over the ranks before their schedulers get it",
    "rate": "let every rank change it; where one decides, broadcast what it decided",
    "step": "let every rank step; where one decides, broadcast what it decided",
    "weights": "let every rank load them, or load them before the model is wrapped: the wrapper copies them to all",
    "drawn": "set them before the model is wrapped: the wrapper copies them to all",
    "unshared": "let every rank load them, or give FullyShardedDataParallel sync_module_states=True",
    "state": "let every rank load it; nothing copies the state of an optimizer to the others",
    "mode": "put the model back where its mode was changed, or let every rank call train() before it goes on",
}


class OneSidedTraining(Rule):
    """## What it does
    Finds what only some ranks do to the training of a `DistributedDataParallel` model that all of them go on with:
    steps of the optimizer or of its scheduler, a learning rate set in `optimizer.param_groups`, `eval()` without
    `train()` behind it, `load_state_dict` of the model once it is wrapped (or `torch.nn.init`, `copy_` and the like of
    its parameters), or of the optimizer. Also a `ReduceLROnPlateau` that each rank gives a loss over its own share of
    the data, and steps that each rank takes or leaves out by its own loss, or by its own shard of a gradient, and rates
    that it changes so.
    And a buffer of a module (`register_buffer`) that each rank fills with what comes of its own samples and that the
    loss goes by: a queue of features, a running mean. The module is outside of every wrapper, behind `fully_shard`, or
    behind `DistributedDataParallel(broadcast_buffers=False)`.
    And weights that some ranks load before `FullyShardedDataParallel` (without `sync_module_states=True`) or
    `fully_shard` makes shards of them.
    Steps, rates and states of an optimizer count behind `fully_shard`, too, and all of this for a model that
    `accelerator.prepare` gave back.

    Where the other ranks do the same elsewhere, where all of them do it again before it counts, and where something
    is broadcast or gathered in between, nothing is reported.

    ## Why is this bad
    The wrapper copies the weights once, when it is made. From then on it averages gradients, and ranks stay alike
    only because each does the same with them. Nothing is raised and nothing stops. Measured on gloo with two
    processes and torch 2.13, six steps from the same weights: with `scheduler.step()` or `group["lr"] = …` on rank 0
    only, or one `optimizer.step()` that one rank left out, the weights differed from there on (their sums were -2.328
    and -2.681 for the scheduler). With `eval()` on rank 0 only the weights stayed equal, but were trained with the
    gradients of two networks, one with dropout and one without, and the statistics of `BatchNorm1d`, which the wrapper
    copies from rank 0, were no longer updated there. With `load_state_dict` on rank 0 only, behind the wrapper, the
    weights differed from the first step on (-0.468 and 1.793 for one layer's sum after six), and so they did with that
    of the optimizer (1.374 and 1.872); loaded on rank 0 before the model is wrapped, they were the same on both. With
    `torch.nn.init` of one layer on rank 0, behind the wrapper, its sums were -4.075 and -1.298 after three steps. With
    `fully_shard` and steps of rank 0 only, the rows of rank 1 were after four steps what they had been (-0.8187;
    -0.5153 where both stepped).

    Weights of four rows that rank 0 had loaded before `fully_shard`, or `FullyShardedDataParallel`: two of the rows,
    those of rank 1, were still its own random ones. `sync_module_states=True` is documented to copy them (it was not
    measured: it raises on CPU).

    A running mean of the inputs, subtracted in the forward pass: its sums were -0.0638 and 1.5618 after five steps with
    `broadcast_buffers=False` and behind `fully_shard`. With the default, each pass begins with that of rank 0.

    Averages of the weights (EMA) that one rank keeps for its checkpoints are no part of what is trained. A `GradScaler`
    that one rank updates and the others do not needs no rule: their next step raises "step() has already been called
    since the last update()".

    It happened in lucidrains/DALLE-pytorch#268, where each process gave its scheduler its own loss.

    ## Example
    ```python
    if dist.get_rank() == 0:
        scheduler.step(validate(model.module))
    ```

    ## Use instead
    ```python
    box = [validate(model.module) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    scheduler.step(box[0])
    ```

    ## Fix safety
    There is no automatic fix: whether the other ranks should do it, too, or nobody, is yours to say.
    """

    code = "DDP604"
    name = "one-sided-training"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.one_sided import changes, unshared_weights

        for found in (*changes(walk), *unshared_weights(walk)):
            change, used = found.change, found.used
            yield self.finding(
                Place.of(change),
                _TEXTS[found.kind].format(reporting.who(change.ranks)),
                because=Because.ORDER_OF_USE,
                notes=(
                    *(Note("guard", Place.of(guard), "only some ranks") for guard in change.guards[:1]),
                    related(used, "every rank goes on with it here"),
                ),
                no_fix=_REMEDIES[found.kind],
            )
        yield from self._by_own_decision(walk)

    def _by_own_decision(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.own_steps import own_rates, own_steps

        for own in (*own_steps(walk), *own_rates(walk)):
            step, guard, backward = own.step, own.guard, own.backward
            yield self.finding(
                Place.of(step),
                _OWN_RATE if own.rate else _OWN_STEP,
                because=Because.OWN_VALUE,
                notes=(
                    Note("guard", Place.of(guard), "each rank decides for itself"),
                    related(backward, "all ranks have the same gradients from here"),
                ),
                no_fix="let the ranks agree first: reduce what is asked (all_reduce with MIN or MAX)",
            )
        yield from self._by_own_buffers(walk)

    def _by_own_buffers(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.own_steps import own_buffers

        for change, backward in own_buffers(walk):
            yield self.finding(
                Place.of(change),
                "each rank fills this buffer with its own samples, and no wrapper copies it: losses go by other states",
                because=Because.ORDER_OF_USE,
                notes=(related(backward, "the loss goes by what is in it"),),
                no_fix="bring together what goes into it: all_gather of the features, all_reduce of a mean",
            )
