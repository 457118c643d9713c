import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    dist.init_process_group("gloo")


def one_of_a_list():
    start()
    parts = nn.ModuleList([FSDP(nn.Linear(8, 8))])
    if dist.get_world_size() > 1:
        parts[0](torch.rand(4, 8))


def each_of_a_list():
    start()
    parts = nn.ModuleList()
    for _ in range(2):
        parts.append(FSDP(nn.Linear(8, 8)))
    if dist.get_world_size() > 1:
        x = torch.rand(4, 8)
        for part in parts:
            x = part(x)


def the_last_of_a_list():
    start()
    parts = nn.ModuleList(FSDP(nn.Linear(8, 8)) for _ in range(3))
    if dist.get_world_size() > 1:
        parts[-1](torch.rand(4, 8))


def numbered():
    start()
    parts = nn.ModuleList([nn.Linear(8, 8), FSDP(nn.Linear(8, 8))])
    if dist.get_world_size() > 1:
        x = torch.rand(4, 8)
        for number, part in enumerate(parts):
            x = part(x)


def by_name():
    start()
    nets = nn.ModuleDict({"actor": FSDP(nn.Linear(8, 8)), "critic": FSDP(nn.Linear(8, 8))})
    if dist.get_world_size() > 1:
        nets["actor"](torch.rand(4, 8))


def by_attribute():
    start()
    nets = nn.ModuleDict({"actor": FSDP(nn.Linear(8, 8))})
    if dist.get_world_size() > 1:
        nets.actor(torch.rand(4, 8))


def set_by_name():
    start()
    nets = nn.ModuleDict()
    nets["actor"] = FSDP(nn.Linear(8, 8))
    if dist.get_world_size() > 1:
        for name, net in nets.items():
            net(torch.rand(4, 8))


def values_of_a_dictionary():
    start()
    nets = nn.ModuleDict({"actor": FSDP(nn.Linear(8, 8))})
    if dist.get_world_size() > 1:
        for net in nets.values():
            net(torch.rand(4, 8))


def in_sequence():
    start()
    net = nn.Sequential(nn.Linear(8, 8), FSDP(nn.Linear(8, 8)))
    if dist.get_world_size() > 1:
        net(torch.rand(4, 8))


def one_of_a_sequence():
    start()
    net = nn.Sequential(nn.Linear(8, 8), FSDP(nn.Linear(8, 8)))
    if dist.get_world_size() > 1:
        net[1](torch.rand(4, 8))


def sharded_in_place():
    start()
    parts = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
    for part in parts:
        fully_shard(part)
    if dist.get_world_size() > 1:
        parts[0](torch.rand(4, 8))


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([FSDP(nn.Linear(8, 8)) for _ in range(2)])

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


def in_a_module():
    start()
    stack = Stack()
    if dist.get_world_size() > 1:
        stack(torch.rand(4, 8))


def past_the_wrapper():
    start()
    parts = nn.ModuleList([nn.Linear(8, 8)])
    wrapped = DDP(parts[0])
    if dist.get_rank() == 0:
        with torch.no_grad():
            parts[0](torch.rand(4, 8))
    wrapped(torch.rand(4, 8)).sum().backward()


def plain_ones():
    start()
    parts = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
    nets = nn.ModuleDict({"actor": nn.Linear(8, 8)})
    line = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    if dist.get_rank() == 0:
        parts[0](torch.rand(4, 8))
        nets["actor"](torch.rand(4, 8))
        line(torch.rand(4, 8))
    dist.barrier()


def the_plain_one():
    start()
    parts = nn.ModuleList([nn.Linear(8, 8), FSDP(nn.Linear(8, 8))])
    if dist.get_rank() == 0:
        parts[0](torch.rand(4, 8))
    parts[1](torch.rand(4, 8))


def replaced():
    start()
    nets = nn.ModuleDict({"actor": FSDP(nn.Linear(8, 8))})
    nets["actor"] = nn.Linear(8, 8)
    if dist.get_rank() == 0:
        nets["actor"](torch.rand(4, 8))
