"""DDP503 debugging-left-on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.launch_support import in_launch
from tests.rules.support import at

CODE = "DDP503"
HEAD = "import os\nimport torch.distributed as dist\n"
TAIL = '\ndist.init_process_group("nccl")\n'


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["CUDA_LAUNCH_BLOCKING"] = "1"',
        'os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"',
        'os.environ.setdefault("NCCL_P2P_DISABLE", "1")',
    ],
)
def test_python(line: str) -> None:
    assert at(HEAD + line + TAIL, CODE) == [line]


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["CUDA_LAUNCH_BLOCKING"] = "0"',
        'os.environ["CUDA_LAUNCH_BLOCKING"] = args.blocking',
        'os.environ["TORCH_DISTRIBUTED_DEBUG"] = "INFO"',
        'os.environ["NCCL_DEBUG"] = "INFO"',
        'os.environ["NCCL_P2P_DISABLE"] = ""',
        'if args.debug:\n    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"',
    ],
)
def test_python_that_is_correct(line: str) -> None:
    assert at(HEAD + line + TAIL, CODE) == []


def test_launch_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    text = "export NCCL_IB_DISABLE=1\nexport NCCL_P2P_DISABLE=0\nCUDA_LAUNCH_BLOCKING=1 torchrun a.py\n"
    assert in_launch(tmp_path, "run.sh", text, CODE) == [
        "1: export NCCL_IB_DISABLE=1",
        "3: CUDA_LAUNCH_BLOCKING=1 torchrun a.py",
    ]


@pytest.mark.parametrize("name", ["debug.sh", "tests/run.sh", "run_tests.sh"])
def test_trials_may_debug(name: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert in_launch(tmp_path, name, "export CUDA_LAUNCH_BLOCKING=1\n", CODE) == []
