"""Loaders: classes and generators that give batches, wrap each other, or give each rank its part."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.draft import Draft, Scope, indent
from tests.fuzz.idioms import Written, op_text


def loader(draft: Draft, scope: Scope) -> Written:
    """A loader that can give each rank its part, perhaps behind a generator that changes nothing or cuts."""
    draft.features.add("loader")
    name = draft.fresh("Loader")
    start = ["def __init__(self, items, shard=False):", "    self.items = items", "    self.shard = shard", ""]
    length = ["", "def __len__(self):", "    return len(self.items)"] if draft.maybe(40) else []
    skip = ["for index, item in enumerate(self.items):"]
    skip += [
        "    if self.shard and index % dist.get_world_size() != dist.get_rank():",
        "        continue",
        "    yield item",
    ]
    part = ["items = self.items[dist.get_rank()::4] if self.shard else self.items"]
    part += [draft.pick(("yield from items", "for item in items:\n    yield item"))]
    body = skip if draft.maybe(50) else "\n".join(part).split("\n")
    placed = draft.place(name, [f"class {name}:", *indent([*start, "def __iter__(self):", *indent(body), *length])])
    whole, even = f"{placed}([1, 2])", f"{placed}([1, 2, 3, 4], shard=True)"
    scope = replace(scope, rounds=(*scope.rounds, whole, even))
    shard = draft.fresh("shard_of")
    draft.head += ["", "", f"def {shard}(items):", f"    return {placed}(items, shard=True)"]
    scope = replace(scope, shards=(*scope.shards, shard))
    return [], _wrapped(draft, scope, placed) if draft.maybe(60) else scope


def _wrapped(draft: Draft, scope: Scope, placed: str) -> Scope:
    name = draft.fresh(draft.pick(("prefetch", "limited")))
    if name.startswith("prefetch"):
        body = ["for batch in batches:", "    print(batch)", "    yield batch"]
        made = draft.place(name, [f"def {name}(batches):", *indent(body)])
        return replace(scope, rounds=(*scope.rounds, f"{made}({placed}([1, 2]))"))
    body = ["for index, batch in enumerate(batches):", "    if index >= most:", "        return", "    yield batch"]
    made = draft.place(name, [f"def {name}(batches, most):", *indent(body)])
    return replace(
        scope,
        rounds=(*scope.rounds, f"{made}({placed}([1, 2, 3]), 2)", f"{made}({placed}(list(range(9)), shard=True), 2)"),
    )


def endless(draft: Draft, scope: Scope) -> Written:
    """Batches taken one by one from a loader that begins again."""
    if not scope.rounds or (scope.parted and not draft.may_communicate(scope)):
        return [op_text(draft, scope)] if draft.may_communicate(scope) else ["pass"], scope
    name, batches, index = draft.fresh("forever"), draft.fresh("batches_of"), draft.fresh("step")
    body = ["while True:", "    for batch in make():", "        yield batch"]
    placed = draft.place(name, [f"def {name}(make):", *indent(body)])
    inside = [f"print(next({batches}))", op_text(draft, scope)]
    start = f"{batches} = iter({placed}(lambda: {draft.pick(scope.rounds)}))"
    return [start, f"for {index} in range(3):", *indent(inside)], scope
