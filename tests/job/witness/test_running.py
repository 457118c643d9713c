"""A program runs as ``python SCRIPT`` and ``python -m MODULE`` run it. Nothing here needs torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}

PROGRAM = """\
import pickle, sys, atexit
class Kept: pass
print(__name__, __file__, __spec__, __package__, sys.argv[1:], sys.path[0])
print(type(pickle.loads(pickle.dumps(Kept()))).__module__, sys.modules["__main__"].Kept is Kept)
atexit.register(lambda: print("end", Kept))
"""


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=ENV, capture_output=True, text=True, timeout=60, check=False)


def same(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a program does with the witness, after a check that it does the same without."""
    bare = python(*arguments, folder=tmp_path)
    seen = python("-m", "ddplint.witness", *arguments, folder=tmp_path)
    assert (seen.returncode, seen.stdout, seen.stderr) == (bare.returncode, bare.stdout, bare.stderr)
    return seen


def test_a_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    assert "['--lr', '1', '-m']" in same(tmp_path, "train.py", "--lr", "1", "-m").stdout


def test_a_module(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "train.py").write_text("import sys\nprint(__name__, __spec__.name, sys.argv)\n")
    assert "pack.train" in same(tmp_path, "-m", "pack.train", "--lr", "1").stdout


@pytest.mark.parametrize(
    ("ending", "code"),
    [("import sys; sys.exit(7)", 7), ("raise SystemExit('no data')", 1), ("1 / 0", 1), ("x = (", 1), ("pass", 0)],
)
def test_ends_and_errors(tmp_path: Path, ending: str, code: int) -> None:
    (tmp_path / "train.py").write_text(f"print('here')\n{ending}\n")
    assert same(tmp_path, "train.py").returncode == code


def test_an_error_with_its_cause(tmp_path: Path) -> None:
    text = "def f():\n    try:\n        {}['a']\n    except KeyError as e:\n        raise ValueError('b') from e\nf()\n"
    (tmp_path / "train.py").write_text(text)
    assert "direct cause" in same(tmp_path, "train.py").stderr


def test_wrong_arguments_are_one_line(tmp_path: Path) -> None:
    for arguments in (("none.py",), ("--after", "-1", "x.py"), ()):
        done = python("-m", "ddplint.witness", *arguments, folder=tmp_path)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_nothing_is_imported_that_the_program_does_not_import(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys\nprint(sorted({'torch', 'libcst', 'yaml'} & set(sys.modules)))\n")
    assert python("-m", "ddplint.witness", "train.py", folder=tmp_path).stdout == "[]\n"
