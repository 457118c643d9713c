"""What becomes of an operation is what happens at run time: nobody comes, another one, or one out of step."""

from __future__ import annotations

from itertools import product, zip_longest
from pathlib import Path

import pytest

from ddplint.report.wording import told
from ddplint.rule import Finding, Outcome
from tests.rules.support import findings
from tests.test_cases import file_of, found_in


def only(program: str, *codes: str) -> Finding:
    (finding,) = findings(program, *(codes or ("DDP101",)))
    return finding


def test_nobody_comes() -> None:
    finding = only("if rank == 0:\n    dist.barrier()\n")
    assert finding.outcome is Outcome.WAITS
    assert [one.waits for one in finding.actions] == [True, False]
    assert finding.actions[-1].remark == "nobody comes: rank 0 waits"
    assert finding.ends == ()


def test_behind_a_function_the_others_may_call_the_same() -> None:
    finding = only("def helper():\n    if rank == 0:\n        dist.barrier()\n")
    assert finding.outcome is Outcome.WAITS
    assert finding.actions[-1].remark == "nobody comes here: rank 0 waits, or meets what the others call later"


def test_operations_of_two_kinds_do_not_go_together() -> None:
    finding = only("if rank == 0:\n    dist.barrier()\ndist.all_reduce(x)\n")
    assert finding.outcome is Outcome.MISMATCHED
    assert [one.waits for one in finding.actions] == [True, True]
    assert "both sides wait" in finding.actions[-1].remark


def test_barriers_meet_one_step_out_of_line_until_the_last() -> None:
    finding = only("if rank == 0:\n    dist.barrier()\ndist.barrier()\ndist.barrier()\n")
    assert finding.outcome is Outcome.SHIFTED
    assert [one.waits for one in (*finding.actions, *finding.ends)] == [False, False, True, False]
    assert [one.place and one.place.range.start_line for one in finding.ends] == [12, None]
    assert "rank 0 waits in the last one" in finding.ends[-1].remark


def test_what_shifts_may_end_in_another_kind() -> None:
    finding = only("if rank == 0:\n    dist.all_reduce(x)\ndist.all_reduce(x)\ndist.barrier()\n")
    assert finding.outcome is Outcome.SHIFTED
    assert "later result is shifted" in finding.actions[-1].remark
    assert [one.what for one in finding.ends] == ["all_reduce", "barrier"]
    assert all(one.waits for one in finding.ends)


def test_gradients_of_different_steps_are_averaged() -> None:
    program = """
model = DDP(nn.Linear(1, 1))
for step in range(10):
    loss = model(x).sum()
    if torch.isnan(loss):
        continue
    loss.backward()
"""
    finding = only(program, "DDP104")
    assert finding.outcome is Outcome.SHIFTED
    assert "gradients of different steps" in finding.actions[-1].remark
    assert [one.visit for one in finding.actions] == ["this time", "the next time"]
    assert finding.ends[-1].place is None


def test_the_same_line_by_way_of_two_calls() -> None:
    finding = only("def sync():\n    dist.barrier()\n\nif rank == 0:\n    sync()\nsync()\n")
    assert [one.visit for one in finding.actions] == ["by way of line 13", "by way of line 14"]


def test_a_rank_that_skips_a_round_meets_the_next_one() -> None:
    finding = only("for _ in range(9):\n    if rank == 0 and _ == 3:\n        continue\n    dist.all_reduce(x)\n")
    assert finding.outcome is Outcome.SHIFTED
    assert [one.visit for one in finding.actions] == ["this time", "the next time"]


EVALUATION = """
model = DDP(nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)))
for step in range(10):
    if rank == 0:
        model.eval()
        with torch.no_grad():
            {evaluation}
    {behind}
    loss = model(x).sum()
    loss.backward()
"""


@pytest.mark.parametrize("evaluation", ["model(x)", "for _ in range(4):\n                model(x)"])
def test_an_evaluation_before_a_training_step_meets_it_by_luck(evaluation: str) -> None:
    finding = only(EVALUATION.format(evaluation=evaluation, behind="pass"), "DDP102")
    assert finding.outcome is Outcome.MEETS
    assert not any(one.waits for one in (*finding.actions, *finding.ends))
    assert not any("wait" in text for text in told(finding))


def test_an_evaluation_before_a_barrier_does_not() -> None:
    finding = only(EVALUATION.format(evaluation="model(x)", behind="dist.barrier()"), "DDP102")
    assert finding.outcome is Outcome.MISMATCHED


def test_a_forward_with_gradients_meets_the_next_one_and_is_then_out_of_step() -> None:
    program = EVALUATION.replace("with torch.no_grad():", "if True:").format(evaluation="model(x)", behind="pass")
    finding = only(program, "DDP102")
    assert finding.outcome is Outcome.SHIFTED
    assert [one.what for one in finding.ends] == ["DDP forward", "gradient all-reduce"]


def test_a_group_is_waited_for_by_its_name_whatever_the_others_do() -> None:
    finding = only("if rank == 0:\n    dist.new_group([0, 1])\ndist.barrier()\n", "DDP108")
    assert finding.outcome is Outcome.WAITS
    assert finding.actions[-1].remark == "they go on without it: rank 0 waits"


def assert_visits_are_told(finding: Finding) -> None:
    """The same operation at the same line in both columns has a word which visit it is."""
    for row in (finding.actions, finding.ends):
        places = [one.place and (one.place.file, one.place.range) for one in row if not one.apart]
        if len(places) == 2 and places[0] == places[1] is not None:
            assert row[0].visit
            assert row[0].visit != row[1].visit


def assert_waits_are_true(finding: Finding) -> None:
    """Where ranks meet, nothing says that they wait."""
    if finding.outcome in (Outcome.SHIFTED, Outcome.MEETS):
        assert not any(one.waits for one in finding.actions)
        assert not any("wait" in one.remark for one in finding.actions)


KINDS = {"b": "dist.barrier()", "a": "dist.all_reduce(x)"}
ARMS = [arm for length in (1, 2) for arm in product("ab", repeat=length)]
COMMON = [common for length in (0, 1, 2, 3) for common in product("ab", repeat=length)]


def at_run_time(arm: tuple[str, ...], common: tuple[str, ...]) -> tuple[Outcome, Outcome | None]:
    """What torch does with two ranks of which one has ``arm`` before ``common``: the n-th call meets the n-th."""
    pairs = list(zip_longest((*arm, *common), common))
    first, other = pairs[0]
    if other is None:
        return Outcome.WAITS, None
    if first != other:
        return Outcome.MISMATCHED, None
    one, other = next(pair for pair in pairs if pair[0] != pair[1])
    return Outcome.SHIFTED, Outcome.WAITS if None in (one, other) else Outcome.MISMATCHED


@pytest.mark.parametrize("common", COMMON, ids="".join)
@pytest.mark.parametrize("arm", ARMS, ids="".join)
def test_every_short_program_fares_as_the_order_of_its_calls_says(
    arm: tuple[str, ...], common: tuple[str, ...]
) -> None:
    guarded = "".join(f"    {KINDS[kind]}\n" for kind in arm)
    found = findings(f"if rank == 0:\n{guarded}" + "".join(f"{KINDS[kind]}\n" for kind in common), "DDP101")
    assert found
    for finding in found:
        alone = any(one.place is None for one in finding.ends)
        ends = (Outcome.WAITS if alone else Outcome.MISMATCHED) if finding.ends else None
        assert (finding.outcome, ends) == at_run_time(arm, common)
        assert_waits_are_true(finding)
        assert_visits_are_told(finding)


@pytest.mark.parametrize("code", ["DDP101", "DDP102", "DDP103", "DDP104", "DDP105", "DDP106", "DDP108", "DDP202"])
def test_no_case_says_that_ranks_wait_where_they_meet(code: str) -> None:
    found = found_in(file_of(code, "faulty", Path()), code)
    assert any(one.outcome is not None for one in found)
    for finding in found:
        assert_waits_are_true(finding)
        assert_visits_are_told(finding)
