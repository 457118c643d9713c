"""``--bisect``: the attempts, by this process alone or by all ranks of a job together, and what came out, in words."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ddplint.job.doctor.bisect import INTERFACE, Change, Found, changes, search
from ddplint.job.doctor.fresh import changed, free_port, interface_towards, run_once
from ddplint.job.doctor.result import FAIL, OK, Result
from ddplint.knowledge import load_knowledge

if TYPE_CHECKING:
    from ddplint.job.doctor.job import Job


_START = 30
"""Seconds that processes may take to start, besides the limits of what they do."""


def by_itself(command: Sequence[str], backend: str, seconds: float) -> Found:
    """Bisect with ``command``, which starts all of its ranks itself; each attempt may take ``seconds``."""

    def attempt(some: Sequence[Change]) -> str:
        return run_once(command, changed(os.environ, _resolved(some)), seconds)

    return search(attempt, *changes(os.environ, backend))


def among_ranks(job: Job, command: Sequence[str], backend: str) -> Found | None:
    """Bisect with ``command`` run by every rank in a fresh process. Rank 0 decides and gets the outcome.

    An empty ``command`` is ddplint's own probe. Each attempt has a port of its own and takes at most twice the job's
    seconds and half a minute. Raises ``TimeoutError`` where rank 0 goes away.
    """
    limit = 2 * job.seconds + _START
    own = [sys.executable, "-m", "ddplint.job.doctor.probe", "--backend", backend, "--timeout", f"{job.seconds:g}"]
    runner = _Runner(job, command or own, limit)
    if job.rank:
        runner.follow()
        return None
    found = search(runner.attempt, *changes(os.environ, backend))
    runner.end()
    return found


class _Runner:
    """The attempts of one rank: rank 0 says what is tried, all ranks run it, and rank 0 reads how it went."""

    def __init__(self, job: Job, command: Sequence[str], limit: float) -> None:
        self.job, self.command, self.limit, self.number = job, command, limit, 0

    def attempt(self, some: Sequence[Change]) -> str:
        """One attempt, as rank 0. An error of any rank fails it."""
        plan = {"port": free_port(), "changes": [(one.name, one.value) for one in some]}
        self.job.store.set(f"trial/{self.number}", json.dumps(plan))
        told = self._run(plan)
        silent = [rank for rank in range(self.job.world) if rank not in told]
        if silent:
            return f"rank {', '.join(map(str, silent))} did not answer"
        return next((f"rank {rank}: {error}" for rank, error in told.items() if error), "")

    def follow(self) -> None:
        """All attempts, as any other rank."""
        while True:
            plan = self._plan()
            if plan is None:
                return
            self._run(plan)

    def end(self) -> None:
        self.job.store.set(f"trial/{self.number}", "null")

    def _run(self, plan: Mapping[str, object]) -> dict[int, str]:
        some = [Change(name, value, "") for name, value in plan["changes"]]  # type: ignore[attr-defined]
        mine = {"MASTER_PORT": str(plan["port"]), "TORCHELASTIC_USE_AGENT_STORE": "False"}
        error = run_once(self.command, changed(os.environ, {**_resolved(some), **mine}), self.limit)
        self.number += 1
        return self.job.collect(f"trial/{self.number}/ended", error, seconds=self.limit + _START)

    def _plan(self) -> Mapping[str, object] | None:
        key, end = f"trial/{self.number}", time.monotonic() + self.limit + 2 * _START
        while not self.job.store.check([key]):
            if time.monotonic() > end:
                raise TimeoutError("rank 0 does not say what to try next")
            time.sleep(0.05)
        plan: Mapping[str, object] | None = json.loads(self.job.store.get(key))
        return plan


def _resolved(some: Sequence[Change]) -> dict[str, str | None]:
    return {one.name: interface() if one.value == INTERFACE else one.value for one in some}


def interface() -> str:
    """Through which interface this process reaches the master."""
    port = os.environ.get("MASTER_PORT", "")
    return interface_towards(os.environ.get("MASTER_ADDR") or "127.0.0.1", int(port) if port.isdecimal() else 29500)


def verdict(found: Found) -> Result:
    """The outcome as one line."""
    count = f"{len(found.steps)} attempt(s) in fresh processes"
    if found.works == ():
        return Result("bisect", OK, "the probe works as it is: nothing to look for")
    if found.works:
        told = " and ".join(map(str, found.works))
        return Result("bisect", FAIL, f"fails as it is ({found.error}), works {_with(told)}; {count}")
    if found.unsteady:
        return Result("bisect", FAIL, f"fails now and then: first it did ({found.error}), at last it worked; {count}")
    tried = ", ".join(dict.fromkeys(str(one) for some, _ in found.steps for one in some)) or "nothing to try"
    return Result("bisect", FAIL, f"fails as it is ({found.error}) and with all that was tried: {tried}; {count}")


def _with(told: str) -> str:
    return told if told.startswith("without") else f"with {told}"


def advice(found: Found, interfaces: Mapping[int, str]) -> Iterator[str]:
    """Lines for a shell, with what they cost. ``interfaces`` are the ranks' ways to the master."""
    if not found.works:
        return
    yield "# The least of what was tried with which the probe works here: a hint where to look, and not to be kept."
    rows = load_knowledge().envs()
    for one in found.works:
        harm = rows[one.name].harmful if one.value is not None else ""
        yield f"# {one}: {one.why}. {harm}".rstrip()
    for one in found.works:
        if one.value is None:
            yield f"unset {one.name}"
        elif one.value != INTERFACE:
            yield f"export {one.name}={one.value}"
        else:
            yield from _per_rank(one.name, interfaces or {0: interface()})


def _per_rank(name: str, interfaces: Mapping[int, str]) -> Iterator[str]:
    kinds = dict.fromkeys(interfaces.values())
    for kind in kinds:
        ranks = [str(rank) for rank, value in interfaces.items() if value == kind]
        yield f"export {name}={kind}" + (f"    # rank {', '.join(ranks)}" if len(kinds) > 1 else "")


def record(found: Found, interfaces: Mapping[int, str]) -> dict[str, object]:
    """The outcome as values that JSON has."""
    works = None if found.works is None else {one.name: one.value for one in found.works}
    steps = [{"changes": {one.name: one.value for one in some}, "error": error} for some, error in found.steps]
    return {"works": works, "unsteady": found.unsteady, "attempts": steps, "advice": list(advice(found, interfaces))}
