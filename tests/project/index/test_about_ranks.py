"""Which files are about other ranks: by what their code says and calls, not by what stands in their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.source.file import SourceFile
from tests.project.index import index_of, write

COMM = "import torch.distributed as dist\n\n\ndef mean(x):\n    dist.all_reduce(x)\n    return x\n"
HELPER = "def half(x):\n    return x / 2\n"
ABOUT = {
    "an import": "from torch import distributed\n",
    "a name for one of them": "def save(local_rank, x):\n    if local_rank == 0:\n        print(x)\n",
    "how many there are": "def share(world_size, x):\n    return x[:: world_size]\n",
    "a variable that is set": "import os\n\nos.environ['NCCL_DEBUG'] = 'INFO'\n",
    "a variable that is read": "import os\n\n\ndef is_debug():\n    return os.environ.get('TORCH_DISTRIBUTED_DEBUG')\n",
    "what it calls": "from comm import mean as all_reduce\n\n\ndef step(loss):\n    return all_reduce(loss)\n",
    "what cannot be read": "import torch.distributed as dist\n\ndef step(:\n",
}
NOT_ABOUT = {
    "a comment": f"# torch.distributed: all_reduce, barrier\n{HELPER}",
    "a docstring": f'"""Nothing for torch.distributed, and no rank == 0."""\n\n{HELPER}',
    "a text": "URL = 'https://example.org/detectron2/model.pkl'\n",
    "what a library is called": "def convert(names):\n    return [one.replace('fairseq.', '') for one in names]\n",
    "a function of that name": f"{HELPER}\n\ndef barrier(x):\n    return half(x)\n",
    "what it calls": "from plain import half as all_reduce\n\n\ndef step(loss):\n    return all_reduce(loss)\n",
    "nothing": HELPER,
}


def is_about_ranks(folder: Path, text: str) -> bool:
    index = index_of(write(folder, comm=COMM, plain=HELPER, main=text))
    return index.is_about_ranks(SourceFile.read(folder / "main.py"))


@pytest.mark.parametrize("name", ABOUT)
def test_a_file_is_about_ranks(tmp_path: Path, name: str) -> None:
    assert is_about_ranks(tmp_path, ABOUT[name])


@pytest.mark.parametrize("name", NOT_ABOUT)
def test_a_file_is_not(tmp_path: Path, name: str) -> None:
    assert not is_about_ranks(tmp_path, NOT_ABOUT[name])
