"""``--fix``, ``--unsafe-fixes`` and ``--diff`` on the command line, with rules whose fixes are simple."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import libcst as cst
import pytest
from inline_snapshot import snapshot

import ddplint.report
from ddplint.analysis.trace.events import Walk
from ddplint.cli.main import main
from ddplint.findings.edits import Replace
from ddplint.rule import Finding, Fix, Place, Rule, Safety, Severity
from tests.stub import RELEVANT, Fault, calls, install

SCHEMA = json.loads((Path(ddplint.report.__file__).parent / "findings.schema.json").read_text("utf-8"))


class Renaming(Rule):
    """Renames calls of ``old()`` to ``new()``."""

    code = "DDP201"
    name = "unguarded-save"
    severity = Severity.WARNING
    old, new, safety = "old", "new", Safety.SAFE

    def check(self, walk: Walk) -> Iterator[Finding]:
        for call in calls(walk.file, self.old):
            edit = Replace(walk.file, call.func, cst.Name(self.new))
            fix = Fix(f"call {self.new}()", self.safety, (edit,))
            yield self.finding(Place(walk.file, call), f"{self.old} is called", fix=fix)


class Unsafe(Renaming):
    """Renames calls of ``risky()`` to ``careful()``, unsafely."""

    code = "DDP202"
    name = "guarded-collective-save"
    old, new, safety = "risky", "careful", Safety.UNSAFE


class Useless(Renaming):
    """Renames calls of ``bad()`` to ``fault()``, which another rule reports."""

    code = "DDP203"
    name = "read-before-written"
    old, new = "bad", "fault"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Renaming(), Unsafe(), Useless(), Fault())
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "a.py") -> Path:
    Path(name).write_text(RELEVANT + text)
    return Path(name)


def code_of(path: Path) -> str:
    return path.read_text().removeprefix(RELEVANT)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["--output-format", "concise", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_fix_applies_the_safe_ones_and_tells_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("old()\nrisky()\n")
    assert run(capsys, "--fix", "a.py") == snapshot(
        (
            1,
            """\
a.py:2: DDP201 fixed: call new()
a.py:3:1: warning: DDP202 risky is called [guarded-collective-save, high confidence]
1 finding fixed. 1 finding left (1 warning) in 1 file. Fixable with --fix --unsafe-fixes: 1 (checked when tried).
""",
            "",
        )
    )
    assert code_of(file) == "new()\nrisky()\n"


class Together(Renaming):
    """Renames all calls of ``old()`` at once, wherever it begins."""

    def check(self, walk: Walk) -> Iterator[Finding]:
        found = calls(walk.file, self.old)
        edits = tuple(Replace(walk.file, call.func, cst.Name(self.new)) for call in found)
        for call in found:
            yield self.finding(Place(walk.file, call), "old is called", fix=Fix("call new()", self.safety, edits))


class Following(Renaming):
    """Reports calls of ``after()`` while there are calls of ``old()``: what is gone with another fix."""

    code = "DDP203"
    name = "read-before-written"

    def check(self, walk: Walk) -> Iterator[Finding]:
        for call in calls(walk.file, "after") if calls(walk.file, "old") else ():
            yield self.finding(Place(walk.file, call), "after old")


@pytest.mark.parametrize(("option", "done"), [("--fix", "fixed"), ("--diff", "would be fixed")])
def test_what_is_gone_with_a_fix_is_counted(
    option: str, done: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, Together(), Following(), Fault())
    write("old()\nold()\nafter()\nfault()\n")
    _, out, err = run(capsys, option, "a.py")
    said = (out + err).splitlines()[-1]
    numbers = [int(word) for word in said.replace("(", " ").split() if word.isdecimal()]
    fixed, *_ = numbers
    gone = int(said.partition(", and ")[2].split()[0]) if ", and " in said else 0
    assert fixed + gone == 3
    assert said.startswith(f"{fixed} finding{'s' if fixed > 1 else ''} {done}, and {gone} more with ")
    assert "1 finding left (1 error)" in said


def test_unsafe_fixes_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("old()\nrisky()\n")
    code, out, _ = run(capsys, "--fix", "--unsafe-fixes", "a.py")
    assert (code, code_of(file)) == (0, "new()\ncareful()\n")
    assert out.endswith("2 findings fixed. No findings left in 1 file.\n")
    Path("ddplint.toml").write_text("unsafe-fixes = true")
    file = write("risky()\n")
    assert run(capsys, "--fix", "a.py")[0] == 0


def test_a_second_run_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("old()\nbad()\n")
    run(capsys, "--fix", "a.py")
    before = file.stat().st_mtime_ns, file.read_bytes()
    run(capsys, "--fix", "a.py")
    assert (file.stat().st_mtime_ns, file.read_bytes()) == before


def test_a_fix_that_brings_a_new_finding_is_dropped_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("bad()\n")
    code = main(["--fix", "a.py"])
    out = capsys.readouterr().out
    assert (code, code_of(file)) == (1, "bad()\n")
    assert "  no automatic fix: " in out
    assert "Fixable" not in out


def test_suppressed_findings_are_not_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("old()  # ddplint: ignore[DDP201]\n")
    assert run(capsys, "--fix", "a.py")[0] == 0
    assert "old()" in file.read_text()


def test_diff_prints_the_change_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("old()\nrisky()\n")
    code, out, err = run(capsys, "--diff", "a.py")
    assert (code, code_of(file)) == (1, "old()\nrisky()\n")
    assert out == snapshot(
        """\
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 import torch.distributed as dist
-old()
+new()
 risky()
"""
    )
    assert err == snapshot(
        "1 finding would be fixed. 1 finding left (1 warning) in 1 file."
        " Fixable with --fix --unsafe-fixes: 1 (checked when tried).\n"
    )
    done = subprocess.run(["git", "apply", "-"], input=out.encode(), capture_output=True, check=False)
    assert (done.returncode, code_of(file)) == (0, "new()\nrisky()\n")


def test_diff_without_findings_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    write("x = 1\n")
    assert run(capsys, "--diff", "a.py") == (0, "", "Nothing to fix automatically. No findings in 1 file.\n")


def test_diff_in_colour(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    write("old()\n")
    assert "\x1b[32m+new()\x1b[0m\n" in run(capsys, "--diff", "a.py")[1]


def test_json_tells_what_was_fixed_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    write("old()\nrisky()\n")
    assert main(["--fix", "--output-format", "json", "a.py"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    assert [finding["code"] for finding in told["fixed"]] == ["DDP201"]
    assert [finding["code"] for finding in told["findings"]] == ["DDP202"]


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize(
    ("given", "expected", "code"),
    [("old()\n", "new()\n", 0), ("fault()\n", "fault()\n", 1), ("x = 1\n", "x = 1\n", 0)],
)
def test_standard_input_is_rewritten_to_standard_output(
    given: str, expected: str, code: int, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin((RELEVANT + given).replace("\n", "\r\n").encode()))
    assert main(["--fix", "-", "--stdin-filename", "a.py"]) == code
    said = capfdbinary.readouterr()
    assert said.out == (RELEVANT + expected).replace("\n", "\r\n").encode()
    assert (b"a.py" in said.err) is (code == 1 or "new" in expected)
    assert not Path("a.py").exists()


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    write("def f(:\n", "broken.py")
    file = write("old()\n")
    code, out, err = run(capsys, "--fix", ".")
    assert (code, code_of(file)) == (2, "new()\n")
    assert err.startswith("broken.py:2:7: error: syntax error")


def test_a_file_that_cannot_be_written_is_told_and_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    file = write("old()\n")
    code, out, err = run(capsys, "--fix", "a.py")
    assert (code, code_of(file)) == (2, "old()\n")
    assert err == "a.py: error: cannot be written: the file is read-only\n"
    assert "DDP201 [*] old is called" in out


def test_a_walk_that_crashes_on_the_rewritten_code_keeps_the_fix_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.engine import look

    def walk(file: Any, *_: object) -> list[Walk]:
        if b"new()" in file.data:
            raise KeyError("crash")
        return [Walk(file, "main")]

    monkeypatch.setattr(look, "_simulate", walk)
    file = write("old()\n")
    code, out, _ = run(capsys, "--fix", "a.py")
    assert (code, code_of(file)) == (1, "old()\n")
    assert "DDP201 old is called" in out


def test_a_limit_that_the_rewritten_code_reaches_keeps_the_fix_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.engine import look

    def walk(file: Any, *_: object) -> list[Walk]:
        return [Walk(file, "main", limits=["steps"] if b"new()" in file.data else [])]

    monkeypatch.setattr(look, "_simulate", walk)
    file = write("old()\n")
    assert run(capsys, "--fix", "a.py")[0] == 1
    assert code_of(file) == "old()\n"
