"""The harness of the fixtures judges correctly: every judgement here can also fail."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.harness import cost, judge
from fixtures.harness.fixture import Fixture, FixtureError, expectations, load
from fixtures.harness.launch import said_finished
from fixtures.harness.observe import Rank, Run, Series, error_line, observe_rank, stopped_at

SCRIPT = Path("/runs/train.py")
TRACEBACK = """\
Traceback (most recent call last):
  File "/harness/recorder.py", line 80, in <module>
    main()
  File "/runs/train.py", line 76, in <module>
    main()
  File "/runs/train.py", line 69, in main
    dist.barrier()
  File "/torch/distributed/distributed_c10d.py", line 4000, in barrier
    work.wait()
RuntimeError: [/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 6000ms for recv operation to complete
"""
LATE = TRACEBACK.splitlines()[-1]
DUMP = """\
Current thread 0x00007f0000000000 (most recent call first):
  File "/torch/distributed/distributed_c10d.py", line 3000 in all_reduce
  File "/runs/train.py", line 12 in reduce_mean
  File "/runs/train.py", line 66 in train
  File "/harness/recorder.py", line 80 in <module>
"""
ABORT = """\
terminate called after throwing an instance of 'gloo::EnforceNotMet'
  what():  [enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. 52 vs 4.
Fatal Python error: Aborted

Thread 0x00007f0000000000 (most recent call first):
  File "/runs/train.py", line 41 in step
  File "/runs/train.py", line 66 in train
"""
LOSSES: Series = {("step", 0, "loss"): 1.5, ("step", 1, "loss"): 1.25}
HUNG = Rank(False, LOSSES, "RuntimeError: Timed out waiting 6000ms for recv operation", (76, 69), ())
DONE = Rank(True, LOSSES, "", (), ())


def run(*ranks: Rank, killed: bool = False) -> Run:
    return Run(ranks=ranks, killed=killed, seconds=1.0, agent="")


def make(directory: Path, kind: str, **more: str) -> Fixture:
    """A fixture whose trainer is marked on line 69."""
    (directory / "train.py").write_text("\n" * 68 + "dist.barrier()  # expect: DDP101\n")
    (directory / "reference.py").write_text("")
    keys = {"codes": '["DDP101"]', "fault": f'"{kind}"', "fix": '"safe"', "description": '"a fault"', **more}
    (directory / "fixture.toml").write_text("".join(f"{key} = {value}\n" for key, value in keys.items()))
    return load(directory)


def test_expectations_are_read_from_comments() -> None:
    text = "a\nb()  # expect: DDP101\nc()  # noqa  # expect: DDP401, DDP101\n# expected later: DDP999\n"
    assert expectations(text) == ((2, "DDP101"), (3, "DDP101"), (3, "DDP401"))


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"codes": '["DDP102"]'}, "codes must be those marked"),
        ({"fault": '"slow"'}, "fault must be one of"),
        ({"fix": '"maybe"'}, "fix must be one of"),
        ({"fix": '"none"'}, "no_fix goes with"),
        ({"error": '"Boom"'}, "error goes with"),
        ({"colour": '"red"'}, "unknown key 'colour'"),
        ({"codes": "["}, "fixture.toml"),
    ],
)
def test_wrong_descriptions_are_refused(tmp_path: Path, more: dict[str, str], complaint: str) -> None:
    with pytest.raises(FixtureError, match=complaint):
        make(tmp_path, "hang", **more)


def test_look_alikes_have_no_reference(tmp_path: Path) -> None:
    fixture = make(tmp_path, "hang")
    fixture.train.write_text("\n")
    (tmp_path / "fixture.toml").write_text('description = "fine"\n')
    with pytest.raises(FixtureError, match=r"has a reference\.py"):
        load(tmp_path)
    fixture.reference.unlink()
    assert not load(tmp_path).faulty


@pytest.mark.parametrize(
    ("err", "stack", "error"),
    [
        (TRACEBACK, (76, 69), "RuntimeError: [/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 6000ms"),
        (DUMP, (66, 12), "terminated while waiting"),
        (
            f"{TRACEBACK.rstrip()}\n Original exception: \nTimed out waiting 5ms\n",
            (76, 69),
            f"{LATE} Timed out waiting 5",
        ),
        (ABORT, (66, 41), "aborted: [enforce fail at pair.cc:456]"),
        ("", (), ""),
    ],
)
def test_where_and_why_a_rank_stopped(err: str, stack: tuple[int, ...], error: str) -> None:
    assert stopped_at(err, SCRIPT) == stack
    assert error_line(err).startswith(error)
    assert bool(error_line(err)) == bool(error)


def test_values_and_sentinel_of_a_rank() -> None:
    out = "rank=1 step=0 loss=1.5\nnoise rank=1 step=9 loss=9\nrank=0 step=1 loss=2\nFINISHED rank=1\n"
    records: tuple[dict[str, object], ...] = ({"op": "start", "pid": 1}, {"op": "write", "path": "a.pt"})
    rank = observe_rank(1, out, "", records, SCRIPT)
    assert rank == Rank(True, {("step", 0, "loss"): 1.5}, "", (), ("a.pt",))
    assert not observe_rank(0, out, "", (), SCRIPT).finished


def test_exit_noise_after_the_sentinel_is_no_error() -> None:
    rank = observe_rank(0, "FINISHED rank=0\n", ABORT, (), SCRIPT)
    assert rank.finished
    assert rank.error == ""
    assert rank.stack == ()


def test_a_hang_must_wait_inside_a_marked_line(tmp_path: Path) -> None:
    fixture = make(tmp_path, "hang")
    reference = run(DONE, DONE)
    assert judge.fault_not_seen(fixture, run(HUNG, replace(HUNG, stack=(76, 61))), reference) == []
    assert judge.fault_not_seen(fixture, run(replace(HUNG, error=""), DONE, killed=True), run(DONE, DONE)) == []
    elsewhere = replace(HUNG, stack=(76, 61))
    assert "marked line [69]" in judge.fault_not_seen(fixture, run(elsewhere, elsewhere), reference)[0]
    crashed = replace(HUNG, error="ValueError: no")
    assert "does not wait" in judge.fault_not_seen(fixture, run(crashed, crashed), reference)[0]
    assert judge.fault_not_seen(fixture, run(DONE, DONE), reference) == ["finishes, but should hang"]


def test_a_connection_closed_by_ranks_that_live_timed_out_there(tmp_path: Path) -> None:
    fixture = make(tmp_path, "hang")
    stopped = replace(HUNG, error="terminated while waiting")
    closed = replace(HUNG, error="RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:1")
    assert judge.fault_not_seen(fixture, run(stopped, closed, stopped), run(DONE, DONE)) == []
    for other in (closed, DONE, replace(HUNG, error="ValueError: no")):
        assert "does not wait" in judge.fault_not_seen(fixture, run(other, closed), run(DONE, DONE))[0]


def test_a_decision_to_leave_is_on_no_stack(tmp_path: Path) -> None:
    decided = replace(make(tmp_path, "hang"), codes=("DDP104",))
    elsewhere = replace(HUNG, stack=(76, 61))
    assert judge.fault_not_seen(decided, run(elsewhere, replace(HUNG, stack=(76, 62))), run(DONE, DONE)) == []
    assert judge.fault_not_seen(decided, run(elsewhere, elsewhere), run(DONE, DONE)) == [
        "all ranks stopped in the same place"
    ]


def test_wrong_results_must_differ_from_the_reference(tmp_path: Path) -> None:
    fixture = make(tmp_path, "wrong-results")
    shifted = replace(HUNG, values={("step", 0, "loss"): 1.5, ("step", 1, "loss"): 1.251})
    assert judge.fault_not_seen(fixture, run(DONE, shifted), run(DONE, DONE)) == []
    assert judge.fault_not_seen(fixture, run(DONE, HUNG), run(DONE, DONE)) == ["computes what the reference computes"]


def test_errors_must_be_the_ones_described(tmp_path: Path) -> None:
    fixture = make(tmp_path, "raises", error='"^FileExistsError"')
    raised = replace(HUNG, error="FileExistsError: [Errno 17]")
    assert judge.fault_not_seen(fixture, run(HUNG, raised), run(DONE, DONE)) == []
    assert "something else" in judge.fault_not_seen(fixture, run(HUNG, HUNG), run(DONE, DONE))[0]
    assert judge.fault_not_seen(fixture, run(DONE, DONE), run(DONE, DONE)) == ["finishes, but should raise"]


def test_a_lone_error_is_raised_by_one_rank_and_in_a_correct_run_by_all(tmp_path: Path) -> None:
    fixture = make(tmp_path, "raises-alone", error='"^ValueError: odd"')
    raised = replace(HUNG, error="ValueError: odd number")
    assert judge.fault_not_seen(fixture, run(raised, HUNG), run(raised, raised)) == []
    assert judge.fault_not_seen(fixture, run(raised, raised), run(raised, raised)) == ["several ranks raise it"]
    assert "something else" in judge.fault_not_seen(fixture, run(HUNG, HUNG), run(raised, raised))[0]
    right = fixture.right_error
    assert judge.not_clean(run(raised, raised), right) == []
    assert "rank 1 does not raise it: RuntimeError" in judge.not_clean(run(raised, HUNG), right)[0]
    assert "rank 0 does not raise it" in judge.not_like(run(DONE, raised), run(raised, raised), right)[0]
    assert make(tmp_path, "raises", error='"^ValueError: odd"').right_error == ""


def test_a_slow_rank_may_be_stopped_before_it_raises_what_others_raise(tmp_path: Path) -> None:
    raised, stopped = replace(HUNG, error="ValueError: odd number"), replace(HUNG, error="terminated while waiting")
    assert judge.not_clean(run(raised, raised, stopped), "^ValueError: odd") == []
    assert judge.not_clean(run(raised, stopped), "^ValueError: odd") != []
    assert judge.not_clean(run(raised, raised, HUNG), "^ValueError: odd") != []


def test_duplicate_state_is_one_file_written_by_several_ranks(tmp_path: Path) -> None:
    fixture = make(tmp_path, "duplicate-state")
    both = replace(DONE, wrote=("log", "model.pt"))
    assert judge.fault_not_seen(fixture, run(both, replace(DONE, wrote=("model.pt",))), run(DONE, DONE)) == []
    assert judge.fault_not_seen(fixture, run(both, DONE), run(DONE, DONE)) != []


def test_a_rewrite_must_finish_with_the_same_values_and_one_writer() -> None:
    reference = run(DONE, DONE)
    assert judge.not_like(run(DONE, DONE), reference) == []
    assert "does not finish: rank 1: RuntimeError" in judge.not_like(run(DONE, HUNG), reference)[0]
    off = replace(DONE, values={**LOSSES, ("step", 1, "loss"): 1.2501})
    assert judge.not_like(run(DONE, off), reference) == ["rank 1 step 1: loss is 1.2501, should be 1.25"]
    short = replace(DONE, values={("step", 0, "loss"): 1.5})
    assert "printed by one of the two runs only" in judge.not_like(run(short, DONE), reference)[0]
    writing = replace(DONE, wrote=("model.pt",))
    assert judge.not_like(run(writing, writing), reference) == ["model.pt is written by ranks (0, 1)"]


def test_equal_up_to_a_rounding() -> None:
    assert judge.same(1.0, 1.0 + 1e-7)
    assert judge.same(math.nan, math.nan)
    assert not judge.same(1.0, 1.001)
    assert not judge.same(1.0, math.nan)


def test_a_last_line_may_be_the_only_one(tmp_path: Path) -> None:
    for rank, text in enumerate(
        ("rank=0 step=0 loss=1\nFINISHED rank=0\n", "FINISHED rank=1\n", "rank=2 step=0 loss=1\n")
    ):
        log = tmp_path / "logs0" / "run" / "attempt_0" / str(rank) / "stdout.log"
        log.parent.mkdir(parents=True)
        log.write_text(text)
    assert said_finished(tmp_path) == 2


STEADY = [[0.010, 0.010, 0.030], [0.011, 0.009, 0.031], [0.010, 0.900, 0.030], [0.009, 0.010, 0.029]]


def test_step_times_keep_what_always_takes_longer_and_drop_what_happened_once() -> None:
    assert cost.typical(STEADY) == pytest.approx((0.010 + 0.010 + 0.030) / 3)


def test_a_cost_is_told_from_chance() -> None:
    low, high = cost.interval(STEADY, STEADY)
    assert (low, high) == (1.0, 1.0)
    low, high = cost.interval(STEADY, [[2 * step for step in run] for run in STEADY])
    assert low > 1.5 < high


def test_runs_that_end_early_do_not_count(tmp_path: Path) -> None:
    fixture = make(tmp_path, "hang")
    file = tmp_path / "pace"
    runs = [[0, STEADY[0]], [1, STEADY[1]], [1, STEADY[0]], [0, STEADY[1]]]
    file.write_text("".join(json.dumps(run) + "\n" for run in runs))
    found = cost.summary(fixture, file, 1)
    assert found is not None
    assert (found["steps"], found["rounds"]) == (3, 1)
    file.write_text("".join(json.dumps(run) + "\n" for run in [*runs[:3], [0, STEADY[1][:2]]]))
    assert cost.summary(fixture, file, 1) is None
    file.write_text("".join(json.dumps(run) + "\n" for run in [*runs, [0, STEADY[1][:2]], [1, STEADY[2]]]))
    found = cost.summary(fixture, file, 2)
    assert found is not None
    assert found["rounds"] == 1
