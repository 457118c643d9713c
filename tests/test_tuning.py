"""``[tool.ddplint.rules.CODE]``: severities and options of single rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import SettingsError, load_settings
from ddplint.engine.checker import Checker, check
from ddplint.fixing.edit.loop import fix_files
from ddplint.rule import Severity

INIT = 'import torch.distributed as dist\n\ndist.init_process_group("gloo")\ndist.barrier()\n'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(INIT)


def severity(configuration: str) -> list[Severity]:
    Path("ddplint.toml").write_text(configuration)
    return [one.severity for one in check(["train.py"], load_settings(["train.py"])).findings if one.code == "DDP401"]


def test_a_severity_holds_for_all_findings_of_the_rule() -> None:
    assert severity("") == [Severity.ADVICE]
    assert severity("[rules.DDP401]\nseverity = 'error'") == [Severity.ERROR]
    assert severity("[rules.init-without-timeout]\nseverity = 'warning'") == [Severity.WARNING]
    assert severity("[rules.DDP101]\nseverity = 'warning'") == [Severity.ADVICE]
    assert severity("min-severity = 'error'\n[rules.DDP401]\nseverity = 'error'") == [Severity.ERROR]


def test_a_folder_has_its_own() -> None:
    Path("sub").mkdir()
    Path("sub/train.py").write_text(INIT)
    Path("sub/ddplint.toml").write_text("[rules.DDP401]\nseverity = 'error'")
    found = [one for one in check(["."], load_settings(["."])).findings if one.code == "DDP401"]
    assert [(one.place.file.path, one.severity.value) for one in found] == [
        ("sub/train.py", "error"),
        ("train.py", "advice"),
    ]


@pytest.mark.parametrize(
    ("options", "written"),
    [("minutes = 45", "timeout=timedelta(minutes=45)"), ("env = 'PATIENCE'", 'os.environ.get("PATIENCE"')],
)
def test_the_options_on_the_page_of_ddp401_change_its_fix(options: str, written: str) -> None:
    Path("ddplint.toml").write_text(f"[rules.DDP401]\n{options}")
    checker = Checker(load_settings(["train.py"]), live=True)
    report = checker.check(["train.py"])
    done = fix_files(report.walked, checker.again, unsafe=False, write=False, announce=checker.replaced)
    assert written in done.files[0].after.text


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        ("[rules.DDP777]\nseverity = 'error'", "rules.DDP777: unknown rule 'DDP777'"),
        ("[rules.DDP401]\nminuts = 3", "rules.DDP401: unknown option 'minuts'; did you mean 'minutes'?"),
        ("[rules.DDP101]\nlimit = 3", "rules.DDP101: unknown option 'limit' (there is severity)"),
        ("[rules.DDP401]\nminutes = 'x'", "rules.DDP401.minutes must be a number from 1 up, not 'x'"),
        ("[rules.DDP401]\nseverity = 'fatal'", "rules.DDP401.severity must be one of"),
        ("rules = 3", "rules must be a table of rules, not 3"),
        ("select = ['DDP1x']", "select: unknown rule 'DDP1x'"),
        ("[per-file-ignores]\n'a.py' = ['DDP77']", "per-file-ignores.'a.py': unknown rule 'DDP77'"),
        ("[tool.ddplint]\nselect = []", "ddplint.toml has no prefix"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(configuration: str, said: str) -> None:
    Path("ddplint.toml").write_text(configuration)
    with pytest.raises(SettingsError) as caught:
        check(["train.py"], load_settings(["train.py"]))
    assert "ddplint.toml: error: " in str(caught.value)
    assert said in str(caught.value)
