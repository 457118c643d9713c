"""Taking the tool up where there are findings: baseline, suppressions, thresholds, changed lines, configurations."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

import ddplint
from ddplint.cli.main import main
from ddplint.config.keys import KEYS
from ddplint.config.schema import schema, schema_text
from ddplint.config.settings import Settings, SettingsError, load_settings
from tests.stub import RELEVANT, install

FAULT = f"{RELEVANT}fault()\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """Exit code, the findings as ``path:line CODE``, and what is on standard error."""
    code = main(["--output-format", "concise", *arguments])
    said = capsys.readouterr()
    lines = [line.split(" ") for line in said.out.splitlines() if re.search(r": (error|warning|advice): DDP", line)]
    return code, [f"{line[0].rpartition(':')[0].rpartition(':')[0]} {line[2]}" for line in lines], said.err


# Baseline


def test_a_baseline_leaves_out_what_is_known_although_lines_move(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", f"{RELEVANT}def f():\n    fault()\n")
    assert main(["--write-baseline", "known.json", "."]) == 0
    assert capsys.readouterr().out == "1 finding written to known.json.\n"
    assert run(capsys, "--baseline", "known.json") == (0, [], "")
    write("a.py", f"# new\n{RELEVANT}x = 1\ndef f():\n    fault()\n    fault()\n")
    assert run(capsys, "--baseline", "known.json") == (1, ["a.py:6 DDP101"], "")
    write("ddplint.toml", 'baseline = "known.json"')
    assert run(capsys, "a.py")[1] == ["a.py:6 DDP101"]


def test_a_baseline_tells_which_entries_are_stale(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.py", "b.py", "c.py"):
        write(name, FAULT)
    main(["--write-baseline", "known.json", "."])
    capsys.readouterr()
    write("a.py", RELEVANT)
    Path("c.py").unlink()
    code, found, err = run(capsys, "--baseline", "known.json", ".")
    assert (code, found) == (0, [])
    assert err == (
        "known.json: warning: 2 entries are stale (first: DDP101 in a.py); --write-baseline brings it up to date\n"
    )
    assert "1 entry is stale (first: DDP101 in c.py)" in run(capsys, "--baseline", "known.json", "b.py")[2]
    assert "c.py" in run(capsys, "--baseline", "known.json", "--select", "DDP4", "a.py", "b.py")[2]


def test_a_baseline_is_the_same_wherever_the_tool_is_started(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("src/a.py", FAULT)
    write("ddplint.toml", 'baseline = "known.json"')
    main(["--write-baseline", "known.json", "."])
    first = Path("known.json").read_text()
    monkeypatch.chdir("src")
    capsys.readouterr()
    assert run(capsys, "a.py") == (0, [], "")
    main(["--write-baseline", "../known.json", "a.py"])
    assert Path("../known.json").read_text() == first


def test_fix_leaves_what_is_known_alone(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", FAULT)
    main(["--write-baseline", "known.json", "."])
    assert main(["--fix", "--baseline", "known.json", "a.py"]) == 0
    assert Path("a.py").read_text() == FAULT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "known.json: error: baseline cannot be read: No such file or directory; --write-baseline writes one\n"),
        ("{", "known.json: error: no baseline of ddplint: JSONDecodeError: "),
        ("[]", "known.json: error: no baseline of ddplint: TypeError: "),
        ('{"format": "x", "version": 1}', "known.json: error: no baseline of ddplint: ValueError: version 1 of 'x'\n"),
        (
            '{"format": "ddplint-baseline", "version": 1, "findings": [{"fingerprint": 1}]}',
            "known.json: error: no baseline of ddplint: TypeError: fingerprint is no text\n",
        ),
    ],
)
def test_a_bad_baseline_is_one_line(text: str | None, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if text is not None:
        write("known.json", text)
    code, _, err = run(capsys, "--baseline", "known.json", ".")
    assert (code, err.count("\n"), err.startswith(said)) == (2, 1, True), err


def test_a_baseline_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", FAULT)
    assert main(["--write-baseline", "no/known.json", "."]) == 2
    assert capsys.readouterr().err == "error: --write-baseline no/known.json: there is no folder no\n"
    assert main(["--write-baseline", ".", "."]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("other", [["--fix"], ["--diff"], ["--add-ignores", "x"], ["-"]])
def test_a_baseline_is_not_written_while_something_else_is_done(
    other: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    class Stdin:
        buffer = io.BytesIO(b"")

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert main(["--write-baseline", "k.json", *other]) == 2
    assert capsys.readouterr().err.startswith("error: --write-baseline cannot be combined with ")


# Unused suppressions


def test_unused_comments_are_told_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "a.py", f"{RELEVANT}fault()  # ddplint: ignore[DDP101, DDP201] x\nx = 1  # noqa  # ddplint: ignore[DDP201] y\n"
    )
    code, found, err = run(capsys, ".")
    assert (code, found) == (0, [])
    assert err.splitlines() == [
        "a.py:2:10: warning: unused suppression of DDP201; --fix removes it",
        "a.py:3:16: warning: unused suppression of DDP201; --fix removes it",
    ]
    assert run(capsys, "--fix", ".") == (0, [], "")
    assert Path("a.py").read_text() == f"{RELEVANT}fault()  # ddplint: ignore[DDP101] x\nx = 1  # noqa\n"
    assert run(capsys, ".") == (0, [], "")


def test_a_comment_line_that_is_left_with_nothing_goes(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", f"# ddplint: ignore-file[DDP101] x\n{RELEVANT}hint()\n")
    main(["--diff", "."])
    assert "-# ddplint: ignore-file[DDP101] x" in capsys.readouterr().out
    main(["--fix", "."])
    assert Path("a.py").read_text() == f"{RELEVANT}hint()\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.py"],  # a walk that begins in another file may find it
        ["--select", "DDP4", "."],  # the rule was not run
    ],
)
def test_comments_that_may_be_of_use_are_not_called_unused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write("a.py", f"{RELEVANT}x = 1  # ddplint: ignore[DDP101] x\n")
    assert run(capsys, *arguments) == (0, [], "")


def test_a_comment_on_a_finding_that_is_not_sure_enough_is_of_use(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", f"{RELEVANT}guess()  # ddplint: ignore[unguarded-save] x\n")
    assert run(capsys, ".") == (0, [], "")


def test_nothing_is_called_unused_where_something_could_not_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", f"{RELEVANT}x = 1  # ddplint: ignore[DDP101] x\n")
    write("b.py", f"{RELEVANT}def (\n")
    assert "unused" not in run(capsys, ".")[2]


# --add-ignores


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fault()\n", "fault()  # ddplint: ignore[DDP101] later\n"),
        ("fault()", "fault()  # ddplint: ignore[DDP101] later"),
        ("fault()  # noqa\n", "fault()  # noqa  # ddplint: ignore[DDP101] later\n"),
        ("x = [\n fault(),\n hint()\n]\n", "x = [\n fault(),\n hint()\n]  # ddplint: ignore[DDP101, DDP401] later\n"),
        ("fault(); hint()\r\n", "fault(); hint()  # ddplint: ignore[DDP101, DDP401] later\r\n"),
        ("if fault():\n    pass\n", "if fault():  # ddplint: ignore[DDP101] later\n    pass\n"),
        ("if x: fault()\n", "if x: fault()  # ddplint: ignore[DDP101] later\n"),
        ("hint(); fault()  # ddplint: ignore[DDP401] y\n", "hint(); fault()  # ddplint: ignore[DDP401, DDP101] y\n"),
        ("x = fault() + \\\n  '''\n  '''\n", "x = fault() + \\\n  '''\n  '''  # ddplint: ignore[DDP101] later\n"),
    ],
)  # fmt: skip
def test_ignores_are_added_where_they_count(before: str, after: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_bytes((RELEVANT + before).encode())
    assert main(["--add-ignores", "later", "a.py"]) == 0
    assert Path("a.py").read_bytes().decode() == RELEVANT + after
    capsys.readouterr()
    assert run(capsys, "--strict", ".") == (0, [], "")


def test_add_ignores_wants_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", FAULT)
    for reason in ("", "  ", "two\nlines"):
        assert main(["--add-ignores", reason, "a.py"]) == 2
        assert capsys.readouterr().err == "error: --add-ignores needs a reason of one line\n"
    Path("a.py").write_bytes(b"# coding: latin-1\n" + FAULT.encode())
    assert main(["--add-ignores", "数", "a.py"]) == 2
    assert "error: the reason has characters that" in capsys.readouterr().err


# Thresholds


def test_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", f"{RELEVANT}fault()\nguess()\nhint()\n")
    every = ["a.py:2 DDP101", "a.py:3 DDP201", "a.py:4 DDP401"]
    assert run(capsys, "--min-confidence", "low", "a.py")[1] == every
    assert run(capsys, "--min-confidence", "low", "--min-severity", "warning", "a.py")[1] == every[:2]
    assert run(capsys, "--min-severity", "error", "a.py")[1] == every[:1]
    write("ddplint.toml", 'min-severity = "error"')
    assert run(capsys, "a.py")[1] == every[:1]
    with pytest.raises(SystemExit):
        run(capsys, "--min-severity", "grave", "a.py")
    assert "'grave' is none of error, warning, advice" in capsys.readouterr().err


# Changed lines


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_diff_base_tells_what_changed_lines_have_to_do_with(capsys: pytest.CaptureFixture[str]) -> None:
    git("init", "-q", "-b", "main")
    write("a.py", f"{RELEVANT}fault()\nx = 1\n")
    git("add", "a.py")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "work")
    write("a.py", f"{RELEVANT}# above\nfault()\nx = 1\nfault()\n")
    assert run(capsys, "--diff-base", "main") == (1, ["a.py:5 DDP101"], "")
    git("commit", "-qam", "second")
    write("b.py", FAULT)
    assert run(capsys, "--diff-base", "main")[1] == ["a.py:5 DDP101", "b.py:2 DDP101"]
    assert run(capsys, "--diff-base", "HEAD")[1] == ["b.py:2 DDP101"]
    git("checkout", "-q", "main")
    write("c.py", FAULT)
    git("add", "c.py")
    git("commit", "-qm", "on main")
    git("checkout", "-q", "work")
    assert run(capsys, "--diff-base", "main")[1] == ["a.py:5 DDP101", "b.py:2 DDP101"]


def test_a_changed_guard_counts_for_what_it_guards(capsys: pytest.CaptureFixture[str]) -> None:
    from ddplint.engine.judging.diff_base import ChangedLines, changed_since
    from tests.stub import diagnostics

    finding = diagnostics()
    git("init", "-q", "-b", "main")
    write("train.py", finding.place.file.text.replace("should_diag = rank == 0", "should_diag = True"))
    git("add", ".")
    git("commit", "-qm", "first")
    changed = changed_since("main", Path())
    assert isinstance(changed, ChangedLines)
    assert changed.touches(finding)
    write("train.py", finding.place.file.text)
    git("commit", "-qam", "second")
    assert not changed_since("main", Path()).touches(finding)


def test_diff_base_without_repository_or_revision_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", FAULT)
    code, _, err = run(capsys, "--diff-base", "main")
    assert (code, err.count("\n"), err.endswith("is in no repository of git\n")) == (2, 1, True), err
    git("init", "-q")
    for revision in ("nowhere", "--output=x", ""):
        assert run(capsys, f"--diff-base={revision}")[0] == (2 if revision else 1)


# Configurations


def test_extend_takes_what_is_left_open_from_another_file(tmp_path: Path) -> None:
    write(
        "shared/base.toml",
        'strict = true\nignore = ["DDP1"]\n[per-file-ignores]\n"a" = ["DDP4"]\n[knowledge]\nsanitizers = ["x.y"]\n',
    )
    write(
        "pyproject.toml",
        '[tool.ddplint]\nextend = "shared/base.toml"\nignore = []\n[tool.ddplint.per-file-ignores]\n"b" = ["DDP4"]\n'
        '[tool.ddplint.knowledge]\nsanitizers = ["z.w"]\n',
    )
    settings = load_settings(["."])
    assert (settings.strict, settings.ignore, settings.root) == (True, (), tmp_path)
    assert [pattern for pattern, _ in settings.per_file_ignores] == ["a", "b"]
    assert settings.knowledge.sanitizers == ("x.y", "z.w")


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ('extend = "ddplint.toml"', "base.toml: error: extend: ddplint.toml extends this file in turn"),
        ("strict = 1", "base.toml: error: strict must be true or false, not 1"),
        (None, "ddplint.toml: error: extend: there is no file "),
    ],
)
def test_what_cannot_be_extended_is_one_line(base: str | None, said: str) -> None:
    write("ddplint.toml", 'extend = "base.toml"')
    if base is not None:
        write("base.toml", base)
    with pytest.raises(SettingsError) as caught:
        load_settings(["."])
    assert said in str(caught.value)


def test_a_folder_may_have_a_configuration_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.py", "lib/a.py", "lib/gen/b.py", "lib/deep/c.py"):
        write(name, f"{RELEVANT}fault()\nhint()\n")
    write("ddplint.toml", "strict = true")
    write("lib/ddplint.toml", 'select = ["DDP4"]\nexclude = ["gen/"]')
    write("lib/deep/pyproject.toml", '[tool.ddplint]\nextend = "../ddplint.toml"\nignore = ["DDP401"]')
    assert run(capsys)[1] == ["a.py:2 DDP101", "a.py:3 DDP401", "lib/a.py:3 DDP401"]
    assert run(capsys, "--ignore", "DDP4")[1] == ["a.py:2 DDP101"]
    assert run(capsys, "--config", "ddplint.toml", "lib/a.py")[1] == ["lib/a.py:2 DDP101", "lib/a.py:3 DDP401"]
    write("lib/ddplint.toml", "select = [1]")
    assert run(capsys)[0] == 2


# The schema


def test_the_schema_is_the_one_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Path(ddplint.__file__).parent / "config.schema.json"
    assert kept.read_text("utf-8") == schema_text(), "python -m ddplint schema > ddplint/config.schema.json"
    jsonschema.Draft202012Validator.check_schema(schema())
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == schema_text()
    fields = set(Settings.__dataclass_fields__) | {"extend"}
    assert {name.replace("-", "_") for name in KEYS} <= fields
    others = {"root", "config", "explicit", "chosen", "diff_base", "origins", "sources"}
    assert fields - {name.replace("-", "_") for name in KEYS} == others


def test_the_schema_takes_what_the_settings_take() -> None:
    from tests.config.test_settings import EVERYTHING

    try:
        import tomllib
    except ModuleNotFoundError:
        import tomli as tomllib
    jsonschema.validate(tomllib.loads(EVERYTHING), schema())
    for wrong in ({"selct": []}, {"strict": 1}, {"output": ["xml"]}, {"knowledge": {"x": []}}, {"min-severity": "bad"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema())
