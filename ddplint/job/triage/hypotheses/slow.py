"""A rank did not come in time: it is late, stuck in a call, or somewhere else; the others waited."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign, Stack
from ddplint.job.triage.hypotheses.base import Hypothesis, of_death, quoted, spell_ranks, whom
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.timelines.groups import WHOLE_JOB, GroupLine
from ddplint.job.triage.timelines.standing import standing

_FIRST_USE = re.compile(r"\[(\d{1,7})\] is setting up NCCL communicator and retr\w+ ncclUniqueId from \[(\d{1,7})\]")
_OWN_SIGNAL = "from this local rank"
_STOOD_STILL = 3
"""A wait that ran so many times longer than its limit was not looked at in between."""


def slow(case: Case) -> Hypothesis | None:
    """Waits whose peers did not come, watchdogs that stood still, barriers that were not complete."""
    found = Hypothesis("slow")
    for group in case.compared:
        if group.every:
            _by_group(group, case, found)
    for sign in {sign.ranks: sign for sign in reversed(case.of("absent"))}.values():  # one line for each set of ranks
        what = "a barrier" if "arrier" in sign.text or "/replica:" in sign.text else "what the others wait in,"
        found.support(
            72,
            f"{spell_ranks(sign.ranks)} did not come to {what} in time: {quoted(sign)}",
            sign,
            sign.ranks,
            absent=True,
        )
    _first_use(case, found)
    _in_the_store(case, found)
    _came_to_its_end(case, found)
    _stood_still(case, found)
    _only_counted(case, found)
    _only_told(case, found)
    unread = case.of("unread")
    if len(unread) > 1 and case.closes(max(unread, key=lambda sign: sign.order)):
        text = f"what one process has written the others do not read, said {len(unread)} times to the end of the log"
        found.support(46, f"{text}: {quoted(unread[-1])}", unread[0])
    for sign in case.of("peer-late"):
        found.support(60, f"{whom(sign)}: a peer did not send or notify in time: {quoted(sign)}", sign, [])
    lost = [stack for stack in case.lost_stacks if "Timed out" in stack.error or "pair closure" in stack.error]
    if lost and not case.waits:
        found.support(52, f"a rank gave up waiting: {quoted(lost[0])}", lost[0])
        found.also += ["transport", "diverged"]
    _alive(case, found)
    if found.score and case.own_failure is not None:
        found.doubt(40, "a rank failed by itself: the others waited for it")
    return found if found.score else None


def _first_use(case: Case, found: Hypothesis) -> None:
    """The first operation of a group: the others wait in the store for what its rank 0 makes.

    A rank whose number within the group is its global one has all ranks before it in the group, so that 0 is rank 0.
    """
    told = [(fact, one) for fact, text in _said(case) for one in _FIRST_USE.finditer(text)]
    if not told:
        return
    fact, one = told[0]
    known = any(isinstance(fact, Stack) for fact, _ in told) and all(fact.rank == int(one[1]) for fact, one in told)
    ranks = (int(one[2]),) if known else ()
    who = spell_ranks(ranks) if ranks else f"the rank that has the number {one[2]} within the group"
    limit = next((f" ({wait.timeout:,} ms)" for wait in case.waits if wait.op == "STORE" and wait.timeout), "")
    text = (
        f"{who} did not come to the first operation of a group in time, where it makes the id that the others fetch; "
        f"the limit is that of the store{limit}, given to init_process_group, not the group's own"
    )
    found.support(84, text, fact, ranks, absent=True)
    found.because.insert(1, f"{whom(fact)} waited for that: {quoted(fact)}")
    found.also.append("init")


def _said(case: Case) -> list[tuple[Stack | Sign, str]]:
    return [
        *((stack, stack.error) for stack in case.lost_stacks),
        *((sign, sign.text) for sign in case.of("init", "peer-late")),
    ]


def _in_the_store(case: Case, found: Hypothesis) -> None:
    """A few wait for a key in the store while the others wait in a collective: that is where they wait for the few."""
    store = [wait for wait in case.waits if wait.op == "STORE" and "cuda//" not in wait.group]
    few = {wait.rank for wait in store if wait.rank is not None}
    group = next((one for one in case.compared if one.name in WHOLE_JOB and one.operations()), None)
    others = set(group.waits) - few if group is not None else set[int]()
    if group is None or not few or len(few) >= len(others) or len(group.operations()) > 1:
        return
    text = (
        f"{spell_ranks(few)} waited in the store for {store[0].group}, which nobody had set, "
        f"while {spell_ranks(others)} waited in {group.every[0].op} #{group.number}"
    )
    found.support(78, text, store[0], few, absent=True)
    found.also.append("diverged")


def _came_to_its_end(case: Case, found: Hypothesis) -> None:
    """Ranks that say that they are done, while the others wait for them."""
    done = {life.rank: life for life in case.lives if life.ended and life.rank is not None}
    others = (case.waiting | case.evidence.failed) - done.keys()
    if not done or not others or not (case.waits or case.of("remote", "socket", "closed")):
        return
    life = min(done.values(), key=lambda one: one.order)
    told = f"{spell_ranks(done)} came to the end of the program while {spell_ranks(others)} went on"
    text = f"{told}: {life.text} ({life.where})"
    found.support(80, text, life, done, absent=True)
    found.also.append("diverged")


def _by_group(group: GroupLine, case: Case, found: Hypothesis) -> None:
    elsewhere = {rank for other in case.compared if other is not group for rank in other.waits}
    late = tuple(rank for rank in group.behind() if rank not in elsewhere or rank in group.waits)
    busy = tuple(rank for rank in group.behind() if rank not in late)
    if busy:
        found.because.append(f"{spell_ranks(busy)} had not enqueued what others wait in, but waits in another group")
    first = group.every[0]
    long = [w for w in group.every if w.ran and w.timeout and w.ran > _STOOD_STILL * w.timeout]
    if long:
        ran, limit = max(w.ran or 0 for w in long), long[0].timeout or 0
        found.support(
            74,
            f"works ran {ran / 1000:,.0f} s ({ran / 3.6e6:.1f} hours, {ran:,} ms) under a limit of "
            f"{limit / 1000:,.0f} s: "
            "the processes or their watchdogs stood still",
            long[0],
        )
    if late:
        found.support(75, f"{spell_ranks(late)} had not enqueued what the others wait in", first, late, absent=True)
        found.also.append("diverged")
        return
    passed = group.passed()
    if passed:
        found.support(76, f"{spell_ranks(passed)} came to it when the others had given up waiting", first, passed)
        return
    absent = _here_but_away(group, case)
    if absent:
        found.support(
            64,
            (
                f"{spell_ranks(absent)} appears here (its lines, or the launcher's) and did not give "
                "up waiting as the others did"
            ),
            first,
            absent,
            absent=True,
        )
        found.also.append("diverged")
    elif len(group.operations()) < 2 and len(group.sizes()) < 2:
        found.support(56, _same_wait(group, case), first)
        found.also += ["transport", "diverged"]


def _same_wait(group: GroupLine, case: Case) -> str:
    number = "" if group.number is None else f" #{group.number}"
    told = spell_ranks(group.waits) if group.waits else "a rank"
    what = f"{group.every[0].op or 'a collective'}{number}"
    if len(group.waits) < 2:
        return f"{told} waits in {what}; one rank's wait is no sign that they disagree: the logs of the others decide"
    if not group.operations():
        return f"{told} waited, and the log does not say in what"
    if group.several:
        return f"{told} wait, in several groups that the log does not name: who waits for whom it does not say"
    left = f"; of {spell_ranks(case.silent)} nothing is here: late, dead or elsewhere" if case.silent else ""
    return f"{told} wait in the same {what}: they do not disagree{left}"


def _only_counted(case: Case, found: Hypothesis) -> None:
    """Watchdogs of which the line with the operation is not here, but that with the number of the work that failed."""
    for group in () if case.waits else case.compared:
        failed = {rank: count.failed for rank, count in group.counts.items() if count.failed is not None}
        if failed:
            number = min(failed.values())
            first = next(count for count in group.counts.values() if count.failed == number)
            found.support(
                50,
                f"the watchdogs of {spell_ranks(failed)} report #{number} as failed or timed out ({first.where})",
                first,
                [],
            )
            found.also += ["transport", "diverged"]


def _only_told(case: Case, found: Hypothesis) -> None:
    """Ranks whose watchdogs say that a wait of theirs, or of another rank, came to nothing, and not in what it was."""
    own = [sign for sign in case.of("gave-up") if _OWN_SIGNAL in sign.text]
    if own and not case.waits:
        who = spell_ranks({sign.rank for sign in own if sign.rank is not None}) or "a rank"
        text = f"{who} gave up waiting in a collective, and the line that says in which is not here: {quoted(own[0])}"
        found.support(56, text, own[0])
        found.also += ["transport", "diverged"]
    for sign in case.of("told-of-another")[:1]:
        text = (
            f"{whom(sign)} was told that another rank had given up waiting, or met an error of NCCL; which, and in "
            f"what, the lines of that rank say: {quoted(sign)}"
        )
        found.support(42, "" if case.waits else text, sign)
        for death in case.deaths:
            if death.exitcode in (-6, 134) and not case.waits:
                found.because.append(f"{of_death(death)} aborted (SIGABRT), as watchdogs do ({death.where})")


def _stood_still(case: Case, found: Hypothesis) -> None:
    signs = case.of("stuck")
    if not signs:
        return
    ranks = {sign.rank for sign in signs if sign.rank is not None}
    told = next((sign for sign in signs if sign.number), signs[0])
    seconds = f" for {told.number} s" if told.number else ""
    whose = f"the watchdogs of {spell_ranks(ranks)}" if ranks else "a watchdog"
    found.support(
        62,
        f"{whose} (heartbeat) made no progress{seconds}: a call into NCCL or CUDA hangs, or a thread holds the "
        f"interpreter: {quoted(told)}",
        told,
    )


def _here_but_away(group: GroupLine, case: Case) -> tuple[int, ...]:
    """Ranks with lines before the timeout and none of a wait; as members are not told, only of the default group."""
    if group.name not in WHOLE_JOB or not group.waits:
        return ()
    gave_up = {sign.rank for sign in case.signs if sign.kind == "gave-up" and sign.rank is not None}
    away = case.evidence.seen - case.waiting - set(group.counts) - gave_up
    return tuple(sorted(away)) if away and len(away) < case.evidence.size else ()


def _alive(case: Case, found: Hypothesis) -> None:
    alive = standing(case.living)
    if len(alive) > 1 and any(one.operation for one in alive) and not all(one.operation for one in alive):
        away = [one.rank for one in alive if not one.operation]
        found.support(60, "stacks: " + "; ".join(map(str, alive[:16])), None, away, absent=True)
    elif (
        len(alive) > 1
        and all(one.operation for one in alive)
        and len({(one.line.path, one.line.line) for one in alive}) == 1
    ):
        found.support(40, "all of them at one line: who is missing has no stack here, or the transport is stuck")
