"""The loop with rules that only look at names of calls: each test says what is found and what its fix does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import libcst as cst
import pytest

from ddplint.config.reasons import Because
from ddplint.findings.certainty import sure
from ddplint.findings.edits import AddImport, Edit, InsertAfter, Remove, Replace
from ddplint.fixing.edit.loop import FixReport, fix_files
from ddplint.rule import Finding, Fix, Place, Safety, Severity
from ddplint.source.ancestry import descend, tree_of
from ddplint.source.file import SourceFile

from .support import new

Plan = Callable[[SourceFile, cst.Call], Sequence[Edit]]

SURE = sure(Because.RANK_DECIDES)


def renamed(name: str) -> Plan:
    return lambda file, call: [Replace(file, call.func, cst.parse_expression(name))]


def finding(file: SourceFile, call: cst.Call, plan: Plan | None, safety: Safety = Safety.SAFE) -> Finding:
    name = file.module.code_for_node(call.func)
    fix = Fix(f"replace {name}", safety, tuple(plan(file, call))) if plan is not None else None
    line = file.range_of(call).start_line
    return Finding(
        "DDP101",
        "test",
        Severity.ERROR,
        sure(Because.RANK_DECIDES),
        f"{name} in line {line}",
        Place(file, call),
        fix=fix,
    )


def check_with(plans: dict[str, Plan | None], safety: Safety = Safety.SAFE) -> Callable[[SourceFile], list[Finding]]:
    """A check that flags the calls whose names are in ``plans``."""

    def check(file: SourceFile) -> list[Finding]:
        calls = [one for one in descend(file.module) if isinstance(one, cst.Call)]
        names = [file.module.code_for_node(one.func) for one in calls]
        return [finding(file, call, plans[name], safety) for call, name in zip(calls, names) if name in plans]

    return check


def fixed(text: str, plans: dict[str, Plan | None], **options: object) -> tuple[str, FixReport]:
    """What the loop makes of a text; it must leave nothing to do for a second run."""
    file = SourceFile("train.py", text.encode())
    report = fix_files([file], check_with(plans), write=False, **options)  # type: ignore[arg-type]
    after = report.files[0].after if report.files else file
    if not report.unfinished:
        again = fix_files([SourceFile(file.path, after.data)], check_with(plans), write=False, **options)  # type: ignore[arg-type]
        assert not again.files
        assert not again.fixed
        assert len(again.not_fixed) == len(report.not_fixed)
    return after.text, report


def test_nothing_found() -> None:
    text, report = fixed("good()\n", {"bad": renamed("good")})
    assert text == "good()\n"
    assert report == FixReport() or not (report.files or report.fixed or report.remaining)


def test_everything_that_can_be_fixed_is() -> None:
    text, report = fixed("bad(1)\nbad(2)  # c\nworse()\n", {"bad": renamed("good"), "worse": None})
    assert text == "good(1)\ngood(2)  # c\nworse()\n"
    assert [one.message for one in report.fixed] == ["bad in line 1", "bad in line 2"]
    assert [one.message for one in report.remaining] == ["worse in line 3"]
    assert report.files[0].before.text.startswith("bad(1)")
    assert not report.not_fixed


def test_nested_fixes_take_turns() -> None:
    text, report = fixed("bad(bad(bad()))\n", {"bad": lambda file, call: [Replace(file, call, _good(call))]})
    assert text == "good(good(good()))\n"
    assert len(report.fixed) == 3


def _good(call: cst.Call) -> cst.Call:
    return call.with_changes(func=cst.Name("good"))


def test_a_fix_that_does_not_help_is_dropped() -> None:
    def useless(file: SourceFile, call: cst.Call) -> Sequence[Edit]:
        return [InsertAfter(file, tree_of(file.module).statement(call), (new("good()"),))]

    text, report = fixed("bad()\nawful()\n", {"bad": useless, "awful": renamed("good")})
    assert text == "bad()\ngood()\n"
    assert [one.reason for one in report.not_fixed] == ["the finding is still there after the rewrite"]
    assert [one.finding for one in report.not_fixed] == list(report.remaining)


def test_a_fix_that_brings_something_else_is_dropped() -> None:
    text, report = fixed("bad()\nawful()\n", {"bad": renamed("worse"), "worse": None, "awful": renamed("good")})
    assert text == "bad()\ngood()\n"
    assert [one.reason for one in report.not_fixed] == ["the rewrite would bring DDP101: worse in line 1"]


def test_one_bad_fix_among_many() -> None:
    lines = [f"bad({n})" if n != 5 else "awful()" for n in range(12)]
    text, report = fixed("\n".join(lines), {"bad": renamed("good"), "awful": renamed("worse"), "worse": None})
    assert text == "\n".join(f"good({n})" if n != 5 else "awful()" for n in range(12))
    assert len(report.fixed) == 11
    assert len(report.not_fixed) == 1


@pytest.mark.parametrize("small", [cst.Return(), cst.Continue(), cst.Expr(cst.Await(cst.Name("x")))])
def test_a_rewrite_must_be_python(small: cst.BaseSmallStatement) -> None:
    def broken(file: SourceFile, call: cst.Call) -> Sequence[Edit]:
        statement = cst.SimpleStatementLine([small])
        return [InsertAfter(file, tree_of(file.module).statement(call), (statement,)), *renamed("good")(file, call)]

    text, report = fixed("bad()\n", {"bad": broken})
    assert text == "bad()\n"
    assert [one.reason for one in report.not_fixed] == ["the rewritten code is not valid Python"]


def test_a_fix_that_changes_nothing() -> None:
    _, report = fixed("bad()\n", {"bad": renamed("bad")})
    assert [one.reason for one in report.not_fixed] == ["the fix changes nothing"]


def test_edits_that_cannot_be_carried_out() -> None:
    def twice(file: SourceFile, call: cst.Call) -> Sequence[Edit]:
        statement = tree_of(file.module).statement(call)
        return [Remove(file, statement), Replace(file, statement, new("good()"))]

    _, report = fixed("bad()\n", {"bad": twice})
    assert [one.reason for one in report.not_fixed] == ["two edits want the same place"]


def test_a_character_the_file_cannot_hold() -> None:
    file = SourceFile("a.py", b"# coding: ascii\nbad()\n")
    report = fix_files([file], check_with({"bad": renamed("g\N{LATIN SMALL LETTER O WITH DIAERESIS}od")}), write=False)
    assert [one.reason for one in report.not_fixed] == ["the fix needs characters that ascii does not have"]


def test_unsafe_fixes_are_only_counted() -> None:
    file = SourceFile("a.py", b"bad()\n")
    check = check_with({"bad": renamed("good")}, Safety.UNSAFE)
    report = fix_files([file], check, write=False)
    assert not report.files
    assert report.unsafe == report.remaining != ()
    assert fix_files([file], check, write=False, unsafe=True).files[0].after.text == "good()\n"


def test_a_fix_that_works_only_after_another_one() -> None:
    def check(file: SourceFile) -> list[Finding]:
        found = check_with({"bad": renamed("worse"), "awful": renamed("good")})(file)
        if "awful" in file.text:
            found += check_with({"worse": None})(file)
        return found

    report = fix_files([SourceFile("a.py", b"bad()\nfine()\nawful()\n")], check, write=False)
    assert report.files[0].after.text == "worse()\nfine()\ngood()\n"
    assert not report.remaining


def test_findings_that_go_with_another_one_are_welcome() -> None:
    def both(file: SourceFile) -> list[Finding]:
        return check_with({"bad": renamed("good"), "echo": None})(file) if "bad" in file.text else []

    report = fix_files([SourceFile("a.py", b"bad()\necho()\n")], both, write=False)
    assert not report.remaining
    assert len(report.fixed) == 1


def test_positions_and_numbers_may_move() -> None:
    def plan(file: SourceFile, call: cst.Call) -> Sequence[Edit]:
        return [*renamed("timedelta")(file, call), AddImport(file, "datetime", "timedelta")]

    text, report = fixed("worse()\nbad()\nworse()\n", {"bad": plan, "worse": None})
    assert text == "from datetime import timedelta\n\nworse()\ntimedelta()\nworse()\n"
    assert [one.message for one in report.remaining] == ["worse in line 3", "worse in line 5"]


def test_the_limit_of_rounds() -> None:
    text, report = fixed("bad(bad(bad()))\n", {"bad": lambda f, c: [Replace(f, c, _good(c))]}, max_rounds=2)
    assert text.count("good") == 2
    assert report.unfinished


def test_a_file_that_cannot_be_read_is_left_alone() -> None:
    files = [SourceFile("a.py", b"bad(\n"), SourceFile("b.py", b"bad()\n")]
    report = fix_files(files, check_with({"bad": renamed("good")}), write=False)
    assert [one.after.path for one in report.files] == ["b.py"]


# Several files


def paired(*files: SourceFile) -> tuple[dict[str, SourceFile], Callable[[SourceFile], list[Finding]]]:
    """A project whose check of ``bad()`` in the first file fixes ``other()`` in the second too."""
    project = {file.path: file for file in files}

    def check(file: SourceFile) -> list[Finding]:
        other = project["b.py"]

        def plan(file: SourceFile, call: cst.Call) -> Sequence[Edit]:
            calls = [one for one in descend(other.module) if isinstance(one, cst.Call)]
            return [*renamed("good")(file, call), *renamed("good")(other, calls[0])]

        return check_with({"bad": plan, "worse": None})(file)

    return project, check


def test_a_fix_of_two_files() -> None:
    files = [SourceFile("a.py", b"bad()\n"), SourceFile("b.py", b"other()\n")]
    project, check = paired(*files)

    def announce(file: SourceFile) -> None:
        project[file.path] = file

    report = fix_files(files, check, write=False, announce=announce)
    assert [one.after.text for one in report.files] == ["good()\n", "good()\n"]
    assert len(report.fixed) == 1
    assert project["b.py"].text == "good()\n"


def test_both_files_or_none() -> None:
    files = [SourceFile("a.py", b"bad()\n"), SourceFile("b.py", b"other()\n")]
    project, check = paired(*files)
    heard: list[tuple[str, str]] = []

    def strict(file: SourceFile) -> list[Finding]:
        return check_with({"good": None})(file) if file.path == "b.py" else check(file)

    def announce(file: SourceFile) -> None:
        project[file.path] = file
        heard.append((file.path, file.text))

    report = fix_files(files, strict, write=False, announce=announce)
    assert not report.files
    assert [one.reason for one in report.not_fixed] == ["the rewrite would bring DDP101: good in line 1"]
    assert heard == [("a.py", "good()\n"), ("b.py", "good()\n"), ("a.py", "bad()\n"), ("b.py", "other()\n")]


def test_only_the_given_files_are_changed() -> None:
    files = [SourceFile("a.py", b"bad()\n"), SourceFile("b.py", b"other()\n")]
    _, check = paired(*files)
    report = fix_files(files[:1], check, write=False)
    assert not report.files
    assert "b.py, which is not among the files to fix" in report.not_fixed[0].reason


def test_dependents_are_verified_too() -> None:
    files = [SourceFile("a.py", b"bad()\n"), SourceFile("user.py", b"use()\n")]
    project = {file.path: file for file in files}

    def check(file: SourceFile) -> list[Finding]:
        if file.path == "user.py" and "good" in project["a.py"].text:
            return check_with({"use": None})(file)
        return check_with({"bad": renamed("good")})(file)

    def announce(file: SourceFile) -> None:
        project[file.path] = file

    def dependents(file: SourceFile) -> list[SourceFile]:
        return [project["user.py"]] if file.path == "a.py" else []

    alone = fix_files(files, check, write=False, announce=announce)
    assert len(alone.files) == 1
    assert len(alone.remaining) == 1
    project.update({file.path: file for file in files})
    report = fix_files(files, check, write=False, announce=announce, dependents=dependents)
    assert not report.files
    assert report.not_fixed[0].reason == "the rewrite would bring DDP101: use in line 1"


# On disk


def test_files_are_written(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"bad()\r\n")
    file = SourceFile.read(path)
    assert fix_files([file], check_with({"bad": renamed("good")}), write=False).files
    assert path.read_bytes() == b"bad()\r\n"
    report = fix_files([file], check_with({"bad": renamed("good")}))
    assert not report.errors
    assert path.read_bytes() == b"good()\r\n"


def test_a_file_changed_meanwhile_keeps_its_findings(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.py", "b.py")]
    for path in paths:
        path.write_text("bad()\n")
    files = [SourceFile.read(path) for path in paths]
    paths[0].write_text("theirs()\n")
    report = fix_files(files, check_with({"bad": renamed("good")}))
    assert [path.read_text() for path in paths] == ["theirs()\n", "good()\n"]
    assert [str(error) for error in report.errors] == [
        f"{files[0].path}: error: not written: the file changed on disk while it was being checked"
    ]
    assert [one.after.path for one in report.files] == [files[1].path]
    assert [one.place.file.path for one in report.remaining] == [files[0].path]
    assert len(report.fixed) == 1


def test_files_with_a_common_fix_are_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("bad()\n")
    Path("b.py").write_text("other()\n")
    files = [SourceFile.read("a.py"), SourceFile.read("b.py")]
    project, check = paired(*files)
    Path("b.py").write_text("theirs()\n")

    def announce(file: SourceFile) -> None:
        project[file.path] = file

    report = fix_files(files, check, announce=announce)
    assert Path("a.py").read_text() == "bad()\n"
    assert len(report.errors) == 1
    assert not report.fixed
    assert project["a.py"].text == "bad()\n"


def test_a_file_of_the_run_in_which_nothing_was_found_is_changed_too() -> None:
    files = [SourceFile("a.py", b"bad()\n"), SourceFile("b.py", b"other()\n")]
    project, check = paired(*files)
    report = fix_files(
        files[:1],
        check,
        write=False,
        announce=lambda file: project.__setitem__(file.path, file),
        admits=lambda file: file.path == "b.py",
    )
    assert sorted(one.after.path for one in report.files) == ["a.py", "b.py"]
    assert not report.not_fixed
