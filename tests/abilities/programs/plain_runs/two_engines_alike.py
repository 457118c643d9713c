import argparse
import os

import deepspeed
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--engine", default="torch_ddp")
parser.add_argument("--backend", default="gloo")
args = parser.parse_args()
model = torch.nn.Linear(2, 2)
if args.engine == "torch_ddp":
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    dist.init_process_group(args.backend)
else:
    deepspeed.init_distributed(dist_backend=args.backend)
if args.engine == "torch_ddp":
    model = torch.nn.parallel.DistributedDataParallel(model)
else:
    model, _, _, _ = deepspeed.initialize(model=model, config="config.json")
for epoch in range(3):
    dist.barrier()
dist.destroy_process_group()
