"""DDP302 missing-set-epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Answer, Because, Finding, Harm, Note, Place, Rule, Safety, Severity, Walk
from ddplint.rule.facts import shuffles
from ddplint.rule.fixes import offer

if TYPE_CHECKING:
    from ddplint_rules.data._helpers.epochs import WithoutEpoch


class MissingSetEpoch(Rule):
    """## What it does
    Finds a shuffling `DistributedSampler` that training runs over in every epoch without `set_epoch`, or with
    `set_epoch` on some ranks only. So do generators that begin again when the loader is through (`while True: yield
    from loader`), and a sampler whose loader is lost from sight, in a program that trains over epochs and tells no
    sampler of them; and a sampler or data set of your own whose order comes of the epoch, where nothing calls its
    `set_epoch`. Also a loader of your own that does not hand the epoch on to the sampler inside its batch sampler,
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
        yield from self._of_passes(walks, again)
        yield from self._of_own(walks)

    def _of_own(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """Samplers and data sets of the project that never get the epoch."""
        from ddplint_rules.data._helpers.own_samplers import waiting

        for one in waiting(walks):
            yield self.finding(
                one.place,
                "nothing calls set_epoch of what this draws from: every epoch repeats the same order",
                because=one.because,
                notes=one.notes,
                no_fix="call set_epoch(epoch) of it at the head of each epoch",
                root=Place.of(one.made),
            )

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
        from ddplint_rules.data._helpers.epochs import head
        from ddplint_rules.data._helpers.unused import lost

        for one in lost(walks):
            yield self.finding(
                Place.of(one.made),
                "this sampler is never given the epoch: every epoch repeats the same order",
                because=Because.ORDER_OF_USE,
                notes=(Note("related", head(one.epochs), "each round of this begins the data again"),),
                no_fix="call set_epoch(epoch) of the sampler at the head of each epoch",
            )

    def _of_generators(self, walks: Sequence[Walk], again: set[object]) -> Iterator[Finding]:
        """Generators of the project that begin again when the loader is through; ``again`` gets the samplers."""
        from ddplint_rules.data._helpers.repeating import endless_without_epoch

        for one, made in endless_without_epoch(walks):
            call, sampler = one.found.event, one.found.sampler
            again.add(sampler.site)
            loop, user = Place(call.details["file"], one.node), Place.of(call)
            here = loop if loop.file is walks[0].file else user
            other = Note("call", user, "the generator that gets its loader")
            if here is user:
                other = Note("call", loop, "here the generator begins again")
            yield self.finding(
                here,
                "this begins again without set_epoch: every epoch repeats the same order",
                because=Because.ARGUMENT if shuffles(sampler) is None else Because.AS_WRITTEN,
                notes=(Note("origin", Place.of(made), "the sampler that shuffles"), other),
                no_fix="call set_epoch of the sampler with a growing number before each pass",
                root=Place.of(made),
            )

    def _of_passes(self, walks: Sequence[Walk], again: set[object]) -> Iterator[Finding]:
        """Loops over the data; not of the samplers of generators that begin ``again``."""
        from ddplint_rules.data._helpers.epochs import head, on_the_way, passes_without_epoch

        for one in passes_without_epoch(walks, again):
            text = "set_epoch is never called on this sampler: every epoch repeats the same order"
            if one.ranks:
                text = f"set_epoch is called on rank {', '.join(map(str, sorted(one.ranks)))} only: the shards overlap"
            first, *below = on_the_way(one.found, one.epochs)
            sampler = Place.of(one.made)
            notes = [Note("origin", sampler, "the sampler that shuffles")]
            notes += [Note("call", Place.of(step), step.function) for step in below[:-1]]
            if below:
                notes.append(Note("call", Place.of(one.found.event), "the loop over its batches"))
            notes.append(Note("related", head(one.epochs), "each round of this begins the data again"))
            yield self.finding(
                Place.of(first),
                text,
                because=Because.ARGUMENT if shuffles(one.found.sampler) is None else Because.AS_WRITTEN,
                notes=tuple(notes),
                answer=_answer(one),
                root=sampler,
            )


def _answer(one: WithoutEpoch) -> Answer:
    from ddplint_rules.data._helpers.epochs import epoch_edits

    if one.ranks:
        return Answer(no_fix="call set_epoch on every rank")
    title = "Call set_epoch at the head of each epoch"
    advice = "call set_epoch(epoch) at the head of each epoch"
    return offer(title, Safety.UNSAFE, lambda: epoch_edits(one.found, one.epochs, one.made), advice)
