import torch
import torch.distributed as dist

from job import options, samples

dist.init_process_group("gloo")
target = options.folder / f"part-{dist.get_rank()}.bin"
with target.open("wb") as out:
    for sample in samples:
        out.write(sample)
dist.barrier()
