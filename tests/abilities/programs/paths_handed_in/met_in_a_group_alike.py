import torch
import torch.distributed as dist


def keep(net, target, group):
    dist.barrier(group=group)
    torch.save(net.state_dict(), target)


def keep_of_one(net, target):
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), target)
    dist.barrier()
