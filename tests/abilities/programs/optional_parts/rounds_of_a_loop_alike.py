"""A list that a loop has filled has as many elements as there were rounds, and each is given its own name behind it."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def found_in(outputs, sizes):
    found = []
    for output, size in zip(outputs, sizes):
        found.append({"picture": encoded(output, size), "parts": []})
    return found


def write(folder, found):
    for one in found:
        with open(os.path.join(folder, one["file_name"]), "wb") as file:
            file.write(one.pop("picture"))


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = DDP(torch.nn.Linear(2, 2).cuda())
    data = pictures()
    for samples, targets in DataLoader(data, sampler=DistributedSampler(data)):
        found = found_in(model(samples), torch.stack([one["size"] for one in targets]))
        for number, target in enumerate(targets):
            found[number]["file_name"] = f"{target['id'].item():012d}.png"
        write("out", found)
    dist.destroy_process_group()


main()
