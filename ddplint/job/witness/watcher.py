"""The thread beside the job: publishes where this rank is, compares, and finds out why it waits. Never raises."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable
from typing import Any

from ddplint.job.histories.diverging import Parting, from_mismatch, from_wait
from ddplint.job.histories.ranks import Rank
from ddplint.job.witness.mailbox import Mailbox
from ddplint.job.witness.recorder import Recorder, Step
from ddplint.job.witness.records import history, position, rank_from
from ddplint.job.witness.sites import frames_of

TICK = 1.0
NUDGE = 0.5
ANSWER = 2.5
REMEMBERED = 2048
MOST_RANKS = 1024


class Watcher:
    """Watches one process. ``tell`` reports; ``tick`` is called about once a second, for what is written beside it.

    Parameters: ``rank`` of ``world`` ranks, ``after`` seconds of waiting, and ``mailbox``, which connects (or raises).
    """

    def __init__(
        self,
        recorder: Recorder,
        place: tuple[int, int],
        after: float,
        mailbox: Callable[[], Mailbox | None],
        tell: Callable[[Parting], None],
        tick: Callable[[], None],
    ) -> None:
        self.recorder = recorder
        self.rank, self.world = place
        self.after = after
        self.connect, self.tell, self.tick = mailbox, tell, tick
        self.mailbox: Mailbox | None = None
        self.trouble = ""
        self.wake, self.stopping = threading.Event(), threading.Event()
        self.published = 0.0
        self.said: dict[str, Any] = {}
        self.answered = 0
        self.state, self.error = "running", ""
        self.main = threading.main_thread().ident
        self.stood: tuple[object, float] = (None, 0.0)
        self.looked: set[tuple[str, int]] = set()
        self.agreed: dict[str, int] = {}
        self.failed: Step | None = None
        self.enqueues = False
        recorder.heard, recorder.raised = self.nudge, self.fail
        self.thread = threading.Thread(target=self._run, name="ddplint-witness", daemon=True)

    def start(self) -> None:
        """Begin."""
        self.thread.start()

    def nudge(self) -> None:
        """Publish soon, for something happened; called by the job's own threads."""
        if time.monotonic() - self.published > NUDGE and not self.wake.is_set():
            self.wake.set()

    def fail(self, step: Step) -> None:
        """An operation raised: compare now, while the other ranks still live."""
        self.failed, self.error = step, step.error
        self.wake.set()

    def stop(self, state: str, patience: float) -> None:
        """Publish ``state`` and end, within ``patience`` seconds."""
        self.state = state
        self.stopping.set()
        self.wake.set()
        if self.thread.is_alive():
            self.thread.join(patience)

    def _run(self) -> None:
        try:
            self.mailbox = self.connect()
        except Exception as error:
            self._give_up(error)
        while True:
            self.wake.wait(TICK)
            self.wake.clear()
            ending = self.stopping.is_set()
            self.recorder.quietly(self.tick)
            if self.mailbox is not None:
                try:
                    self._look(self.mailbox)
                except Exception as error:
                    self._give_up(error)
            if ending:
                self.recorder.quietly(self.tick)
                return
            time.sleep(NUDGE / 10)

    def _give_up(self, error: Exception) -> None:
        self.mailbox = None
        self.trouble = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self.recorder.note("trouble", f"not watched any more: {self.trouble}")

    def _look(self, mailbox: Mailbox) -> None:
        if self.state != "running":
            mailbox.put(f"h/{self.rank}", history(self.recorder, REMEMBERED))
        self._publish(mailbox)
        self._answer(mailbox)
        self._compare_with_first(mailbox)
        failed, self.failed = self.failed, None
        step = failed or self._waiting()
        if step is not None:
            self._explain(mailbox, step, failed is not None)

    def _publish(self, mailbox: Mailbox) -> None:
        self.published = time.monotonic()
        told = {"state": self.state, "error": self.error, "answered": self.answered}
        told.update(position(self.recorder), **self._standing())
        entered: Any = told.get("open", ())
        known = {**told, "open": entered[:2]}
        if known != self.said:
            mailbox.put(f"r/{self.rank}", told)
            self.said = known

    def _standing(self) -> dict[str, Any]:
        """Where the main thread is, once it has been there for two seconds."""
        frame = frames_of(self.main)
        site = self.recorder.sites.here(frame)
        now = time.monotonic()
        if self.stood[0] != site.at:
            self.stood = (site.at, now)
        return {"stands": site.at} if now - self.stood[1] > 2 and site.at else {}

    def _answer(self, mailbox: Mailbox) -> None:
        asked = mailbox.count("ask")
        if asked > self.answered:
            self.answered = asked
            site = self.recorder.sites.here(frames_of(self.main))
            mailbox.put(f"h/{self.rank}", history(self.recorder, REMEMBERED))
            told = {"state": self.state, "error": self.error, "answered": asked, "stands": site.at}
            mailbox.put(f"r/{self.rank}", {**told, **position(self.recorder)})

    def _compare_with_first(self, mailbox: Mailbox) -> None:
        """Whether the lowest rank of each group agreed so far."""
        told: dict[int, Any] = {}
        for key, group in list(self.recorder.groups.items()):
            lowest = group.ranks[0]
            if lowest == self.rank or group.seq <= self.agreed.get(key, 0) or len(group.ranks) < 2:
                continue
            if lowest not in told:
                told[lowest] = mailbox.get(f"r/{lowest}") or {}
            marks = told[lowest].get("groups", {}).get(key, {}).get("marks", ())
            both = next(((step, chain) for seq, chain in marks if (step := group.step(seq))), None)
            if both is None:
                continue
            if both[0].chain == both[1]:
                self.agreed[key] = both[0].seq
                continue
            self.agreed[key] = 1 << 62
            if mailbox.first(f"mismatch/{key}"):
                parting = from_mismatch(self._gather(mailbox), self.rank, key)
                if parting is not None and mailbox.first(_state(parting)):
                    self.tell(parting)

    def _waiting(self) -> Step | None:
        """The operation that this rank has been in for too long, or behind which it stands still."""
        now, step = time.monotonic(), self.recorder.waiting()
        if step is None and now - self.stood[1] > self.after:
            last = [group.steps[-1] for group in list(self.recorder.groups.values()) if group.steps]
            newest = max(last, key=lambda one: one.began, default=None)
            step = newest if newest is not None and (newest.later or self.enqueues) else None
        if step is None or now - step.began < self.after or (step.group.key, step.seq) in self.looked:
            return None
        return step

    def _explain(self, mailbox: Mailbox, step: Step, failed: bool) -> None:
        """Report a wait, or a failure, unless another rank does."""
        where = (step.group.key, step.seq)
        self.looked.add(where)
        if not mailbox.first("failure" if failed else f"waits/{where[0]}/{where[1]}"):
            if failed:
                self._stay(mailbox)
            return
        try:
            ranks = self._gather(mailbox)
            if step.ended and not (failed or step.later or self.enqueues):
                return
            parting = from_wait(ranks, self.rank, *where, seconds=time.monotonic() - step.began)
            if parting is not None and self._worth(parting, step, failed) and mailbox.first(_state(parting)):
                self.tell(parting)
        finally:
            if failed:
                mailbox.put("explained", True)

    def _worth(self, parting: Parting, step: Step, failed: bool) -> bool:
        """Whether there is anything to say: others that have not come, or went another way."""
        if failed:
            return parting.kind != "stuck"
        return not step.ended or bool(parting.absent)

    def _stay(self, mailbox: Mailbox) -> None:
        """Answer until the rank that explains the failure has done so: the launcher ends all when one rank leaves."""
        end = time.monotonic() + ANSWER + 1
        while time.monotonic() < end and not mailbox.get("explained"):
            self._answer(mailbox)
            time.sleep(0.05)

    def _gather(self, mailbox: Mailbox) -> list[Rank]:
        """Where all ranks are, with their histories; those that do not answer in time with what they said last."""
        asked = mailbox.count("ask", 1)
        end = time.monotonic() + ANSWER
        told: dict[int, Any] = {}
        waiting = set(range(min(self.world, MOST_RANKS)))
        while waiting and time.monotonic() < end:
            self._answer(mailbox)
            for rank in sorted(waiting):
                told[rank] = mailbox.get(f"r/{rank}") or {}
                if told[rank].get("answered", 0) >= asked or told[rank].get("state") == "ended":
                    waiting.discard(rank)
            if waiting:
                time.sleep(0.05)
        for rank in waiting:
            told[rank] = {"state": "silent", **told[rank]} if told[rank] else {"state": "silent"}
            if told[rank]["state"] == "running":
                told[rank]["state"] = "silent"
        return [rank_from(rank, told[rank], mailbox.get(f"h/{rank}"), self.world) for rank in sorted(told)]


def _state(parting: Parting) -> str:
    """The same for one state of affairs, whoever reports it; a line that waits again and again is reported once."""
    first = parting.first
    if first is not None and first.kind != "behind":
        return f"told/{first.group}/{first.seq}"
    told = repr([(one.number, one.current() or one.stands[-1:]) for one in parting.ranks])
    return f"told/{zlib.crc32(told.encode())}"
