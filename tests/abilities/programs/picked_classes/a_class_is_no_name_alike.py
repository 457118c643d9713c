import torch.distributed as dist


class Plain:
    pass


def wait_for(kind):
    """Only a kind that is given by its name is waited for."""
    if isinstance(kind, str) and dist.get_rank() == 0:
        dist.barrier()


dist.init_process_group("gloo")
wait_for(Plain)
wait_for([Plain])

