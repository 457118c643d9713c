"""What the three output formats look like."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import libcst as cst
import pytest
from inline_snapshot import snapshot

import ddplint.report
from ddplint.config.reasons import Because
from ddplint.findings.certainty import sure
from ddplint.findings.edits import AddImport, InsertAfter, InsertBefore, Remove, Replace, ReplaceStatements
from ddplint.findings.results import Problem, Report, Silenced
from ddplint.project.records import Limit
from ddplint.report.context import Context
from ddplint.report.formats import json as json_report
from ddplint.report.formats.concise import heading
from ddplint.report.formats.full import explain
from ddplint.report.summary import summary
from ddplint.report.terminal import Style, clip, display, style_for, width_of
from ddplint.rule import Finding, Fix, Note, RankAction, Safety, Severity
from ddplint.source.file import SourceFile
from tests.stub import diagnostics, node, place

SCHEMA = json.loads((Path(ddplint.report.__file__).parent / "findings.schema.json").read_text("utf-8"))

SURE = sure(Because.RANK_DECIDES)


def full(finding: Finding, style: Style | None = None) -> str:
    return "\n".join(explain(finding, style or Style()))


def simple(source: str, code: str, **more: Any) -> Finding:
    file = SourceFile("t.py", source.encode())
    return Finding("DDP101", "guarded-collective", Severity.ERROR, SURE, "m", place(file, code), **more)


# The full format


def test_full_explains_guard_origin_chain_and_what_each_group_does() -> None:
    assert full(diagnostics()) == snapshot(
        """\
train.py:22:21: error: DDP102 DDP forward reached by rank 0 only [guarded-forward, high confidence]
    17 │     should_diag = rank == 0
       │                   ───────── differs by rank
    21 │         if (epoch + 1) % every == 0 and should_diag:
       │                                         ─────────── only rank 0 goes in
    22 │             stats = model.all_kl(batch)
       │                     ━━━━━━━━━━━━━━━━━━━ → Model.all_kl:10 → calc_bpd:5 → Model.denoise:13 → DDP forward

       rank 0               ranks 1, 2, 3
       DDP forward  :13     gradient all-reduce  :20   ← they wait here for rank 0
  no automatic fix: Model.denoise also serves training; give the diagnosis its own call of the unwrapped network      \
see: ddplint rule DDP102\
"""
    )


def test_full_in_plain_ascii() -> None:
    text = full(diagnostics(), Style(unicode=False))
    assert text.isascii()
    assert "^^^^ -> Model.all_kl:10 -> calc_bpd:5" in text


def test_full_with_colours_says_the_same() -> None:
    import re

    coloured = full(diagnostics(), Style(colour=True))
    assert "\x1b[1;31merror: DDP102\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == full(diagnostics())


def test_causes_in_other_files_come_first_under_their_path() -> None:
    other = SourceFile("lib/config.py", b"import os\nMAIN = os.environ['RANK'] == '0'\n")
    home = SourceFile("train.py", b"if config.MAIN:\n    sync()\n")
    helper = SourceFile("lib/helper.py", b"def sync():\n    barrier()\n")
    finding = Finding(
        "DDP101", "guarded-collective", Severity.ERROR, SURE, "barrier reached by rank 0 only",
        place(home, "sync()"),
        notes=(
            Note("origin", place(other, "os.environ['RANK'] == '0'"), "differs by rank"),
            Note("guard", place(home, "config.MAIN"), "only rank 0 goes in"),
            Note("call", place(helper, "barrier()"), "sync"),
            Note("related", place(helper, "def sync():\n    barrier()"), "defined here"),
        ),
        actions=(RankAction((0,), "barrier", place(helper, "barrier()")), RankAction((1, 2, 3), "end of the program")),
    )  # fmt: skip
    assert full(finding) == snapshot(
        """\
train.py:2:5: error: DDP101 barrier reached by rank 0 only [guarded-collective, high confidence]
       lib/config.py
     2 │ MAIN = os.environ['RANK'] == '0'
       │        ───────────────────────── differs by rank
       train.py
     1 │ if config.MAIN:
       │    ─────────── only rank 0 goes in
     2 │     sync()
       │     ━━━━━━ → sync (lib/helper.py:2) → barrier
       lib/helper.py
     1 │ def sync():
       │ ─────────── defined here

       rank 0                       ranks 1, 2, 3
       barrier  lib/helper.py:2     end of the program
  no automatic fix      see: ddplint rule DDP101\
"""
    )


@pytest.mark.parametrize(
    ("safety", "words"),
    [(Safety.SAFE, "--fix: hoist it      see"), (Safety.UNSAFE, "--fix --unsafe-fixes: hoist it      see")],
)
def test_last_line_names_the_fix_and_its_safety(safety: Safety, words: str) -> None:
    finding = simple("barrier()\n", "barrier()", fix=Fix("hoist it", safety, ()))
    assert words in full(finding).splitlines()[-1]


def test_the_calls_that_lead_to_a_place_are_shown_back_from_it() -> None:
    file = SourceFile("t.py", b"def save():\n    write()\ndef main():\n    save()\nmain()\n")
    callers = (
        Note("caller", place(file, "main()", 2), "<module>"),
        Note("caller", place(file, "save()", 2), "main"),
    )
    finding = dataclasses.replace(simple("x\n", "x"), place=place(file, "write()", 2), notes=callers)
    assert full(finding).splitlines()[2].endswith("━━━━━━━ ← main:4 ← <module>:5")
    told = record(Report([finding]))["findings"][0]
    assert [one["text"] for one in told["callers"]] == ["<module>", "main"]
    assert (told["calls"], told["related"]) == ([], [])


def test_two_marks_on_one_line_share_the_code() -> None:
    file = SourceFile("t.py", b"x = sync() if rank == 0 else None\n")
    finding = dataclasses.replace(
        simple("sync()\n", "sync()"),
        place=place(file, "sync()"),
        notes=(Note("guard", place(file, "rank == 0"), "only rank 0"),) * 2,
    )
    assert full(finding).splitlines()[1:-1] == snapshot(
        [
            "     1 │ x = sync() if rank == 0 else None",
            "       │               ───────── only rank 0",
            "       │     ━━━━━━",
        ]
    )


def test_wide_characters_tabs_and_control_characters_keep_the_underline_in_place() -> None:
    lines = full(simple("if x:\n\ty = '数据é\\u0301', '\x07'; sync()\n", "sync()")).splitlines()
    code, mark = lines[1], lines[2]
    start = mark.index("━")
    before = code[: code.index("sync()")]
    assert "\t" not in code
    assert "\x07" not in code
    assert width_of(before) == start
    assert mark.count("━") == len("sync()")


def test_a_combining_mark_takes_no_column() -> None:
    assert width_of("e\u0301") == 1
    assert width_of("数") == 2
    assert width_of("a\tb") == 5


def test_long_lines_are_cut_around_the_underlined_part() -> None:
    source = "x = [" + "1, " * 200 + "sync(), " + "2, " * 200 + "]\n"
    code, mark = full(simple(source, "sync()"), Style(width=80)).splitlines()[1:3]
    assert width_of(code) <= 80
    assert code[mark.index("━") :].startswith("sync()")
    assert code.count("…") == 2


def test_an_underlined_part_longer_than_the_line_starts_at_its_start() -> None:
    source = "sync(" + "1, " * 200 + ")\n"
    code, mark = full(simple(source, source.strip()), Style(width=80)).splitlines()[1:3]
    assert "sync(1" in code
    assert width_of(mark) <= 80


def test_a_part_over_several_lines_is_underlined_on_its_first() -> None:
    code, mark = full(simple("sync(\n    1,\n)\n", "sync(\n    1,\n)")).splitlines()[1:3]
    assert (code, mark) == ("     1 │ sync(", "       │ ━━━━━")


def test_clip_shows_everything_that_fits() -> None:
    assert clip(display("abc"), 0, 1, 10) == (0, 3)
    assert clip(display("abcdefghij"), 8, 9, 4) == (6, 10)


# The concise format


def test_concise_is_one_line() -> None:
    assert heading(diagnostics(), Style()) == snapshot(
        "train.py:22:21: error: DDP102 DDP forward reached by rank 0 only [guarded-forward, high confidence]"
    )


# Colours


class Terminal(io.TextIOWrapper):
    def __init__(self, encoding: str = "utf-8", terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "environ", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_where_the_stream_and_the_environment_want_them(
    terminal: bool, environ: dict[str, str], colour: bool
) -> None:
    assert style_for(Terminal(terminal=terminal), environ).colour is colour


def test_box_characters_only_where_the_stream_has_them() -> None:
    assert style_for(Terminal("utf-8"), {}).unicode
    assert not style_for(Terminal("ascii"), {}).unicode
    assert not style_for(Terminal("latin-1"), {}).unicode


def test_width_of_the_terminal_counts_only_on_a_terminal() -> None:
    assert style_for(Terminal(), {"COLUMNS": "90"}).width == 90
    assert style_for(Terminal(terminal=False), {"COLUMNS": "90"}).width == 120


# JSON


def record(report: Report, strict: bool = False) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json_report.render(report, Context(strict=strict)))
    jsonschema.validate(data, SCHEMA)
    return data


def test_json_of_an_empty_report() -> None:
    data = record(Report())
    assert (data["exit_code"], data["findings"], data["checked"]) == (0, [], [])


def test_json_tells_places_guard_calls_origins_and_actions() -> None:
    finding = record(Report([diagnostics()], files=["train.py"]))["findings"][0]
    assert finding["place"] == snapshot(
        {"path": "train.py", "line": 22, "column": 21, "end_line": 22, "end_column": 40}
    )
    assert finding["guard"] == snapshot(
        {
            "text": "only rank 0 goes in",
            "place": {"path": "train.py", "line": 21, "column": 41, "end_line": 21, "end_column": 52},
        }
    )
    assert [call["text"] for call in finding["calls"]] == ["Model.all_kl", "calc_bpd", "Model.denoise"]
    assert [origin["text"] for origin in finding["origins"]] == ["differs by rank"]
    assert finding["actions"][1] == snapshot(
        {
            "ranks": [1, 2, 3],
            "does": "gradient all-reduce",
            "place": {"path": "train.py", "line": 20, "column": 9, "end_line": 20, "end_column": 24},
            "remark": "they wait here for rank 0",
            "waits": True,
            "apart": False,
            "visit": "",
        }
    )
    assert finding["suppressed"] is None


def test_json_tells_what_was_suppressed_skipped_and_not_seen() -> None:
    report = Report(
        silenced=[Silenced(diagnostics(), "comment", 22, "known"), Silenced(diagnostics(), "per-file-ignores")],
        files=["train.py", "bad.py"],
        limits=[Limit("train.py", "main", "10000 steps")],
        problems=[Problem("syntax error", "bad.py", 3, 1), Problem("says nothing", "train.py", 1, 1, fatal=False)],
    )
    data = record(report)
    assert [finding["suppressed"]["line"] for finding in data["findings"]] == [22, None]
    assert data["checked"] == ["train.py"]
    assert data["skipped"] == [{"path": "bad.py", "reason": "syntax error"}]
    assert data["limits"][0]["entry"] == "main"
    assert [problem["fatal"] for problem in data["problems"]] == [True, False]
    assert data["exit_code"] == 2


def test_json_exit_code_counts_advice_only_when_strict() -> None:
    report = Report([dataclasses.replace(diagnostics(), severity=Severity.ADVICE)])
    assert [record(report, strict)["exit_code"] for strict in (False, True)] == [0, 1]


def test_json_tells_every_kind_of_edit() -> None:
    file = SourceFile("t.py", b"if rank == 0:\n    barrier()\n")
    line = node(file, "barrier()")
    new = cst.parse_statement("dist.barrier()")
    assert isinstance(new, cst.SimpleStatementLine)
    edits = (
        Replace(file, node(file, "rank == 0"), cst.Name("main")),
        InsertBefore(file, line, (new,)),
        InsertAfter(file, line, (new,)),
        Remove(file, line),
        ReplaceStatements(file, line, (new, new)),
        AddImport(file, "datetime", "timedelta"),
        AddImport(file, "torch.distributed", alias="dist"),
    )
    finding = dataclasses.replace(simple("x\n", "x"), fix=Fix("t", Safety.SAFE, edits))
    told = record(Report([finding]))["findings"][0]["fix"]["edits"]
    assert [(edit["kind"], edit["text"]) for edit in told] == snapshot(
        [
            ("replace", "main"),
            ("insert-before", "dist.barrier()\n"),
            ("insert-after", "dist.barrier()\n"),
            ("remove", ""),
            ("replace", "dist.barrier()\ndist.barrier()\n"),
            ("add-import", "from datetime import timedelta"),
            ("add-import", "import torch.distributed as dist"),
        ]
    )


def test_the_schema_is_a_schema_of_the_version_that_is_written() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["const"] == json_report.FORMAT_VERSION


# The last line


def test_summary_counts_findings_files_fixes_and_limits() -> None:
    safe = dataclasses.replace(diagnostics(), fix=Fix("t", Safety.SAFE, ()))
    unsafe = dataclasses.replace(diagnostics(), fix=Fix("t", Safety.UNSAFE, ()), severity=Severity.ADVICE)
    limits = [Limit("a.py", "main", "depth"), Limit("a.py", "train", "depth")]
    assert summary(Report(files=["a.py"])) == "No findings in 1 file."
    assert summary(Report(files=["a.py"], limits=limits)) == snapshot(
        "No findings in 1 file; 1 file walked in part (--verbose)."
    )
    assert summary(Report([safe, unsafe], files=["a.py", "b.py"])) == snapshot(
        "2 findings (1 error, 1 advice) in 2 files."
        " Fixable with --fix: 1; with --unsafe-fixes too: 1 more (checked when tried)."
    )
    known = Report(files=["a.py"], silenced=[Silenced(safe, "baseline"), Silenced(safe, "comment", 1)])
    assert summary(known) == "No new findings in 1 file; 1 known from the baseline."
    assert summary(Report([unsafe], files=["a.py"])) == snapshot(
        "1 finding (1 advice) in 1 file. Fixable with --fix --unsafe-fixes: 1 (checked when tried)."
    )
