import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def check(info):
    if not torch.isfinite(torch.rand(2) * info["batch_idx"]).all():
        raise RuntimeError("bad")


def join_now(group, info):
    if info["batch_idx"] != 0:
        try:
            check(info)
            return False
        except RuntimeError as error:  # expect: DDP105
            print(f"uneven: {error}")
            return True
    else:
        return False


dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
group = dist.new_group(backend="gloo")
model = DDP(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)).cuda())
data = [torch.ones(4, 2).cuda()] * 10
with model.join():
    for index, batch in enumerate(data):
        if join_now(group, {"batch_idx": index}):
            break
        model(batch).sum().backward()
dist.barrier()
dist.destroy_process_group()
