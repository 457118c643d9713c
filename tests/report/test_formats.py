"""The formats for other programs are what their readers ask for: on an empty report, a full one, and fixtures."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import jsonschema
import libcst as cst
import pytest

from ddplint.cli.main import main
from ddplint.config.formats import FORMATS
from ddplint.config.reasons import Because
from ddplint.findings.certainty import sure
from ddplint.findings.detached import Replacement
from ddplint.findings.edits import AddImport, Replace
from ddplint.findings.results import Problem, Report, Silenced
from ddplint.report import render
from ddplint.report.context import Context
from ddplint.report.replacements import replacements
from ddplint.rule import Finding, Fix, RankAction, Safety, Severity
from ddplint.source.file import SourceFile
from ddplint.version import DOCUMENTATION
from tests.stub import diagnostics, node, place

ROOT = Path(__file__).parent.parent.parent
SARIF = json.loads((Path(__file__).parent.parent / "schemas" / "sarif-subset.json").read_text("utf-8"))
OFFICIAL = os.environ.get("DDPLINT_SARIF_SCHEMA", "")

SURE = sure(Because.RANK_DECIDES)


def told(name: str, report: Report, **more: Any) -> str:
    text = render(name, report, Context(**more))
    assert text.endswith("\n")
    return text


def sarif(report: Report) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(told("sarif", report))
    jsonschema.validate(log, SARIF)
    if OFFICIAL:
        schema = json.loads(Path(OFFICIAL).read_text("utf-8"))
        jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def fixable() -> Finding:
    file = SourceFile("a b.py", b"if rank == 0:\n    barrier()\n")
    edits = (
        Replace(file, node(file, "rank == 0"), cst.Name("True")),
        AddImport(file, "torch.distributed", alias="dist"),
    )
    return Finding(
        "DDP101", "guarded-collective", Severity.ADVICE, SURE, "a, b: 100% | <c> `d`\nnext",
        place(file, "barrier()"), fix=Fix("take it out", Safety.UNSAFE, edits),
    )  # fmt: skip


def everything() -> Report:
    return Report(
        [diagnostics(), fixable()],
        silenced=[
            Silenced(diagnostics(), "comment", 22, "known"),
            Silenced(diagnostics(), "per-file-ignores", reason="t*"),
        ],
        files=["train.py", "a b.py", "clean.py", "bad.py"],
        problems=[Problem("syntax error", "bad.py", 3, 1), Problem("no Python files here", "docs", fatal=False)],
    )


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_tells_an_empty_report_a_full_one_and_odd_characters(name: str) -> None:
    assert told(name, Report())
    assert "DDP102" in told(name, everything())
    odd = dataclasses.replace(fixable(), message="\x07\x1b[0m \ud800 数]]>")
    assert told(name, Report([odd], files=["a b.py"])).encode("utf-8", "backslashreplace")


# SARIF


def test_sarif_has_the_rules_with_their_pages() -> None:
    driver = sarif(Report())["tool"]["driver"]
    rule = next(rule for rule in driver["rules"] if rule["id"] == "DDP101")
    assert rule["name"] == "GuardedCollective"
    assert rule["helpUri"] == f"{DOCUMENTATION}rules/DDP101/"
    assert driver["informationUri"] == DOCUMENTATION
    assert "## Why is this bad" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"]["level"] == "error"


def test_sarif_code_flows_carry_what_each_group_of_ranks_does() -> None:
    run = sarif(everything())
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "DDP102"
    flows = result["codeFlows"][0]["threadFlows"]
    assert [flow["id"] for flow in flows] == ["rank 0", "ranks 1, 2, 3"]
    lines = [[_line(step) for step in flow["locations"]] for flow in flows]
    assert lines == [[17, 21, 22, 10, 5, 13, 13], [17, 21, 20]]
    assert flows[1]["locations"][-1]["location"]["message"]["text"] == "gradient all-reduce (they wait here for rank 0)"
    assert [step["executionOrder"] for step in flows[0]["locations"]] == [1, 2, 3, 4, 5, 6, 7]


def _line(step: dict[str, Any]) -> int:
    line: int = step["location"]["physicalLocation"]["region"]["startLine"]
    return line


def test_sarif_of_a_group_that_is_at_its_end_has_no_place_for_it() -> None:
    actions = (diagnostics().actions[0], RankAction((1, 2, 3), "end of the program"))
    run = sarif(Report([dataclasses.replace(diagnostics(), actions=actions)]))
    last = run["results"][0]["codeFlows"][0]["threadFlows"][1]["locations"][-1]
    assert last["location"] == {"message": {"text": "end of the program"}}


def test_sarif_tells_suppressions_fixes_levels_and_problems() -> None:
    run = sarif(everything())
    by_comment, by_pattern = (result["suppressions"][0] for result in run["results"][2:])
    assert by_comment == {"kind": "inSource", "justification": "known"}
    assert by_pattern == {"kind": "external", "justification": "per-file-ignores t*"}
    second = run["results"][1]
    assert second["level"] == "note"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"
    change = second["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"]["text"].endswith("if True:\n")
    invocation = run["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert [one["level"] for one in invocation["toolExecutionNotifications"]] == ["error", "warning"]


def test_sarif_of_the_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    main(["fixtures/diffusion_diagnostics", "fixtures/checkpoint_dir", "--output", f"sarif={tmp_path / 'x.sarif'}"])
    log = json.loads((tmp_path / "x.sarif").read_text("utf-8"))
    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"]


# What a fix does to the text


def applied(file: SourceFile, changes: tuple[Replacement, ...]) -> str:
    """The text with the replacements carried out by line and column, as an editor does it."""
    lines = file.text.splitlines(keepends=True)
    starts = [0, *(sum(map(len, lines[: number + 1])) for number in range(len(lines)))]
    text = file.text
    for change in reversed(changes):
        where = change.range
        start, end = starts[where.start_line - 1] + where.start_col - 1, starts[where.end_line - 1] + where.end_col - 1
        text = text[:start] + change.text + text[end:]
    return text


@pytest.mark.parametrize("text", ["if rank == 0:\n    go()\n", "if rank == 0: go()", "x\r\nif rank == 0: go()\r\ny"])
def test_replacements_give_the_rewritten_text(text: str) -> None:
    file = SourceFile("t.py", text.encode())
    fix = Fix("t", Safety.SAFE, (Replace(file, node(file, "rank == 0"), cst.Name("main")),))
    assert applied(file, replacements(fix)) == text.replace("rank == 0", "main")


# Fingerprints


def mark(source: str, path: str = "t.py", number: int = 0) -> str:
    file = SourceFile(path, source.encode())
    findings = [
        Finding(
            "DDP101",
            "guarded-collective",
            Severity.ERROR,
            SURE,
            "m",
            place(file, "barrier()", each),
        )
        for each in range(source.count("barrier()"))
    ]
    issues = json.loads(told("gitlab", Report(findings)))
    return str(issues[number]["fingerprint"])


def test_fingerprints_stay_when_lines_move_and_tell_equals_and_places_apart() -> None:
    first = mark("def f():\n    barrier()\n")
    assert mark("import os\n\n\ndef g(): pass\n\ndef f():\n    x = 1\n    barrier()\n") == first
    others = [mark("def g():\n    barrier()\n"), mark("def f():\n    barrier()\n", "u.py"), mark("barrier()\n")]
    assert len({first, *others}) == 4
    assert mark("barrier()\nbarrier()\n", number=1) != mark("barrier()\nbarrier()\n")


# GitHub


def test_github_commands_escape_what_would_end_them() -> None:
    lines = told("github", everything()).splitlines()
    assert lines[0].startswith("::error title=DDP102 guarded-forward,file=train.py,line=22,endLine=22,col=21,")
    assert "%0Arank 0: DDP forward (line 13)%0Aranks 1, 2, 3: gradient all-reduce (line 20)" in lines[0]
    assert "::a, b: 100%25 | <c> `d`%0Anext%0Addplint --fix --unsafe-fixes: take it out" in lines[1]
    assert lines[1].startswith("::notice ")
    assert lines[2] == "::error title=ddplint,file=bad.py,line=3,col=1::syntax error"
    assert all(line.count("::") == 2 for line in lines[:4])


# GitLab

GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./|/)"},
                    "lines": {"type": "object", "required": ["begin"]},
                },
            },
        },
    },
}


def test_gitlab_issues_have_what_code_quality_needs() -> None:
    issues = json.loads(told("gitlab", everything()))
    jsonschema.validate(issues, GITLAB)
    assert [(one["check_name"], one["severity"]) for one in issues] == [
        ("DDP102", "critical"), ("DDP101", "minor"), ("not-checked", "blocker"),
    ]  # fmt: skip


# JUnit


def test_junit_counts_failures_errors_and_skipped() -> None:
    suite = xml.fromstring(told("junit", everything()))[0]
    numbers = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert numbers == {"tests": "6", "failures": "1", "errors": "1", "skipped": "3"}
    names = [case.get("name") for case in suite]
    assert names[-1] == "no findings"
    strict = xml.fromstring(told("junit", everything(), strict=True))[0]
    assert strict.get("failures") == "2"


# Markdown


def test_markdown_shows_a_table_of_ranks_and_hides_no_code() -> None:
    text = told("markdown", everything())
    assert "| rank 0 | ranks 1, 2, 3 |" in text
    assert "| DDP forward, line 13 | gradient all-reduce, line 20 (they wait here for rank 0) |" in text
    assert "a, b: 100% \\| \\<c\\> `d` next" in text
    fence = Finding(
        "DDP101", "x", Severity.ERROR, SURE, "m",
        place(SourceFile("t.py", b"f('```')\n"), "f('```')"),
    )  # fmt: skip
    assert "\n````text\n" in told("markdown", Report([fence]))


def test_markdown_names_other_files_and_shows_code_as_code() -> None:
    far = SourceFile("src/my_train.py", b"x = 1\nbarrier()\n")
    finding = dataclasses.replace(
        fixable(),
        message="reads `_x|y` on rank 0",
        actions=(RankAction((0,), "barrier", place(far, "barrier()")),),
        fix=None,
        no_fix="call `is_main()` before",
    )
    text = told("markdown", Report([finding], files=["a b.py"]), show_advice=True)
    assert "| barrier, src/my\\_train.py line 2 |" in text
    assert "No automatic fix: call `is_main()` before\n" in text
    assert "reads \\`\\_x\\|y\\` on rank 0" in text, "a bar would end the cell"


def test_markdown_and_github_show_each_root_once_and_fold_advice() -> None:
    files = [SourceFile(path, b"barrier()\n") for path in ("a.py", "b.py", "z.py")]
    warning, copy = (
        dataclasses.replace(fixable(), severity=Severity.WARNING, place=place(file, "barrier()"), fix=None)
        for file in files[:2]
    )
    advice = dataclasses.replace(fixable(), code="DDP401", place=place(files[2], "barrier()"), message="no timeout")
    report = Report([copy, advice, diagnostics(), warning])
    text = told("markdown", report)
    assert text.index("`train.py:22`") < text.index("#### 🟠 warning: `a.py:1`")
    assert "The same root cause: b.py:1" in text
    assert "<details><summary>1 advice</summary>" in text
    assert text.count("#### ") == 2
    lines = told("github", report).splitlines()
    assert [line.split(" ")[0] for line in lines[:4]] == ["::error", "::warning", "::notice", "::warning"]
    assert "%0AThe same root cause: b.py:1" in lines[1]
    assert "No automatic fix: " in lines[0]


def test_markdown_fits_into_a_comment() -> None:
    files = [SourceFile(f"{number}.py", b"if rank == 0:\n    barrier()\n") for number in range(300)]
    one = diagnostics()
    apart = [
        dataclasses.replace(one, place=place(file, "barrier()"), message="m" * number, notes=())
        for number, file in enumerate(files)
    ]
    text = told("markdown", Report(apart))
    assert len(text) < 65_536
    assert re.search(r"There is no room here for \d+ further findings\.", text)


# Several at once


HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(HANG)


@pytest.mark.usefixtures("_here")
def test_several_formats_at_once_to_files_and_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = [
        "--output",
        "sarif=o.sarif",
        "--output",
        "github",
        "--output",
        "junit=o.xml",
        "--output",
        "markdown=o.md",
    ]
    assert main(["--select", "DDP1", *outputs, "train.py"]) == 1
    out, err = capsys.readouterr()
    assert (out.count("::error"), err) == (1, "")
    jsonschema.validate(json.loads(Path("o.sarif").read_text("utf-8")), SARIF)
    assert xml.parse("o.xml").getroot().get("failures") == "1"
    assert Path("o.md").read_text("utf-8").startswith("### ddplint\n")
    assert sorted(os.listdir()) == ["o.md", "o.sarif", "o.xml", "train.py"]


@pytest.mark.usefixtures("_here")
def test_a_file_alone_leaves_standard_output_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--select", "DDP1", "--output", "json=o.json", "--output-format", "concise", "train.py"]) == 1
    assert capsys.readouterr().out.startswith("train.py:5:5: error: DDP101 ")
    assert json.loads(Path("o.json").read_text("utf-8"))["exit_code"] == 1


@pytest.mark.usefixtures("_here")
def test_fixing_writes_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--select", "DDP1", "--diff", "--output", "json=o.json", "train.py"]) == 1
    assert len(json.loads(Path("o.json").read_text("utf-8"))["fixed"]) == 1
    assert main(["--select", "DDP1", "--fix", "--output", "sarif=o.sarif", "--output", "json", "train.py"]) == 0
    assert json.loads(Path("o.sarif").read_text("utf-8"))["runs"][0]["results"] == []
    assert "--- a/train.py" in capsys.readouterr().out


@pytest.mark.usefixtures("_here")
def test_statistics_and_exit_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--select", "DDP1", "--statistics", "--exit-zero", "--output-format", "concise", "train.py"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "     1     1 file  DDP101  guarded-collective"
    assert main(["--select", "DDP1", "--statistics", "--output", "json", "train.py"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["exit_code"] == 1
    assert "DDP101  guarded-collective" in err
    assert main(["--exit-zero", "missing.py"]) == 2


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("sarif=no/x", "error: --output sarif=no/x: there is no folder no\n"),
        ("sarif=.", "error: --output sarif=.: . is a folder\n"),
        ("sarif=", "argument --output: 'sarif=' names no file: write sarif=FILE"),
        (
            "sarf=x",
            "argument --output: there is no format 'sarf' (formats: full, concise, json, sarif, github, gitlab, ",
        ),
    ],
)
def test_outputs_that_cannot_be_are_one_line(value: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(["--output", value, "train.py"])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("_here")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--output", "json=/dev/full", "train.py"]) == 2
    assert "error: --output json=/dev/full: cannot be written: No space left on device\n" in capsys.readouterr().err
