"""DDP701 part-used-by-some."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Note, Place, Reason, Rule, Severity, Walk

_SEEN = {
    Reason.DATA: "its own data",
    Reason.IDENTITY: "its rank",
    Reason.CLOCK: "its clock",
    Reason.FILESYSTEM: "its view of the machine",
    Reason.RANDOM: "its random numbers",
    Reason.EXCEPTION: "an exception",
    Reason.LENGTH: "the length of its data",
}
_OWN = frozenset({Reason.DATA, Reason.IDENTITY, Reason.LENGTH})
_ENDS = {
    "ddp": "where one leaves it out, DDP does not finish the reduction of its gradients",
    "prepared": "where one leaves it out, DDP does not finish the reduction of its gradients",
    "fsdp1": "where one leaves it out, its parameters and gradients are not exchanged",
    "model": "where one batch lacks it, the ranks that call it wait for one that does not",
    "zero3": "where one leaves it out, the others wait for its part of the parameters",
    "fsdp2": "where one leaves it out, its parameters and gradients are not exchanged",
}


_REMEDY = "use it on every rank, with an empty or masked input where there is nothing for it"


class PartUsedBySome(Rule):
    """## What it does
    Finds a part of a wrapped model that its forward pass uses only where a rank's own data, its number or its random
    numbers say so: an expert without tokens, a vision tower in a batch without pictures, a layer that is dropped.
    The model is behind `DistributedDataParallel` without `find_unused_parameters=True`, behind `fully_shard`, or comes
    from `accelerator.prepare`; or the part lies in a unit that the policy of `FullyShardedDataParallel` makes of its
    class (`ModuleWrapPolicy`, `transformer_auto_wrap_policy`). ZeRO-3 gathers part by part, too: it is seen where
    `deepspeed.initialize` gets a dictionary with stage 3, and not where a file says so (it was not run).

    Where a batch is asked whether it has something (`"sound" in batch`, `batch.get("sound") is not None`), that is
    advice, also where whole models that are wrapped one by one are called or left out.

    Also members of a list that a loop takes by the numbers which it finds in a rank's own data
    (`for index in choice.unique().tolist(): self.experts[index](…)`).

    What the other ranks use in another branch, what is used there with no weight, what is frozen, runs without
    gradients or has nothing to train, and what ranks have agreed on is not reported. Nor is a part of a
    unit of `FullyShardedDataParallel` of which another part is used: its flat parameter is gathered as a whole.

    ## Why is this bad
    Hangs of experts without tokens: pytorch/pytorch#126616 (FSDP) and deepspeedai/DeepSpeed#5066 (ZeRO-3).

    Measured on gloo with two processes and torch 2.13; on rank 1 one of four steps left a linear layer out:

    - `DistributedDataParallel`: the step itself ends. Rank 1 has updated its weights with gradients that were not
      reduced to the end (-1.3184 in place of -1.3231 for one layer's sum), and its next forward pass raises "Expected
      to have finished reduction in the prior iteration". With `find_unused_parameters=True` all ranks keep equal
      weights.
    - `fully_shard` of the layer: both ranks wait, one in a gather of the layer and one in that of another, until the
      timeout. Under `no_grad` the gathers of different layers pair up instead: ranks go on with wrong weights until one
      of them runs out of gathers.
    - `fully_shard` of the whole model only: gradients of different sizes are reduced, and the process aborts (216 bytes
      were received for 144).

    Units that a policy of `FullyShardedDataParallel` makes were not measured: that their gathers are missed follows
    from torch's code, which gathers the parameters of a unit where the unit is called.

    An empty input is enough: with `layer(x[:0])` on rank 1 all of these ran to their end with equal weights. For
    `DistributedDataParallel`, `0 * sum(p.sum() for p in layer.parameters())` is, too; a unit of `fully_shard` has to be
    called.

    ## Example
    ```python
    (rows,) = torch.where(chosen == number)
    if rows.numel() > 0:
        out[rows] = expert(x[rows])
    ```

    ## Use instead
    ```python
    (rows,) = torch.where(chosen == number)
    out[rows] = expert(x[rows])
    ```

    ## Fix safety
    There is no automatic fix: what an empty or masked input has to look like is up to the part.
    """

    code = "DDP701"
    name = "part-used-by-some"
    severity = Severity.ERROR
    otherwise = (
        "A warning where ranks usually see the same (random numbers, a clock, the disk); advice where a batch is asked "
        "whether it has something, which all batches may have."
    )
    harm = Harm.HANG

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.sharding._helpers.uses import lone_parts

        reported: set[int] = set()
        for found in lone_parts(walk):
            guard = found.guard
            reported.add(id(found.anchor.node))
            yield self.finding(
                Place.of(found.anchor),
                f"whether this part of the model is used is decided by each rank for itself ({_SEEN[guard.reason]}): "
                + _ENDS[found.kind],
                severity=Severity.ERROR if guard.reason in _OWN else Severity.WARNING,
                because=(Because.OWN_VALUE, Because.LIBRARY) if found.kind == "prepared" else Because.OWN_VALUE,
                notes=(Note("guard", Place.of(guard), "each rank decides for itself"),),
                no_fix=_REMEDY,
            )
        yield from self._picked(walk, reported)
        yield from self._by_fields(walk, reported)

    def _picked(self, walk: Walk, reported: set[int]) -> Iterator[Finding]:
        from ddplint_rules.sharding._helpers.picked import picked_members

        for frame, kind in picked_members(walk, reported):
            yield self.finding(
                Place(frame.file, frame.node),
                f"which of these parts of the model are used is up to each rank ({_SEEN[Reason.DATA]}): {_ENDS[kind]}",
                because=(Because.OWN_VALUE, Because.LIBRARY) if kind == "prepared" else Because.OWN_VALUE,
                no_fix=_REMEDY,
            )

    def _by_fields(self, walk: Walk, reported: set[int]) -> Iterator[Finding]:
        from ddplint_rules.sharding._helpers.by_fields import used_by_field

        for frame, kind in used_by_field(walk, reported):
            yield self.finding(
                Place.of(frame),
                f"this is used only where a rank's batch has something: {_ENDS[kind]}",
                severity=Severity.ADVICE,
                because=Because.OWN_VALUE,
                no_fix=_REMEDY,
            )
