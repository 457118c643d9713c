"""What the README and the guides show is what the tool does. ``UPDATE_README=1`` rewrites the picture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.cli.usage import COMMANDS
from ddplint.config.settings import load_settings
from docs.picture import ASSETS, pictures

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
GUIDES = ROOT / "docs" / "pages"


def written() -> Iterator[tuple[str, str]]:
    """The pages written by hand, by name."""
    for path in (README, *sorted(GUIDES.rglob("*.md"))):
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_the_picture_is_what_the_tool_prints() -> None:
    for name, text in pictures().items():
        if os.environ.get("UPDATE_README"):
            (ASSETS / name).write_text(text, "utf-8")
        assert (ASSETS / name).read_text("utf-8") == text, (
            "out of date: UPDATE_README=1 ./test tests/cli/test_readme.py"
        )
        assert name in README.read_text("utf-8")


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = README.read_text("utf-8")
    assert len(text.encode()) <= 8192
    targets = re.findall(r"(?:\]\(|srcset=\"|src=\")([^)\"#]+)", text)
    assert len(targets) > 15
    for target in targets:
        assert (ROOT / target).exists(), target


def test_the_changelog_of_the_first_version_is_one_page() -> None:
    """What was refined before the first release is no change for anybody."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert len(text.splitlines()) <= 160
    assert len(re.findall(r"^### ", text, re.MULTILINE)) >= 6, "parts that a reader can choose from"


def test_the_configuration_shown_is_the_default_one_but_for_its_examples(tmp_path: Path) -> None:
    guide = (GUIDES / "guides" / "configuring.md").read_text("utf-8")
    shown = re.search(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert shown is not None
    (tmp_path / "pyproject.toml").write_text(shown[1], "utf-8")
    settings, default = load_settings([str(tmp_path)]), load_settings(["."], str(ROOT / "pyproject.toml"))
    for name in (
        "select",
        "ignore",
        "extend_select",
        "exclude",
        "force_exclude",
        "strict",
        "output_format",
        "unsafe_fixes",
        "min_confidence",
        "output",
        "exit_zero",
        "statistics",
        "show_advice",
        "show_all",
    ):
        assert getattr(settings, name) == getattr(default, name), name
    assert settings.knowledge.collectives == ("myproj.dist.all_mean",)


def test_every_key_of_the_configuration_is_in_the_guide() -> None:
    from ddplint.config.keys import KEYS, NAME_KEYS

    guide = (GUIDES / "guides" / "configuring.md").read_text("utf-8")
    for key in (*KEYS, *NAME_KEYS):
        assert re.search(rf"^(# )?{key} = |^\[tool\.ddplint\.{key}\b", guide, re.MULTILINE), key


def test_every_option_and_command_shown_exists(capsys: pytest.CaptureFixture[str]) -> None:
    options: set[str] = set()
    for command in ([], *([name] for name in COMMANDS)):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        options |= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    for name, text in written():
        lines = re.findall(r"^\$ (?:\.venv/bin/)?ddplint ([^\n#]*)", text, re.MULTILINE)
        for line in lines:
            assert set(re.findall(r"(?<!\S)--[a-z-]+", line)) <= options, (name, line)
        for word in re.findall(r"`ddplint ([a-z]+)\b[^`]*`", text):
            assert word in COMMANDS, (name, word)


def test_the_demo_shows_two_fixtures_in_less_than_sixty_lines(capfd: pytest.CaptureFixture[str]) -> None:
    script = (ROOT / "demo").read_text("utf-8")
    trainers = re.search(r"for trainer in (\w+) (\w+);", script)
    assert trainers is not None
    lines = len(script.partition("<<'END'\n")[2].splitlines()) - 1
    for trainer in trainers.groups():
        lines += 1
        for more in ([], ["--diff"]):
            assert main(["-q", *more, f"fixtures/{trainer}/train.py"]) == 1
            said = capfd.readouterr()
            assert said.err == ""
            assert said.out.strip()
            lines += len(said.out.splitlines()) + 1
    assert lines < 60


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
