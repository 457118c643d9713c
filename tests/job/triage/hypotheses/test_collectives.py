"""Diverged, sizes, slow and transport: what waits of several ranks amount to."""

from __future__ import annotations

from ddplint.job.triage.facts import Recorded
from ddplint.job.triage.hypotheses.diverged import diverged
from ddplint.job.triage.hypotheses.sizes import sizes
from ddplint.job.triage.hypotheses.slow import slow
from ddplint.job.triage.hypotheses.transport import transport
from ddplint.job.triage.hypotheses.weighed import weighed
from tests.job.triage.hypotheses.facts import case, count, raised, sign, wait


def test_other_operations_at_one_number() -> None:
    found = diverged(case(wait(0, op="BROADCAST"), wait(1), wait(2)))
    assert found is not None
    assert (found.score, found.ranks) == (90, (0,))
    assert sizes(case(wait(0, op="BROADCAST", elements=8), wait(1), wait(2))) is None


def test_spellings_of_one_operation_are_one() -> None:
    assert diverged(case(wait(0, op="_ALLGATHER_BASE"), wait(1, op="ALLGATHER"))) is None


def test_other_numbers_blame_who_is_alone() -> None:
    found = diverged(case(wait(0, 8), wait(1, 8), wait(2, 7)))
    assert found is not None
    assert found.ranks == (2,)
    two = diverged(case(wait(0, 8), wait(1, 7)))
    assert two is not None
    assert two.ranks == ()


def test_numbers_of_groups_that_nobody_names_are_not_compared() -> None:
    one = case(wait(0, 90_000, group=""), wait(0, 90_004, group=""), wait(1, 500, group=""))
    assert diverged(one) is None
    assert one.groups[0].several


def test_one_operation_with_other_sizes() -> None:
    found = sizes(case(wait(0, elements=8), wait(1), wait(2)))
    assert found is not None
    assert found.ranks == (0,)
    assert sizes(case(wait(0, elements=8, op="ALLTOALL"), wait(1, op="ALLTOALL"))) is None


def test_what_stands_behind_decides_between_sizes_and_divergence() -> None:
    alike = case(wait(0, elements=8), wait(1), wait(2), *(count(rank, 9, 6) for rank in range(3)))
    assert weighed(alike)[0].cause == "sizes"
    other = case(wait(0, elements=8), wait(1), wait(2), count(0, 7, 6), count(1, 12, 6), count(2, 12, 6))
    assert weighed(other)[0].cause == "diverged"


def test_who_had_not_enqueued_it_is_absent() -> None:
    found = slow(case(wait(0), wait(1), count(0, 7, 6), count(1, 7, 6), count(2, 6, 6)))
    assert found is not None
    assert found.absent == (2,)
    assert "diverged" in found.also


def test_who_waits_in_another_group_meanwhile_is_not_to_blame() -> None:
    found = slow(case(wait(0), wait(1), count(2, 6, 6), wait(2, 3, group="h"), wait(3, 3, group="h")))
    assert found is not None
    assert found.ranks == ()
    assert any("waits in another group" in text for text in found.because)


def test_who_completed_it_came_too_late() -> None:
    found = slow(case(wait(0), wait(1), count(2, 7, 7)))
    assert found is not None
    assert (found.ranks, found.absent) == ((2,), ())


def test_all_in_the_same_is_transport_and_nobody_is_missing() -> None:
    best = weighed(case(*(wait(rank) for rank in range(4)), world=4))[0]
    assert (best.cause, best.ranks) == ("transport", ())
    some = weighed(case(*(wait(rank) for rank in range(4)), world=8))[0]
    assert (some.cause, some.ranks) == ("slow", ())
    assert "of ranks 4–7 nothing is here" in some.because[0]


def test_a_lost_peer_is_a_consequence_of_a_death() -> None:
    lost = sign("remote", "ncclRemoteError: a call failed", 1)
    assert weighed(case(lost))[0].cause == "transport"
    both = case(raised(0, "ValueError: bad"), lost)
    assert weighed(both)[0].cause == "died"
    found = transport(both)
    assert found is not None
    assert found.against


def test_the_fabric_names_the_peer_even_behind_watchdogs() -> None:
    text = "NET/IB: Got completion from peer 10.0.0.9<5> with status=12 opcode=1 hca mlx5_3"
    best = weighed(case(wait(0), wait(1), sign("completion", text)))[0]
    assert best.cause == "transport"
    assert all(word in best.because[0] for word in ("10.0.0.9", "mlx5_3", "status 12"))


def test_a_recording_counts_more_than_the_waits_beside_it() -> None:
    told = Recorded("slow", "rank 3 has nothing pending", (3,), (0, 1), also=("diverged",))
    best = weighed(case(wait(0), wait(1, op="BROADCAST"), told))[0]
    assert (best.cause, best.ranks, best.also) == ("slow", (3,), ["diverged"])
