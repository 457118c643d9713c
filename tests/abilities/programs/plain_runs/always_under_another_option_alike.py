import argparse
import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn import Linear
from torch import ones


class Trainer:
    def __init__(self, model, parallel):
        self.model, self.parallel = model, parallel

    def train(self, steps):
        dist.barrier()
        for _ in range(steps):
            self.model(ones(2)).sum().backward()
        if self.parallel:
            dist.barrier()


def main(args):
    parallel = "WORLD_SIZE" in os.environ and int(os.environ["WORLD_SIZE"]) > 1
    if args.cache:
        os.makedirs("cache", exist_ok=True)
        dist.init_process_group("gloo")
        model = Linear(2, 2)
        if parallel:
            model = DDP(model)
        Trainer(model, parallel).train(args.steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", action="store_true")
    parser.add_argument("--steps", type=int)
    main(parser.parse_args())
