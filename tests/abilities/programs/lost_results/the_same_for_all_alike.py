import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=3)
options = parser.parse_args()
seed = options.seed
dist.init_process_group("gloo")
dist.broadcast(torch.tensor([seed]), src=0)
torch.manual_seed(seed)
print(torch.randn(2))
dist.destroy_process_group()
