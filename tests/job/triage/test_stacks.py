"""Stacks of processes that hang. Both were taken from one real run of the fixture ``guarded_eval`` with two ranks:

``faulthandler.log`` is what ``faulthandler.dump_traceback_later`` wrote under ``torchrun --tee 3``, ``spy_rank*.txt`` what
``py-spy dump`` printed for each process. Paths of the machine are replaced.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.verdict import judge
from fixtures.harness.fixture import ROOT

STACKS = Path(__file__).parent / "data" / "stacks"
LOGS = {"faulthandler": [STACKS / "faulthandler.log"], "py-spy": sorted(STACKS.glob("spy_rank*.txt"))}


@pytest.mark.parametrize("tool", LOGS)
def test_stacks_name_the_planted_line(
    tool: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["triage", *map(str, LOGS[tool]), "--source", "guarded_eval", "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["cause"], record["also"], record["waiting"], record["fits"]) == ("diverged", [], [0, 1], True)
    assert record["places"][0]["place"] == "guarded_eval/train.py:86"
    assert any("rank 1 waits in barrier" in text for text in record["sentences"])
    assert any("rank 0 waits in forward" in text for text in record["sentences"])


SPIED = """\
Process {pid}: python train.py --local-rank={rank}
Python v3.11.7

Thread {pid} (idle): "MainThread"
{frames}
Thread {other} (active): "QueueFeederThread"
    wait (threading.py:327)
    _bootstrap (threading.py:1002)
"""
REDUCE = (
    "    all_reduce (torch/distributed/distributed_c10d.py:3174)\n    wrapper (torch/distributed/c10d_logger.py:83)\n"
)


def spied(tmp_path: Path, *stacks: str) -> Evidence:
    path = tmp_path / "all.txt"
    texts = [SPIED.format(pid=10 + rank, other=90, rank=rank, frames=stack) for rank, stack in enumerate(stacks)]
    path.write_text("".join(texts))
    evidence = Evidence()
    read_logs([str(path)], evidence)
    return evidence


def test_one_file_for_all_processes(tmp_path: Path) -> None:
    step, save = "    step (train.py:9)\n", "    save (train.py:40)\n    main (train.py:90)\n"
    verdict = judge(spied(tmp_path, save, REDUCE + step, REDUCE + step))
    assert (verdict.cause, verdict.also, verdict.missing, verdict.waiting) == ("diverged", ["slow"], (0,), (1, 2))


def test_all_at_one_line_is_no_divergence(tmp_path: Path) -> None:
    verdict = judge(spied(tmp_path, *[REDUCE + "    step (train.py:9)\n"] * 2))
    assert verdict.cause == "slow"
    assert any("all of them at one line" in text for text in verdict.sentences)


def test_stacks_outside_of_collectives_say_nothing(tmp_path: Path) -> None:
    assert judge(spied(tmp_path, "    load (train.py:1)\n", "    step (train.py:2)\n")).cause == "healthy"
