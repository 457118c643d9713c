"""Who writes a path: how many ranks, under one name or several, after which test, under which lock."""

from __future__ import annotations

import pytest

from ddplint.rule import Effect
from ddplint.rule.facts import Writers
from tests.rules.support import start, walks_of


def writers(code: str, effect: Effect = Effect.WRITE) -> Writers:
    """Who does the only thing of this kind in a program."""
    walks = walks_of(start(code))
    (found,) = ((walk, event) for walk in walks for event in walk.doing(effect))
    return found[0].writers(found[1], walks)


def test_all_ranks_under_one_name() -> None:
    found = writers('torch.save({}, "model.pt")')
    assert found.under_one_name() == found.ranks == found.event.everyone
    assert found.are_all
    assert found.share()


def test_each_rank_under_its_own_name() -> None:
    found = writers('torch.save({}, f"model{rank}.pt")')
    assert found.under_one_name() == frozenset()
    assert found.ranks == found.event.everyone
    assert not found.share()


def test_one_rank_alone() -> None:
    found = writers('if rank == 0:\n    torch.save({}, "model.pt")')
    assert found.ranks == {0}
    assert not found.are_all
    assert not found.share()


def test_two_ranks_of_four_share_a_name() -> None:
    found = writers('torch.save({}, f"half{rank // 2}.pt")')
    assert len(found.under_one_name()) == 2
    assert not found.are_all


NAMED_BY_TIME = 'import time\ntorch.save({}, f"{time.time()}.pt")'


def test_the_time_makes_names_that_count_as_one_only_where_that_is_asked() -> None:
    found = writers(NAMED_BY_TIME)
    assert not found.under_one_name(clock=False)
    assert not found.share()
    assert found.share(clock=True)


def test_the_test_before_it() -> None:
    found = writers('import os\nif not os.path.exists("out"):\n    os.makedirs("out")', Effect.CREATE_DIR)
    assert found.test is not None
    assert found.question is not None
    assert found.question.node is found.test.node
    assert not found.tolerate_each_other
    assert writers('torch.save({}, "model.pt")').question is None


@pytest.mark.parametrize(("argument", "tolerates"), [("", False), (", exist_ok=True", True)])
def test_whether_the_second_one_raises(argument: str, tolerates: bool) -> None:
    found = writers(f'import os\nos.makedirs("out"{argument})', Effect.CREATE_DIR)
    assert found.tolerate_each_other is tolerates


def test_under_a_lock_they_come_one_after_the_other() -> None:
    found = writers(
        'import os\nfrom filelock import FileLock\nwith FileLock("l"):\n    os.remove("old")', Effect.DELETE
    )
    assert [lock.effect for lock in found.locks] == [Effect.LOCK]
    assert not found.share()
    assert found.share(locked=True)


def test_what_is_added_to_is_not_overwritten() -> None:
    assert writers('with open("log", "a") as log:\n    pass', Effect.APPEND).append
    assert not writers('torch.save({}, "model.pt")').append


@pytest.mark.parametrize(("between", "met"), [("dist.barrier()\n", True), ("", False)])
def test_whether_they_have_met_since_they_asked(between: str, met: bool) -> None:
    code = f'import os\nthere = os.path.exists("out")\n{between}torch.save(there, "model.pt")'
    found = writers(code)
    (asked,) = found.walk.doing(Effect.EXISTS)
    assert found.have_met_since(asked) is met


def test_a_file_that_is_open_already() -> None:
    walks = walks_of(start('import json\nwith open("a.txt", "w") as file:\n    json.dump({}, file)'))
    (walk,) = walks
    opened, *into = walk.doing(Effect.WRITE)
    assert into
    assert all(walk.writers(one).use_stream_of([opened]) for one in into)
    assert not walk.writers(opened).use_stream_of([opened])
