"""``ddplint.check``: the tool as a function; and rules of other packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Severity

ROOT = Path(__file__).parent.parent.parent
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(HANG)


def test_check_returns_a_report() -> None:
    report = ddplint.check([Path("train.py")], select=["DDP1"])
    assert isinstance(report, ddplint.Report)
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.place.file.path) == ("DDP101", Severity.ERROR, "train.py")
    assert finding.place.range == ddplint.Range(5, 5, 5, 19)
    assert [action.ranks for action in finding.actions] == [(0,), (1, 2, 3)]
    assert (report.exit_code(), os.listdir()) == (1, ["train.py"])


def test_check_takes_the_configuration_and_what_is_ignored() -> None:
    Path("ddplint.toml").write_text("ignore = ['DDP1']")
    assert [one.code for one in ddplint.check(["."], ignore=["DDP4"]).findings] == []
    Path("other.toml").write_text("select = ['DDP1']")
    assert len(ddplint.check(["."], config="other.toml").findings) == 1


def test_what_cannot_be_checked_is_told_and_what_cannot_be_set_is_raised() -> None:
    assert [problem.path for problem in ddplint.check(["missing.py"]).errors] == ["missing.py"]
    with pytest.raises(ddplint.SettingsError, match="unknown rule 'DDP777'"):
        ddplint.check(["."], select=["DDP777"])


def test_the_package_has_what_it_says() -> None:
    assert {name for name in ddplint.__all__ if getattr(ddplint, name, None) is None} == set()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ddplint.nothing


def test_a_type_checker_sees_the_types() -> None:
    Path("user.py").write_text(
        "import ddplint\n\nreport: ddplint.Report = ddplint.check(['.'])\n"
        "line: int = report.findings[0].place.range.start_line\n"
        "wrong: str = report.findings[0].place.range.start_line\n"
    )
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=c", "user.py"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert [line.partition(": ")[0] for line in done.stdout.splitlines() if ": error:" in line] == ["user.py:5"]


# Rules of other packages

RULE = '''\
from collections.abc import Iterator

from ddplint.rule import Finding, Place, Rule, Severity, Walk


class NoBarrier(Rule):
    """## What it does
    Finds every barrier that any rank reaches.
    """

    code = "ACME001"
    name = "no-barrier"
    severity = Severity.WARNING

    def check(self, walk: Walk) -> Iterator[Finding]:
        for event in walk.events:
            if event.name == "torch.distributed.barrier":
                yield self.finding(Place.of(event), "a barrier")
'''


def install_package(site: Path, rule: str = RULE) -> None:
    """What an installer leaves: the package, and its metadata with the entry point."""
    (site / "acme_rules").mkdir(parents=True)
    (site / "acme_rules" / "__init__.py").write_text('"""Rules of Acme."""\n')
    (site / "acme_rules" / "no_barrier.py").write_text(rule)
    (site / "acme_rules-1.0.dist-info").mkdir()
    (site / "acme_rules-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n"
    )
    (site / "acme_rules-1.0.dist-info" / "entry_points.txt").write_text("[ddplint.rules]\nacme = acme_rules\n")


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules"), str(site)])
    environment = {**os.environ, "PYTHONPATH": path, "DDPLINT_NO_CACHE": ""}
    command = [sys.executable, "-m", "ddplint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def test_rules_of_an_installed_package_are_found(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install_package(site)
    done = run(site, "--select", "ACME001,DDP101", "--output-format", "concise", "train.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert [line.split()[2] for line in done.stdout.splitlines()[:2]] == ["ACME001", "DDP101"]
    assert "no-barrier" in run(site, "rules").stdout
    assert run(site, "rule", "ACME001").stdout.startswith("# ACME001: no-barrier\n")


def test_kept_results_go_when_a_package_changes(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install_package(site)
    arguments = ("--select", "no-barrier", "--output-format", "concise", "train.py")
    assert "a barrier" in run(site, *arguments).stdout
    (site / "acme_rules" / "no_barrier.py").write_text(RULE.replace("a barrier", "another one"))
    assert "another one" in run(site, *arguments).stdout


def test_a_package_that_fails_is_one_line(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install_package(site, "import nothing_of_this_name\n")
    for _ in range(2):
        done = run(site, "--select", "DDP1", "train.py")
        assert done.returncode == 2
        assert done.stderr.startswith("error: rule module acme_rules.no_barrier cannot be loaded: ModuleNotFoundError")
        assert done.stderr.count("\n") == 1
