"""A picture that each rank makes of its own batch is a picture: it is written under one name by all."""

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


def as_it_is(data):
    for step, one in enumerate(own_outputs(data)):
        Image.fromarray(one.numpy()).save(os.path.join(out, f"{step}.png"))  # expect: DDP201


def in_colours(data):
    for one in own_outputs(data):
        picture = Image.fromarray(one.numpy()).convert("RGB").resize((64, 64))
        picture.save(f"{out}/last.png")  # expect: DDP201


def of_a_tensor(data):
    for one in own_outputs(data):
        to_pil_image(one).save(f"{out}/drawn.png")  # expect: DDP201


def raw(data):
    for one in own_outputs(data):
        one.numpy().tofile(f"{out}/raw.bin")  # expect: DDP201
