"""Findings with one root are one for people, and the worst comes first."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from ddplint.findings.certainty import Certainty, sure
from ddplint.findings.model import Fold
from ddplint.findings.results import Report, Silenced
from ddplint.report import render
from ddplint.report.context import Context
from ddplint.report.roots import Root, roots_of
from ddplint.report.terminal import Style
from ddplint.rule import Because, Finding, Fix, Harm, Note, Outcome, Place, Safety, Severity
from ddplint.source.file import SourceFile
from tests.stub import place

SAVING = b"""\
def save(model, optimizer, path):
    if main:
        pass
    write(model)
    write(optimizer)
    write(path)


def restore(path):
    write(path)
"""
GUARDED = b"if rank == 0:\n    sync()\n    sync()\nif 0 == rank:\n    sync()\n"


def found(where: Place, code: str = "DDP201", **more: Any) -> Finding:
    given = {
        "severity": Severity.WARNING,
        "certainty": sure(Because.AS_WRITTEN),
        "message": "every rank writes",
        **more,
    }
    return Finding(code=code, name="unguarded-save", place=where, **given)


def call(file: SourceFile, code: str, number: int = 0) -> Place:
    """The ``number``-th call of that code: the statement and its expression have the same code."""
    return place(file, code, 3 * number + 2)


def lines(root: Root) -> list[tuple[str, int]]:
    return [(one.place.file.path, one.place.range.start_line) for one in root.findings]


def shape(findings: list[Finding]) -> list[list[tuple[str, int]]]:
    return [lines(root) for root in roots_of(findings)]


def in_save(path: str = "a.py") -> tuple[SourceFile, list[Finding]]:
    file = SourceFile(path, SAVING)
    calls = ("write(model)", "write(optimizer)", "write(path)")
    return file, [found(call(file, code)) for code in calls]


def test_three_writes_of_one_function_are_one_root_and_another_function_is_another() -> None:
    file, findings = in_save()
    findings.append(found(call(file, "write(path)", 1)))
    assert shape(findings) == [[("a.py", 4), ("a.py", 5), ("a.py", 6)], [("a.py", 10)]]


def test_what_does_other_harm_in_the_same_function_is_a_root_of_its_own() -> None:
    _, findings = in_save()
    findings[0] = dataclasses.replace(findings[0], harm=Harm.DATA)
    assert len(roots_of(findings)) == 2


def test_copies_of_a_file_are_one_root() -> None:
    assert shape([found(call(SourceFile(path, GUARDED), "sync()")) for path in ("a.py", "b.py", "c.py")]) == [
        [("a.py", 2), ("b.py", 2), ("c.py", 2)]
    ]


def test_the_same_call_in_another_function_is_no_copy() -> None:
    files = [SourceFile("a.py", b"def f():\n    sync()\n"), SourceFile("b.py", b"def g():\n    sync()\n")]
    assert len(roots_of([found(call(file, "sync()")) for file in files])) == 2


def test_what_is_said_with_other_numbers_is_a_copy_and_other_words_are_none() -> None:
    places = [call(SourceFile(path, GUARDED), "sync()") for path in ("a.py", "b.py")]
    numbers = [found(where, message=f"at most {number} minutes") for number, where in enumerate(places)]
    assert len(roots_of(numbers)) == 1
    words = [found(where, message=text) for text, where in zip(("it hangs", "it may hang"), places)]
    assert len(roots_of(words)) == 2


def test_behind_one_condition_it_is_one_root_and_behind_each_of_two_it_is_two() -> None:
    file = SourceFile("a.py", GUARDED)
    guards = [place(file, code) for code in ("rank == 0", "rank == 0", "0 == rank")]
    findings = [
        found(call(file, "sync()", number), "DDP101", notes=(Note("guard", guard, "only rank 0"),))
        for number, guard in enumerate(guards)
    ]
    assert shape(findings) == [[("a.py", 2), ("a.py", 3)], [("a.py", 5)]]


def test_what_two_rules_say_of_one_place_joins_the_worse_one() -> None:
    file = SourceFile("a.py", b"if rank == 0:\n    save(model)\n")
    advice = found(call(file, "save(model)"), "DDP207", severity=Severity.ADVICE, message="on the first GPU")
    worse = found(call(file, "save(model)"), "DDP202")
    (root,) = roots_of([advice, worse])
    assert root.lead is worse
    assert root.others == (advice,)


def test_what_two_rules_say_of_one_sampler_has_two_causes() -> None:
    file = SourceFile("a.py", b"sampler = Sampler()\nfor batch in loader:\n    pass\n")
    sampler = place(file, "Sampler()")
    padded = found(sampler, "DDP301", severity=Severity.ADVICE, message="no drop_last")
    loop = found(place(file, "loader"), "DDP302", root=sampler)
    assert [root.lead.code for root in roots_of([padded, loop])] == ["DDP302", "DDP301"]


WRITERS = b"""\
def first():
    write(model)


def second():
    write(optimizer)


def setup():
    first()
    second()
"""


def led(where: Place, *calls: Place) -> Finding:
    return found(where, notes=tuple(Note("caller", one, "main") for one in calls))


def test_what_one_call_leads_to_in_another_file_is_one_root() -> None:
    trainer = SourceFile("train.py", b"setup()\nother()\n")
    file = SourceFile("a.py", WRITERS)
    way, apart = call(trainer, "setup()"), call(trainer, "other()")
    model, optimizer = call(file, "write(model)"), call(file, "write(optimizer)")
    inner = call(file, "first()"), call(file, "second()")
    assert len(roots_of([led(model, way, inner[0]), led(optimizer, way, inner[1])])) == 1
    assert len(roots_of([led(model, way, inner[0]), led(optimizer, apart, inner[1])])) == 2
    assert len(roots_of([led(model, inner[0]), led(optimizer, inner[1])])) == 2


def test_one_clock_by_which_each_rank_decides_is_one_root() -> None:
    file = SourceFile("a.py", b"now = time()\ndef one():\n    stop(now)\ndef two():\n    leave(now)\n")
    clock = Note("origin", place(file, "time()"), "time.time")
    places = [call(file, "stop(now)"), call(file, "leave(now)")]
    mine = [found(one, "DDP104", notes=(clock,), outcome=Outcome.SHIFTED) for one in places]
    assert len(roots_of(mine)) == 1
    assert len(roots_of([dataclasses.replace(one, outcome=None) for one in mine])) == 2  # a rank is no cause to mend


@pytest.mark.parametrize(("before", "after"), list(itertools.pairwise(Harm)))
def test_of_one_severity_the_gravest_harm_comes_first_whatever_the_confidence(before: Harm, after: Harm) -> None:
    file = SourceFile("a.py", GUARDED)
    surer = found(call(file, "sync()"), "DDP302", harm=after)
    grave = found(call(file, "sync()", 2), "DDP101", harm=before, certainty=sure(Because.TIMING))
    assert [root.lead.code for root in roots_of([surer, grave])] == ["DDP101", "DDP302"]


def test_harm_is_ordered_hang_data_end_results_cost() -> None:
    assert [one.value for one in Harm] == ["hang", "data", "crash", "result", "cost"]


@pytest.mark.parametrize(
    ("fold", "said"), [(Fold.COPIED, "copies of other projects"), (Fold.UNCALLED, "nothing calls")]
)
def test_what_is_folded_comes_last_in_counted_lines_until_it_is_asked_for(fold: Fold, said: str) -> None:
    file = SourceFile("a.py", GUARDED)
    aside = found(call(file, "sync()"), "DDP101", severity=Severity.ERROR, fold=fold)
    shown = found(call(file, "sync()", 2), "DDP302", message="no epoch")
    report = Report([aside, shown], files=["a.py"])
    assert [root.lead for root in roots_of(report.findings)] == [shown, aside]
    text = render("full", report, Context())
    assert "1 in " in text
    assert said in text
    assert "1 × DDP101 unguarded-save: a.py:2" in text
    assert "every rank writes" not in text
    assert "errors" not in text
    everything = render("full", report, Context(show_all=True))
    assert "  errors      DDP101" in everything
    assert "every rank writes" in everything
    assert "--show-all" not in everything
    (fold_in_json, none) = [one["fold"] for one in json.loads(render("json", report, Context()))["findings"]]
    assert (fold_in_json, none) == (fold.value, None)
    assert "<summary>1 in " in render("markdown", report, Context())
    assert said in render("html", report, Context()) or "copy of another project" in render("html", report, Context())


@pytest.mark.parametrize("fold", Fold)
def test_formats_with_a_line_or_a_record_for_each_finding_fold_too(fold: Fold) -> None:
    file = SourceFile("a.py", GUARDED)
    aside = found(call(file, "sync()"), "DDP101", severity=Severity.ERROR, fold=fold)
    shown = found(call(file, "sync()", 2), "DDP302", message="no epoch")
    report = Report([aside, shown], files=["a.py"])
    concise = render("concise", report, Context())
    assert [line[:4] for line in concise.splitlines() if "DDP101" in line] == ["    "]
    assert "1 × DDP101 unguarded-save: a.py:2" in concise
    assert "DDP101" not in render("concise", report, Context(quiet=True))
    github = render("github", report, Context())
    assert "::error" not in github
    assert "::notice title=ddplint::1 in " in github
    assert "1 × DDP101 unguarded-save: a.py:2" in github
    folded, told = json.loads(render("sarif", report, Context()))["runs"][0]["results"]
    assert (folded["level"], folded["properties"]["fold"]) == ("note", fold.value)
    assert told["level"] == "warning"
    assert [one["severity"] for one in json.loads(render("gitlab", report, Context()))] == ["info", "major"]
    everything = Context(show_all=True)
    assert "a.py:2:5: error: DDP101" in render("concise", report, everything)
    assert "::error title=DDP101" in render("github", report, everything)
    assert json.loads(render("sarif", report, everything))["runs"][0]["results"][0]["level"] == "error"


def test_two_variables_of_one_command_are_one_root_and_those_of_two_lines_are_two() -> None:
    from ddplint.findings.detached import at
    from ddplint.launch.text import LaunchSource
    from ddplint.util.ranges import Range

    file = LaunchSource("run.sh", b"A=1 B=2 train\nB=2 train\n")
    ranges = [Range(1, 1, 1, 2), Range(1, 5, 1, 6), Range(2, 1, 2, 2)]
    codes = ("DDP501", "DDP503", "DDP504")
    findings = [found(at(file, where, text=code), code) for where, code in zip(ranges, codes)]
    assert shape(findings) == [[("run.sh", 1), ("run.sh", 1)], [("run.sh", 2)]]


def test_the_worst_comes_first_and_every_finding_is_in_one_root() -> None:
    _, findings = in_save()
    other = SourceFile("z.py", GUARDED)
    sure = found(call(other, "sync()"), "DDP101", severity=Severity.ERROR)
    unsure = found(call(other, "sync()", 2), "DDP102", severity=Severity.ERROR, certainty=Certainty((Because.TIMING,)))
    roots = roots_of([*findings, unsure, sure])
    assert [root.lead.code for root in roots] == ["DDP101", "DDP102", "DDP201"]
    assert sorted(id(one) for root in roots for one in root.findings) == sorted(map(id, [*findings, sure, unsure]))


def test_the_order_in_which_findings_come_changes_nothing() -> None:
    import itertools

    file, findings = in_save()
    findings += [found(call(file, "write(path)", 1)), found(call(SourceFile("b.py", SAVING), "write(model)"))]
    told = {str(shape(list(order))) for order in itertools.permutations(findings)}
    assert len(told) == 1


# In the report for people


def report() -> Report:
    file, findings = in_save()
    fix = Fix("guard it", Safety.SAFE, ())
    findings[0] = dataclasses.replace(findings[0], harm=Harm.DATA, fix=fix)
    findings[1] = dataclasses.replace(findings[1], harm=Harm.DATA)
    findings[2] = dataclasses.replace(findings[2], harm=Harm.DATA, message="every rank appends")
    hint: dict[str, Any] = {"name": "init-without-timeout", "message": "no timeout", "severity": Severity.ADVICE}
    advice = [
        dataclasses.replace(found(call(file, "write(path)", 1), "DDP401"), **hint),
        dataclasses.replace(found(call(SourceFile("b.py", GUARDED), "sync()"), "DDP401"), **hint),
    ]
    return Report([*findings, *advice], files=["a.py", "b.py"])


def test_full_begins_with_an_overview_explains_each_root_once_and_folds_advice() -> None:
    assert render("full", report(), Context()) == snapshot("""\
5 findings with 3 root causes: 3 warnings, 2 advice
  warnings    DDP201 unguarded-save ×3
  data        may be lost or wrong: a.py:4, :5, :6
  fixes       --fix would mend 1

a.py:4:5: warning: DDP201 every rank writes [unguarded-save, high confidence]
     4 │     write(model)
       │     ━━━━━━━━━━━━
  --fix: guard it      see: ddplint rule DDP201
  the same at a.py:5
  also warning: DDP201 every rank appends (a.py:6)

2 advice (--show-advice explains it):
    2 × DDP401 init-without-timeout: a.py:10, b.py:2

5 findings (3 warnings, 2 advice) in 2 files. Fixable with --fix: 1 (checked when tried).
""")


def test_advice_is_explained_where_it_is_asked_for_or_counts() -> None:
    for context in (Context(show_advice=True), Context(strict=True)):
        text = render("full", report(), context)
        assert "b.py:2:5: advice: DDP401 no timeout" in text
        assert "--show-advice" not in text
        assert "advice      DDP401 init-without-timeout ×2" in text


def test_one_finding_needs_no_overview() -> None:
    text = render("full", Report(report().findings[:1], files=["a.py"]), Context())
    assert text.startswith("a.py:4:5: warning: DDP201 every rank writes [unguarded-save, high confidence]\n")


@pytest.mark.parametrize("verbose", [False, True])
def test_many_places_are_counted_unless_asked_for(verbose: bool) -> None:
    copies = [found(call(SourceFile(f"{name}.py", GUARDED), "sync()")) for name in "abcdefghijkl"]
    text = render("full", Report(copies), Context(verbose=verbose))
    assert ("l.py:2" in text) is verbose
    assert (" and 5 more" in text) is not verbose


def test_in_ascii_too() -> None:
    assert render("full", report(), Context(style=Style(unicode=False))).isascii()


def test_each_line_of_the_concise_format_is_one_finding_with_its_severity() -> None:
    told = render("concise", report(), Context()).splitlines()[:-1]
    assert len(told) == 5
    assert told[0] == "a.py:4:5: warning: DDP201 [*] every rank writes [unguarded-save, high confidence]"


# In the formats for programs everything stays


def test_json_and_sarif_keep_every_finding_and_name_its_root() -> None:
    everything = report()
    everything.silenced = [Silenced(everything.findings[2], "comment", 6)]
    del everything.findings[2]
    data = json.loads(render("json", everything, Context()))["findings"]
    roots = {(one["place"]["path"], one["place"]["line"]): one["root"] for one in data}
    marks = {(one["place"]["path"], one["place"]["line"]): one["fingerprint"] for one in data}
    assert len(data) == 5
    assert roots["a.py", 4] == roots["a.py", 5] == marks["a.py", 4]
    assert roots["a.py", 6] is None
    assert {one["harm"] for one in data} == {"data", "cost"}
    results = json.loads(render("sarif", everything, Context()))["runs"][0]["results"]
    assert len(results) == 5
    related = [one["message"]["text"] for one in results[0]["relatedLocations"]]
    assert related == ["the same root cause: DDP201 every rank writes"]
    assert "relatedLocations" not in results[1]
    assert results[1]["properties"]["root"] == results[0]["properties"]["root"] == marks["a.py", 4]


def test_a_suppression_at_one_place_silences_that_place_alone() -> None:
    everything = report()
    kept = [one for one in everything.findings if one.place.range.start_line != 4]
    left = Report(kept, silenced=[Silenced(everything.findings[0], "comment", 4)])
    assert left.exit_code() == 1
    text = render("full", left, Context())
    assert "a.py:5:5: warning: DDP201 every rank writes" in text
    assert "a.py:4" not in text
