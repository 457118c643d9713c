"""Project code that generated programs define before ``main``: predicates, functions, decorators, managers, classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fuzz import carriers, objects
from tests.fuzz import conditions as cond
from tests.fuzz.draft import Call, Draft, Scope, indent
from tests.fuzz.everyday import endings, loaders, numbers, retries
from tests.fuzz.idioms import Written, op_text
from tests.fuzz.statements import block

Helper = Callable[[Draft, Scope], Written]


def function_scope(draft: Draft, scope: Scope) -> Scope:
    """What a function at module level sees: everything global, and its own ``rank`` variable."""
    return replace(scope, rank=("rank", *(name for name in scope.rank if name != "rank")), depth=1)


def parameters(scope: Scope) -> str:
    """The parameter list that hands ``args`` down where they are not global."""
    return "args" if (scope.flags or scope.counts) and scope.hand_down else ""


def predicate(draft: Draft, scope: Scope) -> Written:
    """A helper that tells the main rank, however named."""
    name = draft.fresh(draft.pick(("is_main", "primary", "chief", "should_log")))
    rank = draft.pick(("dist.get_rank()", 'int(os.environ["RANK"])', 'int(os.environ.get("RANK", "0"))'))
    style = draft.number(0, 3)
    if style == 0:
        lines = [f"def {name}():", f"    return {rank} == 0"]
    elif style == 1:
        lines = [f"{name} = lambda: {rank} == 0"]
    elif style == 2:
        lines = [f"def {name}():", f"    if {rank} != 0:", "        return False", "    return True"]
    else:
        lines = [f"def {name}():", "    if not dist.is_initialized():", "        return True", f"    return not {rank}"]
    return lines, replace(scope, mains=(*scope.mains, (f"{name}()", f"not {name}()")))


def constant(draft: Draft, scope: Scope) -> Written:
    """The rank, or whether this is the main one, in a module variable."""
    name = draft.fresh("RANK")
    lines = [f'{name} = int(os.environ["RANK"])']
    if draft.maybe(50):
        main = draft.fresh("IS_MAIN")
        lines.append(f"{main} = {name} == 0")
        return lines, replace(scope, mains=(*scope.mains, (main, f"not {main}")))
    return lines, replace(scope, rank=(*scope.rank, name))


def plain(draft: Draft, scope: Scope) -> Written:
    """A function with any body."""
    name = draft.fresh(draft.pick(("step", "finish", "report", "setup")))
    given = parameters(scope)
    body = block(draft, function_scope(draft, scope), 3)
    lines = [f"def {name}({given}):", "    rank = dist.get_rank()", *indent(body)]
    return lines, replace(scope, calls=(*scope.calls, Call(f"{name}({given})", inert=False)))


def main_only(draft: Draft, scope: Scope) -> Written:
    """A function with a switch that makes the other ranks return early."""
    name = draft.fresh("notify")
    default = draft.pick(("False", "True"))
    body = [
        "if main_only and dist.get_rank() != 0:",
        "    return",
        op_text(draft, replace(scope, rank=("dist.get_rank()",))),
    ]
    calls = (
        Call(f"{name}()", inert=False, parts=default == "True"),
        Call(f"{name}(main_only=True)", inert=False, parts=True),
        Call(f"functools.partial({name}, main_only=True)()", inert=False, parts=True),
        Call(f"{name}(False)", inert=False),
    )
    return [f"def {name}(main_only={default}):", *indent(body)], replace(scope, calls=(*scope.calls, *calls))


def rank_zero(draft: Draft, scope: Scope) -> Written:
    """A rank-zero decorator of the project's own, and a function it decorates."""
    decorator = draft.fresh("rank_zero_only")
    name = draft.fresh("save")
    yes, no = cond.rank_pair(draft, replace(scope, rank=("dist.get_rank()",), tainted=()))
    wrapped = [f"if {yes}:", "    return fn(*args, **kwargs)", "return None"]
    if draft.maybe(40):
        wrapped = [f"if {no}:", "    return None", "return fn(*args, **kwargs)"]
    wraps = ["@functools.wraps(fn)"] if draft.maybe(50) else []
    lines = [
        f"def {decorator}(fn):",
        *indent([*wraps, "def wrapped(*args, **kwargs):", *indent(wrapped), "return wrapped"]),
    ]
    inside = replace(function_scope(draft, scope), parted=True)
    given = parameters(scope)
    before = draft.holes
    body = block(draft, inside, 2)
    quiet = draft.careful and draft.holes == before
    lines += ["", "", f"@{decorator}", f"def {name}({given}):", "    rank = dist.get_rank()", *indent(body)]
    call = Call(f"{name}({given})", inert=quiet, parts=not quiet)
    return lines, replace(scope, calls=(*scope.calls, call))


def decorated(draft: Draft, scope: Scope) -> Written:
    """A decorator that changes nothing, or synchronises after the call; and a function it decorates."""
    decorator = draft.fresh("logged")
    name = draft.fresh("work")
    after = ["dist.barrier()"] if draft.maybe(50) else []
    wrapped = ["result = fn(*args, **kwargs)", *after, "return result"]
    lines = [f"def {decorator}(fn):", *indent(["def wrapped(*args, **kwargs):", *indent(wrapped), "return wrapped"])]
    given = parameters(scope)
    body = block(draft, function_scope(draft, scope), 2)
    lines += ["", "", f"@{decorator}", f"def {name}({given}):", "    rank = dist.get_rank()", *indent(body)]
    return lines, replace(scope, calls=(*scope.calls, Call(f"{name}({given})", inert=False)))


def main_first(draft: Draft, scope: Scope) -> Written:
    """A context manager that lets the main rank go first, as a generator or a class."""
    name = draft.fresh("main_first")
    rank = "dist.get_rank()"
    if draft.maybe(40):
        method = ["if self.rank != 0:", "    dist.barrier()", "return self"]
        leave = ["if self.rank == 0:", "    dist.barrier()"]
        body = ["def __init__(self):", f"    self.rank = {rank}", "", "def __enter__(self):", *indent(method), ""]
        lines = [f"class {name}:", *indent([*body, "def __exit__(self, *exc):", *indent(leave)])]
    else:
        last = [f"if {rank} == 0:", "    dist.barrier()"]
        rest = ["try:", "    yield", "finally:", *indent(last)] if draft.maybe(40) else ["yield", *last]
        body = [f"if {rank} != 0:", "    dist.barrier()", *rest]
        lines = ["@contextlib.contextmanager", f"def {name}():", *indent(body)]
    return lines, replace(scope, managers=(*scope.managers, (f"{name}()", True)))


def synced(draft: Draft, scope: Scope) -> Written:
    """A context manager that synchronises all ranks when the block is left."""
    name = draft.fresh("synced")
    body = ["try:", "    yield", "finally:", "    dist.barrier()"] if draft.maybe(40) else ["yield", "dist.barrier()"]
    lines = ["@contextlib.contextmanager", f"def {name}():", *indent(body)]
    return lines, replace(scope, managers=(*scope.managers, (f"{name}()", False)))


def higher_order(draft: Draft, scope: Scope) -> Written:
    """Functions that call what they are given."""
    name = draft.fresh("apply")
    if draft.maybe(50):
        lines = [f"def {name}(enabled, fn, *args):", "    if enabled:", "        return fn(*args)", "    return None"]
        return lines, replace(scope, whens=(*scope.whens, name))
    lines = [f"def {name}(fn, times=1):", "    for _ in range(times):", "        fn()"]
    given = draft.pick(
        ("dist.barrier", "lambda: dist.barrier()", "dist.barrier, times=2", "functools.partial(dist.barrier)")
    )
    return lines, replace(scope, sync=(*scope.sync, f"{name}({given})"))


def recursive(draft: Draft, scope: Scope) -> Written:
    """A function that calls itself a known number of times."""
    draft.features.add("recursion")
    name = draft.fresh("repeat")
    body = ["if left == 0:", "    return", "dist.barrier()", f"{name}(left - 1)"]
    return [f"def {name}(left):", *indent(body)], replace(scope, sync=(*scope.sync, f"{name}({draft.number(1, 2)})"))


def generator(draft: Draft, scope: Scope) -> Written:
    """Generators: one with the same rounds everywhere, or one that gives each rank its part."""
    name = draft.fresh("batches")
    draft.features.add("generator")
    if draft.maybe(50):
        lines = [f"def {name}(count):", "    for item in range(count):", "        yield item"]
        return lines, replace(scope, rounds=(*scope.rounds, f"{name}(2)"))
    body = ["for index, item in enumerate(items):", "    if index % 4 == dist.get_rank():", "        yield item"]
    return [f"def {name}(items):", *indent(body)], replace(scope, shards=(*scope.shards, name))


def module_state(draft: Draft, scope: Scope) -> Written:
    """A module variable that a function sets and others read."""
    name = draft.fresh("setup_state")
    if draft.maybe(50):
        variable = draft.fresh("_STATE")
        lines = [
            f'{variable} = {{"main": False}}',
            "",
            "",
            f"def {name}():",
            f'    {variable}["main"] = dist.get_rank() == 0',
        ]
        main = f'{variable}["main"]'
    else:
        main = draft.fresh("_MAIN")
        lines = [f"{main} = None", "", "", f"def {name}():", f"    global {main}", f"    {main} = dist.get_rank() == 0"]
    lines += ["", "", f"{name}()"]
    return lines, replace(scope, mains=(*scope.mains, (main, f"not {main}")))


HELPERS: tuple[Helper, ...] = (
    *(plain,) * 4,
    *(predicate,) * 3,
    *(rank_zero,) * 2,
    *(main_first,) * 2,
    main_only,
    constant,
    decorated,
    synced,
    higher_order,
    recursive,
    generator,
    module_state,
    objects.agreement,
    objects.pair_of_numbers,
    objects.config,
    *(carriers.carrier,) * 2,
    objects.callable_object,
    objects.static_method,
    objects.registry,
    *(numbers.averager,) * 2,
    *(loaders.loader,) * 2,
    retries.retrying,
    *(endings.managers,) * 2,
)
