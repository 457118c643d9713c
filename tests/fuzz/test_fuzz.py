"""The fuzzing harness itself, and what it says about ddplint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from textwrap import dedent, indent

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.compare import judge, show
from tests.fuzz.oracle import Oracle, Truth, without
from tests.fuzz.programs import Program, programs, random_program
from tests.fuzz.reduce import shrink
from tests.fuzz.tool import Alarm, Answer, fix

REGRESSIONS = sorted((Path(__file__).parent.parent / "fuzz" / "regressions").glob("*.py"))

MISSED = 0
"""Missed alarms among the random programs, as measured; it may only go down."""

NOT_YET_SEEN: frozenset[str] = frozenset()
"""Regressions that the walk still misses; strict, so that the list shrinks with the walk's progress."""

KNOWN = [
    pytest.param(
        path,
        id=path.stem,
        marks=[pytest.mark.xfail(reason="the walk misses it", strict=True)] if path.stem in NOT_YET_SEEN else [],
    )
    for path in REGRESSIONS
]

PROGRAMS = 200

HEAD = """
import argparse
import contextlib
import functools
import os
import random
import torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument("--resume", action="store_true")
parser.add_argument("--epochs", type=int, default=1)
def main():
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
"""
TAIL = """
if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as made:
        yield made


def truth_of(oracle: Oracle, body: str) -> Truth:
    """The truth about a ``main`` with this body; it must be a program that runs."""
    truth = oracle.truth(program(body))
    assert not truth.errors
    assert not truth.cut_short
    return truth


def program(body: str) -> str:
    return f"{HEAD}{indent(dedent(body).strip(), '    ')}\n{TAIL}"


FINE = {
    "unguarded": "dist.barrier()",
    "complementary barriers": """
        if rank != 0:
            dist.barrier()
        print("work")
        if rank == 0:
            dist.barrier()
    """,
    "same kinds in both arms": """
        if rank % 2:
            dist.all_reduce(torch.ones(1))
            dist.barrier()
        else:
            dist.all_reduce(torch.ones(1))
            dist.barrier()
    """,
    "early return where nothing follows": """
        dist.barrier()
        if rank != 0:
            return
        print("done")
    """,
    "correlated arguments": """
        if args.resume and rank == 0:
            dist.barrier()
        if args.resume and rank != 0:
            dist.barrier()
    """,
    "uniform rounds": """
        for epoch in range(args.epochs):
            dist.all_reduce(torch.ones(1))
    """,
    "strided rounds that come out even": """
        for item in range(rank, 8, 4):
            dist.barrier()
    """,
    "flag agreed by all_reduce": """
        flag = torch.tensor([1.0 if rank == 0 else 0.0])
        dist.all_reduce(flag)
        if flag.item() > 0:
            dist.barrier()
    """,
    "flag agreed by broadcast": """
        flag = [rank == 0]
        dist.broadcast_object_list(flag, src=0)
        if flag[0]:
            dist.barrier()
    """,
    "gathered flags": """
        flags = [None] * 4
        dist.all_gather_object(flags, rank == 2)
        if any(flags):
            dist.barrier()
    """,
    "random numbers, agreed": """
        flag = torch.tensor([float(random.random() < 0.5)])
        dist.all_reduce(flag)
        if flag.item() > 0:
            dist.barrier()
    """,
    "subgroup by its members": """
        pair = dist.new_group([0, 1])
        if rank in (0, 1):
            dist.all_reduce(torch.ones(1), group=pair)
    """,
    "subgroup called by everybody": """
        pair = dist.new_group([0, 1])
        dist.barrier(group=pair)
    """,
    "a rank that dies tears the job down": """
        if rank == 0:
            raise RuntimeError("stop")
        dist.barrier()
    """,
}

# Each with the kind of the divergence and the offsets, in lines of the body, of what the ranks wait in.
DIVERGING = {
    "guarded barrier": ("missing", {2}, "if rank == 0:\n    dist.barrier()"),
    "early return": ("missing", {3}, "if rank != 0:\n    return\ndist.barrier()"),
    "expression": ("missing", {1}, "rank == 0 and dist.barrier()"),
    "order": (
        "mismatch",
        {2, 5},
        """
        if rank == 0:
            dist.all_reduce(torch.ones(1))
            dist.barrier()
        else:
            dist.barrier()
            dist.all_reduce(torch.ones(1))
        """,
    ),
    "only when resuming": ("missing", {2}, "if args.resume and rank == 0:\n    dist.barrier()"),
    "only with three rounds": (
        "missing",
        {2},
        "if args.epochs > 2 and os.environ['LOCAL_RANK'] == '0':\n    dist.barrier()",
    ),
    "shifted: the last barrier is alone": ("missing", {3}, "if rank == 0:\n    dist.barrier()\ndist.barrier()"),
    "uneven rounds": ("missing", {2}, "for item in range(rank, 6, 4):\n    dist.barrier()"),
    "flag of the rank itself": ("missing", {3}, "flag = rank == 0\nif flag:\n    dist.barrier()"),
    "random numbers": ("missing", {2}, "if random.random() < 0.5:\n    dist.barrier()"),
    "a file that some ranks see": ("missing", {2}, "if os.path.exists('stop'):\n    dist.barrier()"),
    "part of a subgroup": (
        "missing",
        {3},
        "pair = dist.new_group([0, 1])\nif rank == 0:\n    dist.barrier(group=pair)",
    ),
    "groups in crossed order": (
        "crossed",
        {3, 6},
        """
        pair = dist.new_group([0, 1])
        if rank == 0:
            dist.barrier(group=pair)
            dist.barrier()
        else:
            dist.barrier()
            dist.barrier(group=pair)
        """,
    ),
    "raise that is caught": (
        "missing",
        {4},
        """
        try:
            if rank == 0:
                raise ValueError("stop")
            dist.barrier()
        except ValueError:
            pass
        """,
    ),
}


@pytest.mark.parametrize("body", FINE.values(), ids=FINE)
def test_oracle_calls_correct_programs_fine(oracle: Oracle, body: str) -> None:
    assert not truth_of(oracle, body).diverges


@pytest.mark.parametrize(("kind", "lines", "body"), DIVERGING.values(), ids=DIVERGING)
def test_oracle_says_where_ranks_wait(oracle: Oracle, kind: str, lines: set[int], body: str) -> None:
    before = HEAD.count("\n")
    hangs = truth_of(oracle, body).hangs
    assert {hang.kind for hang in hangs} == {kind}
    assert {stop.line - before for hang in hangs for stop in hang.stops if stop.line} == lines


def test_oracle_tries_every_value_of_the_arguments_that_are_read(oracle: Oracle) -> None:
    assert truth_of(oracle, "dist.barrier()").assignments == 1
    assert truth_of(oracle, "print(args.resume)").assignments == 2
    assert truth_of(oracle, "print(args.resume, args.epochs)").assignments == 8


def test_oracle_names_the_assignment_that_hangs(oracle: Oracle) -> None:
    truth = truth_of(oracle, "if args.epochs == 2 and rank:\n    dist.barrier()")
    assert [dict(assignment)["epochs"] for assignment in truth.hangs.values()] == [2]


def test_oracle_can_leave_a_line_out(oracle: Oracle) -> None:
    source = program("if rank == 0:\n    dist.barrier()\ndist.barrier()")
    assert not oracle.truth(source, without=frozenset({HEAD.count("\n") + 2})).diverges
    assert oracle.truth(source, without=frozenset({HEAD.count("\n") + 3})).diverges


def test_oracle_knows_code_that_never_ran(oracle: Oracle) -> None:
    source = program("def never():\n    dist.barrier()\ndef once():\n    pass\nonce()")
    first = HEAD.count("\n") + 1
    assert oracle.truth(source).dead == {first, first + 1}
    source = program("try:\n    dist.barrier()\nexcept ValueError:\n    dist.barrier()")
    assert oracle.truth(source).dead == {first + 2, first + 3}
    assert "except ValueError:\n        pass" in without(source, oracle.truth(source).dead)


def test_nothing_is_said_of_what_lies_behind_a_check_that_nobody_passes(oracle: Oracle) -> None:
    source = program("if 1 != 2:\n    raise RuntimeError('stop')\nif rank > 0:\n    dist.barrier()")
    first = HEAD.count("\n") + 1
    assert {first + 2, first + 3} <= oracle.truth(source).dead
    assert not {first + 2, first + 3} & oracle.truth(source.replace("1 != 2", "rank == 4")).dead


def test_oracle_cuts_endless_programs_short(oracle: Oracle) -> None:
    assert oracle.truth(program("while True:\n    pass")).cut_short
    assert oracle.truth(program("while True:\n    dist.barrier()")).cut_short


def test_oracle_is_usable_after_a_hang(oracle: Oracle) -> None:
    hanging = program("try:\n    if rank:\n        dist.barrier()\nfinally:\n    dist.barrier()\n    return")
    assert oracle.truth(hanging).diverges
    assert not truth_of(oracle, "dist.barrier()").diverges


def test_generated_programs_run_and_half_of_them_diverge(oracle: Oracle) -> None:
    truths = [oracle.truth(random_program(seed).source) for seed in range(PROGRAMS)]
    assert not {error for truth in truths for error in truth.errors}
    assert not any(truth.cut_short for truth in truths)
    assert 0.3 < sum(truth.diverges for truth in truths) / PROGRAMS < 0.7


def test_a_seed_gives_the_same_program_and_truth(oracle: Oracle) -> None:
    first, second = (random_program(7).source for _ in range(2))
    assert first == second
    assert oracle.truth(first) == oracle.truth(second)


@settings(max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_the_strategy_writes_programs_that_run(oracle: Oracle, generated: Program) -> None:
    truth = oracle.truth(generated.source)
    assert not truth.errors
    assert not truth.cut_short


def test_shrinking_keeps_what_matters(oracle: Oracle) -> None:
    body = """
        total = 1
        for epoch in range(args.epochs):
            with contextlib.nullcontext():
                if rank == 0 and args.resume:
                    dist.barrier()
                else:
                    print(total)
        dist.all_reduce(torch.ones(1))
    """
    small = shrink(program(body), lambda sources: [oracle.truth(source).diverges for source in sources])
    assert oracle.truth(small).diverges
    assert len(small.splitlines()) <= 8


@pytest.mark.parametrize(
    ("alarm", "line", "disagreements"),
    [
        (None, 0, ["", "missed"]),
        ("DDP101", 1, ["false", ""]),
    ],
    ids=["a tool that is always silent", "a tool that always complains"],
)
def test_comparison_notices_missed_and_false_alarms(
    oracle: Oracle, alarm: str | None, line: int, disagreements: list[str]
) -> None:
    sources = [program("dist.barrier()"), program("if rank == 0:\n    dist.barrier()")]
    answer = Answer((Alarm(alarm, line, "", frozenset()),) if alarm else ())
    judged = judge(oracle, sources, tool=partial(_always, answer))
    assert [each.disagreement for each in judged] == disagreements


def _always(answer: Answer, sources: Sequence[str]) -> list[Answer]:
    return [answer for _ in sources]


def test_an_alarm_must_name_what_makes_the_ranks_part(oracle: Oracle) -> None:
    source = program("dist.all_reduce(torch.ones(1))\nif rank == 0:\n    dist.barrier()")
    placed = {}
    for line in (1, 3):
        answer = Answer((Alarm("DDP101", HEAD.count("\n") + line, "", frozenset()),))
        placed[line] = not judge(oracle, [source], tool=partial(_always, answer))[0].misplaced
    assert placed == {1: False, 3: True}


def test_alarms_about_code_that_never_runs_are_not_judged(oracle: Oracle) -> None:
    source = program("def never():\n    if rank == 0:\n        dist.barrier()")
    inside = Alarm("DDP101", HEAD.count("\n") + 3, "", frozenset())
    assert judge(oracle, [source], tool=partial(_always, Answer((inside,))))[0].disagreement == ""


@pytest.mark.fuzz
@settings(
    max_examples=PROGRAMS // 3,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(programs())
def test_ddplint_agrees_on_what_hypothesis_writes(oracle: Oracle, generated: Program) -> None:
    judged = judge(oracle, [generated.source])[0]
    assert judged.disagreement != "false", "\n".join(show(judged))


@pytest.mark.fuzz
def test_ddplint_agrees_on_random_programs(oracle: Oracle) -> None:
    """No false alarm; missed alarms may only become fewer (``MISSED`` is what was measured)."""
    sources = [random_program(seed).source for seed in range(PROGRAMS)]
    wrong = [judged for judged in judge(oracle, sources, range(PROGRAMS)) if judged.disagreement]
    false = [judged for judged in wrong if judged.disagreement != "missed"]
    assert not false, "\n".join(line for judged in false[:3] for line in show(judged))
    assert len(wrong) <= MISSED, "\n".join(line for judged in wrong[:3] for line in show(judged))


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_regressions_state_the_truth(oracle: Oracle, path: Path) -> None:
    source = path.read_text()
    stated = source.splitlines()[0]
    assert re.fullmatch(r"# truth: (fine|diverges line \d+(, \d+)*)", stated)
    truth = oracle.truth(source)
    assert truth.diverges == ("diverges" in stated)
    lines = {stop.line for hang in truth.hangs for stop in hang.stops if stop.line}
    assert lines == {int(number) for number in re.findall(r"\d+", stated)}


@pytest.mark.fuzz
@pytest.mark.parametrize("path", KNOWN)
def test_ddplint_agrees_on_regressions(oracle: Oracle, path: Path) -> None:
    judged = judge(oracle, [path.read_text()])[0]
    assert not judged.disagreement, "\n".join(show(judged))


@pytest.mark.fuzz
@pytest.mark.parametrize("path", KNOWN)
def test_rewritten_regressions_do_not_hide_a_divergence(oracle: Oracle, path: Path) -> None:
    before = path.read_text()
    judged = judge(oracle, fix([before]))[0]
    assert not judged.truth.errors
    assert not judged.disagreement, "\n".join(show(judged))
    assert judged.truth.diverges <= oracle.truth(before).diverges, "\n".join(show(judged))
