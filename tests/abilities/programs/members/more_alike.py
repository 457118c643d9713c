import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    dist.init_process_group("gloo")


class Ensemble(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.nets = nn.ModuleList()
        for _ in range(3):
            self.nets.append(DDP(nn.Linear(8, 8)))
        self.heads = nn.ModuleDict()
        self.heads["a"] = DDP(nn.Linear(8, 1))
        self.heads.update({"b": DDP(nn.Linear(8, 1))})

    def score(self, x, name):
        return sum(net(x) for net in self.nets)

    def head(self, x):
        return self.heads["b"](x)


def all_of_them():
    start()
    ensemble = Ensemble(3)
    if dist.get_world_size() > 1:
        ensemble.score(torch.rand(2, 8), "a")


def one_of_them():
    start()
    ensemble = Ensemble(3)
    if dist.get_world_size() > 1:
        ensemble.head(torch.rand(2, 8))


def as_a_property():
    start()
    ensemble = Ensemble(3)
    x = torch.rand(2, 8)
    if dist.get_world_size() > 1:
        for name in ensemble.heads:
            ensemble.heads[name](x)


def zipped():
    start()
    parts = nn.ModuleList([FSDP(nn.Linear(8, 8)), FSDP(nn.Linear(8, 8))])
    if dist.get_world_size() > 1:
        for part, x in zip(parts, torch.rand(2, 4, 8)):
            part(x)


def by_index():
    start()
    parts = nn.ModuleList([FSDP(nn.Linear(8, 8)), FSDP(nn.Linear(8, 8))])
    x = torch.rand(4, 8)
    if dist.get_world_size() > 1:
        for number in range(len(parts)):
            x = parts[number](x)


def turned():
    start()
    parts = nn.Sequential(FSDP(nn.Linear(8, 8)), nn.ReLU())
    x = torch.rand(4, 8)
    if dist.get_world_size() > 1:
        for part in reversed(parts):
            x = part(x)


def in_a_branch():
    start()
    nets = nn.ModuleDict([("actor", DDP(nn.Linear(8, 8))), ("critic", DDP(nn.Linear(8, 1)))])
    if dist.get_world_size() > 1:
        nets["critic"](torch.rand(2, 8))


def built_in_steps():
    start()
    parts = [nn.Linear(8, 8)]
    parts.append(FSDP(nn.Linear(8, 8)))
    net = nn.Sequential(*parts)
    if dist.get_world_size() > 1:
        net(torch.rand(2, 8))


def plain_heads():
    start()
    heads = nn.ModuleDict([("actor", nn.Linear(8, 8)), ("critic", nn.Linear(8, 1))])
    body = DDP(nn.Linear(8, 8))
    x = body(torch.rand(2, 8))
    if dist.get_rank() == 0:
        print(heads["critic"](x.detach()))


def only_the_others():
    start()
    heads = nn.ModuleDict({"plain": nn.Linear(8, 1), "shared": DDP(nn.Linear(8, 1))})
    x = torch.rand(2, 8)
    if dist.get_rank() == 0:
        heads["plain"](x)
    heads["shared"](x)


def taken_out():
    start()
    parts = nn.ModuleList([DDP(nn.Linear(8, 8))])
    plain = nn.ModuleList(part.module for part in parts)
    if dist.get_rank() == 0:
        with torch.no_grad():
            for part in plain:
                part(torch.rand(2, 8))


def counted():
    start()
    parts = nn.ModuleList([DDP(nn.Linear(8, 8)) for _ in range(2)])
    if dist.get_rank() == 0:
        print(len(parts), sum(p.numel() for part in parts for p in part.parameters()))
        for number, part in enumerate(parts):
            torch.save(part.module.state_dict(), f"part{number}.pt")
