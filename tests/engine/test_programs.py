"""How many programs have a finding: what more of them come to is shown first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main

HELPERS = """\
import torch.distributed as dist


def rare():
    if dist.get_rank() == 0:
        dist.barrier()


def common():
    if dist.get_rank() == 0:
        dist.barrier()
"""
TRAINER = """\
import torch.distributed as dist

from helpers import common, rare

dist.init_process_group("gloo")
{call}()
dist.destroy_process_group()
"""


def test_the_finding_of_more_programs_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("helpers.py").write_text(HELPERS)
    for name, call in (("one", "rare"), ("two", "common"), ("three", "common")):
        Path(f"{name}.py").write_text(TRAINER.format(call=call))
    main(["--no-cache", "--select", "DDP101", "--output-format", "json"])
    found = {one["place"]["line"]: one["programs"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert found == {6: 1, 11: 2}
    main(["--no-cache", "--select", "DDP101"])
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("helpers.py:")]
    assert [line.split(" ")[0] for line in heads] == ["helpers.py:11:9:", "helpers.py:6:9:"]
    assert heads[0].endswith("[guarded-collective, high confidence, 2 programs]")
