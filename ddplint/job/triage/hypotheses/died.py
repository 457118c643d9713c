"""A process failed by itself: an error of its program, a CUDA error, a crash, a signal."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Death, Sign, Stack
from ddplint.job.triage.hypotheses.base import Hypothesis, of_death, place, quoted, spell_ranks, who, whom
from ddplint.job.triage.hypotheses.hardware import by_program
from ddplint.job.triage.hypotheses.reported import by_scheduler, of_ray
from ddplint.job.triage.hypotheses.scheduler import by_agent
from ddplint.job.triage.reading.stacks import own_error
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.wordings.table import of_service

_MEMORY = re.compile(
    r"[Oo]ut ?[Oo]f ?[Mm]emory|shared memory|MemoryError|bad_alloc|Cannot allocate memory|\bshm\b|Bus error"
    r"|</torch_\d|RESOURCE_EXHAUSTED: [^\n]{0,40}alloc"
)
_SIGNS = {
    "cuda": 86, "assert": 87, "crash": 85, "disk": 80, "no-number": 72, "worker": 76, "abort": 66, "actor": 60,
    "child": 52, "limit": 58, "unfit": 70,
}  # fmt: skip
_ABOUT_DISK = "a disk or a quota is full, or a file could not be written to its end, which is most often the same"
_ASKED = (-15, 143, -2, 130, -1, 129)
"""Codes of processes that did what they were asked to: they ended."""
_SIGNALS = {
    -9: "was killed (SIGKILL)",
    -11: "crashed (SIGSEGV)",
    -7: "crashed (SIGBUS)",
    -4: "crashed (SIGILL)",
    137: "was killed (exit code 137: SIGKILL)",
    139: "crashed (exit code 139: SIGSEGV)",
    135: "crashed (exit code 135: SIGBUS)",
}
_HEADINGS = ("Root Cause", "Failures:")
_HEAD = re.compile(r"\S+ FAILED\s*")
"""Of a launcher's table."""
_OF_PARENT = ("subprocess.CalledProcessError", "ChildFailedError")
"""What a parent raises whose child ended with a code."""
_REPORTS = ("not-understood", "not-possible", "nccl-warn", "grave", "child", "returned", "nccl-gave-up")
"""Kinds of lines that do not explain why a process ended."""
_WARNED = 60
"""Points for a CUDA error of which NCCL only warns: it may have gone another way."""
_MESSAGE = "ErrorMessage "
"""How a cloud puts the last words of a program behind the code that it ended with."""
_NEAR = 40
_CALLS_ITSELF = re.compile(r"\b(?:ERROR|CRITICAL|FATAL)\b")
_WITHOUT = "without a gradient: "
_OWN, _RETOLD = 82, 62
"""Points for an error of its own, and for one that is about somebody else or a launcher's."""
_ABOUT_OTHERS = (
    (re.compile(r"[Kk]illed by signal: Killed|SIGKILL"), "memory"),
    (re.compile(r"[Tt]raining job .{0,80}: Failed|[Jj]ob .{0,60}(?:has )?failed\b"), ""),
    (re.compile(r"[Rr]eceived signal: |[Kk]illed by signal|[Pp]rocess .{0,60}(?:died|exited|was killed)"), ""),
    (re.compile(
        r"\b[Tt]imed[ -]out\b|[Tt]ime-?out (?:reached|exceeded|expired|after|while|waiting)|\b[Ll]ost connection\b"
        r"|\b[Pp]eers? .{0,40}(?:closed|died|lost|gone|exited)|[Cc]onnection .{0,40}(?:lost|closed|refused)"
        r"|[Nn]o heartbeat|[Hh]eartbeats? .{0,20}(?:missed|lost)|[Oo]ther ranks? .{0,40}(?:failed|died|exited)"
    ), "transport"),
)  # fmt: skip
"""What an error says of others, and the cause that it allows beside."""
_OF_KERNELS = re.compile(r"illegal|device-side assert|launch failure|misaligned|ECC|hardware|launch timed out")
"""CUDA errors of a kernel that ran before, whoever meets them first."""
_CALLED = 68
_NAME_ONLY = 57
"""Points for an error of which only the name is here."""
_ABORTED = 62
"""Points for a rank that called MPI_Abort: nobody does that for others, and why it did may be above."""
_KILLED, _BUS = (-9, 137), (-7, 135)
_ABOUT_BUS = "a bus error is most often shared memory that is full or too small (/dev/shm, docker's --shm-size)"
_ABORT = "MPI_ABORT"
_SHORT_OF_MEMORY = "Out Of Memory"
"""How Slurm says it of a task: that is no death of its own."""
_LEFT = 34
"""Points for an abort of which only the code is known: a watchdog does that, or a program in C++."""
_LEAVES = {-15: "was asked to stop (SIGTERM)", -6: "aborted (SIGABRT)", 134: "aborted (exit code 134: SIGABRT)"}


def died(case: Case) -> Hypothesis | None:
    """A rank's own failure, the earliest one; what is about memory belongs to another hypothesis."""
    found = Hypothesis("died")
    _by_error(case, found)
    for sign in case.of(*_SIGNS):
        if sign.kind != "child" or sign.number not in _ASKED:
            _by_sign(sign, case, found)
    for sign in case.of("cuda-generic")[:1]:
        points = 45 if not any(one.explains for one in case.signs) else 15
        found.support(
            points, f"{whom(sign)}: NCCL met a CUDA error that it does not name: {quoted(sign)}", sign, [sign.rank]
        )
    if any(one.kind == "disk" for one in case.of("disk")) and found.score:
        found.because.append(_ABOUT_DISK)
    for sign in case.of("hardware"):
        if by_program(sign):
            found.support(64, f"the driver saw a fault of a program's kernel: {quoted(sign)}", sign, [sign.rank])
    named = {death.exitcode for death in case.deaths if death.rank is not None}
    at_once: set[tuple[int | None, str]] = set()
    for death in sorted(case.deaths, key=_told_first):
        if (death.rank is not None or death.exitcode not in named) and (death.exitcode, death.where) not in at_once:
            _by_end(death, case, found)
        at_once.add((death.exitcode, death.where))
    for sign in case.of("twice")[:2]:
        if found.score:
            found.because.append(f"the parameter that was marked twice: {quoted(sign)}")
    for sign in case.of("unfit-part")[:2] if case.of("unfit") else ():
        if not any(_plain(sign.text)[:60] in _plain(text) for text in found.because):
            found.because.append(f"what does not fit: {quoted(sign)}")
    _by_report(case, found)
    by_scheduler(case, found)
    unreduced = case.of("unreduced")
    for sign in unreduced[:1]:
        ranks = sorted({rank for one in case.of("unreduced-indices", "unreduced-names") for rank in one.ranks})
        whose = sign.rank if sign.rank is not None or len(ranks) != 1 else ranks[0]
        found.support(78, f"{who(whose)} raised: {quoted(sign)}", sign, [whose])
        found.because.append(_about_gradients(case))
        found.because += [f"{_WITHOUT}{quoted(one)}" for one in case.of("unreduced-indices", "unreduced-names")[:4]]
        found.also.append("diverged" if not _same_indices(case) else "configuration")
    if found.score and len(found.ranks) == 1 and case.waiting - set(found.ranks):
        found.because.append("what the other ranks report afterwards (timeouts, closed connections) follows from it")
    _said_before(case, found)
    found.absent = found.ranks if found.score >= 60 else ()
    return found if found.score else None


def _told_first(death: Death) -> tuple[bool, str]:
    """A launcher's table names the first of one machine; of several tables the earliest counts."""
    return (not death.first, death.told if death.first and death.told[:1].isdigit() else "")


def _by_error(case: Case, found: Hypothesis) -> None:
    own = [stack for stack in case.own_stacks if not _MEMORY.search(stack.error)]
    for number, stack in enumerate(own[:3]):
        points = (_by_itself(stack, found) if not stack.cut else _NAME_ONLY) if not number else 40
        waits = [wait for wait in case.waits if wait.rank is not None and wait.rank == stack.rank]
        if waits:
            points = 35
        elif case.waits and all(case.later(stack, wait) for wait in case.waits) and stack.rank is None:
            points = 55
        aside = stack.in_launcher or stack.thread
        first = "also failed" if number or points <= 55 else "failed" if aside else "died first"
        at = f", at {place(stack)}" if place(stack) else ""
        at += "; what it says is not in the log" if stack.cut else ""
        who_failed = "the launcher itself" if stack.in_launcher else whom(stack)
        who_failed = f"a thread of {who_failed}" if stack.thread else who_failed
        found.support(
            points,
            f"{who_failed} {first}: {quoted(stack)}{at}",
            stack,
            [stack.rank] if not number else [],
        )


def _by_itself(stack: Stack, found: Hypothesis) -> int:
    """Points for an error that a program raised: one about a child, or a peer that was lost, explains less."""
    if stack.in_launcher or stack.thread:
        return _RETOLD
    about = [cause for pattern, cause in _ABOUT_OTHERS if pattern.search(stack.error)]
    if not about or of_service(stack.error):
        return _OWN
    found.also += [cause for cause in about if cause]
    return _RETOLD


def _said_before(case: Case, found: Hypothesis) -> None:
    """The last line of a failure before the end of a process of which only its code is known."""
    first = found.first
    if isinstance(first, Stack):
        _logged_before(first, case, found)
        return
    if not isinstance(first, Death) and not (isinstance(first, Sign) and first.kind in ("actor", "child")):
        return
    lines = [sign for sign in case.of("error", "echo", "grave", "nccl-warn", "not-understood") if sign is not first]
    before = [sign for sign in lines if sign.level not in ("W", "I") and sign.order <= first.order]
    before = [sign for sign in before if not sign.text.startswith(_HEADINGS) and not _HEAD.fullmatch(sign.text)]
    before += [sign for sign in case.of("error") if sign.order == first.order + 1 and sign.text.startswith(_MESSAGE)]
    if before:
        found.because.append(f"said before: {quoted(max(before, key=lambda sign: sign.order))}")


def _logged_before(stack: Stack, case: Case, found: Hypothesis) -> None:
    """What a library logged as an error right before the error was raised, in the words of which nothing of it is."""
    near = [sign for sign in case.of("error", "not-possible") if 0 < stack.order - sign.order <= _NEAR]
    logged = [sign for sign in near if _CALLS_ITSELF.search(sign.text) and sign.rank == stack.rank]
    if logged and not any(sign.text in stack.error for sign in logged):
        found.because.append(f"logged before: {quoted(logged[-1])}")


def _by_report(case: Case, found: Hypothesis) -> None:
    """An error whose traceback is not here, before a launcher's report that a process ended with a code."""
    if found.score:
        return
    ended = [death for death in case.deaths if death.exitcode not in (None, 0, -15, 143)]
    lost = {stack.where for stack in case.lost_stacks}
    own = [sign for sign in case.of("error") if sign.level not in ("W", "I") and own_error(sign.text)]
    own = [sign for sign in own if sign.where not in lost]
    for sign in own[:1]:
        if any(case.later(death, sign) for death in ended):
            found.support(64, f"{whom(sign)} raised, and a process ended: {quoted(sign)}", sign, [sign.rank])
        else:
            text = f"{whom(sign)} raised, and nothing shows that the job went on: {quoted(sign)}"
            found.support(54, text, sign, [sign.rank])
            found.because.append("its traceback is not in the log: where it was raised is not known")


def _by_sign(sign: Sign, case: Case, found: Hypothesis) -> None:
    points = _SIGNS[sign.kind]
    if sign.kind == "cuda" and sign.explains and not _OF_KERNELS.search(sign.text):
        points = _CALLED  # the call was NCCL's, and what it asked for may not be possible on this machine
        found.also.append("configuration")
    if sign.kind == "crash" and "Signal: Aborted" in sign.text:
        points = _RETOLD  # a watchdog, or a library of MPI, ends a process like that as well
    if sign.level in ("W", "I") or _MEMORY.search(sign.text) or _after_a_wait(sign, case):
        points = 25
    elif sign.kind == "cuda" and "NCCL WARN" in sign.text and not (case.stacks or case.deaths):
        points = _WARNED
    if sign.kind == "child" and sign.number in _SIGNALS:
        points = 72
    if sign.kind == "child" and sign.number in _SIGNALS and points > 60:
        found.because.append(f"a process {_SIGNALS[sign.number]}" + _about_kills(sign.number, case))
    known = any(_plain(sign.text)[:60] in _plain(text) for text in found.because)
    who_failed = whom(sign) + ": " if sign.rank is not None else ""
    found.support(
        points,
        "" if known or len(found.because) > 5 else f"{who_failed}{quoted(sign)}",
        sign,
        [sign.rank] if sign.kind not in ("actor",) else [],
    )
    if sign.kind == "actor" and (told := of_ray(sign, case)) and sum("says Ray" in one for one in found.because) < 2:
        found.because.append(f"which it was, says Ray: {told}")


def _plain(text: str) -> str:
    """A message without the numbers of processes and devices, and the machine that NCCL puts before it."""
    return re.sub(r"\d+", "", re.sub(r"^\[[\d: -]+\] |^\S+:\d+:\d+ ", "", text))


def _after_a_wait(sign: Sign, case: Case) -> bool:
    """Whether a parent only reports that a child ended that had given up waiting before."""
    return sign.kind in ("actor", "child") and any(case.later(sign, wait) for wait in case.waits)


def _by_end(death: Death, case: Case, found: Hypothesis) -> None:
    code = death.exitcode
    if death.text == _SHORT_OF_MEMORY:
        return
    if code in _SIGNALS:
        already = found.score >= 80
        points = 40 if already else 72
        left = "" if already else " and left no traceback"
        known = [death.rank] if not found.ranks else []
        found.support(points, f"{of_death(death)} {_SIGNALS[code]}{left} ({death.where})", death, known)
        if code in (*_KILLED, *_BUS) and not already:
            found.because.append(_about_kills(code, case).lstrip("; "))
    elif code not in (None, 0, -15, 143):
        told = [sign for sign in case.signs if sign.kind not in _REPORTS]
        told = [sign for sign in told if not any(one in sign.text for one in _OF_PARENT)]
        told = [sign for sign in told if sign.kind != "stop" or not by_agent(sign)]
        lost = [stack for stack in case.lost_stacks if not stack.error.startswith(_OF_PARENT)]
        reported = isinstance(found.first, Sign) and found.first.kind in _REPORTS
        points = _ABORTED if death.text == _ABORT else 38 if code not in _LEAVES else _LEFT
        enough = _ABORTED if death.text == _ABORT else 50
        explained = bool(case.waits or lost or (found.score >= enough and not reported) or told)
        how = _LEAVES.get(code or 0, f"ended with exit code {code}") + (f" ({_ABORT})" if death.text == _ABORT else "")
        together = [one.rank for one in case.deaths if one.where == death.where and one.rank is not None]
        who_ended = spell_ranks(together) if len(together) > 1 else of_death(death)
        if not explained:
            tied = _tied(case)
            if len(tied) > 1:
                start = next(one for one in case.deaths if one.first)
                at = f"in the same second ({start.where}): the launcher's table does not say who was first"
                found.support(38, f"{spell_ranks(tied)} ended with exit codes and left no traceback, {at}", start)
                return
            alone = sum(one.first for one in case.deaths) < 2
            first = (
                f" first{'' if alone else ' on its machine'}, says the launcher," if death.first and death.told else ""
            )
            known = [death.rank] if not found.ranks and len(together) < 2 else []
            left = "and its traceback breaks off in this log" if case.cut_stacks else "and left no traceback"
            found.support(points, f"{who_ended} {how}{first} {left} ({death.where})", death, known)
            for stack in case.cut_stacks[:1]:
                at = f", last seen at {place(stack)}" if place(stack) else ""
                found.because.append(f"{whom(stack)} raised an error that is not in the log{at} ({stack.where})")


def _tied(case: Case) -> tuple[int, ...]:
    """Ranks of a launcher's table, where all of it ended in one second."""
    told = [death for death in case.deaths if death.told not in ("", "-", "mpirun") and death.rank is not None]
    at_once = len({death.told for death in told}) == 1 and any(death.first for death in told)
    return tuple(sorted({death.rank for death in told if death.rank is not None})) if at_once else ()


def _about_kills(code: int, case: Case) -> str:
    if code in _BUS:
        return f"; {_ABOUT_BUS}"
    if code not in _KILLED:
        return ""
    if case.of("oom"):
        return "; the kernel's out-of-memory killer is in the log: host memory ran out"
    return "; SIGKILL without a word is most often the kernel's out-of-memory killer (see dmesg)"


def _indices(case: Case) -> dict[tuple[int, ...], str]:
    return {sign.ranks: sign.text.rpartition(":")[2].strip() for sign in case.signs if sign.kind == "unreduced-indices"}


def _same_indices(case: Case) -> bool:
    told = _indices(case)
    return len(told) > 1 and len(set(told.values())) == 1


def _about_gradients(case: Case) -> str:
    told = _indices(case)
    if _same_indices(case):
        return (
            "the same parameters got no gradient on all ranks: they are unused everywhere "
            "(find_unused_parameters), the ranks do not differ"
        )
    if len(told) > 1:
        return "different parameters got no gradient on different ranks: the ranks took other branches"
    return "parameters got no gradient in the step before: unused on all ranks, or this rank took another branch"
