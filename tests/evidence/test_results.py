"""RESULTS.md is what its generator makes of the kept records, and says "not run" where nothing was run."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from fixtures.harness import record, results
from fixtures.harness.configuration import MATRIX, Configuration, not_here, parse
from fixtures.harness.fixture import Fixture, load_all
from fixtures.harness.launch import Limits, environment, exit_code
from fixtures.harness.matrix import Outcome
from fixtures.harness.prove import Proof
from fixtures.harness.recorder import share_devices

FIXTURES = load_all()
FAULTY = next(fixture for fixture in FIXTURES if fixture.faulty)
RUN = {"finished": False, "exit_codes": [1, None], "seconds": 7.2, "ranks": []}


def proof(fixture: Fixture, **more: Any) -> dict[str, Any]:
    words = {"verdict": "proved", "skipped": "", "evidence": "rank 0 stopped", "traces": "as printed", "unseen": ""}
    told = {"fixture": fixture.name, "digest": record.digest(fixture), "rewritten": "as reference", "problems": []}
    return {**words, **told, "runs": {"faulty": RUN}, **more}


def records(*proofs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {"gloo-cpu-2": {**dict.fromkeys(results.CONDITIONS, "x"), "seconds": 60, "proofs": list(proofs)}}


def test_the_page_is_what_the_records_say() -> None:
    text = results.PAGE.read_text(encoding="utf-8")
    assert text == results.page(), "run fixtures/prove --results"


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_every_fixture_has_a_row(fixture: Fixture) -> None:
    rows = results.verdicts(record.load(), FIXTURES).splitlines()
    assert sum(row.startswith(f"| {fixture.name} |") for row in rows) == 1


def test_what_has_no_record_was_not_run() -> None:
    data = records(proof(FAULTY))
    row = next(line for line in results.verdicts(data, [FAULTY]).splitlines() if FAULTY.name in line)
    assert row == f"| {FAULTY.name} | proved |" + " not run |" * (len(MATRIX) - 1)
    assert "not run" in results.configurations({})
    assert results.cost({}).endswith("not run\n")
    assert results.public({}).endswith("not run\n")


def test_a_record_of_another_state_of_the_trainer_does_not_count() -> None:
    assert results.cell(records(proof(FAULTY, digest="0"))["gloo-cpu-2"], FAULTY) == "not run"


def test_failures_and_skips_are_told() -> None:
    failed = records(proof(FAULTY, verdict="failed", problems=["faulty: finishes, but should hang"]))
    assert results.cell(failed["gloo-cpu-2"], FAULTY) == "**failed**"
    assert f"- {FAULTY.name}: faulty: finishes, but should hang\n" in "".join(results.faults(failed, [FAULTY]))
    skipped = records(proof(FAULTY, verdict="skipped", skipped="needs accelerate"))
    assert results.cell(skipped["gloo-cpu-2"], FAULTY) == "not run: needs accelerate"
    assert "0 of 0 as claimed" in results.configurations(skipped)


def test_a_fault_is_told_with_its_exit_codes() -> None:
    text = "".join(results.faults(records(proof(FAULTY)), [FAULTY]))
    assert "| rank 0 stopped | as printed | as reference | 1 - | 7 |" in text


def test_records_are_read_by_configuration(tmp_path: Path) -> None:
    (tmp_path / "gloo-cpu-2.json").write_text(json.dumps({"configuration": "gloo-cpu-2", "proofs": []}))
    (tmp_path / "cost.json").write_text("{}")
    assert list(record.load(tmp_path)) == ["gloo-cpu-2"]


def test_the_kept_records_name_no_place_of_a_machine() -> None:
    for path in record.RECORDS.glob("*.json"):
        assert not re.search(r"/(?:tmp|home|root|usr|opt|var)/", path.read_text(encoding="utf-8")), path.name


def test_paths_and_numbers_of_a_run_are_left_out() -> None:
    line = "rank 0: Error: [/a/b/pair.cc:553] Connection closed by peer [127.0.0.1]:24999. pid: 123 '/tmp/x/out/spiral'"
    assert record.scrubbed(line) == (
        "rank 0: Error: [pair.cc:553] Connection closed by peer [127.0.0.1]:PORT. pid: N 'spiral'"
    )


@pytest.mark.parametrize("one", MATRIX, ids=lambda one: one.name)
def test_configurations_are_called_what_they_are(one: Configuration) -> None:
    assert parse(one.name) == one
    assert one.per_node * one.nodes == one.processes


@pytest.mark.parametrize("name", ["gloo", "mpi-cpu-2", "gloo-cpu-0", "gloo-cpu-0x2", "gloo-cpu-2x"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"configuration|processes"):
        parse(name)


@pytest.mark.parametrize(
    ("name", "devices", "nccl", "reason"),
    [
        ("gloo-cpu-4", 0, False, ""),
        ("nccl-cpu-2", 8, True, "NCCL needs CUDA devices"),
        ("nccl-cuda-2", 1, False, "torch was built without NCCL"),
        ("nccl-cuda-2", 0, True, "no GPU"),
        ("gloo-cuda-2", 0, False, "no GPU"),
        ("nccl-cuda-4", 1, True, ""),
        ("nccl-cuda-8", 4, True, "needs 8 GPUs, 4 are here"),
        ("nccl-cuda-8", 8, True, ""),
    ],
)
def test_what_a_machine_can_run(name: str, devices: int, nccl: bool, reason: str) -> None:
    assert not_here(parse(name), devices, nccl) == reason


def test_variables_of_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "7")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    cpu = environment(tmp_path, tmp_path, parse("gloo-cpu-2"), Limits(6, 60))
    assert (cpu["DDP_BACKEND"], cpu["DDP_DEVICE"], cpu["DDP_TIMEOUT"]) == ("gloo", "cpu", "6")
    assert cpu["CUDA_VISIBLE_DEVICES"] == ""
    assert "RANK" not in cpu
    assert environment(tmp_path, tmp_path, parse("gloo-cpu-2x2"), Limits(6, 60))["PROVE_WORKERS"] == "2"
    gpu = environment(tmp_path, tmp_path, parse("nccl-cuda-2"), Limits(6, 60))
    assert gpu["CUDA_VISIBLE_DEVICES"] == "0"
    assert gpu["TORCH_NCCL_DUMP_ON_TIMEOUT"] == "1"
    assert gpu["TORCH_NCCL_DEBUG_INFO_TEMP_FILE"].startswith(str(tmp_path))


@pytest.mark.parametrize(("devices", "host", "local"), [(1, "prove-3", "0"), (2, "prove-3", "1"), (4, None, "3")])
def test_ranks_share_devices(monkeypatch: pytest.MonkeyPatch, devices: int, host: str | None, local: str) -> None:
    for name, value in (("RANK", "3"), ("LOCAL_RANK", "3"), ("WORLD_SIZE", "4")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NCCL_HOSTID", "")
    monkeypatch.delenv("NCCL_HOSTID")
    share_devices(devices)
    assert (os.environ.get("NCCL_HOSTID"), os.environ["LOCAL_RANK"]) == (host, local)


def test_exit_codes_are_read_from_torchrun() -> None:
    agent = "[1]:\n  time      : now\n  rank      : 1 (local_rank: 1)\n  exitcode  : -6 (pid: 12)\n"
    assert exit_code(agent, 1) == -6
    assert exit_code(agent, 0) is None


def test_costs_taken_together_are_surer_than_one() -> None:
    one = {"ratio": 1.1, "interval": [0.8, 1.4]}
    ratio, low, high = results.together([one] * 16)
    assert ratio == pytest.approx(1.1)
    assert 1.0 < low < ratio < high < 1.2


def test_a_run_of_some_fixtures_keeps_what_is_known_of_others(tmp_path: Path) -> None:
    one, other = FIXTURES[:2]
    for fixtures, others in (([one, other], False), ([other], True)):
        outcome = Outcome({"gloo-cpu-2": [Proof(fixture) for fixture in fixtures]}, seconds=60 / len(fixtures))
        record.keep(outcome, others=others, directory=tmp_path)
    data = record.load(tmp_path)["gloo-cpu-2"]
    assert [proof["fixture"] for proof in data["proofs"]] == [one.name, other.name]
    assert data["seconds"] == 30
    file = tmp_path / "gloo-cpu-2.json"
    file.write_text(json.dumps({**data, "date": "2020-02-02"}))
    record.keep(Outcome({"gloo-cpu-2": [Proof(other)]}), others=True, directory=tmp_path)
    added = record.load(tmp_path)["gloo-cpu-2"]
    assert (len(added["proofs"]), added["date"]) == (2, f"2020-02-02, {data['date']}")
    assert "added later was run by itself" in results.configurations({"gloo-cpu-2": added})
    file.write_text(json.dumps({**data, "torch": "another"}))
    record.keep(Outcome({"gloo-cpu-2": [Proof(other)]}), others=True, directory=tmp_path)
    assert [proof["fixture"] for proof in record.load(tmp_path)["gloo-cpu-2"]["proofs"]] == [other.name]


def test_records_of_a_borrowed_gpu_are_taken_over(tmp_path: Path) -> None:
    source, into = tmp_path / "gpu" / "records", tmp_path / "kept"
    source.mkdir(parents=True)
    into.mkdir()
    head = {"version": record.VERSION, "configuration": "nccl-cuda-2", "date": "2026-11-26", "seconds": 1, "torch": "2"}
    rows = [{"fixture": "a", "verdict": "failed"}, {"fixture": "b", "verdict": "proved"}]
    (into / "nccl-cuda-2.json").write_text(record.text(head, rows), encoding="utf-8")
    later = {**head, "date": "2026-11-27"}
    again = [{"fixture": "a", "verdict": "proved"}]
    (source / "nccl-cuda-2.json").write_text(record.text(later, again), encoding="utf-8")
    assert record.take(tmp_path / "gpu", into) == ["nccl-cuda-2"]
    taken = record.load(into)["nccl-cuda-2"]
    assert {one["fixture"]: one["verdict"] for one in taken["proofs"]} == {"a": "proved", "b": "proved"}
    assert taken["date"] == "2026-11-26, 2026-11-27"
    with pytest.raises(ValueError, match="no such file"):
        record.take(tmp_path / "kept" / "nothing", into)
