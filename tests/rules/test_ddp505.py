"""DDP505 deprecated-launcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint import check
from ddplint.rule import Severity
from tests.rules.launch_support import fixed_launch, in_launch
from tests.rules.support import at

CODE = "DDP505"
OPTION = 'parser.add_argument("--local_rank", type=int, default=-1)'
PROGRAM = f"""\
import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
{OPTION}
args = parser.parse_args()
torch.cuda.set_device(args.local_rank)
dist.init_process_group("nccl")
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "python -m torch.distributed.launch --nproc_per_node=2 --use_env train.py --epochs 3 # x\n",
            "torchrun --nproc_per_node=2 train.py --epochs 3 # x\n",
        ),
        (
            "python3 -m torch.distributed.launch --use_env \\\n    --nproc_per_node=2 \\\n    train.py --use_env\n",
            "torchrun \\\n    --nproc_per_node=2 \\\n    train.py --use_env\n",
        ),
        (
            "$PYTHON -m torch.distributed.launch --use-env train.py\n",
            "$PYTHON -m torch.distributed.run train.py\n",
        ),
        (
            "python -u -m torch.distributed.launch --use_env train.py\n",
            "python -u -m torch.distributed.run train.py\n",
        ),
        (
            "python -m torch.distributed.launch train.py\n",
            "python -m torch.distributed.launch train.py\n",
        ),
    ],
)
def test_shell(before: str, after: str, tmp_path: Path) -> None:
    assert len(in_launch(tmp_path, "run.sh", before, CODE)) == 1
    assert fixed_launch(tmp_path, "run.sh", before, CODE) == before
    assert fixed_launch(tmp_path, "run.sh", before, CODE, unsafe=True) == after


def test_steps_of_a_service(tmp_path: Path) -> None:
    text = "run: |\n  python -m torch.distributed.launch --use_env train.py\n"
    assert fixed_launch(tmp_path, "sky.yaml", text, CODE, unsafe=True) == "run: |\n  torchrun train.py\n"


@pytest.mark.parametrize(
    "text",
    [
        "torchrun train.py\n",
        "python -m torch.distributed.run train.py\n",
        "# python -m torch.distributed.launch train.py\n",
        "echo python -m torch.distributed.launch train.py\n",
    ],
)
def test_shell_that_is_correct(text: str, tmp_path: Path) -> None:
    assert in_launch(tmp_path, "run.sh", text, CODE) == []


def test_an_option_that_torchrun_does_not_hand_over() -> None:
    assert at(PROGRAM, CODE) == [OPTION]


@pytest.mark.parametrize(
    "text",
    [
        "# torchrun sets LOCAL_RANK\n" + PROGRAM,
        PROGRAM.replace("dist.init", "import os\nos.environ['LOCAL_RANK'] = str(args.local_rank)\ndist.init"),
    ],
)
def test_a_variable_that_is_named_or_set_is_not_read(text: str) -> None:
    assert at(text, CODE) == [OPTION]


HELPER = """\
import torch
import torch.distributed as dist


def begin(number):
    torch.cuda.set_device(number)
    dist.init_process_group("nccl")
"""
SPLIT = f"""\
import argparse
from helper import begin

parser = argparse.ArgumentParser()
{OPTION}
begin(parser.parse_args().local_rank)
"""


@pytest.mark.parametrize(
    ("helper", "launch", "severity"),
    [
        (HELPER, "", Severity.ADVICE),
        (HELPER, "torchrun --nproc_per_node=8 train.py\n", Severity.WARNING),
        (HELPER, "python -m torch.distributed.run --nproc_per_node=8 train.py\n", Severity.WARNING),
        (HELPER, "torchrun --nproc_per_node=8 train.py --local_rank 0\n", Severity.ADVICE),
        (HELPER, "torchrun --nproc_per_node=8 pretrain.py\n", Severity.ADVICE),
        (HELPER, "# torchrun train.py\n", Severity.ADVICE),
        (
            HELPER.replace("number)\n", "number)\n    number = int(os.environ['LOCAL_RANK'])\n", 1),
            "torchrun train.py\n",
            None,
        ),
        ("import deepspeed\n" + HELPER, "torchrun train.py\n", None),
        (HELPER.replace('dist.init_process_group("nccl")', "dist.barrier()"), "torchrun train.py\n", None),
    ],
)
def test_a_group_that_a_helper_makes(helper: str, launch: str, severity: Severity | None, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.sh").write_text(launch)
    (tmp_path / "helper.py").write_text(helper)
    (tmp_path / "train.py").write_text(SPLIT)
    found = check([str(tmp_path / "train.py")], select=[CODE]).findings
    assert [one.severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.replace("args = parser.parse_args()", 'args = parser.parse_args()\nx = os.environ["LOCAL_RANK"]'),
        PROGRAM.replace("import torch\n", "import os\nimport torch\nx = os.getenv('OMPI_COMM_WORLD_LOCAL_RANK')\n"),
        PROGRAM.replace("default=-1", "default=int(os.environ.get('LOCAL_RANK', 0))"),
        PROGRAM + "import deepspeed\n",
        PROGRAM.replace("args = parser.parse_args()", "args = parser.parse_args()\nargs.local_rank = 0"),
        PROGRAM.replace("args.local_rank", "0"),
        PROGRAM.replace('dist.init_process_group("nccl")', "dist.barrier()"),
    ],
)
def test_programs_that_know_their_rank_otherwise(text: str) -> None:
    assert at(text, CODE) == []


@pytest.mark.parametrize(
    ("declared", "launch", "found"),
    [
        (
            "'--local_rank'",
            "python -m torch.distributed.launch \\\n  --nproc_per_node=2 $(dirname $0)/train.py $@\n",
            1,
        ),
        ("'--local_rank', '--local-rank'", "python -m torch.distributed.launch train.py\n", 0),
        ("'--local_rank'", "python -m torch.distributed.launch --use_env train.py\n", 0),
        ("'--local_rank'", "python -m torch.distributed.launch test.py\n", 0),
        ("'--local_rank'", "# python -m torch.distributed.launch train.py\ntorchrun train.py\n", 0),
    ],
)
def test_the_spelling_that_the_launcher_hands_over(declared: str, launch: str, found: int, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.sh").write_text(launch)
    program = tmp_path / "train.py"
    program.write_text(
        f"import argparse\nimport os\nparser = argparse.ArgumentParser()\nparser.add_argument({declared}, type=int)\n"
        "args = parser.parse_args()\nos.environ.setdefault('LOCAL_RANK', str(args.local_rank))\n"
    )
    report = check([str(program)], select=[CODE])
    assert [(one.code, one.place.range.start_line) for one in report.findings] == [(CODE, 4)] * found
    assert {one.severity for one in report.findings} <= {Severity.WARNING}


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ('rank = int(os.environ["LOCAL_RANK"])\n', "it sets LOCAL_RANK, which the project reads"),
        ("rank = args.local_rank\n", "under which the program must read LOCAL_RANK"),
    ],
)
def test_the_remedy_depends_on_what_the_project_reads(program: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "run.sh").write_text("python -m torch.distributed.launch train.py\n")
    (finding,) = check([str(tmp_path / "run.sh")], select=(CODE,)).findings
    assert said in finding.no_fix
