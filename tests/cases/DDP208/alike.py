import torch.distributed as dist


def is_first():
    return dist.get_rank() == 0


def begin(hook=None):
    if hook:
        hook()
    if is_first():
        print("all have begun")


dist.init_process_group("gloo")
begin(is_first)
dist.destroy_process_group()
