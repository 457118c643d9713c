"""The gate: a snapshot is the same twice, and what changes in the engine's answers shows up in the difference."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from ddplint.analysis.entry import one_walk, select
from tests.snapshot.__main__ import main
from tests.snapshot.difference import difference
from tests.snapshot.pinned import QUICK, WHOLE, tree, units
from tests.snapshot.taking import Snapshot, take

FAULTY = """\
from datetime import timedelta
import torch.distributed as dist
dist.init_process_group(timeout=timedelta(minutes=9))
rank = dist.get_rank()
if rank == 0:
    dist.barrier()
dist.destroy_process_group()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one file with one fault."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(FAULTY)
    return folder


def taken(folder: Path) -> Snapshot:
    snapshot: Snapshot = json.loads(json.dumps(take([tree(folder)])))
    return snapshot


def lines_after(folder: Path, change: tuple[str, str]) -> list[str]:
    before = taken(folder)
    path = folder / "train.py"
    path.write_text(path.read_text().replace(*change))
    return difference(before, taken(folder)).lines


def test_it_holds_findings_digests_and_costs(project: Path) -> None:
    snapshot = taken(project)
    program = snapshot["programs"]["project"]
    (finding,) = program["findings"]
    assert (finding["code"], finding["place"]) == ("DDP101", "train.py:6:5-6:19")
    assert finding["actions"]
    assert finding["notes"]
    (entry,) = program["entries"]
    assert entry["entry"] == "<module>"
    assert [entry[part][0] > 0 for part in ("events", "divergences", "trace")] == [True] * 3
    assert entry["steps"] > 0
    assert entry["compared"] > 0
    assert snapshot["costs"]["walker steps"] == entry["steps"]
    assert snapshot["costs"]["peak memory in MB"] > 10


def test_the_same_program_gives_the_same_snapshot(project: Path) -> None:
    assert difference(taken(project), taken(project)).lines == []


def test_a_finding_that_is_gone_is_told(project: Path) -> None:
    told = lines_after(project, ("if rank == 0:\n    dist.barrier()", "dist.barrier()"))
    assert told[0] == "project"
    assert told[1].startswith("  - train.py:6:5-6:19 DDP101 error, high: ")
    assert any(line.startswith("  ~ entry train.py <module> 1: divergences: 1 → 0") for line in told)


def test_a_finding_that_is_new_is_told(project: Path) -> None:
    told = lines_after(project, ("dist.destroy", "if rank < 2:\n    dist.all_reduce(rank)\ndist.destroy"))
    assert any(line.startswith("  + train.py:8:5-8:26 DDP101") for line in told)


@pytest.mark.parametrize(
    ("field", "value"), [("message", "another sentence"), ("confidence", "low"), ("fix", None), ("notes", [])]
)
def test_every_field_of_a_finding_counts(project: Path, field: str, value: object) -> None:
    before = taken(project)
    after = deepcopy(before)
    assert after["programs"]["project"]["findings"][0][field] != value
    after["programs"]["project"]["findings"][0][field] = value
    told = difference(before, after).lines
    assert told[:2] == ["project", "  ~ train.py:6:5 DDP101"]
    assert told[2].strip().startswith(f"{field}: - ")


def test_a_limit_that_is_new_is_told(project: Path) -> None:
    before = taken(project)
    after = deepcopy(before)
    after["programs"]["project"]["limits"].append(["train.py", "<module>", "budget used up"])
    assert difference(before, after).lines[1] == '  + limit: ["train.py", "<module>", "budget used up"]'


def test_another_trace_with_the_same_findings_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = taken(project)
    monkeypatch.setattr(one_walk.learned, "decided_alone", lambda trace, _counted: [*trace, *trace])
    told = difference(before, taken(project)).lines
    assert any(" trace: " in line for line in told)


def test_more_work_is_told_as_costs_and_is_no_change(project: Path) -> None:
    before = taken(project)
    after = deepcopy(before)
    after["programs"]["project"]["entries"][0]["steps"] *= 2
    after["costs"]["walker steps"] *= 2
    told = difference(before, after)
    assert told.lines == []
    assert told.costs[0].endswith("(2.00 times)")


def test_a_program_that_left_the_list_is_told(project: Path) -> None:
    before = taken(project)
    assert difference(before, {**before, "programs": {}}).lines == ["- project: no longer in the list"]


def test_the_probe_leaves_no_trace(project: Path) -> None:
    before = one_walk.compare, select._Entries._walk
    taken(project)
    assert (one_walk.compare, select._Entries._walk) == before


def test_the_pinned_list_is_what_is_in_the_repository() -> None:
    whole = units(WHOLE, programs=50)
    assert len({unit.name for unit in whole}) == len(whole)
    assert {"fixtures/guarded_barrier", "cases/DDP101", "regressions"} <= {unit.name for unit in whole}
    assert sorted(seed for unit in whole for seed in unit.seeds) == list(range(50))
    assert {unit.name for unit in units(QUICK, 0)} < {unit.name for unit in whole}


def test_the_exit_code_says_whether_anything_differs(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.snapshot.__main__.units", lambda parts, programs: [])
    old = tmp_path / "old.json"
    assert main([str(project), "--keep", str(old)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(old.read_text())
    assert main([str(project), "--against", str(old)]) == 0
    (project / "train.py").write_text(FAULTY.replace("== 0", "== 2"))
    assert main([str(project), "--against", str(old)]) == 1
    assert "rank 2" in capsys.readouterr().out


def test_what_is_no_snapshot_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("nothing")
    with pytest.raises(SystemExit, match="not a snapshot"):
        main(["--against", str(tmp_path / "old.json")])
