import torch
from accelerate import Accelerator
from munch import Munch
from torch import nn


def build():
    return Munch(reader=nn.Linear(3, 3), writer=nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))


accelerator = Accelerator()
parts = build()
parts.reader = accelerator.prepare(parts.reader)
parts.writer = accelerator.prepare(parts.writer)
if accelerator.is_main_process:
    print(parts.writer(torch.randn(4, 3)))  # expect: DDP102
accelerator.wait_for_everyone()
