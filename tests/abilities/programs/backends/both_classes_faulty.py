import argparse
import datetime

import torch
import torch.distributed as dist
from accelerate import Accelerator, InitProcessGroupKwargs


class Ours:
    def __init__(self):
        self.accelerator = None
        self.seconds = 1800

    def apply(self, model):
        handlers = None
        if self.accelerator is None:
            handlers = [InitProcessGroupKwargs(timeout=datetime.timedelta(seconds=self.seconds))]  # expect: DDP404
        self.accelerator, model = apply_ddp(model, self.accelerator, handlers)
        return model


class Plain:
    def __init__(self):
        self.seconds = 1800
        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=self.seconds))

    def apply(self, model):
        return torch.nn.parallel.DistributedDataParallel(model)


def apply_ddp(model, accelerator, handlers):
    if accelerator is None:
        accelerator = Accelerator(kwargs_handlers=handlers)
    return accelerator, accelerator.prepare(model)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", default="ours")
    args = parser.parse_args()
    Plain()
    chosen = Ours()
    model = chosen.apply(torch.nn.Linear(2, 2))
    model(torch.ones(3, 2)).sum().backward()


main()
