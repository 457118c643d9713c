import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

def main():
    dist.init_process_group("nccl")
    rank, n = dist.get_rank(), dist.get_world_size()
    rows = torch.load("train.pt")
    mine = torch.split(rows, len(rows) // n)[rank]
    loader = DataLoader(mine, batch_size=10, shuffle=True)
    model = DistributedDataParallel(torch.nn.Linear(3, 2))
    for batch in loader:
        model(batch).mean().backward()
main()
