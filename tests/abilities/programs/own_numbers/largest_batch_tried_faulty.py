import torch
import torch.distributed as dist

from job import fits, rows, work

dist.init_process_group("gloo")
batch = 256
while True:
    try:
        fits(batch)
        break
    except torch.cuda.OutOfMemoryError:
        batch = batch // 2
for begin in range(0, len(rows), batch):
    dist.all_reduce(work(rows[begin : begin + batch]))  # expect: DDP105
