
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def run(rank, workers, rows):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:12345", world_size=workers, rank=rank)
    mine = torch.split(rows, len(rows) // workers)[rank]
    model = DistributedDataParallel(torch.nn.Linear(4, 2))
    for batch in DataLoader(mine, batch_size=8):
        model(batch).mean().backward()


if __name__ == "__main__":
    workers = torch.cuda.device_count()
    mp.spawn(run, args=(workers, torch.load("rows.pt")), nprocs=workers)
