"""The recorded first difference against the printed one: it is found, and anything else is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fixtures.harness.difference import (
    Action,
    Claim,
    Step,
    claims,
    disagreement,
    first_difference,
    hidden,
    not_as_printed,
    trace,
)
from fixtures.harness.fixture import ROOT

WORLD = frozenset({0, 1})


def step(name: str, *lines: int, **more: Any) -> Step:
    return Step(name, more.pop("members", WORLD), tuple(("train.py", line) for line in lines), **more)


BUILD, BARRIER, FORWARD = step("DDP construction", 80, 50), step("barrier", 80, 69), step("DDP forward", 80, 59)
TRACES = ((BUILD, BARRIER), (BUILD, FORWARD))
PRINTED = Claim(
    "DDP101",
    69,
    (Action((0,), "barrier", ("train.py", 69)), Action((1, 2, 3), "DDP forward", ("train.py", 59))),
)


def test_the_printed_difference_is_the_recorded_one() -> None:
    assert first_difference(TRACES, 0, 1) == (BARRIER, FORWARD)
    assert not_as_printed((PRINTED,), TRACES) == ""


@pytest.mark.parametrize(
    "claim",
    [
        replace(PRINTED, line=70),
        replace(PRINTED, sides=(replace(PRINTED.sides[0], name="all_reduce"), PRINTED.sides[1])),
        replace(PRINTED, sides=(replace(PRINTED.sides[0], place=("train.py", 68)), PRINTED.sides[1])),
        replace(PRINTED, sides=(PRINTED.sides[0], replace(PRINTED.sides[1], place=("other.py", 59)))),
        replace(PRINTED, sides=(PRINTED.sides[0], replace(PRINTED.sides[1], place=None))),
        replace(PRINTED, sides=(replace(PRINTED.sides[0], ranks=(1,)), replace(PRINTED.sides[1], ranks=(0,)))),
        replace(PRINTED, sides=(replace(PRINTED.sides[0], ranks=(2,)), replace(PRINTED.sides[1], ranks=(3,)))),
    ],
    ids=["line", "operation", "place", "file", "end", "ranks", "ranks-not-run"],
)
def test_any_other_claim_differs(claim: Claim) -> None:
    reason = not_as_printed((claim,), TRACES)
    assert "recorded first difference: rank 0 barrier at train.py:69, rank 1 DDP forward at train.py:59" in reason
    assert claim.code in reason


def test_what_became_of_the_ranks_is_what_is_printed() -> None:
    assert not_as_printed((replace(PRINTED, outcome="mismatched"),), TRACES) == ""
    for outcome in ("waits", "shifted", "meets"):
        assert not_as_printed((replace(PRINTED, outcome=outcome),), TRACES) != ""
    later = Claim(
        "DDP101", 69, (Action((0,), "barrier", ("train.py", 69)), Action((1,), "barrier", ("train.py", 75))), "shifted"
    )
    met = ((BUILD, BARRIER, step("barrier", 80, 75)), (BUILD, step("barrier", 80, 75)))
    assert not_as_printed((later,), met) == ""
    assert not_as_printed((replace(later, outcome="mismatched"),), met) != ""
    alone = replace(later, sides=(later.sides[0], replace(later.sides[1], place=None)), outcome="waits")
    assert not_as_printed((alone,), ((BUILD, BARRIER), (BUILD,))) == ""
    assert not_as_printed((replace(alone, outcome="shifted"),), ((BUILD, BARRIER), (BUILD,))) != ""


def test_two_visits_of_one_line_are_told_by_their_end() -> None:
    place = {"path": "somewhere/train.py", "line": 69}
    actions = [{"ranks": [0], "does": "barrier", "place": place}, {"ranks": [1], "does": "barrier", "place": place}]
    ends = [{"ranks": [0], "does": "barrier", "place": place}, {"ranks": [1], "does": "nothing more", "place": None}]
    found = {"code": "DDP101", "place": place, "actions": actions, "ends": ends, "outcome": "shifted"}
    (claim,) = claims([found])
    assert claim.outcome == "waits"
    assert not_as_printed((claim,), ((BUILD, BARRIER, BARRIER), (BUILD, BARRIER))) == ""


def test_a_forward_pass_without_buffers_is_no_difference_by_itself() -> None:
    quiet = replace(FORWARD, quiet=True)
    claim = replace(PRINTED, sides=(PRINTED.sides[0], Action((1,), "backward", ("train.py", 61))), outcome="mismatched")
    assert not_as_printed((claim,), ((BUILD, BARRIER), (BUILD, quiet, step("backward", 80, 61)))) == ""
    assert not_as_printed((claim,), ((BUILD, BARRIER), (BUILD, FORWARD, step("backward", 80, 61)))) != ""


def test_every_rank_of_a_side_must_differ_so() -> None:
    members = frozenset({0, 1, 2})
    traces = tuple(tuple(replace(one, members=members) for one in steps) for steps in (*TRACES, TRACES[1]))
    assert not_as_printed((PRINTED,), traces) == ""
    assert not_as_printed((PRINTED,), (*traces[:2], traces[0])) != ""


def test_ranks_that_decide_for_themselves_may_be_on_either_side() -> None:
    local = replace(PRINTED, code="DDP106")
    assert not_as_printed((local,), TRACES) == ""
    assert not_as_printed((local,), TRACES[::-1]) == ""
    assert not_as_printed((PRINTED,), TRACES[::-1]) != ""
    assert not_as_printed((local,), (TRACES[0], TRACES[0])) != ""
    assert not_as_printed((replace(local, line=70),), TRACES) != ""


def test_a_decision_is_reported_where_it_is_made() -> None:
    decision = replace(PRINTED, code="DDP104", line=1)
    assert not_as_printed((decision,), TRACES) == ""
    assert not_as_printed((decision,), (TRACES[0], TRACES[0])) != ""
    assert not_as_printed((replace(decision, sides=PRINTED.sides[::-1]),), TRACES) == ""
    assert not_as_printed((replace(decision, sides=PRINTED.sides[:1] * 2),), TRACES) != ""


def test_the_end_of_the_program_is_a_side() -> None:
    ends = replace(PRINTED, sides=(PRINTED.sides[0], Action((1,), "the program ends", None)))
    assert not_as_printed((ends,), (TRACES[0], (BUILD,))) == ""
    assert not_as_printed((ends,), TRACES) != ""


def test_calls_of_one_operation_differ_by_their_callers() -> None:
    one, other = step("all_reduce", 66, 17), step("all_reduce", 70, 17)
    assert first_difference(((one, other), (other,)), 0, 1) == (one, other)
    assert first_difference(((one,), (one,)), 0, 1) is None


def test_only_common_operations_are_compared() -> None:
    alone, message = step("all_reduce", 9, members=frozenset({0})), step("send", 9, pair=True)
    assert disagreement(((alone, BARRIER), (message, BARRIER))) == ""


def test_correct_ranks_enter_the_same_operations_from_anywhere() -> None:
    assert disagreement(((BARRIER,), (step("barrier", 12),))) == ""
    assert disagreement(((step("DDP forward", 3, quiet=True), BARRIER), (BARRIER,))) == ""
    assert disagreement(TRACES) == (
        "operation 1: rank 0 does barrier at train.py:69, rank 1 does DDP forward at train.py:59"
    )
    assert "rank 1 does nothing more" in disagreement((TRACES[0], (BUILD,)))


def test_what_a_library_does_by_itself_can_be_left_out() -> None:
    inside = step("broadcast", 58, library="loader")
    traces = ((BUILD, inside, BARRIER), (BUILD, inside, inside))
    assert not_as_printed((PRINTED,), traces) != ""
    assert not_as_printed((PRINTED,), hidden(traces)) == ""
    assert not_as_printed((replace(PRINTED, line=1),), hidden(traces)) != ""


def test_ranks_that_say_different_things_differ() -> None:
    own = tuple((BUILD, step("broadcast", 30, terms=(f"from rank {rank}",))) for rank in (0, 1))
    place = ("train.py", 30)
    sides = (Action((0,), "broadcast from rank 0", place), Action((1,), "broadcast from rank 1", place))
    claim = Claim("DDP107", 30, sides)
    assert not_as_printed((claim,), own) == ""
    assert not_as_printed((replace(claim, sides=sides[::-1]),), own) == ""
    other = Action((1,), "broadcast from rank 2", place)
    assert "rank 1 broadcast from rank 1 at" in not_as_printed((replace(claim, sides=(sides[0], other)),), own)
    assert not_as_printed((claim,), (own[0], own[0])) != ""
    assert "rank 1 does broadcast from rank 1" in disagreement(own)


def test_work_is_no_operation() -> None:
    place = {"path": "train.py", "line": 75}
    actions = [
        {"ranks": [0], "does": "a pass over a data loader", "place": place},
        {"ranks": [1], "does": "barrier", "place": {**place, "line": 69}},
    ]
    (claim,) = claims([{"code": "DDP402", "place": place, "actions": actions}])
    assert not_as_printed((claim,), ((BUILD,), TRACES[0])) == ""
    assert not_as_printed((claim,), TRACES[::-1]) != ""
    assert not_as_printed((claim,), ((BUILD,), (BUILD,))) != ""


def test_findings_without_two_sides_claim_nothing() -> None:
    place = {"path": "somewhere/train.py", "line": 69}
    silent = {"code": "DDP401", "place": place, "actions": []}
    actions = [
        {"ranks": [0], "does": "barrier", "place": place},
        {"ranks": [1, 2, 3], "does": "prepared model forward", "place": {**place, "line": 59}},
    ]
    assert claims([silent, {"code": "DDP101", "place": place, "actions": actions}]) == (PRINTED,)


PROGRAM = """\
import sys
import torch
import torch.distributed as dist
from torch.distributed import all_reduce
from torch.nn.parallel import DistributedDataParallel as DDP

def total(x):
    all_reduce(x)
    return x

dist.init_process_group("gloo", rank=0, world_size=1, init_method="file://" + sys.argv[1])
model = DDP(torch.nn.Linear(2, 1))
with torch.no_grad():
    model(torch.ones(1, 2))
with model.no_sync():
    model(torch.ones(1, 2)).sum().backward()
model(torch.ones(1, 2)).sum().backward()
total(torch.ones(1))
dist.broadcast_object_list([1], src=0)
dist.barrier(dist.new_group([0]))
dist.reduce(torch.ones(1), 0, dist.ReduceOp.MAX)
"""


def test_the_witness_notes_what_is_entered(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    env = {**os.environ, "RANK": "0", "PROVE_RECORDS": str(tmp_path), "OUT": str(tmp_path)}
    command = [sys.executable, str(ROOT / "harness" / "recorder.py"), str(script), str(tmp_path / "store")]
    done = subprocess.run(command, env=env, check=False, capture_output=True, timeout=120)  # gloo may abort at the end
    lines = (tmp_path / "rank0.jsonl").read_text().splitlines()
    steps = trace(json.loads(line) for line in lines)
    assert [(one.name, [line for _, line in one.at]) for one in steps] == [
        ("DDP construction", [12]),
        ("DDP forward", [16]),
        ("DDP forward", [17]),
        ("backward", [17]),
        ("all_reduce", [18, 8]),
        ("broadcast_object_list", [19]),
        ("new_group", [20]),
        ("barrier", [20]),
        ("reduce", [21]),
    ], done.stderr.decode()
    assert [one.terms for one in steps[4:]] == [("with SUM",), ("from rank 0",), (), (), ("to rank 0", "with MAX")]
    assert {one.members for one in steps} == {frozenset({0})}
