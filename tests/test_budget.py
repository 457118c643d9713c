"""A file that takes too long is walked in part, which is said; nothing of it is kept as if it were all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ddplint.analysis.domain import limits
from ddplint.analysis.entry import one_walk
from ddplint.cli.main import main
from ddplint.config.settings import Settings, load_settings
from ddplint.engine.checker import Checker
from ddplint.engine.isolation import checked
from ddplint.engine.records import Outcome
from ddplint.findings.results import Report
from ddplint.rule import Finding, Place, Rule, Severity, Walk
from ddplint.source.file import SourceFile
from ddplint.util import budget
from ddplint.util.budget import OutOfTime, Watched, allowed, is_spent

HEAD = """\
import torch
import torch.distributed as dist
rank = dist.get_rank()
if rank == 0:
    dist.barrier()
"""
STEP = """

def step_{0}(model, batch):
    total = 0
    for value in batch:
        total = total + model(value) * {0} - value.mean()
        if total > 3:
            total = total / 2 + len(batch)
    if dist.get_rank() == 0:
        dist.all_reduce(total)
    return total
"""
LONG = HEAD + "".join(map(STEP.format, range(40)))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What a look at the clock costs (until the rules begin), and what it shows."""
    shown = [0.5, 0.0]

    def look() -> float:
        shown[1] += shown[0]
        return shown[1]

    def begin_rules(self: budget.Budget) -> None:
        shown[0] = 0.0
        begin(self)

    begin = budget.Budget.begin_rules
    monkeypatch.setattr(limits, "COARSER", ())  # of the exact walk alone
    monkeypatch.setattr(budget.time, "thread_time", look)
    monkeypatch.setattr(budget.Budget, "begin_rules", begin_rules)
    return shown


def report_of(seconds: int, text: str = LONG) -> Report:
    return Checker(Settings(seconds_per_file=seconds, jobs=1)).run([SourceFile("train.py", text.encode())])


def test_what_was_walked_in_time_is_reported_and_what_was_not_is_said(clock: list[float]) -> None:
    whole, part = report_of(0), report_of(8)
    assert whole.limits == []
    assert len(whole.findings) == 41
    assert 1 <= len(part.findings) < 41
    assert part.findings[0].place.range.start_line == 5
    (text,) = {limit.text for limit in part.limits if "entry points after" in limit.text}
    assert text.startswith("train.py: time budget used up, entry points after step_")
    assert part.was_out_of_time
    assert not whole.was_out_of_time
    assert not part.errors


def test_a_file_far_below_it_does_not_notice(clock: list[float]) -> None:
    clock[0] = 1e-6
    assert report_of(20).limits == []
    assert len(report_of(20).findings) == 41


def test_the_walk_of_one_function_is_stopped(clock: list[float]) -> None:
    clock[0] = 1.0
    body = "".join(f"    dist.all_reduce(values[{i}] + values[{i + 1}])\n" for i in range(4000))
    limits = report_of(8, f"import torch.distributed as dist\n\ndef reduce(values):\n{body}").limits
    assert [limit.text for limit in limits] == ["train.py: reduce: time budget used up, not compared"]


def test_the_comparison_is_stopped(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    compare = one_walk.compare

    def late(trace: list[object]) -> object:
        clock[1] += 16
        return compare(trace)  # type: ignore[arg-type]

    clock[0] = 0.0
    monkeypatch.setattr(one_walk, "compare", late)
    report = report_of(20, HEAD)
    (limit,) = report.limits
    assert limit.text.startswith("train.py: <module>: time budget used up, comparison stopped; places where ranks part")
    assert not [one for one in report.findings if one.code == "DDP101"]


class Slow(Rule):
    """Finds each event, and looks at all of them for each."""

    code, name, severity = "XYZ1", "slow", Severity.ADVICE

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            yield self.finding(Place.of(event), "here")
            assert all(other.order >= 0 for other in walk.events)


def walks_of(text: str) -> tuple[SourceFile, Sequence[Walk]]:
    from ddplint.analysis import simulate
    from ddplint.project.modules import Project

    file = SourceFile("train.py", text.encode())
    return file, simulate(file, Project([file]), Settings())


def test_a_rule_is_stopped_and_what_it_found_until_then_stays(clock: list[float]) -> None:
    clock[0] = 0.0
    file, walks = walks_of(HEAD + "dist.barrier()\n" * 50)
    many, few = Outcome(), Outcome()
    all_found = checked(Slow(), file, walks, many)
    clock[0] = 1.0
    with allowed(20):
        found = checked(Slow(), file, walks, few)
    assert 5 < len(found) < len(all_found)
    assert many.limits == []
    assert [limit.text for limit in few.limits] == ["train.py: time budget used up, rules from XYZ1 on stopped"]
    assert not few.problems


def test_rules_have_a_share_of_their_own(clock: list[float]) -> None:
    clock[0] = 0.0
    with allowed(20) as time:
        assert time is not None
        clock[1] += 100
        assert is_spent()
        time.begin_rules()
        assert list(Watched([1, 2])) == [1, 2]
        clock[1] += 6
        with pytest.raises(OutOfTime):
            list(Watched([1, 2]))
    assert not is_spent()


Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "train.py").write_text(LONG)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DDPLINT_NO_CACHE")
    return lambda *words: main(["--jobs", "1", *words, "."])


def test_a_part_is_not_kept_in_the_cache(run: Run, clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    run("--seconds-per-file", "8")
    assert "1 file walked in part" in capsys.readouterr().out
    clock[0] = 1e-6
    for _ in range(2):
        assert run("--seconds-per-file", "8") == 1
        assert "41 findings" in capsys.readouterr().out.replace("41 errors", "41 findings")


def test_what_is_kept_serves_a_shorter_budget(run: Run, clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    clock[0] = 1e-6
    run()
    whole = capsys.readouterr().out
    clock[0] = 5.0
    run("--seconds-per-file", "8")
    assert capsys.readouterr().out == whole


def test_the_setting(tmp_path: Path, run: Run, clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ddplint.toml").write_text("seconds-per-file = 8\n")
    run()
    assert "walked in part" in capsys.readouterr().out
    run("--seconds-per-file", "0")
    assert "walked in part" not in capsys.readouterr().out
    assert load_settings(["."]).seconds_per_file == 8
    (tmp_path / "ddplint.toml").write_text("seconds-per-file = -1\n")
    assert run() == 2
    assert "seconds-per-file must be a number from 0 up, not -1" in capsys.readouterr().err
