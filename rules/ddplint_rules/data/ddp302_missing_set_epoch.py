"""DDP302 missing-set-epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Because, Finding, Fix, Harm, Note, Place, Rule, Safety, Severity, Walk
from ddplint.rule.facts import Pass, made_by, passes, shuffles, trains
from ddplint.rule.fixes import CannotBuild


class MissingSetEpoch(Rule):
    """## What it does
    Finds a shuffling `DistributedSampler` that training runs over in every epoch without `set_epoch`, or with
    `set_epoch` on some ranks only. So do generators that begin again when the loader is through (`while True: yield
    from loader`), and a sampler whose loader is lost from sight, in a program that trains over epochs and tells no
    sampler of them. Also a loader of your own that does not hand the epoch on to the sampler inside its batch sampler,
    or has no `set_epoch` to hand it on with, and functions that tell the sampler of any loader but not that of its
    batch sampler: that is advice. And `sampler.set_epoch(epoch)` where `sampler` is what a loop over several of them,
    long over, was left at.

    ## Why is this bad
    The sampler shuffles with its seed plus the epoch. It is never given the epoch: measured, three epochs of the
    order `[4, 7, 2, 1]`, the same each time. Called on rank 0 only, the ranks shuffle differently and their shards
    overlap: measured, samples 3 and 6 were seen twice and 4 and 7 never. Neither raises anything.

    With `shuffle=False` the epoch has no effect, and Accelerate, Lightning and the Hugging Face Trainer set it
    themselves: there the rule is silent.

    It happened in pytorch/pytorch#31771, huggingface/transformers#4398 and cszn/KAIR#106.

    ## Example
    ```python
    for epoch in range(epochs):
        for batch in loader:
            train_step(batch)
    ```

    ## Use instead
    ```python
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            train_step(batch)
    ```

    ## Fix safety
    Unsafe: it changes which samples come in which order from the second epoch on, which is its purpose.
    """

    code = "DDP302"
    name = "missing-set-epoch"
    severity = Severity.WARNING
    otherwise = "Advice where the loader is another one that may shuffle, or not."
    harm = Harm.RESULT
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        yield from self._of_classes(walks)
        yield from self._of_names(walks)
        yield from self._of_lost(walks)
        again: set[object] = set()
        yield from self._of_generators(walks, again)
        done: set[tuple[object, object]] = set()
        for walk in walks:
            for found in passes(walk):
                key, known = (found.event.node, found.sampler.site), found.sampler.site in again
                if key not in done and not known and shuffles(found.sampler) is not False and trains(walk, found):
                    done.add(key)
                    yield from self._of_pass(found, walks)

    def _of_classes(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """Loaders of the project that keep the epoch to themselves."""
        from ddplint_rules.data._helpers.repeating import deaf_functions, deaf_loaders

        if not walks:
            return
        known = {one.node: one for one in (*deaf_functions(walks[0].file), *deaf_loaders(walks[0].file))}
        for deaf in known.values():
            inner = deaf.holder + deaf.inner
            text = f"set_epoch stops short of {inner}: if that shuffles, every epoch repeats the same order"
            remedy = f"call set_epoch of {inner} too, where it has one"
            if not deaf.told:
                text = f"this loader has no set_epoch: the data behind self.{deaf.inner} never learn the epoch"
                remedy = f"add a set_epoch that passes it on to the sampler or data set of self.{deaf.inner}"
            yield self.finding(
                Place(walks[0].file, deaf.node),
                text,
                severity=Severity.ADVICE,
                because=Because.ARGUMENT,
                no_fix=remedy,
            )

    def _of_names(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """Names that loops over samplers have left behind."""
        from ddplint_rules.data._helpers.epochs import left_over

        for call, loop in left_over(walks[0].file) if walks else ():
            yield self.finding(
                Place(walks[0].file, call),
                "only the sampler that a loop was left at learns the epoch: the others repeat the same order",
                because=Because.ORDER_OF_USE,
                notes=(Note("related", Place(walks[0].file, loop.target), "the loop that the name is left over from"),),
                no_fix="call set_epoch of each sampler in a loop over them",
            )

    def _of_lost(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """Samplers whose loaders are lost from sight on their way to the loop over epochs."""
        from ddplint_rules.data._helpers.unused import lost

        for one in lost(walks):
            yield self.finding(
                Place(one.made.file, one.made.node),
                "this sampler is never given the epoch: every epoch repeats the same order",
                because=Because.ORDER_OF_USE,
                notes=(
                    Note(
                        "related",
                        Place(one.epochs.file, _head(one.epochs.node)),
                        "each round of this begins the data again",
                    ),
                ),
                no_fix="call set_epoch(epoch) of the sampler at the head of each epoch",
            )

    def _of_generators(self, walks: Sequence[Walk], again: set[object]) -> Iterator[Finding]:
        """Generators of the project that begin again when the loader is through; ``again`` gets the samplers."""
        from ddplint_rules.data._helpers.epochs import told
        from ddplint_rules.data._helpers.repeating import endless

        done: set[object] = set()
        for one in (one for walk in walks for one in endless(walk)):
            call, sampler = one.found.event, one.found.sampler
            made = made_by(walks, sampler)
            if (
                made is None
                or id(one.node) in done
                or shuffles(sampler) is False
                or told(one.found, walks) != frozenset()
            ):
                continue
            done.add(id(one.node))
            again.add(sampler.site)
            loop, user = Place(call.details["file"], one.node), Place(call.file, call.node)
            here = loop if loop.file is walks[0].file else user
            other = Note("call", user, "the generator that gets its loader")
            if here is user:
                other = Note("call", loop, "here the generator begins again")
            yield self.finding(
                here,
                "this begins again without set_epoch: every epoch repeats the same order",
                because=Because.ARGUMENT if shuffles(sampler) is None else Because.AS_WRITTEN,
                notes=(
                    Note("origin", Place(made.file, made.node), "the sampler that shuffles"),
                    other,
                ),
                no_fix="call set_epoch of the sampler with a growing number before each pass",
                root=Place(made.file, made.node),
            )

    def _of_pass(self, found: Pass, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.data._helpers.epochs import epochs_of, on_the_way, told

        made = made_by(walks, found.sampler)
        epochs = epochs_of(found, made) if made is not None else None
        if made is None or epochs is None:
            return
        ranks = told(found, walks)
        if ranks is None or ranks >= found.event.ranks:
            return
        text = "set_epoch is never called on this sampler: every epoch repeats the same order"
        sure = Because.ARGUMENT if shuffles(found.sampler) is None else Because.AS_WRITTEN
        if ranks:
            text = f"set_epoch is called on rank {', '.join(map(str, sorted(ranks)))} only: the shards overlap"
        frame, *below = on_the_way(found, epochs)
        sampler = Place(made.file, made.node)
        notes = [Note("origin", sampler, "the sampler that shuffles")]
        notes += [Note("call", Place(step.file, step.node), step.function) for step in below[:-1]]
        if below:
            notes.append(Note("call", Place(found.event.file, found.event.node), "the loop over its batches"))
        notes.append(
            Note("related", Place(epochs.file, _head(epochs.node)), "each round of this begins the data again")
        )
        fix, no_fix = _fix(found, walks) if not ranks else (None, "call set_epoch on every rank")
        place = Place(frame.file, frame.node)
        yield self.finding(place, text, because=sure, notes=tuple(notes), fix=fix, no_fix=no_fix, root=sampler)


def _head(loop: cst.CSTNode) -> cst.CSTNode:
    """What a loop goes over, or asks for."""
    if isinstance(loop, (cst.For, cst.CompFor)):
        return loop.iter
    return loop.test if isinstance(loop, cst.While) else loop


def _fix(found: Pass, walks: Sequence[Walk]) -> tuple[Fix | None, str]:
    from ddplint_rules.data._helpers.epochs import epochs_of, told_edits

    made = made_by(walks, found.sampler)
    assert made is not None
    epochs = epochs_of(found, made)
    assert epochs is not None
    try:
        edits = told_edits(found, epochs, made)
    except CannotBuild as reason:
        return None, str(reason)
    title = "Call set_epoch at the head of each epoch"
    return Fix(title, Safety.UNSAFE, edits), "call set_epoch(epoch) at the head of each epoch"
