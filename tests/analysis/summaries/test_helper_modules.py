"""Helper modules that say nothing of other ranks: what they do to files is found where distributed code calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

HELPER = """\
import json
import os


def ready(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)


def store(values, folder):
    ready(folder)
    with open(os.path.join(folder, "values.json"), "w") as file:
        json.dump(values, file)


def total(values):
    return sum(values)
"""
TRAINER = """\
import sys
import torch.distributed as dist
from {module} import store, total

dist.init_process_group("gloo")
rank = dist.get_rank()
dist.barrier()
total([1, 2])
{call}
dist.destroy_process_group()
"""
EVERY = 'store([1], sys.argv[1] + "/out")'
WANTED = [("helper.py", "DDP201", 12), ("helper.py", "DDP205", 7)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "helper.py").write_text(HELPER)
    return tmp_path


def put(project: Path, call: str, module: str = "helper") -> None:
    (project / "train.py").write_text(TRAINER.format(module=module, call=call))


def found(*paths: str) -> list[tuple[str, str, int]]:
    report = check(paths, Settings(select=("DDP2",)))
    assert report.errors == []
    return sorted((one.place.file.path, one.code, one.place.range.start_line) for one in report.findings)


@pytest.mark.parametrize("paths", [["helper.py"], ["helper.py", "train.py"], ["."]])
def test_found_whichever_file_is_named(project: Path, paths: list[str]) -> None:
    put(project, EVERY)
    assert found(*paths) == WANTED


def test_the_finding_says_how_it_is_reached(project: Path) -> None:
    put(project, EVERY)
    report = check(["helper.py"], Settings(select=("DDP201",)))
    calls = [(note.place.file.path, note.place.range.start_line) for note in report.findings[0].notes]
    assert ("train.py", 9) in calls


@pytest.mark.parametrize(
    "call",
    ["if rank == 0:\n    " + EVERY, 'store([1], f"out{rank}")', "total([3])"],
    ids=["guarded", "a folder for each rank", "not called"],
)
def test_silent(project: Path, call: str) -> None:
    put(project, call)
    assert found("helper.py", "train.py") == []


def test_helpers_that_no_distributed_code_calls_are_left_alone(project: Path) -> None:
    (project / "single.py").write_text('from helper import store\n\nstore([1], "out")\n')
    assert found(".") == []
    assert check(["helper.py"], Settings()).walked == []


def test_through_another_helper(project: Path) -> None:
    (project / "between.py").write_text(
        "import os\nimport helper\n\n\ndef store(values, folder):\n    os.makedirs(folder, exist_ok=True)\n"
        "    helper.store(values, folder)\n\n\ndef total(values):\n    return sum(values)\n"
    )
    put(project, EVERY, module="between")
    assert found("helper.py") == WANTED


def test_what_a_helper_calls_outside_is_no_communication(project: Path) -> None:
    text = HELPER.replace("    ready(folder)\n", "    ready(folder)\n    import other\n    other.work(values)\n")
    (project / "helper.py").write_text(text)
    put(project, "if rank == 0:\n    " + EVERY + "\ndist.barrier()")
    report = check(["."], Settings(select=("DDP1", "DDP2")))
    assert report.findings == []


def test_classes_of_helpers(project: Path) -> None:
    (project / "helper.py").write_text(
        "import torch\n\n\nclass Keeper:\n    def __init__(self, folder):\n        self.folder = folder\n\n"
        '    def store(self, values):\n        torch.save(values, f"{self.folder}/a.pt")\n\n\n'
        "def total(values):\n    return sum(values)\n"
    )
    (project / "train.py").write_text(
        TRAINER.format(module="helper", call="Keeper(sys.argv[1]).store([1])").replace("store,", "Keeper,")
    )
    assert found("helper.py") == [("helper.py", "DDP201", 9)]


def test_fixes_change_the_helper(project: Path) -> None:
    from ddplint.cli.fix import run

    put(project, EVERY)
    run(["."], Settings(select=("DDP205",)), stdin=None, write=True)
    assert "os.makedirs(folder, exist_ok=True)" in (project / "helper.py").read_text()


def test_a_plain_caller_is_walked_whoever_is_named(project: Path) -> None:
    (project / "wrap.py").write_text(
        "import torch\nfrom torch.nn.parallel import DistributedDataParallel\n\n\n"
        "def wrap(model):\n    return DistributedDataParallel(model)\n\n\n"
        "def cached(path):\n    import os\n    if not os.path.exists(path):\n        os.makedirs(path)\n"
    )
    (project / "between.py").write_text(
        "import os\nimport wrap\n\n\ndef build(model):\n    os.makedirs('out', exist_ok=True)\n"
        "    wrap.cached('data')\n    return wrap.wrap(model)\n"
    )
    assert found("wrap.py") == found(".") == [("wrap.py", "DDP205", 12)]


LONG = """\
from datasets import load_dataset


def tokens(name, tokenizer):
    return load_dataset(name).map(tokenizer)


def size(rows):
    return len(rows)
"""
WAITING = """\
import sys
import torch.distributed as dist
from {module} import size, tokens

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    {call}
dist.barrier()
dist.destroy_process_group()
"""


def test_a_helper_may_take_long(project: Path) -> None:
    (project / "data.py").write_text(LONG)
    (project / "train.py").write_text(WAITING.format(module="data", call="tokens(sys.argv[1], str)"))
    report = check(["train.py"], Settings(select=("DDP402",)))
    assert [(one.code, one.place.range.start_line) for one in report.findings] == [("DDP402", 7)]


def test_the_rest_of_such_a_helper_does_not(project: Path) -> None:
    (project / "data.py").write_text(LONG)
    (project / "train.py").write_text(WAITING.format(module="data", call="size(sys.argv)"))
    assert check(["train.py"], Settings(select=("DDP402",))).findings == []


def test_a_map_of_something_else_does_not(project: Path) -> None:
    other = LONG.replace("from datasets import load_dataset", "from pandas import read_csv as load_dataset")
    (project / "data.py").write_text(other)
    (project / "train.py").write_text(WAITING.format(module="data", call="tokens(sys.argv[1], str)"))
    assert check(["train.py"], Settings(select=("DDP402",))).findings == []


LEARNS = """\
import torch


def epoch(model, loader, optimizer):
    for batch in loader:
        loss = model(batch).sum()
        if torch.isnan(loss):
            continue
        loss.backward()
        optimizer.step()
"""
LEARNING = """\
import torch
import torch.distributed as dist
from learn import epoch
from data import loader_of

dist.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
loader = {loader}
epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))
"""
LOADS = """\
import torch


def loader_of(data, sampler=None):
    return torch.utils.data.DataLoader(data, sampler=sampler)
"""


@pytest.mark.parametrize("paths", [["learn.py"], ["."], ["learn.py", "train.py"]])
@pytest.mark.parametrize("loader", ["torch.utils.data.DataLoader(torch.zeros(4))", "loader_of(torch.zeros(4))"])
def test_a_file_that_learns_for_a_distributed_one(
    paths: list[str], loader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "learn.py").write_text(LEARNS)
    (tmp_path / "data.py").write_text(LOADS)
    (tmp_path / "train.py").write_text(LEARNING.format(loader=loader))
    report = check(paths, Settings(select=("DDP104",)))
    assert [one.place.file.path for one in report.findings] == ["learn.py"]


def test_a_file_that_learns_for_itself_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "learn.py").write_text(LEARNS)
    report = check(["."], Settings())
    assert (report.findings, list(report.walked)) == ([], [])


SPELT = """\
import torch
import torch.distributed as dist
from losses import {name}

dist.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
for batch in range(9):
    loss, parts = {name}(model(torch.ones(1)))
    if torch.isnan(loss):
        continue
    loss.backward()
"""
LOSSES = """\
def {name}(out):
    return out.sum(), {{"sum": out}}
"""


@pytest.mark.parametrize("name", ["Compute_loss", "compute_loss"])
def test_a_function_may_be_spelt_like_a_class(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "losses.py").write_text(LOSSES.format(name=name))
    (tmp_path / "train.py").write_text(SPELT.format(name=name))
    assert len(check(["train.py"], Settings(select=("DDP104",))).findings) == 1
