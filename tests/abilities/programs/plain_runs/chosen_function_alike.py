import argparse
import os

import torch
import torch.distributed as dist


class Meter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def meter_reduce(meter):
    total = torch.tensor([meter.sum])
    dist.reduce(total, 0)
    return total


def test(loader, model, distributed=False):
    top1, top5 = Meter(), Meter()
    for x, y in loader:
        top1.sum += 1
    top1, top5 = map(meter_reduce if distributed else lambda x: x.avg, [top1, top5])
    return top1


def init(args):
    args.n = int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else 1
    args.distributed = args.n > 1
    if args.distributed:
        dist.init_process_group("gloo")


def main():
    p = argparse.ArgumentParser()
    args = p.parse_args()
    init(args)
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model)
    test([], model, args.distributed)


main()
