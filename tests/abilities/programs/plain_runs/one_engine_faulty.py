import argparse
import os

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
if args.engine == "torch_ddp":
    model = torch.nn.parallel.DistributedDataParallel(model)
else:
    model = model.cuda()
for epoch in range(3):
    dist.barrier()  # expect: DDP114
dist.destroy_process_group()
