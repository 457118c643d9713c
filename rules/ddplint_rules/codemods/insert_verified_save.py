"""The codemod verified-save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Answer, Codemod, Finding, Place, Safety, Walk
from ddplint.rule.code import Site
from ddplint.rule.fixes import COLLECTIVE, MOVE, Demand, demand, offer

if TYPE_CHECKING:
    from ddplint_rules.codemods._helpers.checkpoints import Save


class VerifiedSave(Codemod):
    """## What it does
    `ddplint --insert verified-save train.py` rewrites saves that rank 0 makes alone (`torch.save`, `save_pretrained`,
    `save_file` of safetensors under a test for rank 0), and those that every rank makes although rank 0 alone should
    (DDP201). Rank 0 saves into a temporary folder beside the target, checks that files came and none is empty, moves
    them into place one by one, and writes `TARGET.saved.json`: the loop variables at hand (epoch, step), the number of
    processes, and the files with their sizes. Then it tells all ranks how it went: they go on together, or all raise
    with the cause.

    ## What it is good for
    A save that fails on rank 0 alone (disk full, read-only folder, quota) leaves the others behind. Measured on gloo
    with two processes, a target whose folder cannot be made, and a time limit of 6 seconds
    (`pytest -m torchrun tests/inserting/test_saves_in_runs.py`):

    - the trainer catches the error and goes on: rank 0 skips the barrier after the save, and the ranks never meet
      again; both give up after the time limit, in different operations, and no line says "save" on rank 1. Rewritten,
      both ranks catch the same error in the same iteration, say the cause, and end all their epochs;
    - the trainer catches nothing: torchrun ends rank 1 within seconds (without a launcher that watches, it would wait
      until the time limit), and its log says nothing. Rewritten, both logs name the cause.

    A half-written checkpoint never stands under the name that will be loaded, and one without its `.saved.json`, or
    with other sizes than it says, is known to be incomplete.

    ## Example
    ```python
    if rank == 0:
        save_verified(lambda target: torch.save(model.state_dict(), target), "model.pt", epoch=epoch)
    else:
        save_verified()
    ```

    The function `save_verified` is put into the file, once; it is plain code to keep, move or change.

    ## Safety
    One process, or no process group: the save is called as before, and nothing else happens. Otherwise the save is
    followed by a broadcast, so it must end within the time limit of the group, as with the barrier it usually has.
    Missing folders above the target are made. Files in the target that the save does not write stay, so what is left
    of an older checkpoint with more files is not removed. A failed save now ends the run of every rank unless it is
    caught.

    A place is only changed when a second walk over the rewritten program finds nothing new, and a second run changes
    nothing. Not rewritten: a save whose result is used or that is inside a `try` which rank 0 alone would leave, saves
    under guards that no plain `if` makes (decorators, ternaries), and those of `push_to_hub`.
    """

    code = name = "verified-save"
    seeks = "where rank 0 alone saves a checkpoint, or every rank saves it to the same path"

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.codemods._helpers.checkpoints import saves

        for save in saves(walks):
            text = "rank 0 saves and checks, and all ranks learn how it went"
            yield self.finding(Place.of(save.site), text, answer=_answer(save))


def _answer(save: Save) -> Answer:
    from ddplint_rules.codemods._helpers.verified_saves import verified

    title = "Save beside the target, check, move, and let all ranks know"
    return offer(title, Safety.SAFE, lambda: verified(save), demands=tuple(_demands(save)))


def _demands(save: Save) -> Iterator[Demand]:
    """All ranks reach the conditions that leave the save to rank 0, or the save itself."""
    places = [(guard.file, guard.statement) for guard, _ in save.guards] or [(save.site.file, save.site.statement)]
    for file, statement in places:
        wanted = demand(file, Site(file, statement).statement, MOVE if save.guards else COLLECTIVE)
        if wanted is not None:
            yield wanted
