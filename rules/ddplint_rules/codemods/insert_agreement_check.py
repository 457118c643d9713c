"""The codemod agreement-check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Answer, Codemod, Finding, Place, Safety, Walk
from ddplint.rule.fixes import offer

if TYPE_CHECKING:
    from ddplint_rules.codemods._helpers.agreements import Beginning
    from ddplint_rules.codemods._helpers.names import Named


class AgreementCheck(Codemod):
    """## What it does
    `ddplint --insert agreement-check train.py` puts a check in front of each training that all ranks run (its outermost
    loop): the ranks gather once what must be the same on all of them, and where it is not, *every* rank raises and
    says what differs, and on which rank. Compared is what is at hand there:

    - the settings that `parse_args` gave (output folder, file to resume from, seed), each by its name; what is called
      `rank`, `local_rank`, `gpu` or `device` may differ;
    - the bounds of the loop (`range(start_epoch, args.epochs)`, `while step < last`), so the point to go on from;
    - the sum of the weights of a model behind `DistributedDataParallel`;
    - the order of the data set that a sampler was made for: the list itself, or what the data set holds of lists,
      texts and numbers.

    Inside of such a training, a second check stands in front of each loop over a dictionary in which all ranks
    communicate for each name (`for name, loss in losses.items(): dist.all_reduce(loss)`, in a helper too): at its first
    pass the ranks compare the names and their order, and raise where a rank has others. What differs only in a later
    batch is found with `DDP_AGREEMENT=always`, for one more collective in each pass.

    It needs nothing but torch. One process does nothing; `DDP_AGREEMENT=0` in the environment of all turns it off.

    ## What it is good for
    The silent faults: ranks that go on with other settings, another epoch, another order of the data or other weights
    train until the end, or hang in the first odd batch. Measured on gloo with two processes
    (`pytest -m torchrun tests/inserting/test_agreements_in_runs.py`): a checkpoint that rank 0 alone loads after the
    model was wrapped, a list of paths that each rank shuffles by its own seed, and a seed that one rank is given
    otherwise ran to the end before, and raise on both ranks before the first step with the check: `the ranks do not
    agree: start_epoch is 3 on rank [0], 0 on rank [1]`.

    Losses that were reduced under another name ended in the same way before, each with the sum of two different ones
    in it, and raise now: `the ranks do not agree on the names of losses in averaged: rank 0 has no box; rank 1 has no
    mask` (`tests/inserting/test_agreement_on_names.py`).

    The function also takes `apart={"noise": torch.initial_seed()}`: what must *not* be the same on all ranks, as the
    random numbers of a diffusion model (DDP605). It is not inserted by itself, because most programs may draw alike.

    Shards of one model (FSDP, tensor parallelism) are not compared: their parts differ. Of what is worked out later, in
    the loop, only such names are, and not those that are stacked into one tensor first.

    ## Example
    ```python
    check_agreement(settings=args, start_epoch=start_epoch, weights=model, data=paths)
    for epoch in range(start_epoch, args.epochs):
        train_epoch(model, loader, optimizer)
    ```

    The function `check_agreement` is put into the file, once; it is plain code to keep, move or change, and to call
    elsewhere with other facts.

    ## Safety
    One collective more before training, and one at each place with names, in the default group. A program whose ranks
    have other settings on purpose now stops: name these in `own`, or leave them out of the call. A place is only
    changed when a second walk over the rewritten program finds nothing new, so the check is reached by all ranks or by
    none. A second run changes nothing.
    """

    code = name = "agreement-check"
    seeks = (
        "in front of loops in which all ranks train, where settings, bounds, data or a wrapped model are at hand, and, "
        "inside of these, in front of loops over a dictionary whose values are communicated one by one"
    )

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.codemods._helpers.agreements import beginnings, is_agreed
        from ddplint_rules.codemods._helpers.names import is_named_alike, named_collectives

        trainings = list(beginnings(walks))
        for found in trainings:
            if not is_agreed(found):
                text = "the ranks compare what they begin with"
                yield self.finding(Place.of(found.loop), text, answer=_answer(found))
        for named in named_collectives(walks, [found.loop.node for found in trainings]):
            if not is_named_alike(named):
                text = f"the ranks compare the names in {named.source}"
                yield self.finding(Place.of(named.loop), text, answer=_answer_of_names(named))


def _answer(found: Beginning) -> Answer:
    from ddplint_rules.codemods._helpers.agreements import agreed_before

    return offer("Compare what the ranks begin with", Safety.SAFE, lambda: agreed_before(found))


def _answer_of_names(named: Named) -> Answer:
    from ddplint_rules.codemods._helpers.names import named_before

    return offer("Compare the names", Safety.SAFE, lambda: named_before(named))
