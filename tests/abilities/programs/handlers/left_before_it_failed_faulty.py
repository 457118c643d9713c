import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, batches, rank, patience):
    stale, best = 0, 1e9
    for batch in batches:
        loss = model.module(batch).mean()
        if rank == 0:
            if loss.item() < best:
                best = loss.item()
            else:
                stale += 1
        if stale > patience:
            break
    else:
        raise torch.cuda.OutOfMemoryError()


def main(batches):
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(4, 4))
    try:
        train(model, batches, dist.get_rank(), 3)
    except torch.cuda.OutOfMemoryError:
        dist.all_reduce(torch.zeros(1))  # expect: DDP105


main(torch.load("x.pt"))
