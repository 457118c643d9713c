"""Kept results and several processes: the same report, however it came about; and nothing stale, ever."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.engine import cache as cache_module
from ddplint.engine import look, pool
from ddplint.launch import readers
from ddplint.project.schedule import Step
from ddplint.source.file import SourceFile
from ddplint.util import progress

ROOT = Path(__file__).parent.parent.parent
TRAIN = """\
import torch.distributed as dist
from lib.sync import everybody

dist.init_process_group("nccl")
if dist.get_rank() == 0:
    everybody()
"""
SYNC = "import torch.distributed as dist\n\n\ndef everybody():\n    dist.barrier()\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DDPLINT_NO_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("lib").mkdir()
    Path("lib/sync.py").write_text(SYNC)
    Path("train.py").write_text(TRAIN)


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are walked from now on."""
    seen: list[str] = []
    real = look._simulate

    def noting(file: SourceFile, *more: object) -> object:
        seen.append(file.path)
        return real(file, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(look, "_simulate", noting)
    return seen


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def work(*arguments: str) -> tuple[int, str]:
        code = main(["--select", "DDP1", "--output", "json", *(arguments or ["."])])
        said = capsys.readouterr()
        assert said.err == ""
        return code, said.out

    return work


Run = Callable[..., tuple[int, str]]


def test_the_second_run_walks_nothing_and_says_the_same(run: Run, walked: list[str]) -> None:
    first = run()
    assert (first[0], sorted(walked)) == (1, ["lib/sync.py", "train.py"])
    walked.clear()
    assert run() == first == run("--no-cache", ".")
    assert walked == ["train.py", "lib/sync.py"]


def test_the_cache_is_no_part_of_the_project(run: Run) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    run()
    status = subprocess.run(["git", "status", "--short", "-uall"], check=True, capture_output=True, text=True)
    assert ".ddplint_cache" not in status.stdout
    assert (Path(".ddplint_cache/CACHEDIR.TAG")).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("train.py", TRAIN.replace("    every", "    pass\nevery"), 0),
        ("lib/sync.py", SYNC.replace("dist.barrier()", "print()"), 0),  # a module that the walk read
        ("lib/__init__.py", "", 1),  # the module is another one now
        ("lib/sync/__init__.py", "def everybody(): pass\n", 1),  # sync.py comes first
        ("ddplint.toml", "ignore = ['DDP101']", 0),
    ],
)
def test_what_changed_is_walked_again(path: str, text: str, code: int, run: Run) -> None:
    assert run("train.py")[0] == 1
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)
    cached = run("train.py")
    assert cached == run("--no-cache", "train.py")
    assert cached[0] == code


def test_a_module_that_comes_or_goes_is_noticed(run: Run) -> None:
    Path("lib/sync.py").rename("lib/gone.py")
    assert run("train.py")[0] == 0
    Path("lib/gone.py").rename("lib/sync.py")
    assert run("train.py")[0] == 1
    Path("lib/sync.py").unlink()
    assert run("train.py")[0] == 0


def test_what_other_files_decide_is_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(TRAIN + "import os\n\nos.environ['NCCL_TIMEOUT'] = '60'\n")
    assert main(["--strict", "--select", "DDP501", "train.py"]) == 1
    Path("reader.py").write_text("import os\n\nLIMIT = os.environ['NCCL_TIMEOUT']\n")
    readers._read_below.cache_clear()
    assert main(["--strict", "--select", "DDP501", "train.py"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(("name", "again"), [("CUDA_VISIBLE_DEVICES", 0), ("NCCL_TIMEOUT", 1)])
def test_variables_that_no_other_file_decides_on_are_kept(
    name: str, again: int, walked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(TRAIN + f"import os\n\nos.environ['{name}'] = '1'\n")
    main(["--select", "DDP5", "train.py"])
    walked.clear()
    main(["--select", "DDP5", "train.py"])
    assert walked == ["train.py"] * again
    capsys.readouterr()


def test_another_version_of_the_tool_walks_again(run: Run, walked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run()
    walked.clear()
    monkeypatch.setattr(cache_module, "_signature", lambda: "another")
    run()
    assert len(walked) == 2


def test_the_signature_is_that_of_another_installation_of_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CI carries the cache to a machine where the same version was just installed."""
    told = []
    for place, at in (("one", 1_000_000_000), ("two", 1_100_000_000)):
        package = tmp_path / place / "somerules"
        package.mkdir(parents=True)
        for name in ("__init__.py", "ddp900.py"):
            (package / name).write_text("X = 1\n")
            os.utime(package / name, (at, at))
        with monkeypatch.context() as installed:
            installed.setattr(sys, "path", [str(tmp_path / place), *sys.path])
            told.append(list(cache_module._stamps(["somerules"])))
    assert told[0] == told[1]
    assert len(told[0]) == 3


def test_the_signature_sees_every_file_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "more" / "somerules"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "more"))
    before = list(cache_module._stamps(["somerules"]))
    (package / "table.toml").write_text("x = 1")
    assert list(cache_module._stamps(["somerules"])) != before
    assert any("ddp101" in stamp for stamp in cache_module._stamps(["ddplint_rules"]))


def entries() -> list[Path]:
    return sorted(path for path in Path(".ddplint_cache").glob("??/*") if path.is_file())


@pytest.mark.parametrize("kind", ["empty", "half", "flipped", "other", "folder", "not json"])
def test_damaged_entries_are_walked_again(kind: str, run: Run) -> None:
    first = run()
    for entry in entries():
        data = entry.read_bytes()
        entry.unlink()
        if kind == "folder":
            entry.mkdir()
        elif kind == "flipped":
            place = random.Random(1).randrange(70, len(data))
            entry.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        elif kind == "other":
            entry.write_bytes(cache_module._closed({"key": [], "outcome": 3}))
        else:
            entry.write_bytes({"empty": b"", "half": data[: len(data) // 2]}.get(kind, b"\xff\x00{"))
    assert run() == first
    assert run() == first


def test_records_of_another_shape_are_refused(run: Run) -> None:
    first = run()
    for entry in entries():
        record = cache_module._opened(entry.read_bytes())
        record["outcome"]["findings"] = [{"about": 1}]
        entry.write_bytes(cache_module._closed(record))
    assert run() == first


def test_a_cache_that_cannot_be_written_is_done_without(run: Run, walked: list[str]) -> None:
    Path(".ddplint_cache").write_text("a file")
    assert run()[0] == run()[0] == 1
    assert len(walked) == 4
    assert run("--cache-dir", "elsewhere", ".") == run("--cache-dir", "elsewhere", ".")
    assert len(walked) == 6


def test_comments_and_baselines_hold_for_kept_results(run: Run, walked: list[str]) -> None:
    Path("train.py").write_text(TRAIN.replace("()\n", "()  # ddplint: ignore[DDP101] alone\n"))
    assert run("train.py")[0] == 0
    Path("ddplint.toml").write_text("[per-file-ignores]\n'train.py' = ['DDP101']")
    walked.clear()
    first = run("train.py")
    assert (first[0], walked) == (0, [])
    assert '"per-file-ignores"' in first[1]


def test_every_format_says_the_same_of_kept_results(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("full", "sarif", "gitlab", "markdown", "junit", "github"):
        told = []
        for option in ("--no-cache", "--exit-zero", "--exit-zero"):
            main(["--exit-zero", option, "--output", name, "."])
            told.append(capsys.readouterr())
        assert told[0] == told[1] == told[2]


def test_fix_walks_only_files_with_findings(run: Run, walked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run()
    walked.clear()
    assert main(["--select", "DDP1", "--fix", "."]) == 0
    assert "lib/sync.py" not in walked[:1]
    assert Path("train.py").read_text() != TRAIN
    capsys.readouterr()
    assert run()[0] == 0


def test_many_runs_share_a_cache(run: Run) -> None:
    for number in range(6):
        Path(f"train{number}.py").write_text(TRAIN + f"# {number}\n")
    expected = run("--no-cache", ".")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "rules")])}
    command = [sys.executable, "-m", "ddplint", "--select", "DDP1", "--output", "json", "."]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, encoding="utf-8")
        for _ in range(4)
    ]
    for one in runs:
        out, err = one.communicate(timeout=60)
        assert (one.returncode, out, err) == (*expected, "")
    assert not list(Path(".ddplint_cache").rglob("tmp*"))
    assert run() == expected


# Processes


@pytest.fixture
def _spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "processes_for", lambda files, jobs: 1 if jobs == 1 else min(2, len(files)))


@pytest.mark.usefixtures("_spread")
def test_processes_say_the_same_as_one(capsys: pytest.CaptureFixture[str], walked: list[str]) -> None:
    Path("broken.py").write_text("import torch.distributed\ndef (\n")
    told = []
    for jobs in ("1", "2"):
        code = main(["--no-cache", "--jobs", jobs, "--output", "json", "."])
        told.append((code, *capsys.readouterr()))
    assert told[0] == told[1]
    assert told[0][0] == 2
    assert len(walked) == 2


@pytest.mark.usefixtures("_spread")
def test_a_process_that_dies_costs_nothing_but_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()
    real = look._simulate

    def dying(*arguments: object) -> object:
        if os.getpid() != parent:
            os._exit(9)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(look, "_simulate", dying)
    assert run("--no-cache", ".")[0] == 1


def test_a_second_process_is_used_only_where_it_pays() -> None:
    small = [Step(SourceFile("a.py", b"x = 1\n"))] * 4
    large = [Step(SourceFile("a.py", b"#" * 200_000))] * 4
    assert pool.processes_for(small, 0) == 1
    assert pool.processes_for(large, 3) == 3
    assert pool.processes_for(large, 1) == 1
    assert pool.processes_for([], 0) == 1


@pytest.mark.parametrize("value", ["-1", "two", ""])
def test_jobs_must_be_a_number(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([f"--jobs={value}", "."])
    assert stop.value.code == 2
    assert "is no number from 0 up" in capsys.readouterr().err


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_told_on_terminals_and_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        now[0] = 0.0
        tell = progress.Progress(stream)
        for done in range(1, 6):
            now[0] += 1.0
            tell(done, 5)
    assert terminal.getvalue() == "\r\x1b[K2/5 files\r\x1b[K3/5 files\r\x1b[K4/5 files\r\x1b[K"
    assert pipe.getvalue() == ""


def test_a_slow_file_is_named_while_it_is_walked_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    terminal = Terminal()
    tell = progress.Progress(terminal)
    now[0] = 2.5
    tell.tick()
    tell(3, 9)
    tell.under_way(["src/slow.py", "src/other.py"])
    now[0] = 7.5
    tell.under_way(["src/slow.py", "src/third.py"])
    tell.tick()
    assert terminal.getvalue() == "\r\x1b[Kreading\r\x1b[K3/9 files, 5 s in src/slow.py"
    for path, seconds in (("src/slow.py", 9.2), ("src/other.py", 1.4), ("src/third.py", 0.2), ("src/slow.py", 1.0)):
        tell.took(path, seconds)
    assert tell.note() == "", "a short run"
    now[0] = 12.6
    assert tell.note() == "13 s; slowest: src/slow.py 10 s, src/other.py 1 s"


@pytest.mark.usefixtures("_spread")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_long_run_tells_of_its_slowest_files(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_WORTH", 0.0)
    monkeypatch.setattr(progress, "slowest", lambda seconds: ", ".join(sorted(seconds)))
    main(["--jobs", jobs, "--verbose", "."])
    assert capsys.readouterr().err.endswith(" s; slowest: lib/sync.py, train.py\n")
    main(["--jobs", jobs, "."])
    assert capsys.readouterr().err == "", "in a log nobody asked for it"


HELPERS = {
    "steps.py": "import os\n\n\ndef note(path):\n    os.makedirs(path)\n",
    "deep.py": "from steps import note\n\n\ndef deep(path):\n    note(path)\n",
}
THROUGH = (
    "import torch.distributed as dist\nfrom deep import deep\n\n\ndef main(path):\n    dist.barrier()\n    deep(path)\n"
)


def test_what_the_index_says_of_a_helper_is_believed_while_it_says_so(run: Run, walked: list[str]) -> None:
    """What is walked hangs on what a helper leads to, also over files that the walk does not come to."""
    for name, text in HELPERS.items():
        Path(name).write_text(text)
    Path("through.py").write_text(THROUGH)
    run("through.py")
    walked.clear()
    Path("apart.py").write_text("import os\n\n\ndef apart():\n    os.makedirs('a')\n")
    run("through.py")
    assert walked == []
    Path("steps.py").write_text(HELPERS["steps.py"].replace("os.makedirs(path)", "pass"))
    assert run("through.py") == run("--no-cache", "through.py")
    assert walked == ["through.py"] * 2


ABOUT = {
    "comm.py": "import torch.distributed as dist\n\n\ndef agree(x):\n    dist.all_reduce(x)\n",
    "between.py": "from comm import agree as reduce_dict\n\n\ndef note(x):\n    reduce_dict(x)\n",
}


def test_which_helpers_are_about_ranks_is_asked_again(run: Run, walked: list[str]) -> None:
    """Whether all of a helper is walked hangs on what it calls, though nothing in the helper itself has changed."""
    for name, text in ABOUT.items():
        Path(name).write_text(text)
    Path("through.py").write_text(THROUGH.replace("deep", "note").replace("from note", "from between"))
    run("through.py")
    walked.clear()
    Path("comm.py").write_text(ABOUT["comm.py"].replace("dist.all_reduce(x)", "print(x)"))
    assert run("through.py") == run("--no-cache", "through.py")
    assert walked == ["through.py"] * 2
