import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dist.init_process_group("nccl")
net = DistributedDataParallel(torch.nn.Linear(3, 1).to(where))  # expect: DDP403
net(torch.randn(3)).mean().backward()
dist.destroy_process_group()
