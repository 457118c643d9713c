"""Runs a trace from its start: can two ranks both come to the place where they are said to part?

Comparisons start in the middle. What decided earlier who gets there (a rank that raised on this very path, a return
under the same condition) is looked at here, once something was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.simulate.machine import Cont, Machine
from ddplint.simulate.state import Assumptions
from ddplint.simulate.trace import Nodes, Split

_MAX_STEPS = 3000


class _TooLong(Exception):
    """The replay was given up: everything is taken to be possible."""


class Replay:
    """Replays of one trace; ``steps`` counts what they cost."""

    def __init__(self, machine: Machine, trace: Nodes) -> None:
        self._machine = machine
        self._trace = trace
        self._left = 0
        self.steps = 0

    def both_reach(self, ranks: tuple[int, int], split: Split, known: tuple[Assumptions, Assumptions]) -> bool:
        """Whether both ranks may come to ``split``, each with what is ``known`` on its path, and agreeing on the rest.

        True also where that cannot be told within the budget.
        """
        self._left = _MAX_STEPS
        try:
            return any(
                next(self._ways(ranks[1], split, self._merged(known[1], shared)), None) is not None
                for shared in self._ways(ranks[0], split, known[0])
            )
        except _TooLong:
            return True
        finally:
            self.steps += _MAX_STEPS - self._left

    def _merged(self, known: Assumptions, more: Assumptions) -> Assumptions:
        merged = known
        for what, value in more.known.items():
            if merged.get(what) is None:
                merged = merged.add(what, value)
        return merged

    def _ways(self, rank: int, split: Split, known: Assumptions) -> Iterator[Assumptions]:
        """What all ranks agree on along each way on which ``rank`` comes to ``split``."""
        machine = self._machine
        open_: list[tuple[Cont | None, Assumptions, Assumptions]] = [
            (machine.enter(self._trace, None), known, Assumptions())
        ]
        while open_:
            cont, agreed, own = open_.pop()
            self._left -= 1
            if self._left <= 0:
                raise _TooLong
            passed: set[int] = set()
            step = machine.step(cont, rank, passed, [])
            if id(split) in passed:
                yield agreed
            elif step.end == "pruned":
                raise _TooLong
            elif step.symbol is None:
                if step.op is not None or step.opaque is not None:
                    open_.append((step.after, agreed, own))
            else:
                given = own.get(step.symbol)
                given = agreed.get(step.symbol) if given is None else given
                for value, onward in ((False, step.other), (True, step.after)):
                    if given is None or given is value:
                        more = (
                            (own.add(step.symbol, value), agreed)
                            if step.local
                            else (own, agreed.add(step.symbol, value))
                        )
                        open_.append((onward, more[1], more[0]))
