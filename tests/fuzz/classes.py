"""Classes of generated programs: attributes and properties that know the rank, methods, inheritance."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.draft import Call, Draft, Lines, Scope, indent
from tests.fuzz.statements import block


def trainer(draft: Draft, scope: Scope) -> tuple[Lines, Lines, Scope]:
    """A class, the lines that make an instance in ``main``, and the scope in which that instance is known."""
    base = draft.fresh("Base")
    inside = _own_scope(draft, scope)
    methods, inside = _methods(draft, inside, ("sync", "prepare")[: draft.number(1, 2)])
    lines = [f"class {base}:", *indent([*_constructor(draft), *_main_test(draft), *methods])]
    name = base
    if draft.maybe(50):
        name = draft.fresh("Trainer")
        more, inside = _methods(draft, inside, (draft.pick(("run", "sync")),))
        lines += ["", "", f"class {name}({base}):", *indent(more or ["pass"])]
    variable = draft.fresh("trainer")
    made = [f"{variable} = {name}({'args' if scope.flags or scope.counts else 'None'})"]
    calls = tuple(Call(call.text.replace("self.", f"{variable}."), call.inert) for call in inside.calls)
    if draft.maybe(30):
        alias = draft.fresh("method")
        made.append(f"{alias} = {calls[0].text.removesuffix('()')}")
        calls = (*calls, Call(f"{alias}()", inert=False))
    mains = (*scope.mains, (f"{variable}.is_main", f"not {variable}.is_main"))
    ranks = (*scope.rank, f"{variable}.rank")
    return lines, made, replace(scope, calls=(*scope.calls, *calls), mains=mains, rank=ranks)


def _own_scope(draft: Draft, scope: Scope) -> Scope:
    own = [flag.replace("args.", "self.args.") for flag in scope.flags]
    counts = [count.replace("args.", "self.args.") for count in scope.counts]
    mains = (("self.is_main", "not self.is_main"), *scope.mains)
    return replace(
        scope,
        rank=("self.rank",),
        flags=tuple(own),
        counts=tuple(counts),
        mains=mains,
        depth=1,
        calls=(),
        hand_down=False,
    )


def _constructor(draft: Draft) -> Lines:
    rank = draft.pick(("dist.get_rank()", 'int(os.environ["RANK"])'))
    return ["def __init__(self, args):", "    self.args = args", f"    self.rank = {rank}"]


def _main_test(draft: Draft) -> Lines:
    """``is_main`` as an attribute or as a property."""
    if draft.maybe(50):
        return ["    self.is_main = self.rank == 0", ""]
    return ["", "@property", "def is_main(self):", "    return self.rank == 0", ""]


def _methods(draft: Draft, inside: Scope, names: tuple[str, ...]) -> tuple[Lines, Scope]:
    lines: Lines = []
    for name in names:
        own = f"self.{name}()"
        overridden = any(call.text == own for call in inside.calls)
        callable_here = tuple(call for call in inside.calls if call.text != own)
        usable = (Call(f"super().{name}()", inert=False),) if overridden else inside.calls
        body = block(draft, replace(inside, calls=usable), 2)
        lines += [f"def {name}(self):", *indent(body), ""]
        inside = replace(inside, calls=(*callable_here, Call(own, inert=False)))
    return lines, inside
