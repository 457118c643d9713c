import torch
import torch.distributed as dist


def get_rank():
    if dist.is_initialized():
        return dist.get_rank()
    return 1  # expect: DDP209


dist.init_process_group("gloo")
torch.cuda.set_device(dist.get_rank() % dist.get_world_size())  # expect: DDP209
print(get_rank(), dist.get_local_rank())  # expect: DDP209
options = {"rank": get_rank()}
if "rank" not in options.items():  # expect: DDP209
    print(options)
