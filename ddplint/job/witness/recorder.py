"""What this process does, in bounded buffers: operations by group and number, files written, and what is open now."""

from __future__ import annotations

import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any

from ddplint.job.witness.sites import NOWHERE, Site, Sites

BUFFER = 2048
"""Operations of one group that are kept in memory, and events of all sorts that wait to be written."""

_SIGNATURES = 10_000


class Step:
    """One operation this rank entered: number ``seq`` (from 1) of its ``group``, from ``site``.

    ``terms`` and ``sizes``: what all ranks must say alike. ``chain``: a sum over all signatures of the group so far.
    ``began``, ``ended``: seconds of the monotonic clock, 0 while it lasts. ``later``: it returns before it is done.
    """

    __slots__ = ("began", "chain", "ended", "error", "group", "later", "op", "seq", "site", "sizes", "terms")

    def __init__(self, group: Group, op: str, terms: tuple[str, ...], sizes: Any, site: Site) -> None:
        self.group = group
        self.op, self.terms, self.sizes, self.site = op, terms, sizes, site
        self.seq, self.chain = 0, 0
        self.began, self.ended, self.error, self.later = 0.0, 0.0, "", False


class Group:
    """A process group as all ranks name it: its global ranks, and which of those with the same ranks it is."""

    def __init__(self, ranks: tuple[int, ...], which: int, whole: bool) -> None:
        self.ranks = ranks
        self.key = ("all" if whole else "+".join(map(str, ranks))) + (f"#{which}" if which else "")
        self.seq = 0
        self.chain = 0
        self.steps: deque[Step] = deque(maxlen=BUFFER)

    def step(self, seq: int) -> Step | None:
        """The operation of that number, if it is still kept."""
        try:
            found = self.steps[seq - 1 - self.seq]
        except IndexError:
            return None
        return found if found.seq == seq else None


class Recorder:
    """Takes down steps. ``heard`` is called at each and ``raised`` for those that fail; both must return at once."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.groups: dict[str, Group] = {}
        self.events: deque[tuple[str, Any]] = deque(maxlen=BUFFER * 16)
        self.lost = 0
        self.lock = threading.Lock()
        self.inside = threading.local()
        self.open: dict[int, list[Step]] = {}
        self.pass_site: Site = NOWHERE
        self.signatures: dict[tuple[Any, ...], bytes] = {}
        self.heard: Callable[[], None] = _nothing
        self.raised: Callable[[Step], None] = _ignored

    def group(self, ranks: tuple[int, ...], which: int, whole: bool) -> Group:
        """The group of these ranks, made when it is first asked for."""
        made = Group(ranks, which, whole)
        return self.groups.setdefault(made.key, made)

    def enter(self, group: Group, op: str, terms: tuple[str, ...], sizes: Any, site: Site) -> Step:
        """Note that this thread begins an operation of ``group``."""
        step = Step(group, op, terms, sizes, site if site.at else self.pass_site)
        signature = self._signature(op, terms, sizes)
        with self.lock:
            group.seq += 1
            group.chain = step.chain = zlib.crc32(signature, group.chain)
            step.seq = group.seq
            group.steps.append(step)
        self.note("step", step)
        step.began = time.monotonic()
        self.open.setdefault(threading.get_ident(), []).append(step)
        self.heard()
        return step

    def leave(self, step: Step, error: BaseException | None = None) -> None:
        """Note that an operation returned, or what it raised."""
        step.ended = time.monotonic()
        steps = self.open.get(threading.get_ident(), [])
        if step in steps:
            steps.remove(step)
        if error is not None:
            step.error = f"{type(error).__name__}: {error}"[:300]
            self.raised(step)

    def waiting(self) -> Step | None:
        """The operation that has been open for longest, the innermost of its thread."""
        innermost = [steps[-1] for steps in list(self.open.values()) if steps]
        return min(innermost, key=lambda step: step.began, default=None)

    def quietly(self, call: Callable[[], None]) -> None:
        """Do something of which an error is only noted."""
        try:
            call()
        except Exception as error:
            self.note("trouble", repr(error))

    def note(self, kind: str, what: Any) -> None:
        """Keep something for the trace; the oldest goes where nobody writes it."""
        if len(self.events) == self.events.maxlen:
            self.lost += 1
        self.events.append((kind, what))

    def forget(self) -> None:
        """Begin anew, in a process that was forked: what the parent did is not its own."""
        self.lock = threading.Lock()
        self.inside.step = False
        self.groups.clear()
        self.open.clear()
        self.events.clear()
        self.heard, self.raised = _nothing, _ignored

    def _signature(self, op: str, terms: tuple[str, ...], sizes: Any) -> bytes:
        key = (op, terms, sizes)
        known = self.signatures.get(key)
        if known is None:
            known = repr(key).encode()
            if len(self.signatures) < _SIGNATURES:
                self.signatures[key] = known
        return known


def _nothing() -> None:
    return None


def _ignored(step: Step) -> None:
    return None
