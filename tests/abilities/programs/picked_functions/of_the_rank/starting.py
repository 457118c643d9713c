import torch.distributed as dist


def start_slurm(backend):
    dist.init_process_group(backend)
    return dist.get_world_size(), dist.get_rank()


def start_torchrun(backend):
    dist.init_process_group(backend)
    return dist.get_world_size(), dist.get_rank()


def helper(text):
    return text
