"""DDP504 variable-set-too-late."""

from __future__ import annotations

import pytest

from tests.rules.support import at

CODE = "DDP504"
HEAD = "import os\nimport torch\nimport torch.distributed as dist\n"
LATE = 'os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "3"'
CUDA = 'os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"'
NCCL = 'os.environ["NCCL_ALGO"] = "Ring"'
INIT = 'dist.init_process_group("nccl")'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{INIT}\n{LATE}\n", LATE),
        (f"def main():\n    {INIT}\n    if flag:\n        {LATE}\n", LATE),
        (f"torch.cuda.set_device(0)\n{CUDA}\n{INIT}\n", CUDA),
        (f"major, _ = torch.cuda.get_device_capability()\nif major > 9:\n    {CUDA}\n{INIT}\n", CUDA),
        (f"{INIT}\ndevices().set_device(0)\n{CUDA}\n", CUDA),
        (f"{INIT}\ndist.barrier()\n{NCCL}\n", NCCL),
    ],
)
def test_too_late(text: str, line: str) -> None:
    assert at(HEAD + text, CODE) == [line]


@pytest.mark.parametrize(
    "text",
    [
        f"{LATE}\n{CUDA}\n{NCCL}\n{INIT}\ndist.barrier()\n",
        f"{INIT}\n{NCCL}\ndist.barrier()\n",
        f"torch.cuda.is_available()\ntorch.cuda.device_count()\n{CUDA}\n{INIT}\n",
        f"def setup():\n    {INIT}\n\n\ndef main():\n    {LATE}\n    setup()\n",
        f"if flag:\n    {INIT}\nelse:\n    {LATE}\n",
        f"def main():\n    {INIT}\n\n\n{LATE}\nmain()\n",
        f"{INIT}\nif rank > 0:\n    later = lambda: dist.barrier()\n{NCCL}\n",
        f"import subprocess\n{INIT}\n{LATE}\nsubprocess.run(['torchrun', 'b.py'])\n",
        f'{INIT}\nos.environ["OWN_NAME"] = "1"\n',
    ],
)
def test_in_time(text: str) -> None:
    assert at(HEAD + text, CODE) == []
