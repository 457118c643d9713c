"""Which change of the environment makes a failing probe work: the search itself, which starts nothing.

A probe that fails as it is, is repeated without the settings that the environment brings along, with each setting of
the knowledge table alone, and with all of them; what works is then made as small as it gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ddplint.knowledge import load_knowledge

INTERFACE = "{interface}"
"""Stands in a value for the interface through which a rank reaches the master; it differs between nodes."""


@dataclass(frozen=True)
class Change:
    """A variable that gets ``value`` (``None``: that is taken out); ``why`` says what that turns off or undoes."""

    name: str
    value: str | None
    why: str

    def __str__(self) -> str:
        return f"without {self.name}" if self.value is None else f"{self.name}={self.value}"


Attempt = Callable[[Sequence[Change]], str]
"""Runs the probe in fresh processes under some changes: why it failed, empty where it worked."""


@dataclass
class Found:
    """What came out: ``works`` is ``None`` where nothing did; ``steps`` are all attempts with what they said."""

    works: tuple[Change, ...] | None = None
    error: str = ""
    unsteady: bool = False
    steps: list[tuple[tuple[Change, ...], str]] = field(default_factory=list)


def changes(env: Mapping[str, str], backend: str) -> tuple[list[Change], list[Change]]:
    """What can be taken out of ``env``, and what can be set in it, what costs least first; from the knowledge table."""
    knowledge = load_knowledge()
    trials = [one for one in knowledge.trials() if one.backend == backend]
    known = {one.name for one in trials}
    out = []
    for name, row in sorted(knowledge.envs().items()):
        transport = row.reader == ("nccl",) and row.set_before == "first_collective" and "DEBUG" not in name
        if name in env and row.status == "active" and (name in known or (transport and backend == "nccl")):
            out.append(Change(name, None, f"the environment set it to {env[name]}"))
    tried = [Change(one.name, one.value, f"turns off {one.turns_off}") for one in trials]
    return out, [one for one in tried if env.get(one.name) != one.value]


def search(attempt: Attempt, taken: Sequence[Change], given: Sequence[Change]) -> Found:
    """Look for the least change under which ``attempt`` works.

    ``taken`` are removals, which are tried first and together; ``given`` are settings, tried one by one in their order,
    then together with the removals. A change counts only when the probe still fails without it afterwards.
    """
    found = Found()

    def works(some: Sequence[Change]) -> bool:
        error = attempt(some)
        found.steps.append((tuple(some), error))
        return not error

    if works(()):
        found.works = ()
        return found
    found.error = found.steps[0][1]
    best = _first(works, taken, given)
    if best is None:
        return found
    if works(()):
        found.unsteady = True
        return found
    found.works = tuple(best)
    return found


def _first(
    works: Callable[[Sequence[Change]], bool], taken: Sequence[Change], given: Sequence[Change]
) -> Sequence[Change] | None:
    if taken and works(taken):
        return _smallest(works, taken)
    for one in given:
        if works([one]):
            return [one]
    names = {one.name for one in given}
    everything = [*(one for one in taken if one.name not in names), *given]
    if len(everything) > 1 and works(everything):
        return _smallest(works, everything)
    return None


def _smallest(works: Callable[[Sequence[Change]], bool], some: Sequence[Change]) -> Sequence[Change]:
    """``some`` without what is not needed; what costs most is dropped first."""
    needed = list(some)
    for one in reversed(some):
        fewer = [other for other in needed if other is not one]
        if fewer and works(fewer):
            needed = fewer
    return needed
