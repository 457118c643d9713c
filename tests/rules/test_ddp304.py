"""DDP304 sampler-rank-mismatch."""

import pytest

from ddplint.rule import Confidence, Severity
from tests.rules.support import fixed_in, found_in

CODE = "DDP304"

HEAD = """\
import os
import torch.distributed as dist
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DistributedSampler, Sampler
from setup import data, options

dist.init_process_group("nccl")
local_rank = int(os.environ["LOCAL_RANK"])
local_size = int(os.environ["LOCAL_WORLD_SIZE"])
rank, world_size = dist.get_rank(), dist.get_world_size()

"""

FIRES = [
    "sampler = DistributedSampler(data, num_replicas=world_size, rank=local_rank)",
    "sampler = DistributedSampler(data, rank=local_rank)",
    "sampler = DistributedSampler(data, world_size, local_rank)",
    "sampler = DistributedSampler(data, num_replicas=int(os.environ['WORLD_SIZE']), rank=local_rank)",
    "sampler = DistributedSampler(data, num_replicas=local_size, rank=rank)",
    "part = split_dataset_by_node(data, rank=local_rank, world_size=world_size)",
    "part = split_dataset_by_node(data, world_size, rank)",
    "sampler = DistributedSampler(data, rank, world_size)",
    "def part(data, rank=0, world_size=1):\n    return split_dataset_by_node(data, world_size, rank)",
    "sampler = DistributedSampler(data, seed=rank)",
    "sampler = DistributedSampler(data, world_size, rank, True, options.seed + rank)",
    "import time\nsampler = DistributedSampler(data, shuffle=True, seed=int(time.time()) % 2**31 * rank)",
]


@pytest.mark.parametrize("line", FIRES)
def test_fires(line: str) -> None:
    [found] = found_in(HEAD + line + "\n", CODE)
    assert found.severity is Severity.ERROR


def test_sampler_of_the_project() -> None:
    text = (
        HEAD
        + """\
class Stream(Sampler):
    def __init__(self, data, rank, world_size):
        self.part = range(rank, len(data), world_size)

    def __iter__(self):
        return iter(self.part)

sampler = Stream(data, rank=local_rank, world_size=options.world_size)
"""
    )
    assert len(found_in(text, CODE)) == 1


NAMED = """\
import os
from dataclasses import dataclass

@dataclass
class {name}:
    rank: int = 0
    world_size: int = 1

def place():
    number = int(os.environ.get({variable}, os.environ.get("RANK", "0")))
    return number, int(os.environ.get("WORLD_SIZE", "1"))

def stream(config=None):
    if config is None:
        rank, world_size = place()
        config = {name}({given})
    return config
"""
BOTH, LOCAL = "rank=rank, world_size=world_size", '"LOCAL_RANK"'


@pytest.mark.parametrize(
    ("name", "variable", "given", "found"),
    [
        ("DataloaderDDPConfig", LOCAL, BOTH, 1),
        ("ShardedReader", LOCAL, BOTH, 1),
        ("ShardedReader", '"SLURM_PROCID"', BOTH, 0),
        ("DeviceConfig", LOCAL, BOTH, 0),
        ("ShardedReader", LOCAL, "rank=rank", 0),
        ("ShardedReader", LOCAL, BOTH + " // 8", 0),
        ("UpdatedSettings", LOCAL, BOTH, 0),
    ],
)
def test_a_class_named_after_data(name: str, variable: str, given: str, found: int) -> None:
    assert len(found_in(NAMED.format(name=name, variable=variable, given=given), CODE)) == found


def test_known_by_name_in_a_module_of_samplers() -> None:
    text = """\
from torch.utils.data import Sampler

class Stream(Sampler[int]):
    def __init__(self, data, rank, world_size):
        self.part = range(rank, len(data), world_size)

def make(cfg, data):
    return Stream(data, rank=cfg.local_rank, world_size=cfg.world_size)
"""
    assert len(found_in(text, CODE)) == 1
    assert found_in(text.replace("cfg.local_rank", "cfg.rank"), CODE) == []


SILENT = [
    "part = split_dataset_by_node(data, rank, world_size)",
    "def part(data, rank=0, world_size=1):\n    return split_dataset_by_node(data, rank, world_size)",
    "def part(data, size_of_world, place):\n    return split_dataset_by_node(data, size_of_world, place)",
    "sampler = DistributedSampler(data)",
    "sampler = DistributedSampler(data, num_replicas=world_size, rank=rank)",
    "sampler = DistributedSampler(data, num_replicas=local_size, rank=local_rank)",
    "sampler = DistributedSampler(data, num_replicas=options.shards, rank=local_rank)",
    "sampler = DistributedSampler(data, num_replicas=options.local_world_size, rank=local_rank)",
    "sampler = DistributedSampler(data, num_replicas=world_size, rank=options.shard)",
    "sampler = DistributedSampler(data, num_replicas=4, rank=local_rank)",
    "PROCESSES = 4\nsampler = DistributedSampler(data, num_replicas=PROCESSES, rank=local_rank)",
    "world_size = options.num_gpus\nsampler = DistributedSampler(data, world_size, local_rank)",
    "sampler = DistributedSampler(data, num_replicas=world_size // 2, rank=rank // 2)",
    "part = split_dataset_by_node(data, rank=rank, world_size=world_size)",
    "device = options.device(local_rank)",
    "sampler = DistributedSampler(data, seed=options.seed)",
    "sampler = DistributedSampler(data, seed=options.seed + 1000 * world_size)",
    "sampler = DistributedSampler(data, shuffle=False, seed=rank)",
    "sampler = DistributedSampler(data, num_replicas=1, rank=0, seed=rank)",
    "sampler = DistributedSampler(data, num_replicas=options.replicas, rank=rank // 2, seed=rank % 2)",
    "seed = [rank]\ndist.broadcast_object_list(seed)\nsampler = DistributedSampler(data, seed=seed[0])",
    "generator = torch.Generator().manual_seed(rank)\nsampler = DistributedSampler(data, seed=0)",
    "from peft import LoraConfig\nconfig = LoraConfig(rank=8)",
]


@pytest.mark.parametrize("line", SILENT)
def test_silent(line: str) -> None:
    assert found_in(HEAD + line + "\n", CODE) == []


def test_a_seed_from_the_clock_may_be_the_same_by_luck() -> None:
    (found,) = found_in(HEAD + "import time\nsampler = DistributedSampler(data, seed=int(time.time()))\n", CODE)
    assert (found.severity, found.confidence) == (Severity.WARNING, Confidence.MEDIUM)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("DistributedSampler(data, world_size, local_rank)", "DistributedSampler(data, world_size, dist.get_rank())"),
        (
            "DistributedSampler(data, num_replicas=local_size, rank=rank)",
            "DistributedSampler(data, num_replicas=dist.get_world_size(), rank=rank)",
        ),
    ],
)
def test_fix(before: str, after: str) -> None:
    assert fixed_in(f"{HEAD}s = {before}\n", CODE) == f"{HEAD}s = {before}\n"
    assert fixed_in(f"{HEAD}s = {before}\n", CODE, unsafe=True) == f"{HEAD}s = {after}\n"


NUMBERS = """\
import os
import torch.distributed as dist

def setup(trainer, args, node_rank, world_size):
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    {}
"""


@pytest.mark.parametrize(
    "line",
    [
        "rank = node_rank * world_size + local_rank",
        "rank = local_rank + world_size * node_rank",
        "rank = trainer.node_rank * trainer.world_size + local_rank",
        "rank = args.machine_rank * args.world_size + int(os.environ['LOCAL_RANK'])",
    ],
)
def test_a_rank_that_nobody_has(line: str) -> None:
    [found] = found_in(NUMBERS.format(line), CODE)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    "line",
    [
        "rank = node_rank * args.gpus + local_rank",
        "rank = node_rank * args.nproc_per_node + local_rank",
        "rank = node_rank * args.local_world_size + local_rank",
        "world_size = torch.cuda.device_count(); rank = node_rank * world_size + local_rank",
        "rank = node_rank * world_size + local_rank; mp.spawn(main, nprocs=world_size)",
        "rank = trainer.node_rank * args.world_size + local_rank",
        "seed = args.seed * world_size + local_rank",
        "width = node_rank * world_size + x",
    ],
)
def test_a_rank_that_is_right(line: str) -> None:
    assert found_in(NUMBERS.format(line), CODE) == []


OLD = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler, Subset
from setup import PackedDataset, Transformed, load

class Chunks(Dataset):
    def __init__(self, data):
        self.rows = []
        for row in data:
            self.rows.append(row)
    def __len__(self):
        return len(self.rows)

class Mapped(Dataset):
    def __init__(self, data):
        self.data = data
    def __len__(self):
        return len(self.data)

def options_for(data):
    return {"sampler": DistributedSampler(data), "batch_size": 4}

def main():
    dist.init_process_group("nccl")
"""


@pytest.mark.parametrize("new", ["Chunks(data)", "Subset(data, [1, 2])", "PackedDataset(data)", "data.filter(bool)"])
def test_a_sampler_of_the_data_set_before(new: str) -> None:
    text = f"data = load(); sampler = DistributedSampler(data); data = {new}; DataLoader(data, sampler=sampler)"
    [found] = found_in(OLD + "    " + text + "\nmain()\n", CODE)
    assert found.severity is Severity.ERROR


def test_a_sampler_among_options() -> None:
    text = "data = load(); options = options_for(data); data = Chunks(data); DataLoader(data, **options)"
    assert len(found_in(OLD + "    " + text + "\nmain()\n", CODE)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "data = load(); data = Chunks(data); sampler = DistributedSampler(data); DataLoader(data, sampler=sampler)",
        "data = load(); sampler = DistributedSampler(data); data = Mapped(data); DataLoader(data, sampler=sampler)",
        "data = load(); sampler = DistributedSampler(data); data = Transformed(data); DataLoader(data, sampler=sampler)",
        "data = load(); sampler = DistributedSampler(data); DataLoader(data, sampler=sampler); data = Chunks(data)",
        "data = load(); sampler = DistributedSampler(data); data = Chunks(data); DataLoader(data)",
        "data, old = load(), load(); s = DistributedSampler(old); data = Chunks(data); DataLoader(data, sampler=s)",
        "d = load(); s = DistributedSampler(d); d = Chunks(d); s = DistributedSampler(d); DataLoader(d, sampler=s)",
    ],
)
def test_a_sampler_of_the_data_set_as_it_is(line: str) -> None:
    assert found_in(OLD + "    " + line + "\nmain()\n", CODE) == []
