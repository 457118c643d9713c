"""Looking for the setting of a transport that makes a failing probe work, with real processes but without NCCL.

A probe is any command. What NCCL does under these settings was not run: there is no GPU here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.doctor.bisect import Change, changes, search
from ddplint.job.doctor.fresh import run_once
from ddplint.job.doctor.trials import advice, verdict
from ddplint.knowledge import load_knowledge

A, B, C = (Change(name, "1", "") for name in ("A", "B", "C"))
OUT = Change("X", None, "")
FAILS_UNLESS = "import os, sys; sys.exit(not ({}))"


def found(*works: set[str], taken: Sequence[Change] = (), given: Sequence[Change] = (A, B, C)) -> list[str] | None:
    """What the search gives when the probe works exactly with supersets of one of ``works``."""

    def attempt(some: Sequence[Change]) -> str:
        names = {str(one) for one in some}
        return "" if any(need <= names for need in works) else "it hangs"

    outcome = search(attempt, taken, given)
    return None if outcome.works is None else [str(one) for one in outcome.works]


def test_the_least_change() -> None:
    assert found(set()) == []
    assert found({"B=1"}) == ["B=1"]
    assert found({"C=1"}, {"B=1"}) == ["B=1"], "what costs least comes first"
    assert found({"A=1", "C=1"}) == ["A=1", "C=1"]
    assert found({"D=1"}) is None
    assert found({"without X"}, {"A=1"}, taken=[OUT]) == ["without X"], "undoing comes before setting"
    assert found({"without X", "B=1"}, taken=[OUT]) == ["without X", "B=1"]


def test_a_probe_that_fails_now_and_then() -> None:
    answers = iter(["fails", "fails", "", ""])
    outcome = search(lambda _: next(answers), [], [A, B])
    assert outcome.unsteady
    assert outcome.works is None
    assert "now and then" in verdict(outcome).text


def test_what_is_tried_comes_from_the_table() -> None:
    names = {one.name for one in load_knowledge().trials()}
    assert names >= {"NCCL_SHM_DISABLE", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "TORCH_NCCL_BLOCKING_WAIT"}
    taken, given = changes({"NCCL_P2P_LEVEL": "SYS", "NCCL_IB_DISABLE": "1", "NCCL_DEBUG": "INFO", "HOME": "/"}, "nccl")
    assert [one.name for one in taken] == ["NCCL_IB_DISABLE", "NCCL_P2P_LEVEL"]
    assert "NCCL_IB_DISABLE" not in {one.name for one in given}
    assert [one.name for one in changes({"NCCL_P2P_LEVEL": "SYS"}, "gloo")[1]] == ["GLOO_SOCKET_IFNAME"]


@pytest.mark.parametrize(
    ("condition", "settings", "lines"),
    [
        ("os.environ.get('NCCL_P2P_DISABLE') == '1'", {}, ["export NCCL_P2P_DISABLE=1"]),
        ("'NCCL_ALGO' not in os.environ", {"NCCL_ALGO": "Tree", "NCCL_PROTO": "LL"}, ["unset NCCL_ALGO"]),
        (
            "{'NCCL_SHM_DISABLE', 'NCCL_IB_DISABLE'} <= set(os.environ)",
            {},
            ["export NCCL_SHM_DISABLE=1", "export NCCL_IB_DISABLE=1"],
        ),
    ],
)
def test_with_a_probe_of_ones_own(
    condition: str,
    settings: dict[str, str],
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in os.environ if name.startswith(("NCCL_", "MASTER_", "RANK", "WORLD_"))]:
        monkeypatch.delenv(name)
    for name, text in settings.items():
        monkeypatch.setenv(name, text)
    probe = f'{sys.executable} -S -c "{FAILS_UNLESS.format(condition)}"'
    assert main(["doctor", "--bisect", "--probe", probe, "--backend", "nccl", "--timeout", "20"]) == 1
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.startswith(("export ", "unset "))] == lines
    assert "not to be kept" in out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    probe = f"{sys.executable} -S -c 1"
    assert main(["doctor", "--bisect", "--probe", probe, "--output-format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)["bisect"]
    assert (record["works"], len(record["attempts"]), record["advice"]) == ({}, 1, [])


def test_options_that_need_each_other(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    assert main(["doctor", "--bisect"]) == 2
    assert main(["doctor", "--probe", "true"]) == 2
    assert "--probe" in capsys.readouterr().err


def test_a_probe_that_never_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(2); open({str(mark)!r}, 'w')"
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
    assert run_once([sys.executable, "-c", parent], os.environ, 0.5).startswith("not done after 0.5 s")
    assert run_once(["/no/such/program"], os.environ, 1).startswith("/no/such/program cannot be started")
    run_once([sys.executable, "-c", "import time; time.sleep(3)"], os.environ, 10)
    assert not mark.exists()


def test_the_advice_says_what_is_lost() -> None:
    change = next(one for one in changes({}, "nccl")[1] if one.name == "NCCL_IB_DISABLE")
    outcome = search(lambda some: "" if change in some else "hangs", [], [change])
    assert any("bandwidth" in line for line in advice(outcome, {}))
    assert list(advice(search(lambda _: "hangs", [], [change]), {})) == []
