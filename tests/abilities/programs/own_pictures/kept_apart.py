"""Pictures of each rank's batch under names of their own, on one rank, or that are only looked at."""

import os
import sys

import torch
import torch.distributed as dist
from PIL import Image
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.transforms.functional import to_pil_image

dist.init_process_group("gloo")
net = DistributedDataParallel(torch.nn.Linear(8, 8))
out = sys.argv[1]


def own_outputs(data):
    for batch in DataLoader(data, batch_size=2, sampler=DistributedSampler(data), drop_last=True):
        yield net(batch).detach().cpu()


def under_own_names(data):
    for step, one in enumerate(own_outputs(data)):
        Image.fromarray(one.numpy()).save(os.path.join(out, f"{dist.get_rank()}-{step}.png"))


def on_one_rank(data):
    for one in own_outputs(data):
        if dist.get_rank() == 0:
            Image.fromarray(one.numpy()).convert("RGB").save(f"{out}/last.png")


def into_memory(data, buffer):
    for one in own_outputs(data):
        to_pil_image(one).resize((64, 64)).save(buffer, format="PNG")


def into_folders_of_their_own(data):
    folder = os.path.join(out, str(dist.get_rank()))
    os.makedirs(folder, exist_ok=True)
    for one in own_outputs(data):
        one.numpy().tofile(f"{folder}/raw.bin")


def shown(data):
    for one in own_outputs(data):
        to_pil_image(one).show()


def by_position(data, world):
    for step, one in enumerate(own_outputs(data)):
        index = step * world + dist.get_rank()
        Image.fromarray(one.numpy()).crop((0, 0, 8, 8)).save(f"{out}/{index:06d}.png")
