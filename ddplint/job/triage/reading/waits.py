"""What watchdogs and gloo say of a rank that waited: the operation, its number and size, and how far the rank was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddplint.job.triage.facts import Counted, Wait
from ddplint.job.triage.reading.numbers import whole

_WORK = re.compile(r"WorkNCCL\(((?:[^()]|\([^()]*\))*)\)?")
_FIELD = re.compile(r"(SeqNum|OpType|NumelIn|NumelOut|TensorShape|Timeout\(ms\))\s*=\s*(\[[^\]]*\]|[^,)\s]+)")
_RAN = re.compile(r"ran for (\d+) milliseconds")
_GLOO = re.compile(r"Timed out waiting (\d+)ms for (?:recv|send) operation")
_KEYS = re.compile(r"wait timeout after (\d+)ms, keys: (\S.{0,300}?)(?=\\n|\s*$|[\"' ]*Exception raised)")
_GROUP = re.compile(r"\[PG (?:ID )?(\d+)(?: PG GUID (\w+))?(?: ?\(([^)]*)\))?")
_COUNTS = re.compile(
    r"[Ll]ast enqueued (?:NCCL )?work: (-?\d+)(?:, last started (?:NCCL )?work: (-?\d+))?\b"
    r".{0,120}?, ?last completed (?:NCCL )?work: (-?\d+)"
)
_AT = re.compile(r"(?:watchdog at work(?: sequence id)?|Timeout at NCCL work): (\d+)")


def unfinished(text: str) -> bool:
    """Whether a line breaks off inside of what a watchdog says of a work, as a terminal cuts it."""
    if text.rstrip().endswith("collective operation timeout:"):
        return True
    start = max(text.rfind("WorkNCCL("), text.rfind("CollectiveFingerPrint("))
    return start >= 0 and text.count("(", start) > text.count(")", start)


def waits(text: str, where: str) -> Iterator[Wait]:
    """The wait that a line reports, without its rank."""
    gloo, keys = _GLOO.search(text), _KEYS.search(text)
    if "aught collective operation timeout" in text or ("WorkNCCL(" in text and "before timing out" in text):
        yield _nccl(text, where)
    elif gloo:
        yield Wait(None, timeout=whole(gloo[1]), where=where)
    elif keys:
        yield Wait(None, "STORE", None, None, whole(keys[1]), keys[2], where)


def group_of(text: str) -> str:
    """The process group that a line names in brackets: what it is for, and the name that all its ranks share.

    Older releases give but a number, with which each rank counts its own groups.
    """
    found = _GROUP.search(text)
    if found is None:
        return ""
    number, shared, name = found[1], found[2] or "", found[3] or ""
    if "default_pg" in name or (not name and number == "0"):
        return "default_pg"
    return f"{name} {shared}".strip() or number


def counted(text: str, where: str) -> Counted | None:
    """How far a rank was, without the rank."""
    found = _COUNTS.search(text)
    if found is None:
        return None
    at = _AT.search(text)
    return Counted(
        None, group_of(text), whole(found[1]), whole(found[3]), whole(found[2]), whole(at[1]) if at else None, where
    )


def _nccl(text: str, where: str) -> Wait:
    work = _WORK.search(text)
    told = dict(_FIELD.findall(work[1])) if work else {}
    elements = whole(told.get("NumelIn"))
    shape = told.get("TensorShape")
    if elements is None and shape:
        elements = 1
        for part in re.findall(r"\d+", shape):
            elements *= whole(part) or 1
    ran = _RAN.search(text, work.end() if work else 0)
    return Wait(
        None,
        told.get("OpType", ""),
        whole(told.get("SeqNum")),
        elements,
        whole(told.get("Timeout(ms)")),
        group_of(text),
        where,
        out=whole(told.get("NumelOut")),
        ran=whole(ran[1]) if ran else None,
    )
