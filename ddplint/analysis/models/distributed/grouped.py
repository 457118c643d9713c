"""Groups that are made in a loop over lists of ranks which nobody knows: every rank ends up in one of them.

``for ranks in lists: group = new_group(ranks); if rank in ranks: mine = group`` parts the ranks among the groups. The
iteration that is walked stands for all of them, so for each rank it is the one in which it finds itself.
"""

from __future__ import annotations

from ddplint.analysis.domain.term import Call
from ddplint.analysis.domain.values import Const, Object, Tuple, Unknown, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import iterables

_MARK = "ranks of a group"


def note(w: Interp, ranks: Value) -> None:
    """A group is made of these ranks, which are not known, in a round of a loop."""
    if not w.around:
        return
    w.marks.add((_MARK, w.owner(ranks)))
    if isinstance(ranks, Object) and ranks.args and ranks.name.rpartition(".")[2] in iterables.THROUGH:
        note(w, ranks.args[0])
    made = ranks.symbol if isinstance(ranks, Unknown) else None
    if isinstance(made, Call) and made.args and made.last_name in iterables.THROUGH:
        w.marks.add((_MARK, w.owner(made.args[0])))


def is_of_all(w: Interp, ranks: Value) -> bool:
    """Whether a list of ranks is one of those that a loop makes a group of, in this iteration."""
    if not w.around or isinstance(ranks, (Const, Tuple)):
        return False
    own = (w.owner(ranks), *([w.owner(ranks.symbol)] if isinstance(ranks, Unknown) else []))
    return any((_MARK, one) in w.marks for one in own)
