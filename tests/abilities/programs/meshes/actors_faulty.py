"""Actors of Ray that meet in a group."""

import ray
import torch
from ray.util import collective


@ray.remote
class Worker:
    def __init__(self, rank: int, world: int) -> None:
        collective.init_collective_group(world, rank, backend="gloo")
        self.tensor = torch.ones(4)

    def reduce(self) -> torch.Tensor:
        if collective.get_rank() == 0:
            collective.allreduce(self.tensor)  # expect: DDP101
        return self.tensor
