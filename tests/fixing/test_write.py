from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.fixing.edit.write import WriteError, write_files
from ddplint.source.file import SourceFile


def rewrite(path: Path, text: str) -> None:
    before = SourceFile.read(path)
    write_files([(before, before.with_text(text))])


def test_the_text_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")
    rewrite(file, "y\n")
    assert file.read_text() == "y\n"
    assert list(tmp_path.iterdir()) == [file]


def test_encoding_mark_and_newlines_are_kept(tmp_path: Path) -> None:
    for data, text, expected in (
        (b"\xef\xbb\xbfx\r\n", "y\r\n", b"\xef\xbb\xbfy\r\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\ny = 'é'\n", b"# coding: latin-1\ny = '\xe9'\n"),
    ):
        file = tmp_path / "a.py"
        file.write_bytes(data)
        rewrite(file, text)
        assert file.read_bytes() == expected


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")
    file.chmod(mode)
    rewrite(file, "y\n")
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    file, link = tmp_path / "real" / "a.py", tmp_path / "link.py"
    file.write_text("x\n")
    link.symlink_to(file)
    rewrite(link, "y\n")
    assert link.is_symlink()
    assert file.read_text() == "y\n"
    assert list((tmp_path / "real").iterdir()) == [file]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")
    before = SourceFile.read(file)
    file.write_text("theirs\n")
    with pytest.raises(WriteError, match="changed on disk") as caught:
        write_files([(before, before.with_text("y\n"))])
    assert str(caught.value).startswith(f"{file.as_posix()}: error: ")
    assert file.read_text() == "theirs\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")
    before = SourceFile.read(file)
    file.unlink()
    with pytest.raises(WriteError, match="cannot be read again"):
        write_files([(before, before.with_text("y\n"))])
    assert not list(tmp_path.iterdir())


def test_files_that_belong_together_are_written_together(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.py", "b.py")]
    for file in files:
        file.write_text("x\n")
    read = [SourceFile.read(file) for file in files]
    files[1].write_text("theirs\n")
    with pytest.raises(WriteError, match="changed on disk"):
        write_files([(one, one.with_text("y\n")) for one in read])
    assert files[0].read_text() == "x\n"
    files[1].write_text("x\n")
    write_files([(one, one.with_text("y\n")) for one in read])
    assert [file.read_text() for file in files] == ["y\n", "y\n"]


SCRIPT = """
import os, sys, tempfile
from ddplint.fixing.edit.write import WriteError, write_files
from ddplint.source.file import SourceFile
SourceFile("a.py", b"x").with_text("y")
tempfile.gettempdir()
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
before = SourceFile.read(sys.argv[1])
try:
    write_files([(before, before.with_text("y\\n"))])
except WriteError as error:
    print(error)
"""
"""Writes as an ordinary user; everything is imported while the interpreter's own files can still be read."""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_what_may_not_be_written(open_folder: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    file = open_folder / "a.py"
    file.write_text("x\n")

    def tried() -> str:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(file)], capture_output=True, text=True, env={"PYTHONPATH": str(root)}
        )
        return done.stdout + done.stderr

    file.chmod(0o444)
    assert tried().strip() == f"{file}: error: cannot be written: the file is read-only"
    file.chmod(0o666)
    open_folder.chmod(0o555)
    assert tried().strip() == f"{file}: error: cannot be written: the directory {open_folder} is read-only"
    open_folder.chmod(0o777)
    assert tried() == ""
    assert file.read_text() == "y\n"
    assert list(open_folder.iterdir()) == [file]
