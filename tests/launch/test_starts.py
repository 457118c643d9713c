"""How many processes the command lines of a project start a script with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.config.settings import Settings
from ddplint.engine.checker import check
from ddplint.project.starts import alone, look_again, starts, starts_of
from ddplint.rule import Confidence

PROGRAM = """\
import torch
import torch.distributed as dist

def main():
    dist.init_process_group("nccl")
    torch.save({}, "model.pt")
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("command", "processes"),
    [
        ("torchrun --nproc_per_node=1 train.py", 1),
        ("torchrun --standalone --nproc-per-node 1 scripts/train.py --lr 1", 1),
        ("deepspeed --num_gpus 1 train.py --deepspeed", 1),
        ("deepspeed --include localhost:3 train.py", 1),
        ("accelerate launch --num_processes=1 train.py", 1),
        ("python -m torch.distributed.launch --nproc_per_node=8 train.py", 8),
        ("torchrun --nproc_per_node=1 --nnodes=2 train.py", None),
        ("torchrun --nproc_per_node=$GPUS train.py", None),
        ("srun python train.py -n 1", None),
        ("deepspeed train.py --num_gpus 1", None),
        ("torchrun \\\n  --nproc_per_node 2 \\\n  train.py", 2),
        ("torchrun --nproc_per_node=2 -m package.train --lr 1", 2),
        ("srun python -m torch.distributed.run --nproc_per_node=4 train.py", 4),
        ("python -m torch.distributed.run --nproc_per_node=4 -m package.train", 4),
        ("deepspeed --num_gpus 1 --module train --deepspeed", 1),
    ],
)
def test_processes_of_a_command_line(tmp_path: Path, command: str, processes: int | None) -> None:
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n{command}\n")
    look_again()
    assert [one.processes for one in starts(tmp_path)["train.py"]] == [processes]


@pytest.mark.parametrize(
    "line", ["python train.py", "# torchrun --nproc_per_node=1 train.py", "echo torchrunner train.py"]
)
def test_what_is_no_launchers_line_says_nothing(tmp_path: Path, line: str) -> None:
    (tmp_path / "run.sh").write_text(f"{line}\n")
    look_again()
    assert starts(tmp_path) == {}


def test_where_nobody_looked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    for number in range(3):
        (tmp_path / f"{number}.md").write_text("# page\n")
        (tmp_path / f"{number}.sh").write_text("ls\n")
    for limit, text in (("START_FILES", "there are more than 2 files"), ("START_TEXTS", "in 2 pages of documentation")):
        with monkeypatch.context() as few:
            few.setattr(f"ddplint.project.limits.{limit}", 2)
            said = [one.text for one in check(["train.py"], Settings()).limits]
        assert len(said) == 1
        assert text in said[0]
    assert not check(["train.py"], Settings()).limits


def test_lines_of_a_makefile_and_packages_count(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("run:\n\t@torchrun --standalone --nproc_per_node=2 -m project train\n")
    look_again()
    assert [one.says_one for one in starts_of(tmp_path / "src/project/__main__.py", tmp_path)] == [True]
    assert not starts_of(tmp_path / "src/other/__main__.py", tmp_path)


OTHERS = "torchrun --nproc_per_node=8 train.py\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (OTHERS + "python demo.py --input a.png\n", 2),
        (OTHERS + "Or `CUDA_VISIBLE_DEVICES=0 python3 -u tools/demo.py`.\n", 2),
        (OTHERS + ".venv/bin/python demo.py\n", 2),
        (OTHERS + "HF_HOME=x ${ENV}/bin/python3.11 -u tools/demo.py\n", 2),
        (OTHERS + "srun .venv/bin/python demo.py\n", None),
        ("python demo.py\n", None),
        (OTHERS + "python demo.py\ntorchrun demo.py\n", None),
        (OTHERS + "python -m demo\n", None),
        (OTHERS + "python demo.py\ntorchrun -m tools.demo\n", None),
        (OTHERS + "# python demo.py\n", None),
        (OTHERS + "srun python demo.py\n", None),
    ],
)
def test_a_script_that_the_interpreter_starts_beside_others(tmp_path: Path, text: str, line: int | None) -> None:
    (tmp_path / "README.md").write_text(text)
    look_again()
    start = alone(Path("demo.py"), tmp_path)
    assert (None if start is None else start.line) == line


DEMO = """\
import torch
from common import begin

def main():
    begin()
    torch.save({}, "model.pt")

if __name__ == "__main__":
    main()
"""
COMMON = """\
import torch.distributed as dist

def begin():
    dist.init_process_group("nccl")
"""


TUNED = """\
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def main():
    model = AutoModelForCausalLM.from_pretrained("small")
    trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=torch.load("rows.pt"))
    trainer.train()
    torch.save(trainer.model.state_dict(), "tuned.pt")

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("program", "text", "shown"),
    [
        (DEMO, OTHERS + "python demo.py\n", False),
        (TUNED, OTHERS + "python demo.py\n", False),
        (TUNED, OTHERS + "python demo.py\ntorchrun --nproc_per_node=8 demo.py\n", True),
        (DEMO, OTHERS, True),
        (DEMO.replace("begin()\n    torch", "print(begin(), rank())\n    torch"), OTHERS + "python demo.py\n", True),
        ("import torch.multiprocessing as mp\n" + DEMO + "    mp.spawn(main)\n", OTHERS + "python demo.py\n", True),
    ],
)
def test_a_script_that_is_started_alone_beside_others_is_hidden_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, text: str, shown: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "demo.py").write_text(program)
    (tmp_path / "common.py").write_text(COMMON)
    (tmp_path / "README.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert ("DDP201" in [one.code for one in check(["."], Settings()).findings]) is shown


def found(project: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, **files: str) -> list[tuple[str, bool]]:
    """The confidence of the findings about the save, and whether they say that one process is started."""
    monkeypatch.chdir(project)
    (project / "pyproject.toml").write_text("")
    (project / "train.py").write_text(PROGRAM)
    for name, text in files.items():
        (project / name.replace("_", ".")).write_text(text)
    saves = [one for one in check(["train.py"], settings).findings if one.code == "DDP201"]
    return [(one.confidence.value, "run.sh:1 starts one" in one.message) for one in saves]


ONE = "torchrun --nproc_per_node=1 train.py\n"


def test_a_program_that_asks_which_process_it_is_is_written_for_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(
        PROGRAM.replace("    dist.barrier()", "    print(dist.get_rank())\n    dist.barrier()")
    )
    (tmp_path / "run.sh").write_text(ONE)
    monkeypatch.chdir(tmp_path)
    assert "DDP201" in [one.code for one in check(["train.py"], Settings()).findings]


def test_a_program_that_is_started_as_one_process_is_hidden_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(tmp_path, monkeypatch, Settings(), run_sh=ONE) == []
    assert found(tmp_path, monkeypatch, Settings(min_confidence=Confidence.LOW), run_sh=ONE) == [("low", True)]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"run_sh": "python train.py\n"},
        {"run_sh": ONE, "README_md": "Run it:\n\n    torchrun --nproc_per_node=8 train.py\n"},
        {"run_sh": ONE, "all_sh": "accelerate launch train.py\n"},
        {"run_sh": "torchrun --nproc_per_node=1 evaluate.py\n"},
    ],
)
def test_one_that_may_be_started_as_several_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    assert [said for _, said in found(tmp_path, monkeypatch, Settings(), **files)] == [False]


def test_a_line_without_end_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("torchrun " + "a-" * 140_000 + "\n" + "torchrun --nproc_per_node=2 train.py\n")
    look_again()
    assert [one.line for one in starts(tmp_path)["train.py"]] == [2]


def test_several_processes_of_the_linter_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"train_{number}.py" for number in range(4)]
    for name in names:
        (tmp_path / name).write_text(PROGRAM)
    (tmp_path / "run.sh").write_text("".join(f"torchrun --nproc_per_node=1 {name}\n" for name in names[:2]))
    for processes in (1, 2):
        monkeypatch.setattr("ddplint.engine.pool.processes_for", lambda _steps, _jobs, many=processes: many)
        saves = [one for one in check(names, Settings(jobs=2)).findings if one.code == "DDP201"]
        assert {one.place.file.path for one in saves} == set(names[2:])


def test_what_the_cache_holds_is_as_sure_as_the_project_says_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    command = ["--select", "DDP201", "--cache-dir", "kept", "train.py"]
    assert main(command) == 1
    (tmp_path / "run.sh").write_text(ONE)
    assert main(command) == 0
    (tmp_path / "run.sh").write_text(ONE.replace("1", "2"))
    assert main(command) == 1
