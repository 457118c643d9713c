import torch.distributed as dist


def is_first():
    return dist.get_rank() == 0


dist.init_process_group("gloo")
if is_first():  # expect: DDP208
    print("all have begun")
dist.destroy_process_group()
