import torch
import torch.distributed as dist


def keep(net, target):
    dist.barrier()
    torch.save(net.state_dict(), f"{target}.{dist.get_rank()}")


def keep_beside(net, target, rank):
    dist.barrier()
    torch.save(net.state_dict(), f"{target}/{rank}.pt")
