"""Every finding says why it is as sure as it is; settings can lower a reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.config.levels import Confidence
from ddplint.config.reasons import Because
from ddplint.findings.certainty import Certainty, sure

TOP = Path(__file__).parents[2]
EVERYWHERE = """\
import os
import torch.distributed as dist

dist.init_process_group("gloo")
os.makedirs("runs")
if dist.get_rank() == 0:
    dist.barrier()
"""


def test_the_least_sure_reason_decides() -> None:
    both = sure((Because.RANK_DECIDES, Because.UNSEEN_CALLERS))
    assert both.level is Confidence.MEDIUM
    assert both.deciding == (Because.UNSEEN_CALLERS,)
    assert both.text == f"medium: {Because.UNSEEN_CALLERS.text}"
    assert both.also(Because.PERHAPS_RANK).level is Confidence.LOW
    assert both.also(Because.UNSEEN_CALLERS) == both


def test_settings_lower_and_say_so() -> None:
    lowered = sure(Because.RANK_DECIDES).at_most(Confidence.MEDIUM)
    assert lowered.level is Confidence.MEDIUM
    assert lowered.text == f"medium (lowered by the settings): {Because.RANK_DECIDES.text}"
    assert Certainty((Because.PERHAPS_RANK,)).at_most(Confidence.MEDIUM).level is Confidence.LOW


def test_a_finding_without_a_reason_cannot_be_made() -> None:
    """So every finding of the snapshot answers why it is no surer."""
    with pytest.raises(ValueError, match="without a reason"):
        sure(())


def test_every_reason_is_on_the_page_with_its_level() -> None:
    text = (TOP / "docs" / "pages" / "reference" / "certainty.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (high|medium|low) \| ([^|]+?) \|", text, re.MULTILINE)
    assert [row[:3] for row in rows] == [(one.value, one.level.value, one.text) for one in Because]


def test_rules_give_reasons_and_no_levels() -> None:
    rules = TOP / "rules" / "ddplint_rules"
    assert [str(path) for path in sorted(rules.rglob("*.py")) if "Confidence" in path.read_text(encoding="utf-8")] == []


def test_every_reason_is_given_somewhere() -> None:
    files = [*(TOP / "rules").rglob("*.py"), *(TOP / "ddplint").rglob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert [one.name for one in Because if text.count(f"Because.{one.name}") < 2] == []


def run(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main([*arguments, str(folder / "train.py")])
    return capsys.readouterr().out


def reasons(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    found = json.loads(run(folder, capsys, "--output-format", "json"))["findings"]
    return {one["code"]: [each["reason"] for each in one["because"]] for one in found}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(EVERYWHERE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_reports_say_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"sure: high: {Because.RANK_DECIDES.text}" in run(folder, capsys, "--verbose")
    assert "sure:" not in run(folder, capsys)
    assert reasons(folder, capsys)["DDP101"] == ["rank-decides"]


def test_a_reason_that_is_off_leaves_its_findings_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = reasons(folder, capsys)
    (folder / "ddplint.toml").write_text('[certainty]\nrank-decides = "off"\n', encoding="utf-8")
    assert reasons(folder, capsys) == {code: why for code, why in before.items() if "rank-decides" not in why}
    (folder / "ddplint.toml").write_text('[certainty]\nrank-decides = "low"\n', encoding="utf-8")
    assert "DDP101" not in reasons(folder, capsys)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('rank-decide = "off"', "unknown reason 'certainty.rank-decide'"),
        ('rank-decides = "high"', "certainty.rank-decides must be one of 'off', 'low', 'medium', not 'high'"),
    ],
)
def test_a_wrong_setting_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], table: str, said: str) -> None:
    (folder / "ddplint.toml").write_text(f"[certainty]\n{table}\n", encoding="utf-8")
    assert main([str(folder / "train.py")]) == 2
    assert said in capsys.readouterr().err
