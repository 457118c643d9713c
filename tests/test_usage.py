"""The command line as one finds one's way in it: commands, typing errors, options of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.cli.usage import COMMANDS
from tests.stub import RELEVANT, install

FAULT = f"{RELEVANT}fault()\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.setenv(name, "")
    Path("a.py").write_text(FAULT)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(list(arguments))
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> int:
    """How many findings there are."""
    return run(capsys, "--output-format", "concise", *arguments)[1].count("DDP101 ")


def test_help_names_every_command_and_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "--help")[1]
    for name, text in COMMANDS.items():
        assert f"  {name:<6}  {text}\n" in said
        if name != "check":
            code, own, _ = run(capsys, name, "--help")
            assert (code, f"usage: ddplint {name}" in own) == (0, True), name
    assert run(capsys, "check", "--help")[1] == said


def test_check_is_what_ddplint_does_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", ".") == run(capsys, ".")
    assert run(capsys, "check") == run(capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["trriage", "job.log"],
            "error: 'trriage' is no file, no folder and no command; did you mean 'ddplint triage'?",
        ),
        (["chekc", "."], "error: 'chekc' is no file, no folder and no command; did you mean 'ddplint check'?"),
        (["help"], "error: 'help' is no file, no folder and no command; write 'ddplint --help'"),
        (["version"], "error: 'version' is no file, no folder and no command; write 'ddplint --version'"),
        (["lint", "."], "error: 'lint' is no file, no folder and no command; write 'ddplint check'"),
        (["--slect", "DDP1"], "error: unknown option '--slect'; did you mean '--select'? ('ddplint --help' lists"),
        (["--frobnicate"], "error: unknown option '--frobnicate' ('ddplint --help' lists the options)"),
        (["rules", "--fixble"], "error: unknown option '--fixble'; did you mean '--fixable'? ('ddplint rules --help'"),
        (["rule", "DDP11"], "error: unknown rule 'DDP11'"),
        (["-q", "triage", "x.log"], "error: the command goes first: ddplint triage"),
        (["-q", "-v"], "error: --quiet and --verbose exclude each other"),
    ],
)
def test_typing_errors_are_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(said)


def test_a_path_that_is_missing_and_like_no_command_is_a_missing_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "nowhere")[2] == "nowhere: error: no such file or folder\n"


def test_rules_are_filtered_and_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run(capsys, "rules", "DDP1", "unguarded-save", "--output-format", "json")[1])
    assert [one["code"] for one in listed] == ["DDP101", "DDP201"]
    assert listed[0]["fix"] == "none"
    assert run(capsys, "rules", "--fixable")[1].strip() == ""
    assert run(capsys, "rule", "DDP1")[1] == run(capsys, "rules", "DDP1")[1]


def test_exclude_leaves_out_and_force_exclude_also_what_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("old").mkdir()
    Path("old/b.py").write_text(FAULT)
    assert found(capsys, "--exclude", "old", ".") == 1
    Path("ddplint.toml").write_text("exclude = ['old/']")
    assert run(capsys, "old/b.py")[0] == 1
    code, out, err = run(capsys, "--force-exclude", "-v", "old/b.py")
    assert (code, out) == (0, "No findings in 0 files.\n")
    assert "old/b.py: named, but excluded by the configuration\n" in err
    assert found(capsys, "--force-exclude", "a.py", "old/b.py") == 1


def test_what_is_excluded_on_the_command_line_is_below_the_current_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ddplint.toml").write_text("")
    for folder in ("old", "src/old"):
        Path(folder).mkdir(parents=True)
        Path(folder, "b.py").write_text(FAULT)
    monkeypatch.chdir("src")
    assert found(capsys, "--exclude", "old/b.py", "..") == 2
    assert found(capsys, "--exclude", "old", "..") == 2


def test_extend_select_brings_back_what_the_configuration_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(f"{RELEVANT}fault()\nhint()\n")
    Path("ddplint.toml").write_text("select = ['DDP1']")
    assert "DDP401" not in run(capsys, ".")[1]
    assert "DDP401" in run(capsys, "--extend-select", "DDP4", ".")[1]
    Path("ddplint.toml").write_text("ignore = ['DDP4']\nextend-select = ['init-without-timeout']")
    assert "DDP401" in run(capsys, ".")[1]


def test_settings_and_files_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ddplint.toml").write_text(
        "ignore = ['DDP4']\nexclude = ['b*']\n[rules.DDP101]\nseverity = 'advice'\n[certainty]\nown-value = 'low'"
    )
    Path("b.py").write_text(FAULT)
    code, out, _ = run(capsys, "--show-settings", "--jobs", "3", ".")
    assert code == 0
    own = Path("ddplint.toml").absolute()
    for line in (f'ignore = ["DDP4"]  # {own}', "jobs = 3  # command line", "strict = false  # default"):
        assert f"{line}\n" in out
    assert f'[rules.DDP101]  # {own}\nseverity = "advice"\n' in out
    assert out.startswith(f"# configuration: {own}\n")
    Path("again.toml").write_text(out)
    again = run(capsys, "--config", "again.toml", "--show-settings")[1]
    assert [line.partition("  # ")[0] for line in again.splitlines()[1:]] == [
        line.partition("  # ")[0] for line in out.splitlines()[1:]
    ]
    assert run(capsys, "--show-files", ".") == (0, "a.py\n", "")


def test_quiet_prints_findings_only(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert run(capsys, "--output-format", "concise", "-q", "a.py", "empty") == (
        1,
        "a.py:2:1: error: DDP101 fault reached [guarded-collective, high confidence]\n",
        "",
    )
    code, _, err = run(capsys, "-q", "missing.py")
    assert (code, err) == (2, "missing.py: error: no such file or folder\n")


def test_what_is_no_program_is_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text(f"{RELEVANT}fault()\n")
    assert run(capsys, "-q", "notes.txt") == (
        2,
        "",
        "notes.txt: error: not checked: neither Python nor a launch file by its name\n",
    )
    for name, text in {"tool.in": f"#!/usr/bin/env python3\n{FAULT}", "trainer": FAULT, "gui.pyw": FAULT}.items():
        Path(name).write_text(text)
        assert run(capsys, "-q", name)[0] == 1, name


def test_colours_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[" in run(capsys, "--color", "always", ".")[1]
    assert "\x1b[" not in run(capsys, "--color", "never", ".")[1]


def test_jobs_0_is_one_for_each_processor(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ddplint.toml").write_text("jobs = 2")
    assert "jobs = 0  # command line\n" in run(capsys, "--show-settings", "--jobs", "0")[1]


def test_clean_removes_the_cache_and_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DDPLINT_NO_CACHE", raising=False)
    run(capsys, ".")
    assert Path(".ddplint_cache").is_dir()
    code, out, _ = run(capsys, "clean")
    assert (code, out) == (0, f"removed {Path('.ddplint_cache').absolute()}\n")
    assert not Path(".ddplint_cache").exists()
    Path(".ddplint_cache").mkdir()
    Path(".ddplint_cache/mine").write_text("x")
    assert run(capsys, "clean")[1] == ""
    assert Path(".ddplint_cache/mine").exists()
