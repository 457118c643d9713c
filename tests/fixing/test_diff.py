from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddplint.fixing.edit.diff import line_opcodes, lines_of, unified_diff


def test_no_change() -> None:
    assert unified_diff("a.py", "x\n", "x\n") == ""


def test_a_change() -> None:
    assert unified_diff("./src/a.py", "a\nb\nc\n", "a\nB\nc\n") == (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_no_newline_at_the_end() -> None:
    assert unified_diff("a.py", "a\nb", "a\nb\n") == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    )


def test_line_ends_are_part_of_lines() -> None:
    assert "\n-x\r\n+y\r\n" in unified_diff("a.py", "x\r\nz\r\n", "y\r\nz\r\n")


def test_a_name_with_blanks() -> None:
    assert unified_diff("/tmp/my file.py", "a\n", "b\n").startswith("--- a/tmp/my file.py\t\n+++ b/tmp/my file.py\t\n")


def test_a_large_file_is_cheap() -> None:
    lines = [f"line {number % 7}\n" for number in range(40_000)]
    changed = [*lines[:20_000], "new\n", *lines[20_000:]]
    assert line_opcodes(lines, changed)[1] == ("insert", 20_000, 20_000, 20_000, 20_001)


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d\r"]), max_size=30).map("\n".join)


@given(TEXTS, TEXTS)
def test_opcodes_lead_from_one_text_to_the_other(old: str, new: str) -> None:
    before, after = lines_of(old), lines_of(new)
    made: list[str] = []
    done = 0
    for tag, one, two, three, four in line_opcodes(before, after):
        assert one == done
        made += before[one:two] if tag == "equal" else after[three:four]
        done = two
    assert done == len(before)
    assert made == after


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS)
def test_patch_applies_any_diff(tmp_path_factory: pytest.TempPathFactory, old: str, new: str) -> None:
    if not old or not new:
        return
    file = tmp_path_factory.mktemp("patched") / "f.py"
    file.write_bytes(old.encode())
    diff = unified_diff("f.py", old, new)
    if diff:
        done = subprocess.run(["patch", "--binary", "-s", str(file)], input=diff.encode(), capture_output=True)
        assert done.returncode == 0, done.stdout
    assert file.read_bytes() == new.encode()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nx\nc\n"),
        ("a\nb", "a\nb\nc"),
        ("a\r\nb\r\n", "a\r\nnew\r\nb\r\n"),
        ("".join(f"{n}\n" for n in range(60)), "".join(f"{n}\n" for n in range(60) if n not in (5, 13, 14, 40))),
        ("x\n" * 3, "y\n" + "x\n" * 3 + "z"),
    ],
)
def test_git_applies_it(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "f.py").write_bytes(old.encode())
    diff = unified_diff("f.py", old, new)
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "f.py").read_bytes() == new.encode()
