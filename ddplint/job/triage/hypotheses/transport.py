"""The way between ranks failed, or a peer went away without a failure of its own in the log."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.hypotheses.base import Hypothesis, place, quoted, spell_ranks, who, whom, whose
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.timelines.groups import GroupLine

_PEER = re.compile(r"peer (\S+)")
_HCA = re.compile(r"\b(?:hca |exceeded on )([\w./:]+)")
_STATUS = re.compile(r"(?:status[ =]|completion [^\n]*?with error |completion with error )(\d+)")
_EVENT = re.compile(r"async event(?! *:? *\w* *fatal)", re.IGNORECASE)
"""What NCCL only notes: a port that went down may be up again before anybody misses it."""
_DESYNC = re.compile(r"Timeout at collective: (\w+)")
_MEANS = {
    "5": "work request flushed",
    "10": "remote access error",
    "12": "transport retries exceeded: the peer, a cable or a port does not answer",
    "13": "receiver not ready, retries exceeded",
}
_LOST = {
    "remote": 62,
    "socket": 52,
    "mesh": 52,
    "mpi": 50,
    "closed": 50,
    "system": 50,
    "store": 46,
    "internal": 34,
    "oneccl": 50,
    "peer-late": 48,
    "last-error": 40,
    "peer-host": 40,
    "waited": 30,
}


def transport(case: Case) -> Hypothesis | None:
    """Errors of the fabric, peers that were lost, and waits that all ranks of a group share."""
    found = Hypothesis("transport")
    broken = case.of("completion", "fabric")
    if broken:
        _fabric(broken, found)
    told: set[str] = set()
    pipes = {stack.where for stack in case.stacks if stack.of_pipe}
    for sign in case.of(*_LOST):
        if (sign.kind == "store" and not case.ran) or sign.where in pipes:
            continue
        points = _LOST[sign.kind] + (8 if sign.explains else 0) - (30 if sign.level in ("W", "I") else 0)
        named = f"{whom(sign)}: " if sign.rank is not None else ""
        text = f"{named}{_SAYS[sign.kind]}: {quoted(sign)}" if sign.kind not in told else ""
        told.add(sign.kind)
        found.support(max(points, 8), text, sign)
    aborted = [death for death in case.deaths if death.exitcode == -6 and death.rank is not None]
    if "mpi" in told and aborted:
        found.because.append(f"{who(aborted[0].rank)} aborted (SIGABRT) ({aborted[0].where})")
    if case.ran:
        for sign in case.of("rendezvous", "connect")[:1]:
            found.support(
                _given_up(sign, case),
                f"the launchers' store or a peer went away while the job ran: {quoted(sign)}",
                sign,
            )
    for stack in case.lost_stacks:
        if stack.order == getattr(found.first, "order", None) and place(stack):
            found.because.append(f"met at {place(stack)}" + (f" in {stack.own.function}" if stack.own else ""))
            break
    _joined(case, found)
    for group in case.compared:
        _shared(group, case, found)
    away = {life.rank for life in case.lives if life.ended and life.rank is not None} - case.waiting
    if found.score and not broken and away:
        found.doubt(25, "a rank had come to its end: that closes its connections")
    if found.score and not broken and case.own_failure is not None:
        found.doubt(45, "a process failed by itself: its peers lost their connections through that")
    after = found.first is not None and all(case.later(wait, found.first) for wait in case.waits)
    if found.score and not broken and case.waits and not after and not _all_share(case):
        found.doubt(12, "ranks gave up waiting: that closes connections as well")
    return found if found.score else None


_SAYS = {
    "remote": "a peer exited or the network failed",
    "socket": "a connection between ranks failed",
    "mesh": "gloo could not connect all ranks with each other",
    "mpi": "MPI could not carry out a call, and ended the job",
    "closed": "a connection was closed by the other side",
    "system": "a system call of NCCL failed",
    "store": "the process that hosts the store went away first",
    "internal": "NCCL failed inside",
    "oneccl": "oneCCL failed",
    "last-error": "NCCL says why",
    "peer-late": "a peer did not send or notify in time",
    "peer-host": "the machine of the peer that was lost",
    "waited": "a rank closed its connections after a timeout",
}


def _given_up(sign: Sign, case: Case) -> int:
    """Points for a connection that did not come about: it counts more where nobody had given up waiting before."""
    if sign.level in ("W", "I"):
        return 20
    timed_out = "timed out after" in sign.text and not any(case.later(sign, wait) for wait in case.waits)
    return 68 if timed_out else 58


def _joined(case: Case, found: Hypothesis) -> None:
    """torch's own report says that all of a group came to an operation, and that it did not end."""
    reports = case.of("joined")
    everybody = {rank for sign in (*reports, *case.of("snapshot")) for rank in sign.ranks}
    alike = len({(sign.ranks, sign.number) for sign in reports}) == 1 and everybody == set(reports[0].ranks)
    if not alike or len(everybody) < max(2, case.evidence.size) or case.of("behind", "lagging"):
        return
    sign = reports[0]
    named = next((one for one in case.of("pytorch-desync") if one.number == sign.number), None)
    told = _DESYNC.search(named.text) if named is not None else None
    operation = f" {told[1]}" if told else ""
    found.support(
        64,
        f"{spell_ranks(sign.ranks)} all joined{operation} #{sign.number} and none finished it: nobody is missing; the "
        f"transport, a lost rank or a stuck kernel is likelier ({sign.where})",
        sign,
    )
    found.also.append("slow")


def _fabric(signs: list[Sign], found: Hypothesis) -> None:
    first = min(signs, key=lambda sign: sign.order)
    peers = sorted({match[1] for sign in signs if (match := _PEER.search(sign.text))})
    adapters = sorted({match[1] for sign in signs if (match := _HCA.search(sign.text))})
    codes = sorted({match[1] for sign in signs if (match := _STATUS.search(sign.text))})
    told = [f"peer {', '.join(peers[:8])}"] if peers else []
    told += [f"adapters {', '.join(adapters[:8])}"] if adapters else []
    told += [f"status {code} ({_MEANS[code]})" if code in _MEANS else f"status {code}" for code in codes[:3]]
    warned = all(_EVENT.search(sign.text) for sign in signs)
    found.support(
        66 if warned else 90,
        f"the fabric reports failed transfers: {'; '.join(told)}" if told else "the fabric reports an error",
        first,
    )
    found.because.append(f"first, {whose(first)}: {quoted(first)}")


def _all_share(case: Case) -> bool:
    return any(_alike(group) and len(group.waits) >= max(2, case.evidence.size) for group in case.compared)


def _alike(group: GroupLine) -> bool:
    return len(group.numbers) < 2 and len(group.operations()) < 2 and len(group.sizes()) < 2 and not group.behind()


def _shared(group: GroupLine, case: Case, found: Hypothesis) -> None:
    if len(group.waits) < 2 or not _alike(group) or group.several or not group.operations():
        return  # gloo does not say in what a rank waits
    lines = {
        (stack.own.path, stack.own.line)
        for stack in case.lost_stacks
        if stack.own is not None and stack.rank is not None
    }
    if len(lines) > 1:
        return
    everybody = len(group.waits) >= case.evidence.size
    named = spell_ranks(group.waits)
    told = f"{named} wait in the same operation" + (f" #{group.number}" if group.number is not None else "")
    if everybody:
        found.support(
            60,
            (
                f"{told}: nobody known is absent, so they do not disagree; the transport, a lost rank "
                "or a stuck kernel is likelier"
            ),
            group.every[0],
        )
        found.also += ["slow"]
    else:
        found.support(42, f"{told}: those known here do not disagree", group.every[0])
