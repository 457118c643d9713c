"""What is weighted, cut to one length, or summed up has one size on all ranks."""

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


def weighted(model, dataset):
    kept = []
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept.append(out * (out.norm(dim=1, keepdim=True) > 1.0))
    kept = torch.cat(kept)
    parts = [torch.zeros_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)


def summed(model, dataset):
    kept = []
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept.append(out[out[:, 0] > 1.0].sum())
    kept = torch.stack(kept)
    parts = [torch.zeros_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)


def best_ten(model, dataset):
    kept = []
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept.append(out[out[:, 0].topk(2).indices])
    kept = torch.cat(kept)
    parts = [torch.zeros_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)


def as_objects(model, dataset):
    kept = []
    for batch in loader_of(dataset):
        out = model(batch.cuda())
        kept.append(out[out[:, 0] > 1.0].cpu())
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, torch.cat(kept))


def main(dataset):
    model = setup()
    weighted(model, dataset)
    summed(model, dataset)
    best_ten(model, dataset)
    as_objects(model, dataset)


main(torch.load("data.pt"))
