"""What is kept of a process, without torch: sites, numbers, sums, and the tables made of them."""

from __future__ import annotations

import sys

from ddplint.job.witness.output.page import render_page
from ddplint.job.witness.output.summary import rows_of, suggested_timeout, waits_of
from ddplint.job.witness.output.table import render_table, summary_record
from ddplint.job.witness.recorder import BUFFER, Recorder
from ddplint.job.witness.records import history, marks, position, rank_from, spelled
from ddplint.job.witness.sites import Sites


def recorder() -> Recorder:
    return Recorder(Sites())


def enter(kept: Recorder, op: str = "all_reduce", sizes: object = (4, "torch.float32")) -> None:
    group = kept.group((0, 1), 0, True)
    kept.leave(kept.enter(group, op, ("with SUM",), sizes, kept.sites.here(sys._getframe())))


def test_a_site_is_the_line_of_the_user_and_made_once() -> None:
    sites = Sites()
    found = []
    for _ in range(2):
        found.append(sites.here(sys._getframe()))  # a comprehension would be a function of its own on 3.10
    one, other = found
    assert one is other
    path, line, function = one.at[-1]
    assert path == __file__
    assert line > 0
    assert function.startswith("test_a_site_is_the_line_of_the_user_and_made_once")


def test_ranks_that_did_the_same_have_the_same_sums() -> None:
    one, other = recorder(), recorder()
    for kept in (one, other):
        for _ in range(200):
            enter(kept)
    assert marks(one.groups["all"]) == marks(other.groups["all"])
    enter(one, sizes=(5, "torch.float32"))
    enter(other)
    assert marks(one.groups["all"])[0] != marks(other.groups["all"])[0]
    assert marks(one.groups["all"])[1:5] == marks(other.groups["all"])[1:5]


def test_marks_reach_back_for_ranks_that_are_far_behind() -> None:
    kept = recorder()
    for _ in range(1000):
        enter(kept)
    numbers = [seq for seq, _ in marks(kept.groups["all"])]
    assert numbers[:2] == [1000, 999]
    assert min(numbers) <= 64


def test_buffers_are_bounded() -> None:
    kept = recorder()
    for _ in range(BUFFER * 20):
        enter(kept)
    assert len(kept.groups["all"].steps) == BUFFER
    assert len(kept.events) == BUFFER * 16
    assert kept.lost == BUFFER * 4
    assert len(kept.sites.known) < 5


def test_what_is_told_is_what_another_rank_reads() -> None:
    kept = recorder()
    enter(kept)
    group = kept.groups["all"]
    kept.enter(group, "barrier", (), None, kept.sites.here(sys._getframe()))
    rank = rank_from(1, position(kept), history(kept, 100), 2)
    assert rank.last == {"all": 2}
    assert rank.members == {"all": (0, 1)}
    entry = rank.current()
    assert entry is not None
    assert entry.op == "barrier"
    assert rank.groups["all"][1].sizes == "4 float32"


def test_sizes_for_people() -> None:
    assert spelled((2, 3, "torch.float32")) == "2x3 float32"
    assert spelled(("torch.int64",)) == "1 int64"
    assert spelled(((2, "torch.int64"), (3, "torch.int64"))) == "2 int64, 3 int64"


def test_the_rank_that_others_wait_for_is_the_one_that_waits_least() -> None:
    told = {0: [["barrier", "all", "t.py:1", 3, 9.0, 4.0, 0]], 1: [["barrier", "all", "t.py:1", 3, 1.0, 0.5, 0]]}
    assert waits_of(rows_of(told)) == {0: 8.0, 1: 0.0}
    found = summary_record(told)
    assert found["slowest"] == 1
    assert "rank 1 is the slowest" in render_table(found)
    page = render_page(found)
    assert "<script" not in page
    assert 'style="' not in page, "the policy of the page allows none"
    assert '<rect width="100.0%"' in page
    assert "Rank 1 is the slowest" in page


def test_even_ranks_have_no_slowest() -> None:
    told = {rank: [["barrier", "all", "t.py:1", 3, 2.0 + rank / 10, 1.0, 0]] for rank in range(2)}
    assert summary_record(told)["slowest"] is None
    assert summary_record({})["rows"] == []


def test_a_timeout_is_five_times_the_longest_in_minutes() -> None:
    assert [suggested_timeout(longest) for longest in (0.1, 12, 13, 200)] == [60, 60, 120, 1020]
