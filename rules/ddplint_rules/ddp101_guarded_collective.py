"""DDP101 guarded-collective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import Divergence, Finding, Rule, Severity, Walk
from ddplint_rules import _parting as parting

if TYPE_CHECKING:
    from ddplint_rules._repair import Answer


class GuardedCollective(Rule):
    """## What it does
    Finds a collective that only some ranks reach because of who they are: inside a rank guard, after a rank-dependent
    `return`, `continue` or `break`, in a rank-zero function, or hidden in an API that communicates.

    ## Why is this bad
    The ranks that reach it wait for the others. Measured on gloo: a hang until the process group's timeout if the others do
    something of another kind, and silently shifted results if calls of the same kind follow.

    ## Example
    ```python
    if rank == 0:
        dist.barrier()
    ```

    ## Use instead
    ```python
    dist.barrier()
    if rank == 0:
        ...
    ```

    ## Fix safety
    Safe when the collective is moved out of the guard and nothing else moves; otherwise there is no automatic fix.
    """

    code = "DDP101"
    name = "guarded-collective"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        yield from self.check_file([walk])

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for divergence in (one for walk in walks for one in walk.divergences):
            if parting.code_of(divergence) == self.code:
                first, second = divergence.sides
                assert first.event is not None
                answer = _answer(divergence, walks)
                yield parting.told(
                    self,
                    divergence,
                    f"{first.event.label} reached by {parting.who(first.ranks)} only",
                    confidence=parting.confidence_of(divergence),
                    fix=answer.fix,
                    no_fix=answer.no_fix,
                )


def _answer(divergence: Divergence, walks: Sequence[Walk]) -> Answer:
    from ddplint_rules._repair import repaired

    return repaired(divergence, walks)
