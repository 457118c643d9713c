"""Files and paths that are no good: one clear line each, the right exit code, and the other files are checked."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.util.regular import read_regular
from tests.stub import RELEVANT, install

GOOD = f"{RELEVANT}fault()\n".encode()
FOUND = "good.py:2:1: error: DDP101"


@pytest.fixture(autouse=True)
def _stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_bytes(GOOD)


def run(capsys: pytest.CaptureFixture[str], *paths: str) -> tuple[int, list[str], list[str]]:
    """Exit code, findings, and lines on standard error."""
    code = main(["--output-format", "concise", *paths])
    said = capsys.readouterr()
    return code, said.out.splitlines()[:-1], said.err.splitlines()


BAD = {
    "syntax error": (b"def f(:\n", "2:7: error: syntax error: invalid syntax"),
    "unclosed bracket": (b"x = (1,\n", "2:5: error: syntax error: '(' was never closed"),
    "wrong indentation": (b"if x:\npass\n", "3:1: error: syntax error: expected an indented block"),
    "unclosed string": (b"x = '\n", "2:5: error: syntax error: unterminated string literal"),
    "print statement": (b"print 'x'\n", "2:1: error: this is Python 2 (a print statement); only Python 3 is read"),
    "except with comma": (b"try: pass\nexcept E, e: raise E, e\n", ": error: this is Python 2 (except E, name)"),
    "raise with comma": (b"raise E, 'x'\n", "2:8: error: this is Python 2 (raise E, value)"),
    "exec statement": (b"exec 'x'\n", "2:1: error: this is Python 2 (an exec statement)"),
    "old inequality": (b"x = a <> b\n", "2:7: error: this is Python 2 (the operator <>)"),
    "old octal": (b"x = 0777\n", "2:5: error: this is Python 2 (an old number literal)"),
    "old long": (b"x = 1L\n", "2:5: error: this is Python 2 (an old number literal)"),
    "latin-1 without cookie": ("x = 'é'\n".encode("latin-1"), "2:1: error: byte 0xe9 is not UTF-8; name the encoding"),
    "NUL byte": (b"x = 1\n\0", "3:1: error: the file holds NUL bytes: it is not Python text"),
    "200 brackets": (b"x = " + b"[" * 201 + b"]" * 201, "2:1: error: more than 200 nested brackets"),
    "a stack of brackets": (b"x = " + b"(" * 50_000, "2:1: error: more than 200 nested brackets"),
    "deep blocks": (
        b"".join(b" " * depth + b"if x:\n" for depth in range(150)) + b" " * 150 + b"x\n",
        "error: syntax error: too many levels of indentation",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_one_line_for_each_bad_file_and_the_good_one_is_checked(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    data, said = BAD[kind]
    Path("bad.py").write_bytes(RELEVANT.encode() + data)
    code, findings, errors = run(capsys, ".")
    assert code == 2
    assert len(errors) == 1, errors
    assert errors[0].startswith("bad.py:")
    assert said in errors[0]
    assert len(findings) == 1
    assert findings[0].startswith(FOUND)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (codecs.BOM_UTF16_LE + (RELEVANT + "fault()").encode("utf-16-le"), "the file is UTF-16"),
        (codecs.BOM_UTF16_BE + (RELEVANT + "fault()").encode("utf-16-be"), "the file is UTF-16"),
        ((RELEVANT + "fault()").encode("utf-16-le"), "the file holds NUL bytes"),
        (codecs.BOM_UTF32_LE + b"x\0\0\0", "the file is UTF-32"),
        (b"\x7fELF\0\0\1", "the file holds NUL bytes"),
        (f"# coding: klingon\n{RELEVANT}".encode(), "unknown encoding: klingon"),
        (codecs.BOM_UTF8 + f"# coding: latin-1\n{RELEVANT}".encode(), "encoding problem: utf-8"),
        (f"# coding: ascii\n{RELEVANT}'é'\n".encode(), "byte 0xc3 is not ASCII"),
    ],
)
def test_other_encodings_and_binaries_say_what_they_are(
    data: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.py").write_bytes(data)
    code, findings, errors = run(capsys, "bad.py", "good.py")
    assert (code, len(findings), len(errors)) == (2, 1, 1)
    assert errors[0].startswith("bad.py:")
    assert said in errors[0]


ODD = {
    "bom": (codecs.BOM_UTF8 + GOOD, 2),
    "crlf": (GOOD.replace(b"\n", b"\r\n"), 2),
    "mixed line ends": (b"x\r\n" + GOOD, 3),
    "form feeds": (b"\x0c\n" + RELEVANT.encode() + b"\x0cfault()\n\x0c\n", 3),
    "latin-1 with cookie": ("# coding: latin-1\n'é'\n".encode("latin-1") + GOOD, 4),
    "old mac line ends": (GOOD.replace(b"\n", b"\r"), 2),
    "no last line end": (GOOD.rstrip(), 2),
    "backslash at the end": (GOOD + b"x = 1 + \\\n  2", 2),
    "tabs": (RELEVANT.encode() + b"if x:\n\tfault()\n", 3),
    "only a comment after": (GOOD + b"# end", 2),
    "long string sums": (RELEVANT.encode() + b"fault()\nx = " + b" + ".join([b"'a'"] * 1200) + b"\n", 2),
    "long elif chain": (RELEVANT.encode() + b"fault()\nif x: y\n" + b"elif x: y\n" * 1200, 2),
    "200 brackets": (RELEVANT.encode() + b"fault()\nx = " + b"(" * 199 + b")" * 199 + b"\n", 2),
    "brackets in strings": (RELEVANT.encode() + b"fault()\nx = '" + b"(" * 999 + b"'  # " + b"[" * 999 + b"\n", 2),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_but_valid_files_are_checked(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    data, line = ODD[kind]
    Path("odd.py").write_bytes(data)
    code, findings, errors = run(capsys, "odd.py")
    assert errors == []
    assert code == 1
    assert [finding.split(":")[1] for finding in findings] == [str(line)]


@pytest.mark.parametrize("data", [b"", b"\n\n", codecs.BOM_UTF8, b"# only a comment", b"\x0c"])
def test_files_with_no_code_are_fine(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.py").write_bytes(data)
    assert run(capsys, "empty.py") == (0, [], [])
    Path("empty.py").write_bytes(data + b"\n# torch.distributed\n")
    assert run(capsys, "empty.py") == (0, [], [])


def test_a_file_of_20_000_lines_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.py").write_text(RELEVANT + "x = f(1, y)\n" * 20_000 + "fault()\n")
    code, findings, errors = run(capsys, "long.py")
    assert (code, errors) == (1, [])
    assert findings[0].startswith("long.py:20002:1: error: DDP101")


def test_a_missing_path_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, findings, errors = run(capsys, "nowhere.py", "good.py", "no/folder")
    assert code == 2
    assert errors == ["nowhere.py: error: no such file or folder", "no/folder: error: no such file or folder"]
    assert len(findings) == 1


def test_a_path_without_python_is_told_but_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("docs").mkdir()
    Path("docs/readme.md").write_text("fault()")
    assert run(capsys, "docs") == (0, [], ["docs: warning: no Python files here"])


def test_an_unreadable_file_is_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: str) -> bytes:
        if path == "closed.py":
            raise PermissionError(13, "Permission denied")
        return read_regular(path)

    monkeypatch.setattr("ddplint.source.file.read_regular", closed)
    Path("closed.py").write_bytes(GOOD)
    code, findings, errors = run(capsys, ".")
    assert (code, len(findings), errors) == (2, 1, ["closed.py: error: cannot be read: Permission denied"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_read_permission_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("closed.py").write_bytes(GOOD)
    Path("closed.py").chmod(0)
    assert run(capsys, "closed.py") == (2, [], ["closed.py: error: cannot be read: Permission denied"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_links_that_lead_nowhere_or_in_circles_are_told_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    Path("self.py").symlink_to("self.py")
    Path("gone.py").symlink_to("nowhere.py")
    Path("loop").symlink_to(".", target_is_directory=True)
    code, findings, errors = run(capsys, ".")
    assert (code, len(findings)) == (1, 1)
    assert errors == [
        "gone.py: warning: a link to nowhere, not checked",
        "self.py: warning: a link to nowhere, not checked",
    ]


def test_a_link_to_nowhere_that_is_named_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gone.py").symlink_to("nowhere.py")
    code, _, errors = run(capsys, "gone.py")
    assert (code, len(errors)) == (2, 1)
    assert errors[0].startswith("gone.py: error: ")


def test_a_crashing_rule_is_one_line_and_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(f"{RELEVANT}crash()\nfault()\n")
    code, findings, errors = run(capsys, ".")
    assert code == 2
    assert [finding.split(":")[0] for finding in findings] == ["a.py", "good.py"]
    assert len(errors) == 1
    assert errors[0].startswith("a.py: error: internal error in rule DDP999: KeyError: 'no such\\nkey' (at stub.py:")
    assert "please report it" in errors[0]


def test_a_crashing_walk_is_one_line_and_the_other_files_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.engine import look

    real = look._simulate

    def crash(file: object, *others: object) -> object:
        if getattr(file, "path", "") == "a.py":
            raise AssertionError("walk")
        if getattr(file, "path", "") == "b.py":
            return deeper()
        return real(file, *others)  # type: ignore[arg-type]

    def deeper() -> object:
        return deeper()

    monkeypatch.setattr(look, "_simulate", crash)
    for name in ("a.py", "b.py"):
        Path(name).write_bytes(GOOD)
    code, findings, errors = run(capsys, ".")
    assert (code, len(findings)) == (2, 1)
    assert errors[0].startswith("a.py: error: internal error in the walk: AssertionError: walk (at test_bad_input.py:")
    assert errors[1] == "b.py: error: the walk gave up: the code is nested too deeply"
