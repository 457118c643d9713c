"""Which names stand where only the number of a process fits, and which files speak to other ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.source.file import SourceFile
from tests.project.index import index_of, write

TORCH = "import os\nimport torch\nimport torch.distributed as dist\n\n\n"
RANKS = {
    "the device of the process": "def run(gpu):\n    torch.cuda.set_device(gpu)\n",
    "of an argument": "def run(args):\n    torch.cuda.set_device(args.gpu)\n",
    "the device by its name": "def run(gpu):\n    return torch.zeros(1, device=f'cuda:{gpu}')\n",
    "a name of its own": "def run(gpu):\n    device = torch.device(f'cuda:{gpu}')\n    return device\n",
    "a text of its own": "def run(gpu):\n    device = f'cuda:{gpu}'\n    return device\n",
    "torch.device": "def run(gpu):\n    return torch.device('cuda', gpu)\n",
    "to": "def run(model, gpu):\n    return model.to(gpu)\n",
    "cuda": "def run(model, gpu):\n    return model.cuda(gpu)\n",
    "the group": "def run(gpu, n):\n    dist.init_process_group('nccl', rank=gpu, world_size=n)\n",
    "the wrapper": "def run(model, gpu):\n    return torch.nn.parallel.DistributedDataParallel(model, device_ids=[gpu])\n",
    "the sampler": "def run(data, gpu):\n    return torch.utils.data.DistributedSampler(data, num_replicas=2, rank=gpu)\n",
    "what is asked": "def run():\n    gpu = dist.get_rank()\n    return gpu\n",
    "the environment": "def run():\n    gpu = int(os.environ['LOCAL_RANK'])\n    return gpu\n",
    "given on": "def begin(number):\n    torch.cuda.set_device(number)\n\n\ndef run(gpu):\n    begin(gpu)\n",
    "by name": "def begin(number=0):\n    torch.cuda.set_device(number)\n\n\ndef run(gpu):\n    begin(number=gpu)\n",
}
LAYER = "class Layer:\n    def __init__(self, rank=8):\n        self.rank = rank\n\n\n"
NO_RANKS = {
    "of an adapter": "def run(model, rank):\n    return torch.nn.Linear(rank, rank)\n",
    "of something retrieved": "def run(found, rank):\n    return found[rank]\n",
    "of a layer": f"{LAYER}def run(rank):\n    return Layer(rank=rank)\n",
    "in a text": "def run(rank):\n    print(f'cuda is at {rank}')\n",
    "in a comment": "def run(rank):\n    # torch.cuda.set_device(rank)\n    return rank\n",
    "of a function of that name": "def set_device(rank):\n    return rank\n\n\ndef run(rank):\n    set_device(rank)\n",
}


@pytest.mark.parametrize("form", RANKS)
def test_a_number_of_a_process_is_known_by_where_it_goes(form: str, tmp_path: Path) -> None:
    index = index_of(write(tmp_path, main=TORCH + RANKS[form]))
    assert "gpu" in index.rank_names(SourceFile.read(tmp_path / "main.py"))


@pytest.mark.parametrize("form", NO_RANKS)
def test_other_ranks_are_none(form: str, tmp_path: Path) -> None:
    index = index_of(write(tmp_path, main=TORCH + NO_RANKS[form]))
    assert "rank" not in index.rank_names(SourceFile.read(tmp_path / "main.py"))


def test_a_number_is_followed_into_other_files(tmp_path: Path) -> None:
    begin, main = (
        TORCH + RANKS["the device of the process"],
        "from begin import run\n\n\ndef main(rank):\n    run(rank)\n",
    )
    assert index_of(write(tmp_path, begin=begin, main=main)).rank_names(SourceFile.read(tmp_path / "main.py")) == {
        "rank"
    }


SPEAKING = {
    "import": "import torch.distributed as dist\n",
    "from": "from torch import distributed\n",
    "framework": "from accelerate import Accelerator\n",
    "of torch": "import torch\n\n\ndef run():\n    torch.distributed.barrier()\n",
    "wrapper": "from torch.nn.parallel import DistributedDataParallel as D\n\n\ndef run(m):\n    return D(m)\n",
    "environment": "import os\n\n\ndef run():\n    return os.environ['LOCAL_RANK']\n",
}
SILENT = {
    "torch": "import torch\n\n\ndef run(x):\n    return torch.zeros(x)\n",
    "comment": "import torch  # not torch.distributed\n",
    "text": "'''Needs no init_process_group.'''\nimport transformers\n",
    "own": "def init_process_group():\n    pass\n\n\ninit_process_group()\n",
}


@pytest.mark.parametrize("form", SPEAKING)
def test_files_that_speak_to_other_ranks(form: str, tmp_path: Path) -> None:
    index = index_of(write(tmp_path, main=SPEAKING[form]))
    assert index.communicates(SourceFile.read(tmp_path / "main.py"))


@pytest.mark.parametrize("form", SILENT)
def test_files_that_do_not(form: str, tmp_path: Path) -> None:
    index = index_of(write(tmp_path, main=SILENT[form]))
    assert not index.communicates(SourceFile.read(tmp_path / "main.py"))
