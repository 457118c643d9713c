"""The command line: options, exit codes, what is printed where, and what is not imported."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from ddplint import __version__
from ddplint.cli import main as cli
from ddplint.cli.main import main
from tests.stub import RELEVANT, install

ROOT = Path(__file__).parent.parent.parent
FAULT = f"{RELEVANT}fault()\n"
HINT = f"{RELEVANT}hint()\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.py").write_text(text)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def concise(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Exit code, and the codes of the findings with their files."""
    code, out, err = run(capsys, "--output-format", "concise", *arguments)
    assert err == ""
    lines = [line.split(" ") for line in out.splitlines()[:-1]]
    return code, [f"{line[0].split(':')[0]} {line[2]}" for line in lines]


def real(*arguments: str, stdin: bytes = b"", **environ: str) -> subprocess.CompletedProcess[bytes]:
    """The tool as people run it: a process of its own, with the real rules."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **environ}
    command = [sys.executable, "-m", "ddplint", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=60, check=False)


# Exit codes


def test_nothing_found_is_0_findings_are_1(capsys: pytest.CaptureFixture[str]) -> None:
    write(clean="x = 1\n", bad=FAULT)
    assert concise(capsys, "clean.py") == (0, [])
    assert concise(capsys, "clean.py", "bad.py") == (1, ["bad.py DDP101"])


def test_advice_counts_only_when_strict(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=HINT)
    assert concise(capsys, "a.py") == (0, ["a.py DDP401"])
    assert concise(capsys, "--strict", "a.py") == (1, ["a.py DDP401"])
    Path("ddplint.toml").write_text("strict = true")
    assert concise(capsys, "a.py") == (1, ["a.py DDP401"])


def test_errors_are_2_even_with_findings(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=FAULT)
    code, out, err = run(capsys, "a.py", "missing.py")
    assert code == 2
    assert "DDP101" in out
    assert err == "missing.py: error: no such file or folder\n"


@pytest.mark.parametrize(
    "arguments", [["--no-such-option"], ["--output-format", "xml"], ["--config"], ["--fix", "--uns"]]
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1


def test_a_crash_outside_of_any_file_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_check", lambda *_: 1 // 0)
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert err == snapshot(
        "error: internal error: ZeroDivisionError: integer division or modulo by zero "
        "(--verbose shows where); please report it\n"
    )


# Which rules


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ([], ["DDP101", "DDP401"]),
        (["--select", "DDP1"], ["DDP101"]),
        (["--select", "ddp101"], ["DDP101"]),
        (["--select", "guarded-collective,DDP4"], ["DDP101", "DDP401"]),
        (["--select", "ALL"], ["DDP101", "DDP401"]),
        (["--ignore", "init-without-timeout"], ["DDP101"]),
        (["--select", "DDP", "--ignore", "DDP1"], ["DDP401"]),
        (["--select", "DDP101", "--ignore", "DDP101"], []),
    ],
)
def test_rules_are_chosen_by_code_group_and_name(
    arguments: list[str], codes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(a=f"{RELEVANT}fault()\nhint()\n")
    assert concise(capsys, *arguments, "a.py")[1] == [f"a.py {code}" for code in codes]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("DDP102", "error: unknown rule 'DDP102'; did you mean 'DDP101'?"),
        ("guarded-colective", "error: unknown rule 'guarded-colective'; did you mean 'guarded-collective'?"),
        ("xyz", "error: unknown rule 'xyz' ('ddplint rules' lists them)"),
        ("E501", "error: unknown rule 'E501' ('ddplint rules' lists them)"),
        ("DDP977", "error: unknown rule 'DDP977' ('ddplint rules' lists them)"),
    ],
)
@pytest.mark.parametrize("verb", ["--select", "--ignore"])
def test_unknown_rules_are_refused(verb: str, option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(a="x = 1\n")
    code, out, err = run(capsys, verb, option, "a.py")
    assert (code, out, err) == (2, "", f"{said}\n")


def test_unknown_rules_in_the_configuration_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    write(a="x = 1\n")
    Path("ddplint.toml").write_text("[per-file-ignores]\n'a.py' = ['DDP7']\n")
    assert run(capsys, "a.py")[0] == 2


def test_low_confidence_is_shown_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=f"{RELEVANT}guess()\nhint()\nfault()\n")
    assert concise(capsys, "a.py")[1] == ["a.py DDP401", "a.py DDP101"]
    Path("ddplint.toml").write_text("min-confidence = 'low'")
    assert concise(capsys, "a.py")[1] == ["a.py DDP201", "a.py DDP401", "a.py DDP101"]
    Path("ddplint.toml").write_text("min-confidence = 'high'")
    assert concise(capsys, "a.py")[1] == ["a.py DDP101"]


# What is silenced


def test_comments_silence_and_verbose_tells(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=f"{RELEVANT}fault()  # ddplint: ignore[DDP101] alone here\nfault()\n")
    assert concise(capsys, "a.py") == (1, ["a.py DDP101"])
    code, out, err = run(capsys, "--verbose", "--output-format", "concise", "a.py")
    assert out.startswith("a.py:3:1")
    assert err == snapshot(
        """\
configuration: none found, defaults are used
a.py:2: DDP101 suppressed by the comment on line 2
1 file walked, 0 without anything relevant
"""
    )


def test_a_comment_without_effect_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=f"{RELEVANT}hint()  # ddplint: ignore\n")
    code, _, err = run(capsys, "a.py")
    assert (code, err) == (0, "a.py:2:1: warning: 'ignore' names no rule: write ignore[DDP101]\n")


def test_per_file_ignores_and_exclude(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tests", "src", "vendored"):
        Path(name).mkdir()
        Path(name, "a.py").write_text(FAULT)
    Path("ddplint.toml").write_text("exclude = ['vendored/']\n[per-file-ignores]\n'tests/*' = ['DDP1']\n")
    assert concise(capsys, ".") == (1, ["src/a.py DDP101"])
    assert concise(capsys, "tests/a.py") == (0, [])
    assert concise(capsys, "vendored/a.py") == (1, ["vendored/a.py DDP101"])


def test_the_same_finding_from_two_walks_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.analysis.trace.events import Walk
    from ddplint.engine import look

    monkeypatch.setattr(look, "_simulate", lambda file, *_: [Walk(file, "main"), Walk(file, "train")])
    write(a=FAULT)
    assert concise(capsys, "a.py") == (1, ["a.py DDP101"])


# Configuration


def test_options_win_over_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=f"{RELEVANT}fault()\nhint()\n")
    Path("pyproject.toml").write_text("[tool.ddplint]\nselect = ['DDP4']\noutput-format = 'json'\n")
    code, out, _ = run(capsys, "a.py")
    assert [finding["code"] for finding in json.loads(out)["findings"]] == ["DDP401"]
    assert concise(capsys, "--select", "DDP1", "a.py")[1] == ["a.py DDP101"]
    Path("other.toml").write_text("ignore = ['DDP1']")
    assert concise(capsys, "--config", "other.toml", "a.py")[1] == ["a.py DDP401"]


def test_a_broken_configuration_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=FAULT)
    Path("ddplint.toml").write_text("selct = []")
    code, out, err = run(capsys, "a.py")
    assert (code, out) == (2, "")
    assert err.endswith("ddplint.toml: error: unknown key 'selct'; did you mean 'select'?\n")


def test_own_names_make_a_file_relevant(capsys: pytest.CaptureFixture[str]) -> None:
    write(a="from myproj import all_mean\nfault()\n")
    assert concise(capsys, "a.py") == (0, [])
    Path("ddplint.toml").write_text("[knowledge]\ncollectives = ['myproj.all_mean']")
    assert concise(capsys, "a.py") == (1, ["a.py DDP101"])


# Standard input


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_standard_input_is_checked_under_the_given_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(FAULT.encode()))
    assert concise(capsys, "-", "--stdin-filename", "src/train.py") == (1, ["src/train.py DDP101"])
    monkeypatch.setattr(sys, "stdin", Stdin(FAULT.encode()))
    assert concise(capsys, "-") == (1, ["<stdin> DDP101"])


def test_the_name_of_standard_input_alone_is_enough_but_goes_with_no_other_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(FAULT.encode()))
    assert concise(capsys, "--stdin-filename", "train.py") == (1, ["train.py DDP101"])
    assert run(capsys, "--stdin-filename", "train.py", "other.py") == (
        2,
        "",
        "error: --stdin-filename is for standard input: give '-' as the path\n",
    )


def test_the_name_of_standard_input_finds_the_configuration(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("src").mkdir()
    Path("src/ddplint.toml").write_text("[per-file-ignores]\n'train.py' = ['DDP101']")
    monkeypatch.setattr(sys, "stdin", Stdin(FAULT.encode()))
    assert concise(capsys, "-", "--stdin-filename", "src/train.py") == (0, [])


# Pages


def test_rule_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "rule", "DDP101")
    assert (code, err) == (0, "")
    assert out.startswith("# DDP101: guarded-collective\n\n`DDP101` · error\n\n## What it does\nReports calls of")
    assert run(capsys, "rule", "ddp101")[1] == out
    assert run(capsys, "rule", "guarded-collective")[1] == out


def test_an_unknown_page_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rule", "DDP110") == (2, "", "error: unknown rule 'DDP110'; did you mean 'DDP101'?\n")


def test_rules_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "rules")
    assert code == 0
    assert out == snapshot(
        """\
DDP101  guarded-collective    error    -  Reports calls of `fault()`
DDP201  unguarded-save        warning  -  Reports calls of `guess()`, with low confidence
DDP401  init-without-timeout  advice   -  Reports calls of `hint()`, as advice
DDP999  crashing-rule         error    -  Crashes on files that call `crash()`
"""
    )
    assert run(capsys, "rule")[1] == out


def test_files_called_like_commands_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("rule", "rules", "DDP101"):
        Path(name).write_text(FAULT)
    code, out, err = run(capsys, "rules")
    assert (code, "rules:2:1: error: DDP101" in out) == (1, True)
    assert err == "note: 'rules' is a path here, and is checked; it hides the command\n"
    assert concise(capsys, "rule", "DDP101")[1] == ["DDP101 DDP101", "rule DDP101"]


def test_a_page_is_found_although_a_file_is_called_rule(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rule").write_text(FAULT)
    assert run(capsys, "rule", "DDP101")[1].startswith("# DDP101")


# As people run it


def test_the_default_is_the_current_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write(a=FAULT, b="x = 1\n")
    code, out, _ = run(capsys)
    assert code == 1
    assert out.splitlines()[-1] == "1 finding (1 error) in 2 files."


def test_version() -> None:
    done = real("--version")
    assert (done.returncode, done.stdout.decode().partition(" (")[0].strip()) == (0, f"ddplint {__version__}")


def modules_of(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom ddplint.cli.main import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\nprint('|'.join(sys.modules), file=sys.stderr)"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
    return set(done.stderr.decode().strip().splitlines()[-1].split("|"))


def test_version_imports_next_to_nothing() -> None:
    heavy = {"libcst", "argparse", "pathspec", "tomllib", "json", "ddplint.engine.checker", "ddplint.rule", "asyncio"}
    assert not heavy & modules_of("--version")


def test_without_relevant_files_libcst_is_not_imported() -> None:
    write(a="import os\n", b="print('hello')\n")
    loaded = modules_of(".")
    assert "ddplint.engine.checker" in loaded
    assert not {"libcst", "ddplint.rulebook.registry", "ddplint.project.modules", "tomllib"} & loaded


def test_the_real_tool_tells_a_real_hang(tmp_path: Path) -> None:
    write(train=HANG)
    done = real("train.py", "--output-format", "json", "--select", "DDP1")
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == told["exit_code"] == 1, done.stderr.decode()
    assert [(finding["code"], finding["place"]["line"]) for finding in told["findings"]] == [("DDP101", 8)]


def test_output_goes_to_any_encoding(tmp_path: Path) -> None:
    write(train=HANG.replace("value = 1", "value = '数据'").replace("barrier()\n", "barrier()  # 数据\n"))
    done = real("train.py", PYTHONIOENCODING="ascii")
    assert done.returncode == 1, done.stderr.decode()
    assert done.stdout.isascii()
    assert b"^^^^" in done.stdout


def test_a_closed_pipe_is_no_crash() -> None:
    write(**{f"train{number}": HANG for number in range(3)})
    command = f"{sys.executable} -m ddplint . | head -n 1"
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=environment, timeout=60, check=False)
    assert b"Traceback" not in done.stderr
    assert done.stderr == b""


HANG = """\
import torch.distributed as dist

def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    value = 1
    if rank == 0:
        dist.barrier()
    print(value)

if __name__ == "__main__":
    main()
"""
