"""DDP301 sampler-without-drop-last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Answer, Because, Event, Finding, Fix, Harm, Place, Rule, Safety, Severity, Walk
from ddplint.rule.code import Site
from ddplint.rule.facts import made_by, passes, trains
from ddplint.rule.fixes import Replace, set_keyword


class SamplerWithoutDropLast(Rule):
    """## What it does
    Finds a `DistributedSampler` that training runs over and that says nothing about `drop_last`, a loader without
    `drop_last` over a stream that was asked to drop its tail, and a batch sampler of your own that has the option
    and leaves it off in training.

    ## Why is this bad
    Where the data set does not divide by the number of ranks, the sampler pads the tail with samples from the
    front: measured, 10 samples on 4 ranks give `[2, 6, 0]` and `[3, 7, 1]`, so samples 0 and 1 count twice in every
    epoch, and with a fixed order always the same ones.

    It does **not** make ranks run unequal numbers of steps, and so never hangs: over 38,400 combinations of length,
    world size, batch size and both `drop_last` no rank ever had another number of batches. `drop_last=True` is no
    cure-all either: a set smaller than the world then gives **no batch at all**, and evaluation loses its tail. The
    loader's `drop_last` is another matter: it drops the incomplete batch.

    The padding is discussed in pytorch/pytorch#41171, which brought the option, and pytorch/pytorch#49180.

    ## Example
    ```python
    sampler = DistributedSampler(train_set)
    ```

    ## Use instead
    ```python
    sampler = DistributedSampler(train_set, drop_last=True)
    ```

    ## Fix safety
    Unsafe: it leaves out up to one sample per rank and epoch, and everything where the set is smaller than the
    world. There is no automatic fix where the function is given the data set (it may be given one to evaluate), where
    some loader of the sampler does not train, where `next` would raise if there were no batch, and where the loader
    drops its incomplete batch already.
    """

    code = "DDP301"
    name = "sampler-without-drop-last"
    severity = Severity.ADVICE
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for walk in walks:
            yield from self._of_walk(walk, walks)

    def _of_walk(self, walk: Walk, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.data._helpers.tails import tails

        for tail in tails(walk):
            place = Place.of(tail.event)
            yield self.finding(place, tail.text, because=Because.ARGUMENT, no_fix="pass drop_last there too")
        for found in passes(walk):
            sampler = found.sampler
            if sampler.argument(5, "drop_last") is not None or not trains(walk, found):
                continue
            event = made_by([walk], sampler)
            if event is not None and _written_out(event):
                text = "sampler without drop_last: the tail of the training set is padded with repeated samples"
                answer = _answer(event, walks)
                yield self.finding(Place.of(event), text, answer=answer)


def _written_out(event: Event) -> bool:

    return event.call is not None and not any(arg.star for arg in event.call.args)


def _answer(event: Event, walks: Sequence[Walk]) -> Answer:
    from ddplint_rules.data._helpers.served import against_dropping

    assert event.call is not None
    row = Site(event.file, event.call).known(event.call.func)
    if row is None or row.name != event.name:
        return Answer(no_fix="pass drop_last=True where it is a DistributedSampler")
    reason = against_dropping(event, walks)
    if reason:
        return Answer(no_fix=f"pass drop_last=True where each loader of this sampler trains; not done: {reason}")
    edit = Replace(event.file, event.call, set_keyword(event.call, "drop_last", cst.Name("True")))
    return Answer(Fix("Drop the tail of the training set", Safety.UNSAFE, (edit,)))
