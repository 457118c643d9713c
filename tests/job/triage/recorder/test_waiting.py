"""Who is to blame: small jobs, each with one fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.job.triage.recorder.written import done, dump, entry, frames, told, write

ALL = tuple(range(4))
PAIRS = {"0": ALL, "1": (0, 1), "2": (2, 3)}


def of_pair(number: int, rank: int, **more: Any) -> dict[str, Any]:
    name = "1" if rank < 2 else "2"
    return entry(number, **{"process_group": (name, "pair"), "pg_id": 1, "record_id": 10 * number, **more})


def test_an_idle_rank_that_made_the_call_before_is_late(tmp_path: Path) -> None:
    stack: dict[str, Any] = {"frames": frames(("/job/train.py", 7))}
    dumps = {rank: dump([done(1, **stack), entry(2, **stack)]) for rank in (0, 1, 2)} | {3: dump([done(1, **stack)])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.also, fact.ranks) == ("slow", ("diverged",), (3,))
    assert "the last that rank 3 did was all_reduce of 4 elements (Float) at /job/train.py:7 (#1)" in fact.text
    assert fact.last[0].own is not None


def test_an_idle_rank_that_never_made_it_went_elsewhere(tmp_path: Path) -> None:
    dumps = {rank: dump([done(1), entry(2, "barrier", [])]) for rank in (0, 1, 2)} | {3: dump([done(1)])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.also, fact.ranks) == ("diverged", ("slow",), (3,))


def test_the_group_that_blocks_the_others(tmp_path: Path) -> None:
    """0 and 1 wait in the world for 2, which waits in its pair for 3, which has nothing pending."""
    dumps = {rank: dump([done(1), entry(2)], PAIRS) for rank in (0, 1)}
    dumps[2] = dump([done(1), of_pair(1, 2)], PAIRS)
    dumps[3] = dump([done(1)], PAIRS)
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.group, fact.number, fact.ranks, fact.waiting) == ("2", 1, (3,), (0, 1, 2))
    assert "in which rank 2 waits; ranks 0, 1 wait for these in turn" in fact.text


def test_only_what_is_pending_was_dumped(tmp_path: Path) -> None:
    """An empty dump says with its counts how far the rank came; its groups are counted by another number."""
    counts = {0: (6, -1, 6), 5: (9, -1, 8)}
    dumps = {rank: dump([entry(9, process_group=("40", "x"), pg_id=5)], {"0": ALL, "40": ALL}, counts) for rank in ALL}
    dumps[1] = dump([], {"0": ALL, "40": ALL}, {0: (6, -1, 6), 5: (8, -1, 8)})
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("slow", (1,), (0, 2, 3))
    assert "nothing pending" in fact.text


def test_counts_without_entries(tmp_path: Path) -> None:
    dumps = {rank: dump([], {"0": ALL}, {0: (9 if rank != 2 else 8, -1, 8)}) for rank in ALL}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.ranks, fact.number) == ((2,), 9)


def test_a_rank_that_did_not_see_what_its_peer_completed(tmp_path: Path) -> None:
    dumps = {rank: dump([done(4), done(5), entry(6, "broadcast")]) for rank in (0, 1, 2)}
    dumps[3] = dump([done(4), entry(5), entry(6, "broadcast")])
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.number, fact.waiting) == ("hardware", (3,), 5, (0, 1, 2))


def test_a_device_that_is_busy_with_something_else(tmp_path: Path) -> None:
    dumps = {rank: dump([entry(5, state="started", time_discovered_started_ns=5)]) for rank in (0, 1, 2)}
    dumps[3] = dump([entry(5)])
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("slow", (3,), (0, 1, 2))
    assert "only enqueued it" in fact.text


def test_all_in_the_same_are_no_divergence(tmp_path: Path) -> None:
    (fact,) = told(write(tmp_path / "fr", {rank: dump([done(4), entry(5)]) for rank in ALL}))
    assert (fact.cause, fact.ranks, fact.waiting) == ("transport", (), ALL)
    assert "do not disagree" in fact.text


def test_the_one_that_enqueued_least_is_named(tmp_path: Path) -> None:
    dumps = {rank: dump([entry(5), entry(6), entry(7)]) for rank in (0, 1, 2)} | {3: dump([entry(5)])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks) == ("transport", (3,))
    assert "rank 3 is behind the others" in fact.text


def test_groups_in_another_order(tmp_path: Path) -> None:
    """Ranks 2 and 3 come to the world and to their pair in opposite orders."""
    dumps = {rank: dump([done(1), entry(2)], PAIRS) for rank in (0, 1)}
    dumps[2] = dump([done(1), of_pair(1, 2)], PAIRS)
    dumps[3] = dump([done(1), entry(2)], PAIRS)
    facts = told(write(tmp_path / "fr", dumps))
    assert [(fact.cause, fact.ranks, fact.waiting) for fact in facts] == [("diverged", (2, 3), (0, 1))]


def test_a_missing_dump_is_not_a_missing_rank(tmp_path: Path) -> None:
    (fact,) = told(write(tmp_path / "fr", {rank: dump([done(1), entry(2)]) for rank in (0, 1, 2)}))
    assert (fact.cause, fact.ranks, fact.waiting) == ("slow", (3,), (0, 1, 2))
    assert "no dump of rank 3 is here, so nothing is known of it" in fact.text
    (fact,) = told(write(tmp_path / "few", {1: dump([done(1), entry(2)])}))
    assert fact.ranks == ()
    assert "no dump of ranks 0, 2, 3 is here" in fact.text


def test_what_is_known_outvotes_a_missing_dump(tmp_path: Path) -> None:
    first, second = told(write(tmp_path / "fr", {0: dump([entry(2)]), 1: dump([entry(2)]), 2: dump([done(1)])}))
    assert (first.ranks, second.ranks) == ((2,), (3,))


def test_pairs_match_by_peer(tmp_path: Path) -> None:
    """Numbers of sends and receives count by rank; who waits for whom is in their names."""
    dumps = {
        0: dump([entry(7, "send 0->1")]),
        1: dump([entry(3, "recv 1<-0"), entry(4, "recv 1<-2")]),
        2: dump([done(1, record_id=1)]),
    }
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks) == ("transport", ())
    assert "send from rank 0 to rank 1" in fact.text
    del dumps[0]["entries"][0]
    (fact,) = told(write(tmp_path / "other", dumps))
    assert (fact.ranks, fact.waiting) == ((0,), (1,))


def test_ranks_of_a_pair_are_counted_within_the_group(tmp_path: Path) -> None:
    group = {"9": (2, 3)}
    dumps = {2: dump([entry(7, "send 0->1", process_group=("9", "pp"))], group), 3: dump([], group)}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.ranks, fact.waiting) == ((3,), (2,))
    assert "from rank 2 to rank 3" in fact.text


def test_later_than_the_limit(tmp_path: Path) -> None:
    ops = [done(1, time_created_ns=1), done(2, time_created_ns=10**9)]
    dumps = {rank: dump(ops) for rank in (0, 1, 2)} | {3: dump([ops[0], done(2, time_created_ns=700 * 10**9)])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("slow", (3,), (0, 1, 2))
    assert "699.0 s after ranks 0–2, longer than the time limit of 600 s" in fact.text


def test_a_clock_that_is_wrong_is_no_delay(tmp_path: Path) -> None:
    wrong = [done(number, time_created_ns=(number + 5000) * 10**9) for number in (1, 2)]
    dumps = {rank: dump([done(1), done(2)]) for rank in (0, 1, 2)} | {3: dump(wrong)}
    assert told(write(tmp_path / "fr", dumps)) == []


def test_gloo_lists_no_members(tmp_path: Path) -> None:
    """Groups are told by who used them; entries stay scheduled and are retired when done."""
    ended: dict[str, Any] = {"state": "scheduled", "retired": True}
    dumps = {rank: dump([done(1, **ended), entry(2)], {"": ()}) for rank in (0, 1)}
    dumps[2] = dump([done(1, **ended), of_pair(1, 2)], {"": ()})
    dumps[3] = dump([done(1, **ended), of_pair(0, 3, **ended)], {"": ()})
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.group, fact.ranks, fact.waiting) == ("pair 2", (3,), (0, 1, 2))


def test_a_group_that_one_rank_alone_was_seen_in(tmp_path: Path) -> None:
    dumps = {rank: dump([done(1)], {"": ()}) for rank in (0, 1)} | {2: dump([done(1), of_pair(1, 2)], {"": ()})}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("slow", (), (2,))
    assert "whose members no dump lists; ranks 0, 1 have nothing pending" in fact.text


def test_the_one_of_two_that_enqueued_less(tmp_path: Path) -> None:
    group = {"0": (0, 1)}
    dumps = {0: dump([entry(5), entry(6)], group), 1: dump([entry(5)], group)}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks) == ("transport", (1,))


def test_a_send_and_its_receive_differ(tmp_path: Path) -> None:
    group = {"0": (0, 1)}
    dumps = {0: dump([entry(1, "send 0->1", [[8]])], group), 1: dump([entry(1, "recv 1<-0", [[4]])], group)}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("sizes", (), (0, 1))
    assert "rank 0: send of 8 elements (Float); rank 1: recv of 4 elements" in fact.text
