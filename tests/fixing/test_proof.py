"""Fixes that put a collective somewhere: only where all ranks come by in every context, with the process group up."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ddplint.cli.main import main

INIT = """\
import os
import torch
import torch.distributed as dist
from torch import nn

"""
HELPER = INIT + "def save(model, path):\n    torch.save(model.state_dict(), path)\n"
START = 'from helper import save\ndist.init_process_group("gloo")\nmodel = nn.Linear(1, 1)\n'


def fixed(folder: Path, files: dict[str, str], *options: str, named: str = ".") -> dict[str, str]:
    """The files after ``--fix`` of the one that is named."""
    (folder / "pyproject.toml").write_text("")
    for name, text in files.items():
        (folder / name).write_text(text)
    main(["--fix", "--select", "DDP2,DDP101", "--no-cache", *options, str(folder / named)])
    return {name: (folder / name).read_text() for name in files}


def alone(folder: Path, program: str, *options: str) -> str:
    """One program after ``--fix``."""
    return fixed(folder, {"train.py": INIT + textwrap.dedent(program)}, *options)["train.py"].removeprefix(INIT)


def test_all_ranks_come_by(tmp_path: Path) -> None:
    files = {"helper.py": HELPER, "train.py": INIT + START + 'save(model, "last.pt")\n'}
    assert "    if dist" in fixed(tmp_path, files)["helper.py"]
    assert "barrier()" in (tmp_path / "helper.py").read_text()


@pytest.mark.parametrize("named", [".", "helper.py", "train.py"])
def test_no_barrier_where_another_program_comes_by_on_rank_0_only(
    tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "helper.py": HELPER,
        "train.py": INIT + START + 'save(model, "last.pt")\n',
        "tune.py": INIT + START + 'if dist.get_rank() == 0:\n    save(model, "best.pt")\n',
    }
    after = fixed(tmp_path, files, "--unsafe-fixes", named=named)
    assert "barrier" not in after["helper.py"]


def test_no_guard_where_another_program_comes_by_without_rank_0(tmp_path: Path) -> None:
    files = {
        "helper.py": HELPER,
        "train.py": INIT + START + 'save(model, "last.pt")\n',
        "tune.py": INIT + START + 'if dist.get_rank() == 1:\n    save(model, "best.pt")\n',
    }
    assert fixed(tmp_path, files, "--unsafe-fixes")["helper.py"] == HELPER


def test_an_export_gets_no_barrier(tmp_path: Path) -> None:
    program = """\
        class Trainer:
            def __init__(self):
                dist.init_process_group("gloo")
                self.model = nn.Linear(1, 1)

            def export(self, path):
                torch.save(self.model.state_dict(), path)
        """
    assert alone(tmp_path, program) == textwrap.dedent(program)
    assert "barrier" not in alone(tmp_path, program, "--unsafe-fixes")


def test_a_function_that_makes_all_ranks_meet_is_entered_by_all(tmp_path: Path) -> None:
    program = """\
        def worker(rank, world_size):
            dist.init_process_group("gloo", rank=rank, world_size=world_size)
            model = nn.Linear(1, 1)
            torch.save(model.state_dict(), "last.pt")
        """
    assert "    dist.barrier()" in alone(tmp_path, program)


def test_before_the_group_is_made_nothing_is_done(tmp_path: Path) -> None:
    program = """\
        model = nn.Linear(1, 1)
        torch.save(model.state_dict(), "first.pt")
        dist.init_process_group("gloo")
        print(dist.get_rank())
        """
    assert alone(tmp_path, program, "--unsafe-fixes") == textwrap.dedent(program)


FRAMEWORK = """\
import lightning.pytorch as pl
trainer = pl.Trainer(accelerator="gpu", devices=4, strategy="ddp")
"""


@pytest.mark.parametrize("stage", ["fit", "validate", "test", "predict"])
def test_before_a_framework_makes_the_group_nothing_is_done(tmp_path: Path, stage: str) -> None:
    program = f'torch.save([1], "first.pt")\n{FRAMEWORK}trainer.{stage}(pl.LightningModule())\n'
    assert alone(tmp_path, program, "--unsafe-fixes") == program


def test_behind_its_run_the_group_is_there(tmp_path: Path) -> None:
    program = f'{FRAMEWORK}trainer.fit(pl.LightningModule())\ntorch.save([1], "last.pt")\n'
    assert "    torch.save" in alone(tmp_path, program, "--unsafe-fixes")


def test_a_group_made_on_one_way(tmp_path: Path) -> None:
    program = """\
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--distributed", action="store_true")
        args = parser.parse_args()
        if args.distributed:
            dist.init_process_group("gloo")
        torch.save(nn.Linear(1, 1).state_dict(), "last.pt")
        """
    after = alone(tmp_path, program)
    assert "if not dist.is_initialized() or dist.get_rank() == 0:" in after
    assert "if dist.is_available() and dist.is_initialized():\n    dist.barrier()" in after


@pytest.mark.parametrize(
    ("rank", "test"),
    [
        ('int(os.environ.get("RANK", -1))', "RANK in (-1, 0)"),
        ('int(os.getenv("RANK", "-1"))', "RANK in (-1, 0)"),
        ('int(os.environ.get("RANK", 0))', "RANK == 0"),
        ("dist.get_rank()", "RANK == 0"),
    ],
)
def test_a_rank_of_the_module_and_its_value_in_one_process(tmp_path: Path, rank: str, test: str) -> None:
    program = f'dist.init_process_group("gloo")\nRANK = {rank}\ntorch.save(nn.Linear(1, 1).state_dict(), "last.pt")\n'
    assert f"if {test}:\n    torch.save" in alone(tmp_path, program)


@pytest.mark.parametrize("rank", ['os.environ.get("RANK", "0")', 'os.environ["RANK"]'])
def test_a_rank_that_is_a_text_is_not_compared_with_a_number(tmp_path: Path, rank: str) -> None:
    program = f'dist.init_process_group("gloo")\nRANK = {rank}\ntorch.save(nn.Linear(1, 1).state_dict(), "last.pt")\n'
    assert "RANK " not in alone(tmp_path, program).partition("torch.save")[0].partition(rank)[2]


def test_the_own_test_that_fails_in_one_process_is_not_used(tmp_path: Path) -> None:
    program = (
        'dist.init_process_group("gloo")\nRANK = int(os.environ.get("RANK", -1))\nif RANK == 0:\n    print("hello")\n'
        'torch.save(nn.Linear(1, 1).state_dict(), "last.pt")\n'
    )
    assert "if RANK in (-1, 0):\n    torch.save" in alone(tmp_path, program)


LEFT_ALONE = {
    "lines that all ranks add": 'with open("log.txt", "a") as log:\n    log.write("here")\n',
    "what differs by rank": 'torch.save({"rank": dist.get_rank()}, "state.pt")\n',
    "a folder that claims the work": (
        'import shutil\nif not os.path.exists("data"):\n    os.makedirs("data")\n'
        '    shutil.copytree("/raw", "data/raw")\n'
    ),
    "a claim by an early return": (
        'def build():\n    if os.path.exists("data"):\n        return\n    os.makedirs("data")\n    fetch("data")\n'
        "def fetch(folder):\n    print(folder)\nbuild()\n"
    ),
}


@pytest.mark.parametrize("program", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_left_alone(tmp_path: Path, program: str) -> None:
    program = 'dist.init_process_group("gloo")\n' + program
    after = alone(tmp_path, program, "--unsafe-fixes")
    assert after == program


def test_a_folder_that_claims_nothing_may_be_there(tmp_path: Path) -> None:
    program = (
        'dist.init_process_group("gloo")\nif not os.path.exists("data"):\n    os.makedirs("data")\n    print("made")\n'
    )
    assert 'os.makedirs("data", exist_ok=True)' in alone(tmp_path, program)


def test_other_programs_are_asked_after_a_first_rewrite_too(tmp_path: Path) -> None:
    first = 'torch.save(model.state_dict(), "own.pt")\n'
    files = {
        "helper.py": HELPER,
        "train.py": INIT + START + first + 'save(model, "last.pt")\n',
        "tune.py": INIT + START + first + 'if dist.get_rank() == 1:\n    save(model, "best.pt")\n',
    }
    after = fixed(tmp_path, files, "--unsafe-fixes")
    assert after["helper.py"] == HELPER
    assert "barrier" in after["train.py"]


def test_a_call_that_an_older_torch_alone_comes_to_counts(tmp_path: Path) -> None:
    """Which torch a job runs with is not known: no barrier may stand where one rank comes by in an older one."""
    old = 'if torch.__version__ < "1.8" and dist.get_rank() == 0:\n    save(model, "old.pt")\n'
    files = {"helper.py": HELPER, "train.py": INIT + START + old + 'save(model, "last.pt")\n'}
    assert "barrier" not in fixed(tmp_path, files, "--unsafe-fixes")["helper.py"]
