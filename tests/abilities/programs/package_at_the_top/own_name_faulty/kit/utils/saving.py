import torch
import torch.distributed as dist


def save(model, epoch):
    torch.save(model.module.state_dict(), f"{epoch}.pt")
    dist.barrier()
