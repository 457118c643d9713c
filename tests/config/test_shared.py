"""Settings for many repositories: ``extend`` from a package, ``DDPLINT_CONFIG``, and where each setting comes from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.config.levels import Confidence
from ddplint.config.settings import SettingsError, load_settings


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The installed package ``acme_lint``, whose import would fail; the current folder is a project beside it."""
    package = tmp_path / "site" / "acme_lint"
    (package / "profiles").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "ddplint.toml").write_text(
        "min-severity = 'warning'\nstrict = true\nbaseline = 'known.json'\n[rules.DDP401]\nseverity = 'error'\n"
    )
    (package / "profiles" / "gate.toml").write_text("extend = '../ddplint.toml'\nmin-severity = 'error'\n")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    monkeypatch.chdir(project)
    return project


def test_a_package_is_extended_and_not_imported(packaged: Path) -> None:
    (packaged / "ddplint.toml").write_text("extend = 'acme_lint.profiles:gate.toml'\nstrict = false\n")
    settings = load_settings(["."])
    assert (settings.min_severity.value, settings.strict) == ("error", False)
    assert settings.baseline == packaged / "known.json", "files are those of the project, not of the package"
    assert [one.name for one in settings.sources] == ["ddplint.toml", "gate.toml", "ddplint.toml"]
    assert "acme_lint" not in sys.modules


def test_of_every_table_both_files_count(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text("[certainty]\nown-value = 'low'\ntiming = 'low'\n")
    (tmp_path / "ddplint.toml").write_text("extend = 'base.toml'\n[certainty]\ntiming = 'off'\n")
    found = {reason.value: level for reason, level in load_settings([str(tmp_path)]).certainty}
    assert found == {"own-value": Confidence.LOW, "timing": None}, "the nearer file has the last word"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acme_missing:ddplint.toml", "the package acme_missing is not installed for this Python"),
        ("acme_lint:none.toml", "the package acme_lint has no file none.toml"),
        ("acme_lint:../../outside.toml", "../../outside.toml is not a file within the package acme_lint"),
        ("sys:x.toml", "the package sys is not installed for this Python"),
        ("none.toml", "there is no file "),
    ],
)
def test_what_cannot_be_extended_is_one_line(text: str, said: str, packaged: Path) -> None:
    (packaged / "ddplint.toml").write_text(f"extend = '{text}'\n")
    with pytest.raises(SettingsError, match=r"ddplint\.toml: error: extend: ") as refused:
        load_settings(["."])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_variable_speaks_where_the_project_is_silent(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDPLINT_CONFIG", "acme_lint:ddplint.toml")
    alone = load_settings(["."])
    assert (alone.strict, alone.baseline, alone.root) == (True, packaged / "known.json", packaged)
    (packaged / "ddplint.toml").write_text("strict = false\n[rules.DDP101]\nseverity = 'warning'\n")
    both = load_settings(["."])
    assert (both.strict, both.min_severity.value) == (False, "warning")
    assert [code for code, _ in both.rules] == ["DDP401", "DDP101"]
    assert not load_settings(["."], "ddplint.toml").sources[1:], "--config is all that holds"
    assert load_settings(["."], "acme_lint:profiles/gate.toml").min_severity.value == "error"
    monkeypatch.setenv("DDPLINT_CONFIG", "none.toml")
    with pytest.raises(SettingsError, match=r"^error: DDPLINT_CONFIG: there is no file "):
        load_settings(["."])


def test_each_setting_is_shown_with_its_origin(
    packaged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (packaged / "base.toml").write_text("ignore = ['DDP4']\n[per-file-ignores]\n'old/*' = ['DDP1']\n")
    own = packaged / "ddplint.toml"
    own.write_text("extend = 'base.toml'\nexclude = ['gen/']\n[per-file-ignores]\n'new/*' = ['DDP2']\n")
    monkeypatch.setenv("DDPLINT_CONFIG", "acme_lint:ddplint.toml")
    assert main(["--show-settings", "--ignore", "DDP5", "--strict"]) == 0
    shown = capsys.readouterr().out
    base, shared = packaged / "base.toml", packaged.parent / "site" / "acme_lint" / "ddplint.toml"
    for line in (
        f"# configuration: {own}",
        f"# extended: {base}",
        f"# extended: {shared}",
        f'exclude = ["gen/"]  # {own}',
        f'ignore = ["DDP4", "DDP5"]  # {base}, command line',
        "strict = true  # command line",
        f'min-severity = "warning"  # {shared}',
        "exit-zero = false  # default",
        f"[per-file-ignores]  # {base}, {own}",
    ):
        assert f"{line}\n" in shown, line


def test_a_folder_of_its_own_extends_a_package_too(packaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (packaged / "ddplint.toml").write_text("strict = true\n")
    (packaged / "inner").mkdir()
    (packaged / "inner" / "ddplint.toml").write_text("extend = 'acme_lint:none.toml'\n")
    (packaged / "inner" / "train.py").write_text("import torch.distributed as dist\n")
    assert main(["."]) == 2
    assert "the package acme_lint has no file none.toml" in capsys.readouterr().err
