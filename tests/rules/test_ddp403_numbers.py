"""DDP403: the global rank as the number of a device."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.api import check
from ddplint.rule import Severity
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
    "a kind of device that an option says": NODES + "import sys\ndevice = torch.device(f'{sys.argv[1]}:{rank}')\n",
    "a parameter called local": NODES + "def setup(local_rank):\n    torch.cuda.set_device(local_rank)\nsetup(rank)\n",
}

HELPER = "def get_rank():\n    return dist.get_rank() if dist.is_initialized() else 0\n"
LOCAL_HELPER = "def get_local_rank():\n    return get_rank() % torch.cuda.device_count()\n"
LOAD = "def load(path):\n    return torch.load(path, map_location='cuda:{}'.format(get_rank()))\n"
FIRES["a helper gives either"] = START + HELPER + LOCAL_HELPER + LOAD

KINDS = (
    "def begin(backend, npu):\n    rank = int(os.environ['RANK'])\n    if npu:\n        torch.npu.set_device(rank)\n"
    "    else:\n        {}\n    dist.init_process_group(backend)\n"
)
FIRES["brought down for another make"] = START + KINDS.format("torch.cuda.set_device(rank % torch.cuda.device_count())")
FIRES["brought down in a comment"] = NODES + "# rank % 8 would do\ntorch.cuda.set_device(rank)\n"
FIRES["brought down in another function"] = (
    NODES + "def of_cluster(rank):\n    return rank % 8\ndef bind():\n    torch.cuda.set_device(rank)\nbind()\n"
)

SEEN = "os.environ['CUDA_VISIBLE_DEVICES'] = "
GROUP = "dist.init_process_group('nccl')\ntorch.cuda.set_device(0)\n"
FIRES["the one device that is seen"] = START + SEEN + "os.environ['RANK']\nprint(os.environ['LOCAL_RANK'])\n" + GROUP
FIRES["the one device that is seen, asked of the group"] = NODES + SEEN + "str(rank)\n"

SILENT = {
    "the one device that is seen, by the local rank": START + SEEN + "os.environ['LOCAL_RANK']\n" + GROUP,
    "the one device that is seen, brought down": NODES + SEEN + "str(rank % 8)\n",
    "the one device that is seen, where nothing asks for the node": START
    + "dist.init_process_group('nccl')\n"
    + RANK
    + SEEN
    + "str(rank)\n",
    "the one device that is seen, of workers started here": START
    + "import torch.multiprocessing as mp\ndef work(rank):\n    "
    + SEEN
    + "str(rank)\n    dist.init_process_group('nccl', rank=rank, world_size=4)\nmp.spawn(work, nprocs=4)\n",
    "the helper that gives the local rank": START + HELPER + LOCAL_HELPER + LOAD.replace("get_rank", "get_local_rank"),
    "reduced beside the helper": START + HELPER + LOCAL_HELPER + "gpu = get_rank() % 8\n" + LOAD,
    "a helper that gives the rank of one node": START + HELPER + "# single node only\n" + LOAD,
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
    "brought down on the way": NODES
    + "def device(rank):\n    torch.cuda.set_device(rank)\ndef bind():\n    device(dist.get_rank() % 8)\nbind()\n",
    "brought down for the same make": START + KINDS.format("torch.npu.set_device(rank % 8)"),
    "brought down beside it": NODES
    + "if rank < 8:\n    torch.cuda.set_device(rank)\nelse:\n    torch.cuda.set_device(rank - 8)\n",
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


NAMES = {
    "a formatted string": 'device = torch.device(f"cuda:{rank}")\n',
    "a percent sign": 'model.to("cuda:%d" % rank)\n',
    "format": 'device = "cuda:{}".format(rank)\n',
    "a sum": 'state = torch.load("a.pt", map_location={"cuda:0": "cuda:" + str(rank)})\n',
    "a device and its number": 'device = torch.device("cuda", rank)\n',
    "another maker's": 'device = torch.device(f"npu:{rank}")\n',
    "a model is moved": "model.to(rank)\n",
    "a tensor is moved": "torch.zeros(2).cuda(rank, non_blocking=True)\n",
    "a helper": "def name():\n    if torch.cuda.is_available():\n        if dist.is_initialized():\n"
    "            number = dist.get_rank()\n        else:\n            number = 0\n"
    '        return f"cuda:{number}"\n    return "cpu"\nname()\n',
    "a property": "class Trainer:\n    @property\n    def device(self):\n"
    '        return "cuda:%s" % dist.get_rank()\nTrainer().device\n',
    "where there is a choice": 'device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")\n',
}

NAMED_RIGHT = {
    "the local rank": 'device = torch.device(f"cuda:{local}")\nmodel.to(local)\ntorch.device("cuda", local)\n',
    "modulo the devices": 'device = torch.device(f"cuda:{rank % torch.cuda.device_count()}")\n',
    "a text that says more": 'print(f"rank {rank} on cuda:{rank}")\npath = f"cuda:{rank}.pt"\n',
    "a number of something else": "seed = torch.tensor(rank)\nmodel.seed(rank)\n",
    "one process": 'if rank == 0:\n    device = torch.device(f"cuda:{rank}")\n',
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_device(name: str) -> None:
    assert len(found_in(f"{NODES}model = nn.Linear(2, 2)\n{NAMES[name]}", "DDP403")) == 1, name


@pytest.mark.parametrize("name", NAMED_RIGHT)
def test_a_name_of_the_right_device(name: str) -> None:
    assert not found_in(f"{NODES}model = nn.Linear(2, 2)\n{NAMED_RIGHT[name]}", "DDP403"), name


def test_what_is_moved_again_and_again_is_told_once() -> None:
    moves = "model.to(rank)\nx = torch.zeros(2).to(rank)\ny = torch.zeros(2).cuda(rank)\n"
    assert len(found_in(f"{NODES}model = nn.Linear(2, 2)\n{moves}", "DDP403")) == 1
    (found,) = found_in(f'{NODES}model = nn.Linear(2, 2)\n{moves}torch.device(f"cuda:{{rank}}")\n', "DDP403")
    assert found.place.file.range_of(found.place.node).start_line == 13


def test_the_name_is_found_where_the_number_is_given() -> None:
    text = NODES + 'def device_of(gpu):\n    return torch.device(f"cuda:{gpu}")\ndevice = device_of(rank)\n'
    (found,) = found_in(text, "DDP403")
    assert found.place.file.range_of(found.place.node).start_line == text.count("\n")


LOCAL_NAMES = {
    "a formatted string": 'device = torch.device(f"cuda:{local}")\n',
    "a wrapper": "DDP(nn.Linear(2, 2), device_ids=[local])\n",
    "modulo the devices": "DDP(nn.Linear(2, 2), device_ids=[dist.get_rank() % torch.cuda.device_count()])\n",
    "what is moved": "nn.Linear(2, 2).to(local)\n",
}
UNBOUND = f"{START}{LOCAL}dist.init_process_group('nccl')\n"
BINDS = {
    "bound before": lambda text: text.replace(LOCAL, LOCAL + "torch.cuda.set_device(local)\n"),
    "bound by who makes the group": lambda text: text.replace(
        "'nccl'", "'nccl', device_id=torch.device('cuda', local)"
    ),
    "bound in code that is not followed": lambda text: text + "def bind():\n    torch.cuda.set_device(local)\n",
    "one GPU is visible": lambda text: text.replace(LOCAL, LOCAL + "os.environ['CUDA_VISIBLE_DEVICES'] = str(local)\n"),
    "on processors": lambda text: text.replace("'nccl'", "'gloo'"),
    "a backend that is not known": lambda text: text.replace("'nccl'", "os.environ['BACKEND']"),
    "by a library": lambda text: "from accelerate import Accelerator\nAccelerator()\n" + text,
}


@pytest.mark.parametrize("name", LOCAL_NAMES)
def test_a_device_that_is_named_and_not_bound(name: str) -> None:
    (found,) = found_in(UNBOUND + LOCAL_NAMES[name], "DDP403")
    assert found.severity is Severity.ADVICE
    assert found.place.range.start_line == UNBOUND.count("\n")


def test_no_device_is_named() -> None:
    assert not found_in(UNBOUND + "nn.Linear(2, 2).cpu()\nprint(f'rank on {local}')\n", "DDP403")


@pytest.mark.parametrize("name", BINDS)
def test_a_device_that_is_named_and_bound(name: str) -> None:
    assert not found_in(BINDS[name](UNBOUND + LOCAL_NAMES["a formatted string"]), "DDP403"), name


BOUND = NODES + "torch.cuda.set_device(local)\nmodel = nn.Linear(2, 2)\n"
PINNED = {
    "by name": 'model.to("cuda:0")\n',
    "by a device": 'device = torch.device("cuda:0")\nx = torch.zeros(2).to(device, non_blocking=True)\n',
    "by a device and its number": 'model.to(torch.device("cuda", 1))\n',
    "by a number": "model.cuda(0)\nmodel.cuda(0)\n",
    "a map": "from transformers import AutoModelForCausalLM\n"
    "AutoModelForCausalLM.from_pretrained('a', device_map={'': 0}, num_labels=3)\n",
}
OWN_GPU = {
    "no number": "model.cuda()\nmodel.to('cuda')\nmodel.to(torch.float16)\n",
    "a type": "model.to(torch.device('cuda'), torch.float16)\n",
    "its own": "model.to(f'cuda:{local}')\nmodel.cuda(local)\n",
    "one rank": "if rank == 0:\n    model.to('cuda:0')\n",
    "one of a node": "if local == 0:\n    model.to('cuda:0')\n",
    "one process": "if dist.get_world_size() == 1:\n    model.to('cuda:0')\n",
    "a device that nothing is put on": "device = torch.device('cuda:0')\nprint(torch.cuda.get_device_properties(device))\n",
    "a map": "from transformers import AutoModelForCausalLM\n"
    "AutoModelForCausalLM.from_pretrained('a', device_map={'': local}, num_labels=3)\n",
}


@pytest.mark.parametrize("name", PINNED)
def test_one_gpu_for_all(name: str) -> None:
    (found,) = found_in(BOUND + PINNED[name], "DDP403")
    assert "on GPU" in found.message


@pytest.mark.parametrize("name", OWN_GPU)
def test_each_its_own_gpu(name: str) -> None:
    assert not found_in(BOUND + OWN_GPU[name], "DDP403"), name


def test_one_gpu_that_each_process_sees() -> None:
    """A launcher may show each process one GPU, which then is number 0 for all of them."""
    shown = NODES.replace("torch.device('cuda', local)", "torch.device('cuda')") + "model = nn.Linear(2, 2)\n"
    assert not found_in(shown + PINNED["by name"], "DDP403")
    hidden = BOUND.replace(LOCAL, LOCAL + "os.environ['CUDA_VISIBLE_DEVICES'] = str(local)\n")
    assert not found_in(hidden + PINNED["by name"], "DDP403")


def test_another_device_where_nothing_is_distributed() -> None:
    text = (
        f"{START}{LOCAL}def main(args):\n    if args.distributed:\n        torch.cuda.set_device(local)\n"
        "        dist.init_process_group('nccl')\n        device = f'cuda:{local}'\n    else:\n        device = 'cuda:0'\n"
        "    nn.Linear(2, 2).to(device)\n"
    )
    assert not found_in(text, "DDP403")


NO_LOCAL = f"{START}dist.init_process_group('gloo')\n{RANK}"
NUMBERED = ["torch.cuda.set_device(rank)\n", "device = torch.device(f'cuda:{rank}')\n", "torch.device('cuda', rank)\n"]
ON_ONE_NODE = {
    "it says so": "# runs on a single node\ntorch.cuda.set_device(rank)\n",
    "one GPU is visible": "os.environ['CUDA_VISIBLE_DEVICES'] = str(rank)\ntorch.cuda.set_device(rank)\n",
    "a launcher starts it": "def work(index):\n    torch.cuda.set_device(dist.get_rank())\n"
    "torch.multiprocessing.spawn(work, nprocs=2)\n",
    "reduced": "torch.cuda.set_device(rank % torch.cuda.device_count())\n",
    "one rank": "if rank == 0:\n    torch.cuda.set_device(rank)\n",
}


@pytest.mark.parametrize("line", NUMBERED)
def test_the_global_rank_where_no_local_one_is_known_is_advice(line: str) -> None:
    (found,) = found_in(NO_LOCAL + line, "DDP403")
    assert found.severity is Severity.ADVICE
    (found,) = found_in(NO_LOCAL + line + "DDP(nn.Linear(2, 2), device_ids=[rank])\n", "DDP403")
    assert found.place.range.start_line == NO_LOCAL.count("\n") + 1


@pytest.mark.parametrize("name", ON_ONE_NODE)
def test_the_global_rank_on_one_node(name: str) -> None:
    assert not found_in(NO_LOCAL + ON_ONE_NODE[name], "DDP403"), name


TWICE = """\
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

LOCAL = int(os.environ["LOCAL_RANK"])

def setup():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())

def wrapped(model):
    number = dist.get_rank()
    return DistributedDataParallel(model, device_ids=[number])
"""


def test_what_a_file_does_wrong_twice_is_one_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TWICE)
    found = [one for one in check(["train.py"]).findings if "global rank as the number" in one.message]
    assert [one.place.range.start_line for one in found] == [10]
    assert ("the same again", 14) in [(note.text, note.place.range.start_line) for note in found[0].notes]


HERE_OR_FAR = {
    "said to be on one": ("torchrun --nnodes=1 --nproc_per_node=8 eval.py\n", Severity.ADVICE),
    "alone": ("torchrun --standalone --nproc_per_node=8 eval.py\n", Severity.ADVICE),
    "nobody says": ("torchrun --nproc_per_node=8 eval.py\n", Severity.WARNING),
    "on two": ("torchrun --nnodes=2 --nproc_per_node=8 eval.py\n", Severity.WARNING),
    "on one and on two": ("torchrun --nnodes=1 eval.py\ntorchrun --nnodes=2 eval.py\n", Severity.WARNING),
}


@pytest.mark.parametrize("name", HERE_OR_FAR)
def test_a_program_beside_one_on_several_nodes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line, severity = HERE_OR_FAR[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text("torchrun --nnodes=4 --nproc_per_node=8 train.py\n")
    (tmp_path / "eval.sh").write_text(line)
    (tmp_path / "eval.py").write_text(TWICE + "\nif __name__ == '__main__':\n    setup()\n")
    found = [one for one in check(["eval.py"]).findings if "global rank as the number" in one.message]
    assert [one.severity for one in found] == [severity]
