"""DDP403: the global rank as the number of a device."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

START = (
    "import os\nimport torch\nimport torch.distributed as dist\nfrom torch import nn\n"
    "from torch.nn.parallel import DistributedDataParallel as DDP\n"
)
INIT = "dist.init_process_group('nccl', device_id=torch.device('cuda', local))\n"
LOCAL = "local = int(os.environ['LOCAL_RANK'])\n"
RANK = "rank = dist.get_rank()\n"
NODES = START + LOCAL + INIT + RANK

FIRES = {
    "set_device": NODES + "torch.cuda.set_device(rank)\n",
    "a barrier": NODES + "dist.barrier(device_ids=[rank])\n",
    "a wrapper": NODES + "DDP(nn.Linear(2, 2), device_ids=[rank])\n",
    "from the environment": NODES + "rank = int(os.environ['RANK'])\ntorch.cuda.set_device(rank)\n",
    "a wrapper, bound modulo the devices": START
    + "dist.init_process_group('gloo')\n"
    + RANK
    + "torch.cuda.set_device(rank % torch.cuda.device_count())\nDDP(nn.Linear(2, 2), device_ids=[rank])\n",
    "a map of devices": START
    + "from accelerate import Accelerator\nfrom transformers import AutoModelForCausalLM\nnumber = Accelerator().process_index\n"
    + "AutoModelForCausalLM.from_pretrained('a', device_map={'': number})\n",
    "a parameter called local": NODES + "def setup(local_rank):\n    torch.cuda.set_device(local_rank)\nsetup(rank)\n",
}

SILENT = {
    "the local rank": NODES + "torch.cuda.set_device(local)\nDDP(nn.Linear(2, 2), device_ids=[local])\n",
    "a wrapper, bound modulo the devices": START
    + "dist.init_process_group('gloo')\n"
    + RANK
    + "gpu = rank % torch.cuda.device_count()\ntorch.cuda.set_device(gpu)\nDDP(nn.Linear(2, 2), device_ids=[gpu])\n",
    "bound modulo the devices where the other is not": START
    + "dist.init_process_group('gloo')\n"
    + RANK
    + "if os.environ.get('SLURM_JOB_ID'):\n    torch.cuda.set_device(rank % torch.cuda.device_count())\n"
    + "else:\n    DDP(nn.Linear(2, 2), device_ids=[rank])\n",
    "a map of devices": START
    + "from accelerate import Accelerator\nfrom transformers import AutoModelForCausalLM\n"
    + "number = Accelerator().local_process_index\n"
    + "AutoModelForCausalLM.from_pretrained('a', device_map={'': number})\n",
    "the index of a process beside a map": START
    + "from accelerate import Accelerator\nfrom transformers import AutoModelForCausalLM\n"
    + "AutoModelForCausalLM.from_pretrained('a', device_map='auto', seed=Accelerator().process_index)\n",
    "one node": START + "dist.init_process_group('gloo')\n" + RANK + "torch.cuda.set_device(rank)\n",
    "reduced by the devices of a node": NODES + "torch.cuda.set_device(rank % torch.cuda.device_count())\n",
    "reduced by a number": NODES + "gpu = rank % 8\ntorch.cuda.set_device(gpu)\n",
    "reduced by what it is on other nodes": NODES
    + "gpu = rank - 8 * int(os.environ['N'])\ntorch.cuda.set_device(gpu)\n",
    "the rank where there is no local one": NODES
    + ("local = int(os.environ.get('LOCAL_RANK', rank))\ntorch.cuda.set_device(local)\n"),
    "the index that a launcher passes": START
    + (
        "import torch.multiprocessing as mp\ndef work(gpu):\n    print(os.environ.get('LOCAL_RANK'))\n"
        "    torch.cuda.set_device(gpu)\nmp.spawn(work, nprocs=2)\n"
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert found_in(FIRES[name], "DDP403"), name


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not found_in(SILENT[name], "DDP403"), name


def test_it_is_found_where_the_number_is_given() -> None:
    (found,) = found_in(FIRES["a parameter called local"], "DDP403")
    assert found.place.file.range_of(found.place.node).start_line == FIRES["a parameter called local"].count("\n")
