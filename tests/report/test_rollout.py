"""``ddplint report``: JSON reports of many repositories, or of one over time, on one page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ddplint.cli.main import main


def finding(mark: str, severity: str = "error", by: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "code": "DDP101" if severity == "error" else "DDP401",
        "name": "guarded-collective",
        "severity": severity,
        "message": f"barrier {mark}",
        "place": {"path": "src/a_b.py", "line": 7},
        "fix": None,
        "suppressed": by and {"by": by},
        "fingerprint": mark,
        **more,
    }


def put(name: str, repository: str, date: str, *findings: dict[str, Any], problems: int = 0) -> str:
    record = {
        "format": "ddplint-findings",
        "version": 1,
        "run": {"repository": repository, "revision": "0123456789ab (main)", "date": date},
        "findings": findings,
        "problems": [{"fatal": True}] * problems,
    }
    Path(name).write_text(json.dumps(record))
    return name


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three runs of one repository and one of another."""
    monkeypatch.chdir(tmp_path)
    return [
        put(
            "3.json", "acme/one", "2026-11-20T10:00:00Z", finding("a"), finding("c", "warning"), finding("d", "advice")
        ),
        put("1.json", "acme/one", "2026-09-01T10:00:00Z", finding("a"), finding("b"), finding("x", by="comment")),
        put("2.json", "acme/one", "2026-11-01T10:00:00Z", finding("a"), finding("c", "warning")),
        put("other.json", "acme/two", "2026-11-20T09:00:00Z", finding("a", by="baseline"), problems=1),
    ]


def test_the_page_in_markdown(reports: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--output-format", "markdown", *reports]) == 0
    out = capsys.readouterr().out
    assert "2 repositories, 1 open errors, 1 open warnings, 1 advice, 1 known from baselines, 2 gone" in out
    for row in (
        "| acme/one | 1 | 1 | 1 | 0 | 0 | 2 | 80 | 2026-11-20 at 0123456789ab |",
        "| acme/two | 0 | 0 | 0 | 1 | 0 | 0 | – | 2026-11-20 at 0123456789ab, 1 problem |",
        "| DDP101 guarded-collective | error | 1 | 1 | 2 | 0 |",
        "| up to a month | 0 | 1 | 0 |",
        "| up to three months | 1 | 0 | 0 |",
        "| 2026-09-01 | 1 | 2 | 0 | 0 |",
        "| 2026-11-20 | 2 | 1 | 1 | 1 |",
        r"| 80 | acme/one | src/a\_b.py:7 | DDP101 | error | barrier a |",
    ):
        assert f"{row}\n" in out, row


def test_the_page_in_html_loads_nothing_and_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    put("evil.json", "<b>", "2026-11-20T09:00:00Z", finding("<script>alert(1)</script>"))
    assert main(["report", "evil.json", "3.json", "--output", "page.html"]) == 0
    text = Path("page.html").read_text("utf-8")
    assert "&lt;b&gt;" in text
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=(?![\"']?#)", text)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "is no JSON"),
        ("[]", "is no report of ddplint; write one with --output json=FILE"),
        ('{"format": "ddplint-findings", "version": 2}', "is a report of version 2, not 1"),
        ('{"format": "ddplint-findings", "version": 1, "findings": [{}], "problems": []}', "is damaged"),
        ('{"format": "ddplint-findings", "version": 1, "findings": 7, "problems": []}', "is damaged"),
    ],
)
def test_what_is_no_report_is_one_line(text: str | None, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if text is not None:
        Path("bad.json").write_text(text)
    assert main(["report", "bad.json", "3.json", "--output-format", "markdown"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"bad.json: error: {said}")
    assert err.count("\n") == 1
    assert "acme/one" in out, "what can be read is shown"


def test_a_real_report_names_repository_and_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(
        "import torch.distributed as dist\nif dist.get_rank() == 0:\n    dist.barrier()\n"
    )
    for name in ("GITHUB_REPOSITORY", "CI_PROJECT_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert main(["--output", "json=own.json", "--select", "DDP1", "train.py"]) == 1
    monkeypatch.setenv("CI_PROJECT_PATH", "group/project")
    assert main(["--output", "json=ci.json", "--select", "DDP1", "train.py"]) == 1
    capsys.readouterr()
    assert main(["report", "--output-format", "markdown", "own.json", "ci.json"]) == 0
    out = capsys.readouterr().out
    assert f"| {tmp_path.name.replace('_', chr(92) + '_')} | 1 | 0 |" in out
    assert "| group/project | 1 | 0 |" in out
