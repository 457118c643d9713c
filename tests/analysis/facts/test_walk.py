"""What events and walks answer for themselves."""

from __future__ import annotations

from ddplint.rule import CHANGES, Const, Effect, Event, Walk
from tests.rules.support import start, walks_of

PROGRAM = """
import os
from filelock import FileLock

os.makedirs("out", exist_ok=True)
if rank == 0:
    torch.save({}, f="out/model.pt")
dist.barrier()
with FileLock("out/lock"):
    os.remove("out/old")
dist.broadcast(x, src=1)
"""


def walk() -> Walk:
    (only,) = walks_of(start(PROGRAM))
    return only


def the(effect: Effect) -> Event:
    (only,) = walk().doing(effect)
    return only


def test_events_are_given_by_what_they_do_in_their_order() -> None:
    one = walk()
    assert [event.effect for event in one.doing(Effect.DELETE, Effect.CREATE_DIR)] == ["create_dir", "delete"]
    assert list(one.doing(*CHANGES)) == [event for event in one.events if event.effect in CHANGES]
    assert list(one.doing()) == []


def test_before_and_after_leave_out_the_event_itself() -> None:
    one = walk()
    for number in range(len(one.events)):
        wanted = frozenset({Effect.COLLECTIVE, Effect.WRITE})
        there = [(place, event) for place, event in enumerate(one.events) if event.effect in wanted]
        assert list(one.before(number, wanted)) == [event for place, event in there if place < number]
        assert list(one.after(number, wanted)) == [event for place, event in there if place > number]


def test_who_does_it() -> None:
    assert (the(Effect.CREATE_DIR).by_all, the(Effect.CREATE_DIR).by_some) == (True, False)
    assert (the(Effect.WRITE).by_all, the(Effect.WRITE).by_some) == (False, True)


def test_an_argument_is_found_by_keyword_or_by_position() -> None:
    _, broadcast = walk().doing(Effect.COLLECTIVE)
    assert broadcast.argument("src", 1) == Const(1)
    assert broadcast.argument("tensor", 0) is broadcast.args[0]
    assert broadcast.argument("group", 2) is None
    assert broadcast.argument("tensor") is None


def test_which_path_and_under_which_lock() -> None:
    one, removed = walk(), the(Effect.DELETE)
    assert removed.target == Const("out/old")
    (removed,), (lock,) = one.doing(Effect.DELETE), one.doing(Effect.LOCK)
    assert list(one.locks_around(removed)) == [lock]
    assert not any(one.under_lock(event) for event in one.doing(Effect.COLLECTIVE))
