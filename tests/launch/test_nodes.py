"""What shows that a project is started on several nodes, and what a finding that needs them is then."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.api import check
from ddplint.launch.nodes import shown
from ddplint.rule import Severity

SEVERAL = {
    "train.sh": "torchrun --nnodes=2 --nproc_per_node=8 train.py\n",
    "any.sh": "torchrun --nnodes $NNODES --nproc_per_node=8 train.py\n",
    "elastic.sh": "torchrun --nnodes=1:4 train.py\n",
    "second.sh": "python -m torch.distributed.launch --node_rank=1 train.py\n",
    "job.slurm": "#!/bin/bash\n#SBATCH --nodes=4\nsrun python train.py\n",
    "short.sbatch": "#SBATCH -N 2\n",
    "README.md": "On two machines: `deepspeed --hostfile hosts train.py`\n",
    "accelerate.yaml": "num_machines: 2\n",
}
ONE = {
    "train.sh": "torchrun --nnodes=1 --nproc_per_node=8 train.py\n",
    "fixed.sh": "NNODES=1\ntorchrun --nnodes=$NNODES --node_rank=0 train.py\n",
    "job.slurm": "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=8\n",
    "accelerate.yaml": "num_machines: 1\nnum_processes: 8\n",
    "README.md": "The tree has 12 nodes.\n",
    "graph.yaml": "nodes: 34\n",
}

MILD = """\
import os
import shutil
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
if int(os.environ["LOCAL_RANK"]) == 0:
    torch.save({"epoch": 1}, "out/last.pt")
"""
SAID = {
    "many": {"one.sh": "torchrun --standalone train.py\n", "two.sh": "torchrun --nnodes=2 train.py\n"},
    "one": {"README.md": "Start `torchrun --standalone --nproc_per_node=2 train.py`.\n"},
    "unknown": {"train.sh": "torchrun --nproc_per_node=2 train.py\n", "graph.yaml": "nodes: 34\n"},
}
GRAVE = MILD.replace('torch.save({"epoch": 1}, "out/last.pt")', 'shutil.rmtree("out/last")') + (
    'dist.barrier()\nimport accelerate\naccelerate.Accelerator().save_state("out/last")\n'
)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_nodes_are_shown(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SEVERAL[name])
    assert shown(tmp_path) == "many"


@pytest.mark.parametrize("name", ONE)
def test_one_node_is_not_several(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(ONE[name])
    assert shown(tmp_path) != "many"


@pytest.mark.parametrize("said", SAID)
def test_how_many_are_shown(tmp_path: Path, said: str) -> None:
    for name, text in SAID[said].items():
        (tmp_path / name).write_text(text)
    assert shown(tmp_path) == said


def _severity(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> Severity:
    (folder / "train.py").write_text(program)
    monkeypatch.chdir(folder)
    (found,) = check(["."], select=["DDP204"]).findings
    assert found.message.startswith("on several nodes")
    return found.severity


@pytest.mark.parametrize(
    ("said", "mild", "grave"),
    [
        ("", Severity.ADVICE, Severity.WARNING),
        ('nodes = "one"\n', Severity.ADVICE, Severity.ADVICE),
        ('nodes = "many"\n', Severity.WARNING, Severity.WARNING),
    ],
)
def test_the_configuration_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, mild: Severity, grave: Severity
) -> None:
    (tmp_path / "ddplint.toml").write_text(said)
    assert _severity(tmp_path, MILD, monkeypatch) is mild
    assert _severity(tmp_path, GRAVE, monkeypatch) is grave


def test_a_launch_file_of_the_project_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.slurm").write_text(SEVERAL["job.slurm"])
    assert _severity(tmp_path, MILD, monkeypatch) is Severity.WARNING


def test_a_project_that_shows_one_node_alone_is_on_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.sh").write_text(ONE["train.sh"])
    assert _severity(tmp_path, GRAVE, monkeypatch) is Severity.ADVICE
