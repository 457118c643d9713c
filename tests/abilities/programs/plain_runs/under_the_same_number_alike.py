import argparse

import torch.distributed as dist
from torch import ones
from torch.nn import Linear
from torch.nn.parallel import DistributedDataParallel as DDP


def main(args):
    print(args)
    if args.shards > 1:
        dist.init_process_group("gloo")
    model = Linear(2, 2)
    if args.shards > 1:
        model = DDP(model)
    if args.shards > 1:
        dist.barrier()
    model(ones(2)).sum().backward()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=int)
    main(parser.parse_args())
