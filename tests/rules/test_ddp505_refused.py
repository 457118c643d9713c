"""DDP505 deprecated-launcher: an option that DeepSpeed's launcher passes, and that a parser refuses."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ddplint import check
from ddplint.project import starts

CODE = "DDP505"
PROGRAM = """\
import argparse
import deepspeed
from models import build

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
{more}
args = parser.parse_args()
engine, *_ = deepspeed.initialize(args=args, model=build())
"""
STARTED = "deepspeed --num_gpus 2 train.py --epochs 5\n"
README = "Train with\n\n```\ndeepspeed --include localhost:0,1 --master_port=29500 train.py\n```\n"
ADDED = "parser = deepspeed.add_config_arguments(parser)"

FAULTY = {
    "in a launch file": (PROGRAM.format(more=""), {"run.sh": STARTED}),
    "in the documentation": (PROGRAM.format(more=""), {"README.md": README}),
    "with DeepSpeed's own options": (PROGRAM.format(more=ADDED), {"run.sh": STARTED}),
    "in a function": (
        (
            "import argparse\nimport deepspeed\n\n\ndef options():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--config')\n    return parser.parse_args()\n\n\nprint(options())\n"
        ),
        {"run.sh": STARTED},
    ),
}
QUIET = {
    "declared": (PROGRAM.format(more='parser.add_argument("--local_rank", type=int, default=-1)'), {"run.sh": STARTED}),
    "in the other spelling": (
        PROGRAM.format(more='parser.add_argument("--local-rank", type=int)'),
        {"run.sh": STARTED},
    ),
    "not passed": (PROGRAM.format(more=""), {"run.sh": STARTED.replace("deepspeed", "deepspeed --no_local_rank")}),
    "started by MPI": (
        PROGRAM.format(more=""),
        {"run.sh": STARTED.replace("deepspeed", "deepspeed --launcher=openmpi")},
    ),
    "another launcher": (PROGRAM.format(more=""), {"run.sh": "torchrun --nproc_per_node 2 train.py\n"}),
    "nobody starts it": (PROGRAM.format(more=""), {"run.sh": "python train.py\n"}),
    "another program": (PROGRAM.format(more=""), {"run.sh": "deepspeed pretrain.py\n"}),
    "prose": (
        PROGRAM.format(more=""),
        {"README.md": "With deepspeed installed, see the options of train.py for more.\n"},
    ),
    "two of this name": (PROGRAM.format(more=""), {"run.sh": STARTED, "other/train.py": "print(1)\n"}),
    "options that are not known": (
        PROGRAM.replace("parse_args()", "parse_known_args()[0]").format(more=""),
        {"run.sh": STARTED},
    ),
    "options from elsewhere": (
        PROGRAM.format(more="from models import add_options\nadd_options(parser)"),
        {"run.sh": STARTED},
    ),
    "options of a parent": (
        PROGRAM.replace("ArgumentParser()", "ArgumentParser(parents=[build])").format(more=""),
        {"run.sh": STARTED},
    ),
    "options by name": (
        PROGRAM.format(more="for name in build():\n    parser.add_argument(f'--{name}')"),
        {"run.sh": STARTED},
    ),
    "a command line of its own": (
        PROGRAM.replace("parse_args()", "parse_args(build())").format(more=""),
        {"run.sh": STARTED},
    ),
    "one that is taken apart": (PROGRAM.format(more="import sys\nsys.argv = sys.argv[:1]"), {"run.sh": STARTED}),
    "a parser of another kind": (
        PROGRAM.replace("argparse.ArgumentParser()", "build.ArgumentParser()").format(more=""),
        {"run.sh": STARTED},
    ),
    "a function that nobody calls": (
        (
            "import argparse\nimport deepspeed\n\n\ndef options():\n    parser = argparse.ArgumentParser()\n"
            "    return parser.parse_args()\n"
        ),
        {"run.sh": STARTED},
    ),
}


def _found(program: str, files: dict[str, str], folder: Path) -> list[str]:
    (folder / ".git").mkdir()
    for name, text in {"train.py": program, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    starts.look_again()
    found = check([str(folder / "train.py")], select=[CODE]).findings
    return [one.message for one in found if "refuses" in one.message]


@pytest.mark.parametrize("name", FAULTY)
def test_found(name: str, tmp_path: Path) -> None:
    (message,) = _found(*FAULTY[name], tmp_path)
    assert message.startswith("deepspeed (")
    assert "passes --local_rank" in message


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str, tmp_path: Path) -> None:
    assert _found(*QUIET[name], tmp_path) == []
