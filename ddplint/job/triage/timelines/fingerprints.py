"""What each rank was about to do when the check of TORCH_DISTRIBUTED_DEBUG=DETAIL saw that ranks disagree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ddplint.job.triage.facts import Sign

_SAID = re.compile(r"[Rr]ank (\d{1,7}) is running collective: CollectiveFingerPrint\(([^()]*)")
_PARTS = re.compile(r"OpType=(\w+)|TensorShape=\[([\d, ]*)\]|TensorDtypes=(\w+)")


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
