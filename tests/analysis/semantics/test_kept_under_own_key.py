"""What each rank keeps under a key of its own is there on all ranks or on none."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch.distributed as dist

def group_of(kept):
    rank = dist.get_rank()
    mine = tuple(range(rank // 2 * 2, rank // 2 * 2 + 2))
    {test}
    lists = [None] * dist.get_world_size()
    dist.all_gather_object(lists, mine)
    {keep}
    return lists

dist.init_process_group("gloo")
group_of(load())
dist.barrier()
"""


@pytest.mark.parametrize(
    "test", ["if kept is not None and mine in kept: return kept[mine]", "if not (mine not in kept): return kept[mine]"]
)
def test_a_cache_of_what_was_gathered(test: str) -> None:
    assert found_in(PROGRAM.format(test=test, keep="kept[mine] = lists"), "DDP1") == []


@pytest.mark.parametrize("keep", ["print(lists)", "kept[rank] = lists", "other[mine] = lists"])
def test_members_are_no_cache(keep: str) -> None:
    assert len(found_in(PROGRAM.format(test="if mine in kept: return None", keep=keep), "DDP1")) == 1


def test_a_cache_of_which_all_is_known() -> None:
    text = PROGRAM.format(test="if mine in kept: return kept[mine]", keep="kept[mine] = lists")
    text = text.replace("tuple(range(rank // 2 * 2, rank // 2 * 2 + 2))", "rank // 2")
    text = text.replace("group_of(load())", "group_of({0: 1})")
    assert [one.code for one in found_in(text, "DDP1")] == ["DDP101"]


def test_the_second_time() -> None:
    text = PROGRAM.format(test="if mine in kept: return kept[mine]", keep="kept[mine] = lists")
    text = text.replace("group_of(load())", "kept = {}\nfor layer in model:\n    group_of(kept)")
    assert found_in(text, "DDP1") == []


def test_nothing_is_in_what_is_empty() -> None:
    text = PROGRAM.format(test="if mine in kept: return None", keep="pass").replace("group_of(load())", "group_of({})")
    assert found_in(text, "DDP1") == []
