"""Where histories differ first, and what that amounts to."""

from __future__ import annotations

from ddplint.job.histories.diverging import from_mismatch, from_wait
from ddplint.job.histories.ranks import Entry, Rank, difference, rank_names
from ddplint.job.histories.report import record, render


def entry(op: str, line: int, terms: tuple[str, ...] = (), sizes: str = "") -> Entry:
    return Entry(op, terms, sizes, (("train.py", line, "main"),))


def rank(number: int, *steps: Entry, state: str = "running", inside: bool = True, stands: int = 0) -> Rank:
    """A rank that entered ``steps`` of all ranks, and is in the last of them."""
    made = Rank(number, state)
    made.members["all"] = (0, 1)
    made.groups["all"] = dict(enumerate(steps, 1))
    made.last["all"] = len(steps)
    made.open = ("all", len(steps), 40.0) if inside and steps else None
    made.stands = (("train.py", stands, "main"),) if stands else ()
    return made


STEP, BARRIER, SUM = (
    entry("DDP backward", 10),
    entry("barrier", 20),
    entry("all_reduce", 30, ("with SUM",), "4 float32"),
)


def test_ranks_that_did_the_same_do_not_differ() -> None:
    ranks = [rank(0, STEP, STEP), rank(1, STEP, STEP)]
    assert difference(ranks, "all") is None
    assert from_mismatch(ranks, 0, "all") is None


def test_another_operation_is_reported_at_once() -> None:
    parting = from_mismatch([rank(0, STEP, BARRIER), rank(1, STEP, STEP)], 1, "all")
    assert parting is not None
    assert (parting.kind, parting.seq) == ("mismatch", 2)
    text = render(parting)
    assert "rank 0: barrier at train.py:20 in main" in text
    assert "rank 1: DDP backward at train.py:10 in main" in text


def test_another_root_and_other_sizes_are_differences() -> None:
    for terms, sizes in ((("with MAX",), "4 float32"), (("with SUM",), "8 float32"), (("with SUM",), "4 int32")):
        other = entry("all_reduce", 30, terms, sizes)
        parting = from_mismatch([rank(0, SUM), rank(1, other)], 0, "all")
        assert parting is not None
        assert parting.kind == "mismatch"


def test_the_same_operation_in_two_branches_is_no_report() -> None:
    ranks = [rank(0, entry("barrier", 20), STEP), rank(1, entry("barrier", 25), STEP)]
    assert from_mismatch(ranks, 0, "all") is None
    assert from_wait(ranks, 0, "all", 2, 40.0) is None


def test_calls_that_pair_up_shifted_are_traced_to_the_first_one() -> None:
    extra = entry("all_reduce", 5, ("with SUM",), "4 float32")
    ranks = [rank(0, extra, SUM, SUM, SUM), rank(1, SUM, SUM, SUM, inside=False, stands=40)]
    parting = from_wait(ranks, 0, "all", 4, 40.0)
    assert parting is not None
    assert parting.kind == "diverged"
    assert parting.first is not None
    assert parting.first.seq == 1
    assert parting.absent == (1,)
    assert "the same operation from different lines" in render(parting)


def test_a_slow_rank_is_not_called_diverged() -> None:
    parting = from_wait([rank(0, STEP, inside=False, stands=77), rank(1, STEP, BARRIER)], 1, "all", 2, 40.0)
    assert parting is not None
    assert parting.kind == "behind"
    assert "rank 0: in no collective, at train.py:77 in main" in render(parting)


def test_a_long_backward_pass_of_all_ranks_is_silent() -> None:
    assert from_wait([rank(0, STEP), rank(1, STEP)], 0, "all", 1, 40.0) is None


def test_a_collective_that_does_not_end_although_all_are_there() -> None:
    parting = from_wait([rank(0, BARRIER), rank(1, BARRIER)], 0, "all", 1, 40.0)
    assert parting is not None
    assert parting.kind == "stuck"


def test_a_rank_that_ended_and_one_that_is_gone_are_named() -> None:
    ended = rank(1, STEP, state="ended", inside=False)
    parting = from_wait([rank(0, STEP, BARRIER), ended], 0, "all", 2, 40.0)
    assert parting is not None
    assert "rank 1: has ended" in render(parting)
    gone = rank(1, STEP, state="silent", inside=False)
    parting = from_wait([rank(0, STEP, BARRIER), gone], 0, "all", 2, 40.0)
    assert parting is not None
    assert "does not answer" in render(parting)


def test_who_waits_elsewhere_is_explained_by_the_group_where_they_wait() -> None:
    one, other = rank(0, STEP, BARRIER), rank(1, STEP, inside=False)
    for each, op in ((one, "all_gather"), (other, "broadcast")):
        each.members["0+1"] = (0, 1)
        each.groups["0+1"] = {1: entry(op, 50)}
        each.last["0+1"] = 1
    other.open = ("0+1", 1, 40.0)
    parting = from_wait([one, other], 0, "all", 2, 40.0)
    assert parting is not None
    assert parting.first is not None
    assert (parting.first.group, parting.first.kind) == ("0+1", "signature")


def test_the_record_holds_what_the_text_says() -> None:
    parting = from_mismatch([rank(0, STEP, BARRIER), rank(1, STEP, STEP)], 1, "all")
    assert parting is not None
    told = record(parting)
    assert told["first"]["sides"]["0"]["op"] == "barrier"
    assert told["group"] == {"name": "all", "ranks": [0, 1]}


def test_names_of_ranks() -> None:
    assert rank_names([3]) == "rank 3"
    assert rank_names([0, 2, 3, 4, 5]) == "ranks 0, 2-5"
