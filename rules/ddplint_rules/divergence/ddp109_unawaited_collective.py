"""DDP109 unawaited-collective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Fix,
    Harm,
    Note,
    Place,
    Rule,
    Safety,
    Severity,
    Walk,
)
from ddplint.rule.facts import calls, in_threads, used_early
from ddplint.rule.fixes import Edit, Replace

_RUNS = "a collective in this thread and one beside it: which comes first, each rank finds for itself"
_SAVES = "this save communicates in the background, and so does what follows: each rank pairs them as they come"
_STARTED = frozenset({"isend", "irecv"})


class UnawaitedCollective(Rule):
    """## What it does
    Finds a collective with `async_op=True`, an `isend` or an `irecv` whose handle is dropped, or kept in a variable
    that nothing reads. A collective is not, where a barrier of its group always follows before its tensors are used.

    Also an operation whose tensor is changed in place, or asked for its numbers, before its handle is waited for.

    Also a collective in a thread (`threading.Thread(target=dist.barrier)`, `pool.submit(...)`), while the code that
    started the thread goes on to another one in the same group, before it waits for the thread.

    Also a collective on the CPU (objects, or anything on gloo) behind `torch.distributed.checkpoint.async_save` in the
    same group, before its future is asked for: the save communicates in a thread.

    Also `torch.distributed.checkpoint.async_save` itself, where its future is dropped or never read.

    A handle that is returned, stored, passed on or waited for anywhere is not reported, nor are calls inside a
    coalescing manager, which waits for all of them, nor a send or a receive behind which the ranks always reach
    `torch.cuda.synchronize()`, for a send also by a barrier, before its tensor is used again.

    ## Why is this bad
    The tensor is still being sent or filled when the next line uses it, and **an error of the operation is never
    seen**. Measured on gloo with torch 2.13: an `all_reduce(async_op=True)` that only one rank entered failed after the
    timeout, but the program ended with exit code 0 because nobody asked the handle. When later collectives followed,
    the dropped one paired with them and every result was shifted by one.

    Between a thread and the code beside it nothing says which collective comes first, and ranks pair them in the order
    in which each began them. Measured with a sum of 100 and 200 in a thread and one of 1 and 2 beside it, where one
    rank was a second slower with the first and the other with the second: both ended with 201 and 102, in place of 300
    and 3, and nothing was raised.

    The same with a save in the background: measured with two processes on gloo, `async_save` of 40 MB and then 20 times
    `barrier`, `broadcast_object_list` or `all_reduce`, five runs: in each both ranks waited until the timeout. With a
    group of its own for the save both went through. Of four saves of 6 MB one behind the other whose futures were
    dropped the first three left empty folders, and the last, behind `destroy_process_group()`, the file of rank 0 with
    a `.metadata` that speaks of both, or, without it, nothing; the exit code was 0. With `result()` all were whole.

    It happened in OpenNMT/OpenNMT-py#2295, where gradients were divided before their all-reduce was done.

    ## Example
    ```python
    dist.all_reduce(loss, async_op=True)
    print(loss.item())
    ```

    ## Use instead
    ```python
    handle = dist.all_reduce(loss, async_op=True)
    ...
    handle.wait()
    print(loss.item())
    ```

    ## Fix safety
    Waiting at once for a collective whose handle is dropped is safe; it costs the overlap, which was not used. There is
    no automatic fix for `isend` and `irecv`: two ranks that both wait for their send before they receive would hang.
    """

    code = "DDP109"
    name = "unawaited-collective"
    severity = Severity.WARNING
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        yield from super().check_file(walks)
        for found in in_threads(walks[0].file) if walks else ():
            file = walks[0].file
            yield self.finding(
                Place(file, found.start),
                _SAVES if found.start is found.inside else _RUNS,
                because=Because.TIMING,
                notes=(
                    Note("related", Place(file, found.inside), "in the thread"),
                    Note("related", Place(file, found.beside), "meanwhile"),
                ),
                no_fix="wait for it first, or give it a group of its own (`dist.new_group()`)",
            )

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if _is_asynchronous(event) or _is_in_background(event):
                found = self._found(event, walk)
                if found is not None:
                    yield found

    def _found(self, event: Event, walk: Walk) -> Finding | None:
        from ddplint_rules.divergence._helpers.pending import is_ended_later

        place = Place.of(event)
        dropped, name = calls.is_dropped(event), calls.unread_name(event)
        if (dropped or name) and _is_in_background(event):
            return self.finding(
                place,
                f"nothing waits for {event.label}: the next save, or the end of the run, breaks it off",
                because=Because.AS_WRITTEN if dropped else Because.ORDER_OF_USE,
                no_fix="keep the future, and ask for its result() before the next save and before the end",
            )
        if (dropped or name) and is_ended_later(walk, event):
            return None
        if dropped:
            fix, advice = None, "keep the handle, and wait for it before the tensor is used again"
            if event.label not in _STARTED:
                fix = Fix("Wait for it", Safety.SAFE, _waiting(event))
            return self.finding(
                place,
                f"the handle of {event.label} is dropped: nothing waits for it",
                because=Because.AS_WRITTEN,
                fix=fix,
                no_fix="" if fix else advice,
            )
        if name:
            return self.finding(
                place,
                f"nothing waits for {event.label}: its handle `{name}` is never used",
                because=Because.ORDER_OF_USE,
                no_fix=f"call `{name}.wait()` before the tensor is used again",
            )
        return self._early(event, place)

    def _early(self, event: Event, place: Place) -> Finding | None:
        """What is used before it is waited for."""
        found = used_early(event)
        if found is None:
            return None
        handle, use = found
        return self.finding(
            place,
            f"the tensor of {event.label} is used before `{handle}` is waited for",
            because=Because.ORDER_OF_USE,
            notes=(Note("related", Place(event.file, use), "still under way here"),),
            no_fix=f"call `{handle}.wait()` first",
        )


def _is_asynchronous(event: Event) -> bool:
    if event.effect == Effect.POINT_TO_POINT:
        return event.label in _STARTED
    if event.effect != Effect.COLLECTIVE or event.api is None or not event.api.async_.name:
        return False
    flag = event.api.async_.of(event.args, event.kwargs)
    return isinstance(flag, Const) and flag.value is True


def _is_in_background(event: Event) -> bool:
    """Whether it is a save that goes on when the call is over."""
    return event.effect == Effect.SAVE_ALL_RANKS and event.api is not None and event.api.blocking == "none"


def _waiting(event: Event) -> tuple[Edit, ...]:
    """``call`` becomes ``call.wait()``."""
    assert event.call is not None
    return (Replace(event.file, event.call, cst.Call(cst.Attribute(event.call, cst.Name("wait")))),)
