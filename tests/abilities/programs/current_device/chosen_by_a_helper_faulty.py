import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def pick():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


dist.init_process_group("nccl")
net = torch.nn.Linear(3, 1).to(pick())  # expect: DDP403
net = DistributedDataParallel(net)
net(torch.randn(3)).mean().backward()
dist.destroy_process_group()
