"""Elements that a mask selects on each rank, put together over batches, and gathered."""

import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return torch.nn.Linear(4, 4).cuda()


def loader_of(dataset):
    return DataLoader(dataset, 4, sampler=DistributedSampler(dataset, drop_last=True), drop_last=True)


def kept_in_a_list(model, dataset):
    kept = []
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept.append(out[out.norm(dim=1) > 1.0])
    kept = torch.cat(kept).contiguous()
    parts = [torch.zeros_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)  # expect: DDP111


def kept_from_the_last(model, dataset):
    kept = None
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept = out[out[:, 0] > 1.0]
    parts = [torch.zeros_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)  # expect: DDP111


def main(dataset):
    model = setup()
    kept_in_a_list(model, dataset)
    kept_from_the_last(model, dataset)


main(torch.load("data.pt"))
