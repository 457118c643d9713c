"""DDP303 unsharded-loader."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Harm,
    Object,
    Place,
    Rule,
    Severity,
    Walk,
)
from ddplint.rule.code import words_in
from ddplint.rule.facts import around
from ddplint.rule.notes import related
from ddplint_rules.data._helpers.trained import kept_apart, trains_wrapped
from ddplint_rules.data._helpers.whole_sets import STREAM_REMEDY, draws_for_itself, is_stream, otherwise, unsharded


class UnshardedLoader(Rule):
    """## What it does
    Finds training of a wrapped model (DDP, FSDP, `fully_shard`, a DeepSpeed engine, what `accelerator.prepare` gave
    back) on a `DataLoader` that neither a distributed sampler nor a framework nor the rank itself divides among the
    ranks, and loaders of a data set whose `DistributedSampler` nothing uses. Also a loader in order that all ranks go
    through, each to write what comes of it to files of its own. And a generator around a loader that is given to
    `accelerator.prepare`, which hands it back as it is, a loader that `Fabric.setup_dataloaders` never got, and one
    that `get_train_dataloader` of a `Trainer` of transformers returns without `prepare`.

    ## Why is this bad
    Every rank goes through the whole data set. Measured: with the same seed all ranks get identical batches, so
    that N ranks compute the same gradient N times; unseeded their shuffles overlap, and an epoch is N passes over
    the data. Nothing raises, and the loss goes down: only the speed-up is missing. An `IterableDataset` is not
    shared out either.

    A `WeightedRandomSampler` behind `manual_seed(17)` drew the same 32 indices on both ranks (measured, torch 2.13).

    `prepare` of accelerate 1.15.0 gave back a generator over a loader as it was: both ranks got samples 0 to 5 first
    (measured; of the prepared loader rank 1 got 2, 3, 6, 7, 10 and 11). The `Trainer` of transformers 5.23.0 trained
    both ranks on all of 16 samples where its own `get_train_dataloader` gave a plain loader, and each on 8 where it
    gave `self.accelerator.prepare(loader)`.

    It happened in lucidrains/denoising-diffusion-pytorch#69, Lightning-AI/lit-llama#213, Boese0601/MagicDance#55,
    coqui-ai/Trainer#144, Parskatt/RoMa#32 and pytorch-lightning#7813.

    ## Example
    ```python
    loader = DataLoader(train_set, batch_size=32, shuffle=True)
    model = DDP(model)
    ```

    ## Use instead
    ```python
    sampler = DistributedSampler(train_set)
    loader = DataLoader(train_set, batch_size=32, sampler=sampler)
    model = DDP(model)
    ```

    ## Fix safety
    There is no automatic fix: the sampler also needs `set_epoch`, and the learning rate may have been tuned without
    it.
    """

    code = "DDP303"
    name = "unsharded-loader"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from self._otherwise(walk)
        handed = [given for event in walk.doing(Effect.CONSTRUCT, Effect.LOADER) for given in event.args]
        for event in walk.doing(Effect.ITERATE, Effect.FETCH):
            loop = next(reversed(event.loops), None) if event.effect == Effect.FETCH else event.details["loop"]
            if loop is None:
                continue
            for loader in around(event.receiver):
                made = unsharded(walk, loader)
                if made is None or loader in handed:  # to what shares it out, on some paths at least
                    continue
                if event.effect == Effect.FETCH and _draws_anew(walk, made, loader):
                    continue
                if draws_for_itself(walk, made):
                    continue
                notes = [related(event, "all ranks go through it here")]
                text, remedy = "trains on", _sampler_for(loader)
                if not trains_wrapped(walk, loop):
                    own = kept_apart(walk, loop) if not _shuffles(loader) else None
                    if own is None:
                        continue
                    notes.append(related(own, "and keeps what comes of it in a file of its own"))
                    text, remedy = "works through", "give the loader a DistributedSampler with shuffle=False"
                remedy = STREAM_REMEDY if is_stream(made) else remedy
                yield self.finding(
                    Place.of(made),
                    f"no sampler shares this loader out: every rank {text} the whole data set",
                    because=Because.ARGUMENT,
                    notes=tuple(notes),
                    no_fix=remedy,
                )

    def _otherwise(self, walk: Walk) -> Iterator[Finding]:
        """Loaders with a sampler that nothing uses or that draws alike, and those that ``prepare`` cannot see."""
        for place, (text, because, note, remedy), other in otherwise(walk):
            notes = (related(other, note),)
            yield self.finding(Place.of(place), text, because=because, notes=notes, no_fix=remedy)


def _sampler_for(loader: Object) -> str:
    instead = " instead of shuffle=True" if _shuffles(loader) else ""
    return f"give the loader a DistributedSampler{instead}, and call set_epoch"


def _shuffles(loader: Object) -> bool:
    """Whether the ranks may draw other samples each, as far as that is known."""
    return loader.argument(2, "shuffle") not in (None, Const(False), Const(None))


def _draws_anew(walk: Walk, made: Event, loader: Object) -> bool:
    """Whether ranks that take batch after batch may draw others each: then there is no epoch to speak of."""
    drawn = (name.lower() for file, node in made.details["within"] for name in words_in(node))
    if any("shuffle" in name or "rand" in name for name in drawn):
        return True
    alike = any(event.details["alike"] for event in walk.doing(Effect.SEED))
    return _shuffles(loader) and not alike
