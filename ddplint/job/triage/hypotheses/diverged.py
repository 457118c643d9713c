"""Ranks disagree about which collective comes next: another operation, another order, another number."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, spell_ranks, who
from ddplint.job.triage.hypotheses.memory import absurd
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.timelines.fingerprints import compared, numbers_differ, odd_ranks
from ddplint.job.triage.timelines.groups import WHOLE_JOB, GroupLine
from ddplint.job.triage.timelines.standing import standing
from ddplint.job.triage.timelines.tensors import against

_OPS = re.compile(r"OpType=(\w+)")
_RUNNING = re.compile(r"[Rr]ank (\d{1,7}) is running|at and around rank (\d{1,7})")
_ASPECTS = re.compile(r"differ in the following aspects:(.*)", re.DOTALL)


def diverged(case: Case) -> Hypothesis | None:
    """Different operations or numbers at one place, as a check, a recording, the watchdogs or stacks show."""
    found = Hypothesis("diverged")
    few = odd_ranks(case.of("mismatch"))
    for sign in case.of("mismatch"):
        _mismatch(sign, few, found)
    for sign in case.of("behind", "lagging"):
        _behind(sign, case, found)
    for kind, points in (("counts", 86), ("apart", 90), ("steps", 84), ("uneven", 58), ("absent", 62)):
        for sign in case.of(kind)[:1]:
            found.support(points, f"{_SAYS[kind]}: {quoted(sign)}", sign, sign.ranks, absent=True)
    for group in case.compared:
        _by_group(group, found)
    _by_tensors(case, found)
    for sign in case.of("gpu-memory", "host-memory"):
        if absurd(sign.text):
            text = "memory was asked for a size that no program has: what one rank took for a length was something else"
            found.support(90, f"{text}, so the ranks met in different collectives: {quoted(sign)}", sign, [])
    _by_lines(case, found)
    _by_stacks(case, found)
    if case.of("unreduced") and len({sign.text.rpartition(":")[2] for sign in case.of("unreduced-indices")}) > 1:
        found.support(85, "different parameters got no gradient on different ranks", case.of("unreduced")[0])
    return found if found.score else None


_SAYS = {
    "counts": "NCCL's own observer saw ranks at different places",
    "apart": "the recorded histories differ first",
    "steps": "the program itself counted different numbers of steps",
    "uneven": "the ranks have different amounts of work",
    "absent": "a rank did not come to what the others are in",
}


def _by_tensors(case: Case, found: Hypothesis) -> None:
    sides = against(case)
    if sides is None:
        return
    sign, _, missing = sides
    told = "; ".join(f"{name} is missing at {spell_ranks(ranks)}" for name, ranks in missing.items())
    few = min(missing.values(), key=len)
    alone = few if all(len(few) < len(ranks) for ranks in missing.values() if ranks is not few) else ()
    found.support(80, f"each side waits for what the other has not: {told} ({sign.where})", sign, alone)


def _behind(sign: Sign, case: Case, found: Hypothesis) -> None:
    """torch's own report of who is behind, which numbers the ranks of a smaller group from 0.

    Who waits in another group with all who are known of it is held up there, and did not go another way.
    """
    group = case.group_of(sign)
    number = f" #{sign.number + 1}" if sign.number is not None else ""
    ranks = sign.ranks if group in WHOLE_JOB else ()
    held = next((other for other in case.groups if ranks and other.name != group and _held(other, ranks)), None)
    if held is not None:
        text = (
            f"{spell_ranks(ranks)} did not join the collective{number} of all, but waits in {held.every[0].op} "
            f"#{held.number} of group {held.name} with {spell_ranks(set(held.waits) - set(ranks))}"
        )
        told = any(one.startswith(text) for one in found.because)
        found.support(66, "" if told else f"{text}: {quoted(sign)}", sign)
        return
    who_ = spell_ranks(ranks) if ranks else f"a rank of the group {group}"
    found.support(
        86 if sign.kind == "behind" else 72,
        f"{who_} did not join the collective{number} that the others are in or past: {quoted(sign)}",
        sign,
        ranks,
        absent=True,
    )


def _held(group: GroupLine, ranks: tuple[int, ...]) -> bool:
    """Whether these ranks wait in ``group`` for an operation that others of it have come to as well."""
    alike = len(group.numbers) == 1 and len(group.operations()) == 1 and not group.several and bool(group.name)
    return alike and set(ranks) < group.waits.keys()


def _mismatch(sign: Sign, few: tuple[int, ...], found: Hypothesis) -> None:
    ops = _OPS.findall(sign.text)
    named = [int(one or other) for one, other in _RUNNING.findall(sign.text)]
    aspects = _ASPECTS.search(sign.text)
    other = aspects is not None and ("Op type" in aspects[1] or "Sequence number" in aspects[1])
    points = 93 if len(set(ops)) > 1 or not ops or other or numbers_differ(sign.text) else 60
    found.because += [told] if (told := compared(sign.text)) else []
    found.support(points, f"ranks met in different collectives: {quoted(sign)}", sign, few or named or [sign.rank])


def _by_group(group: GroupLine, found: Hypothesis) -> None:
    operations = group.operations()
    number = "" if group.number is None else f" #{group.number}"
    if len(operations) > 1 and (group.name or not group.several):
        told = "; ".join(
            f"{spell_ranks(w.rank for w in waits if w.rank is not None)} in {waits[0].op}"
            for waits in operations.values()
        )
        sure = 90 if group.number is not None else 70
        found.support(
            sure, f"ranks wait in different collectives{number}: {told}", operations[min(operations)][0], group.odd()
        )
    numbers = group.numbers
    if len(numbers) > 1 and group.compared:
        told = "; ".join(
            f"{who(w.rank)} in {w.op} #{w.seq}" for w in sorted(group.every, key=lambda w: w.seq or 0)[:12]
        )
        few = [of for of in numbers if 2 * len(group.at(of)) < len(group.every)]
        odd = () if group.odd() else tuple(wait.rank for of in few for wait in group.at(of))
        found.support(76, f"ranks wait at different places of one sequence: {told}", group.every[0], odd)
    enqueued = {
        count.enqueued for rank, count in group.counts.items() if rank in group.waits and count.enqueued is not None
    }
    if len(group.sizes()) > 1 and len(enqueued) > 1:
        counted = "; ".join(f"{who(rank)} #{count.enqueued}" for rank, count in sorted(group.counts.items())[:16])
        found.support(
            84,
            f"what stands enqueued behind it differs as well, so another graph runs: {counted}",
            group.every[0],
            group.odd(),
        )


def _by_lines(case: Case, found: Hypothesis) -> None:
    """Ranks that wait with other sizes, and stand at other lines: they called something else."""
    stacks = {stack.rank: stack.own for stack in case.stacks if stack.rank in case.waiting and stack.own is not None}
    lines = {rank: f"{code.path}:{code.line}" for rank, code in stacks.items()}
    if len(set(lines.values())) > 1 and any(len(group.sizes()) > 1 for group in case.compared):
        told = "; ".join(f"rank {rank} at {line}" for rank, line in sorted(lines.items(), key=str)[:16])
        found.support(86, f"ranks with other sizes stand at other lines, so they called something else: {told}")


def _by_stacks(case: Case, found: Hypothesis) -> None:
    """Stacks of ranks that gave up waiting, or of living ones, at different lines of the program."""
    lines = {
        stack.rank: (stack.own.path, stack.own.line)
        for stack in case.lost_stacks
        if stack.rank is not None and stack.own
    }
    if len(lines) > 1 and len(set(lines.values())) > 1 and case.own_failure is None:
        told = "; ".join(f"rank {rank} at {path}:{line}" for rank, (path, line) in sorted(lines.items())[:16])
        found.support(87, f"every rank waited, at different lines, each for the others: {told}", case.lost_stacks[0])
    alive = standing(case.living)
    waiting = [one for one in alive if one.operation]
    if len(alive) < 2 or not waiting:
        return
    told = "; ".join(map(str, alive[:16]))
    if len(waiting) < len(alive):
        away = [one.rank for one in alive if not one.operation]
        found.support(74, f"some are in no collective while the others wait: {told}", None, away, absent=True)
        found.also.append("slow")
    elif len({(one.line.path, one.line.line) for one in alive}) > 1:
        found.support(88, f"every rank waits, at different lines, each for the others: {told}")
