import torch
import torch.distributed as dist


def mean_loss(loss, rank):
    dist.all_reduce(loss)
    if rank == 0:
        print(loss / dist.get_world_size())


def meet(rank):
    if rank == 0:
        print("first")
        dist.barrier()
    else:
        dist.barrier()


dist.init_process_group("gloo")
mean_loss(torch.zeros(1), dist.get_rank())
meet(dist.get_rank())
