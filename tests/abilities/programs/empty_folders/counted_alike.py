import argparse
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--out")
out = parser.parse_args().out
dist.init_process_group("gloo")
if os.path.isdir(out) and len(os.listdir(out)) > 0:
    raise FileExistsError(out)
os.makedirs(out, exist_ok=True)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
model(torch.ones(2, 4)).sum().backward()
