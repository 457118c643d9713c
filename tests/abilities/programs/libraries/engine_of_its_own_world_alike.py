"""The first rank of a trainer and the engines are a world of their own."""

from datetime import timedelta

import torch
import torch.distributed as dist
from vllm.distributed.device_communicators.pynccl import PyNcclCommunicator
from vllm.distributed.utils import StatelessProcessGroup


def connect(address: str, port: int, engines: int) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    if dist.get_rank() == 0:
        world = StatelessProcessGroup.create(host=address, port=port, rank=0, world_size=engines + 1)
        sender = PyNcclCommunicator(world, device=torch.device("cuda", 0))
        sender.broadcast(torch.ones(4), src=0)
    dist.barrier()
