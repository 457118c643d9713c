"""What each rank was about to do when the check of TORCH_DISTRIBUTED_DEBUG=DETAIL saw that ranks disagree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ddplint.job.triage.facts import Sign

_SAID = re.compile(r"[Rr]ank (\d{1,7}) is running collective: CollectiveFingerPrint\(([^()]*)")
_NUMBER = re.compile(r"SequenceNumber=(\d+)")
_FIRST_OP = re.compile(r"OpType=(\w+)")
_SHAPE = re.compile(r"TensorShape=\[([\d, ]*)\]")
_PARAMS = re.compile(r"[Rr]ank (\d{1,7}) has (?:inconsistent )?(\d{1,9}) params")
_PARTS = re.compile(r"OpType=(\w+)|TensorShape=\[([\d, ]*)\]|TensorDtypes=(\w+)")


def compared(text: str) -> str:
    """What each rank was about to do (``rank 1 BROADCAST #21 of [1], rank 2 …``); empty where that is not there."""
    told = []
    for rank, what in _SAID.findall(text):
        op, number, shape = _FIRST_OP.search(what), _NUMBER.search(what), _SHAPE.search(what)
        parts = [f"#{number[1]}" if number else "", f"of [{shape[1]}]" if shape else ""]
        told.append(" ".join([f"rank {rank}", op[1] if op else "a collective", *filter(None, parts)]))
    return ", ".join(told)


def numbers_differ(text: str) -> bool:
    """Whether ranks were at different numbers of their operations, and no shapes are named: one made a call more."""
    numbers = {number for _, what in _SAID.findall(text) for number in _NUMBER.findall(what)}
    return len(numbers) > 1 and "TensorShape" not in text


def odd_ranks(signs: Iterable[Sign]) -> tuple[int, ...]:
    """The few that were about to do something else than most; empty where no operation has most ranks.

    A rank's own operation comes first in its line. What the line says of another rank counts only where that one has
    no line, and not with the number 0: that is what a rank reads that met another operation.
    """
    own: dict[int, str] = {}
    heard: dict[int, str] = {}
    for sign in signs:
        for place, (rank, fingerprint) in enumerate(_SAID.findall(sign.text)):
            if place and "SequenceNumber=0" in fingerprint:
                continue
            (heard if place else own).setdefault(int(rank), str(_PARTS.findall(fingerprint)))
    done = {**heard, **own}
    counted = Counter(done.values()).most_common(1)
    if not counted or 2 * counted[0][1] <= len(done):
        return ()
    return tuple(sorted(rank for rank, what in done.items() if what != counted[0][0]))


def odd_models(signs: Iterable[Sign]) -> tuple[int, ...]:
    """The few whose model has another number of parameters than that of most ranks."""
    done = {int(rank): count for sign in signs for rank, count in _PARAMS.findall(sign.text)}
    counted = Counter(done.values()).most_common(1)
    if not counted or 2 * counted[0][1] <= len(done):
        return ()
    return tuple(sorted(rank for rank, count in done.items() if count != counted[0][0]))
