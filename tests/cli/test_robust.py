"""Rewriting files while things go wrong: kills, other runs, full disks, read-only trees, odd bytes."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ddplint.cli.main import main
from fixtures.harness.fixture import ROOT, load_all

REPOSITORY = Path(__file__).parent.parent.parent
FAULTY = (ROOT / "guarded_barrier" / "train.py").read_bytes()
TREES = 3
TAKES_TURNS = """
import sys
from pathlib import Path
from ddplint.fixing.edit.write import write_files
from ddplint.source.file import SourceFile
path, texts = Path(sys.argv[1]), [open(name, "rb").read() for name in sys.argv[2:4]]
print("ready", flush=True)
while True:
    before = SourceFile.read(path)
    other = texts[before.data == texts[0]]
    write_files([(before, SourceFile(path.as_posix(), other))])
"""


def start(*arguments: str, cwd: Path, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "rules"), str(REPOSITORY)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=prepare,
    )


def fix(folder: Path, *more: str, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    return start(
        "-m", "ddplint", "--fix", "--unsafe-fixes", "--no-cache", "--jobs=1", *more, ".", cwd=folder, prepare=prepare
    )


def ended(run: subprocess.Popen[str]) -> tuple[int, str]:
    try:
        out, _ = run.communicate(timeout=120)
    finally:
        run.kill()
    assert "Traceback" not in out, out
    assert "internal error" not in out, out
    return run.returncode, out


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for number in range(TREES):
        (folder / f"job{number}").mkdir(parents=True)
        (folder / f"job{number}" / "train.py").write_bytes(FAULTY)
    return folder


def contents(folder: Path) -> list[bytes]:
    return [(folder / f"job{number}" / "train.py").read_bytes() for number in range(TREES)]


@pytest.fixture(scope="session")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What an undisturbed run makes of the file."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "train.py").write_bytes(FAULTY)
    ended(fix(folder))
    fixed = (folder / "train.py").read_bytes()
    assert fixed != FAULTY
    return fixed


def test_a_write_that_is_killed_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    """Two versions of a megabyte replace each other without pause; the process is killed at random moments."""
    versions = [b"# a\n" * 250_000, b"# b\n" * 250_000]
    names = [tmp_path / "first", tmp_path / "second"]
    for name, data in zip(names, versions, strict=True):
        name.write_bytes(data)
    path, moments = tmp_path / "work" / "train.py", random.Random(7)
    path.parent.mkdir()
    path.write_bytes(versions[0])
    for _ in range(12):
        run = start("-c", TAKES_TURNS, str(path), *map(str, names), cwd=tmp_path)
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        time.sleep(moments.uniform(0, 0.05))
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        assert path.read_bytes() in versions


@pytest.mark.slow
def test_a_fix_that_is_killed_leaves_old_or_new_files(tree: Path, rewritten: bytes) -> None:
    began = time.monotonic()
    ended(fix(tree))
    whole, moments, cut = time.monotonic() - began, random.Random(3), 0
    for _ in range(12):
        for number in range(TREES):
            (tree / f"job{number}" / "train.py").write_bytes(FAULTY)
        run = fix(tree)
        time.sleep(moments.uniform(0.3, 1.0) * whole)
        run.kill()
        run.communicate()
        found = contents(tree)
        assert all(data in (FAULTY, rewritten) for data in found)
        cut += run.returncode == -signal.SIGKILL
    assert cut > 2, "the kills must come while it runs"
    ended(fix(tree))
    assert contents(tree) == [rewritten] * TREES


def test_several_fixes_at_once(tree: Path, rewritten: bytes) -> None:
    outcomes = [ended(run) for run in [fix(tree) for _ in range(3)]]
    assert all(code in (0, 1, 2) for code, _ in outcomes)
    assert all(data in (FAULTY, rewritten) for data in contents(tree))
    ended(fix(tree))
    assert contents(tree) == [rewritten] * TREES
    assert not list(tree.rglob("*.tmp"))


def test_a_disk_without_room(tree: Path) -> None:
    """No file may grow beyond a kilobyte, which is how a full disk looks to a program."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code, out = ended(fix(tree, prepare=bound))
    assert code == 2
    assert "cannot be written" in out
    assert contents(tree) == [FAULTY] * TREES
    assert not list(tree.rglob("*.tmp"))
    run = start("-m", "ddplint", "--cache-dir", str(tree / "kept"), ".", cwd=tree, prepare=bound)
    code, out = ended(run)
    assert code == 1
    assert out.count("DDP101") >= TREES


def _may_mount() -> None:
    """Skip where this process may not."""
    probe = ["unshare", "-m", "true"]
    try:
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            pytest.skip("mounts cannot be made here")
    except FileNotFoundError:
        pytest.skip("mounts cannot be made here")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["read-only", "full"])
def test_a_real_file_system(how: str, tree: Path) -> None:
    """A read-only mount, and a disk of memory that is filled up."""
    _may_mount()
    if how == "read-only":
        prepare = f"mount --bind {tree} {tree} && mount -o remount,ro,bind {tree}"
    else:
        prepare = f"cp -r {tree} {tree}.copy && mount -t tmpfs -o size=200k none {tree} && cp -r {tree}.copy/. {tree}"
        prepare += f"; head -c 1000000 /dev/zero > {tree}/filler 2>/dev/null"
    ddplint = f"{sys.executable} -m ddplint"
    steps = [
        f"cd {tree}; {ddplint} . > {tree}.checked 2>&1; echo $? >> {tree}.checked",
        f"{ddplint} --fix --unsafe-fixes . > {tree}.fixed 2>&1; echo $? >> {tree}.fixed",
        f"cat job*/train.py > {tree}.left",
    ]
    run = start("-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])", "unshare", "-m", "sh", "-c",
                f"({prepare}); " + "; ".join(steps), cwd=tree.parent)  # fmt: skip
    ended(run)
    checked, fixed = (Path(f"{tree}.{name}").read_text() for name in ("checked", "fixed"))
    assert "Traceback" not in checked + fixed
    assert "internal error" not in checked + fixed
    assert checked.rstrip().endswith("\n1")
    assert checked.count("DDP101") >= TREES
    assert fixed.rstrip().endswith("\n2")
    assert "cannot be written" in fixed
    assert Path(f"{tree}.left").read_bytes() == FAULTY * TREES


def test_files_that_change_underneath(tree: Path, rewritten: bytes) -> None:
    """An editor that saves all the time: what it wrote is never lost to an older version."""
    path, edits = tree / "job0" / "train.py", []
    run = fix(tree)
    while run.poll() is None:
        edits.append(FAULTY + b"# edit %d\n" % len(edits))
        path.write_bytes(edits[-1])
        time.sleep(0.002)
    ended(run)
    assert path.read_bytes() in (edits[-1], rewritten + edits[-1][len(FAULTY) :])


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A file as it may look in the middle of an edit, or damaged."""
    lines = data.splitlines(keepends=True)
    for _ in range(dice.randint(1, 4)):
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        kind = dice.randrange(6)
        if kind == 0:
            lines[one : one + dice.randint(1, 9)] = []
            lines = lines or [b"\n"]
        elif kind == 1:
            lines.insert(one, lines[other])
        elif kind == 2:
            lines[one], lines[other] = lines[other], lines[one]
        elif kind == 3:
            lines[one] = lines[one].replace(b"rank", dice.choice([b"", b"self.rank", b"(rank", b"rank\n", b"\xff"]))
        elif kind == 4:
            cut = dice.randrange(len(lines[one]) + 1)
            lines[one] = (
                lines[one][:cut]
                + dice.choice([b"\t", b"(", b'"""', b"\0", b"\r", b"lambda: ", b"*"])
                + lines[one][cut:]
            )
        else:
            lines[one] = b"    " * dice.randint(0, 3) + lines[one].lstrip(b" ")
    return b"".join(lines)


def torture(seed: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dice = random.Random(seed)
    fixture = dice.choice([fixture for fixture in load_all() if fixture.train.exists()])
    path, data = folder / "train.py", mutated(fixture.train.read_bytes(), dice)
    path.write_bytes(data)
    arguments = dice.choice(
        [
            ["--output-format", dice.choice(["full", "sarif", "html", "json", "gitlab"])],
            ["--diff", "--unsafe-fixes"],
            ["--fix"],
        ]
    )
    code = main([*arguments, str(path)])
    out, err = capsys.readouterr()
    assert code in (0, 1, 2), seed
    assert "internal error" not in err + out, (seed, err)
    assert "crashed" not in err + out, (seed, err)
    if arguments != ["--fix"]:
        assert path.read_bytes() == data, seed


def test_damaged_files_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(12):
        torture(seed, tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400, 50))
def test_many_damaged_files(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(seed, seed + 50):
        torture(number, tmp_path, capsys)
