"""Numbers that decide: the same everywhere, each rank's own, or agreed on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.idioms import Written


@dataclass(frozen=True)
class Number:
    """Lines that make a number, what it is called, and whether each rank has its own."""

    lines: Lines
    text: str
    own: bool


def number(draft: Draft, scope: Scope, index: str, own: bool) -> Number:
    """The number of a round; one that is not each rank's own counts rounds, or is agreed on by all."""
    if own and draft.locals_left > 0 and draft.maybe(75):
        return _drawn(draft)
    if own:
        rank = draft.pick(scope.rank)
        return Number([], draft.pick((f"{index} * {rank}", f"-{index} * {rank}", f"float({rank})", rank)), True)
    if scope.parted or draft.maybe(30):
        return Number([], draft.pick((index, f"({index} * 2) % 3", f"-{index}", "1.0")), False)
    return agreed(draft, scope, _drawn(draft) if draft.locals_left > 0 else Number([], f"float({index})", True))


def agreed(draft: Draft, scope: Scope, own: Number) -> Number:
    """The sum or the first of what the ranks have; a collective."""
    name = draft.fresh("mean")
    if scope.averagers and draft.maybe(50):
        return Number([*own.lines, f"{name} = {draft.pick(scope.averagers)}({own.text})"], name, False)
    call = draft.pick((f"dist.all_reduce({name})", f"dist.broadcast({name}, src=0)"))
    return Number([*own.lines, f"{name} = torch.tensor([float({own.text})])", call], f"{name}.item()", False)


def _drawn(draft: Draft) -> Number:
    draft.features.add("rank-local")
    draft.locals_left -= 1
    name = draft.fresh("loss")
    return Number([f"{name} = random.random()"], name, True)


def averager(draft: Draft, scope: Scope) -> Written:
    """A function that makes a number the same everywhere."""
    name = draft.fresh("mean_of")
    single = ["if dist.get_world_size() == 1:", "    return value"] if draft.maybe(30) else []
    if draft.maybe(60):
        body = ["total = torch.tensor([float(value)])", "dist.all_reduce(total)", "return total.item() / 4"]
    else:
        body = ["found = [None] * 4", "dist.all_gather_object(found, value)", "return sum(found) / len(found)"]
    placed = draft.place(name, [f"def {name}(value):", *indent([*single, *body])])
    return [], replace(scope, averagers=(*scope.averagers, placed))


def everywhere(draft: Draft, scope: Scope, condition: str) -> tuple[Lines, str]:
    """A condition of each rank's own made into one that is the same everywhere; a collective."""
    if scope.agreers and draft.maybe(40):
        name = draft.fresh("agreed")
        return [f"{name} = {draft.pick(scope.agreers)}({condition})"], name
    name = draft.fresh("vote")
    style = draft.number(0, 2)
    if style == 0:
        return [f"{name} = torch.tensor([float(bool({condition}))])", f"dist.all_reduce({name})"], f"{name}.item() > 0"
    if style == 1:
        return [f"{name} = [bool({condition})]", f"dist.broadcast_object_list({name}, src=0)"], f"{name}[0]"
    lines = [f"{name} = torch.tensor([1.0 if {condition} else 0.0])"]
    return [*lines, f"dist.all_reduce({name}, op=dist.ReduceOp.MAX)"], f"{name}.item() == 1"
