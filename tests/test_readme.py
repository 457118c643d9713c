"""What the README shows is what the tool does. ``UPDATE_README=1`` rewrites the parts that are made from it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.cli import main
from ddplint.pages import table
from ddplint.registry import load_rules
from ddplint.settings import load_settings

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
EXAMPLE = re.compile(r"(<!-- example: (?P<path>\S+) -->\n```text\n)(?P<shown>.*?)(```)", re.DOTALL)
RULES = re.compile(r"(<!-- rules -->\n)(?P<shown>.*?)(<!-- end of rules -->)", re.DOTALL)


def compare(pattern: re.Pattern[str], expected: str) -> None:
    text = README.read_text("utf-8")
    found = pattern.search(text)
    assert found is not None
    if os.environ.get("UPDATE_README"):
        text = text[: found.start("shown")] + expected + text[found.end("shown") :]
        README.write_text(text, "utf-8")
    else:
        assert found["shown"] == expected, "the README is out of date: UPDATE_README=1 ./test tests/test_readme.py"


def test_the_example_is_what_the_tool_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    found = EXAMPLE.search(README.read_text("utf-8"))
    assert found is not None
    assert main([found["path"]]) == 1
    compare(EXAMPLE, capsys.readouterr().out)


def test_the_table_has_every_rule() -> None:
    lines = ["| code | name | severity | what it does |", "| --- | --- | --- | --- |"]
    lines += [f"| {code} | {name} | {severity} | {text} |" for code, name, severity, text in table(load_rules().rules)]
    compare(RULES, "\n".join(lines) + "\n")


def test_the_configuration_shown_is_the_default_one_but_for_its_examples(tmp_path: Path) -> None:
    shown = re.search(r"```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    (tmp_path / "pyproject.toml").write_text(shown[1], "utf-8")
    settings, default = load_settings([str(tmp_path)]), load_settings(["."], str(ROOT / "pyproject.toml"))
    for name in (
        "select",
        "ignore",
        "exclude",
        "strict",
        "output_format",
        "unsafe_fixes",
        "min_confidence",
        "output",
        "exit_zero",
        "statistics",
    ):
        assert getattr(settings, name) == getattr(default, name), name
    assert settings.knowledge.collectives == ("myproj.dist.all_mean",)


def test_every_option_shown_exists(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert options <= {"--fix", *re.findall(r"--[a-z-]+", README.read_text("utf-8") + OTHER)}
    for command in ("triage", "doctor"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        options |= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"ddplint[^\n`]* (--[a-z-]+)", README.read_text("utf-8"))) <= options


OTHER = (
    "--help --version --config --verbose --quiet --color --extend-select --exclude --force-exclude --show-settings"
    " --show-files --exit-non-zero-on-fix"
)


def test_the_hooks_are_valid_and_run_the_tool() -> None:
    pytest.importorskip("pre_commit")
    for verb, name in (("validate-manifest", ".pre-commit-hooks.yaml"), ("validate-config", ".pre-commit-config.yaml")):
        command = [sys.executable, "-m", "pre_commit", verb, str(ROOT / name)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr.decode()
    assert re.findall(r"entry: (.*)", (ROOT / ".pre-commit-hooks.yaml").read_text()) == [
        "ddplint --force-exclude",
        "ddplint --force-exclude --fix",
        "ddplint --force-exclude --select DDP5",
    ]


@pytest.mark.parametrize("script", ["demo", "test", ".ci/run", ".ci/environment"])
def test_scripts_are_plain_shell(script: str) -> None:
    assert subprocess.run(["sh", "-n", str(ROOT / script)], check=False).returncode == 0
    assert script == ".ci/environment" or os.access(ROOT / script, os.X_OK)
