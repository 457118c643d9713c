"""A communicator of vLLM over a group of the trainer is made by one rank."""

from datetime import timedelta

import torch
import torch.distributed as dist
from vllm.distributed.device_communicators.pynccl import PyNcclCommunicator


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    if rank == 0:
        made = PyNcclCommunicator(dist.group.WORLD, device=torch.device("cuda", rank))  # expect: DDP101
    if rank == 0:
        print(made)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
