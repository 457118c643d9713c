"""Trains as several processes, of which rank 0 starts another job: the checkpoint was written by all."""

import os
import subprocess

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
    torch.save(model.module.state_dict(), "model.pt")  # expect: DDP201
    dist.barrier()
    if dist.get_rank() == 0:
        subprocess.run(["torchrun", "--nproc_per_node=1", "evaluate.py", "model.pt"], check=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
