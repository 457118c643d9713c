"""Where a comparison was not followed to its end, what it finds behind is no more than a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from ddplint.analysis.compare.lockstep import Attempt
from ddplint.analysis.domain import limits
from ddplint.rule import Severity

LONG = "\n".join(f"        if options.o{number}:\n            dist.all_reduce(x)" for number in range(4))
BEHIND = "    if dist.get_rank() == 0:\n        dist.barrier()\n"
PROGRAM = f"""\
import torch.distributed as dist

def main(options, x):
    if dist.get_rank() == 0:
{LONG}
    else:
{LONG}
"""


def severities(tmp_path: Path, program: str) -> list[Severity]:
    (tmp_path / "train.py").write_text(program)
    return [finding.severity for finding in ddplint.check([tmp_path], select=["DDP101"]).findings]


@pytest.mark.parametrize(("most", "severity"), [(100, Severity.WARNING), (limits.ATTEMPT_STEPS, Severity.ERROR)])
def test_what_is_found_behind_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, severity: Severity
) -> None:
    monkeypatch.setattr(limits, "ATTEMPT_STEPS", most)
    assert severities(tmp_path, PROGRAM) == []
    assert severities(tmp_path, PROGRAM + BEHIND) == [severity]


def test_where_the_stack_ends_the_comparison_is_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_given: object, **_named: object) -> None:
        raise RecursionError

    monkeypatch.setattr(Attempt, "_fork", too_deep)
    (tmp_path / "train.py").write_text(PROGRAM + BEHIND)
    report = ddplint.check([tmp_path], select=["DDP101"])
    assert [one.severity for one in report.findings] == [Severity.WARNING]
    assert any("comparison stopped" in one.text for one in report.limits)
