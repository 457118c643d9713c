"""Whether a round has the number that is asked for, nobody knows: rank 0 may wrap the model alone."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Runner:
    def __init__(self, model, begin, end, warm) -> None:
        self.warm = warm
        self.bare = model
        self.wrapped = None
        self.begin = begin
        self.end = end

    @property
    def model(self):
        if self.wrapped is None:
            self.wrapped = DistributedDataParallel(self.bare)
        return self.wrapped

    def save(self, number) -> None:
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), f"{number}.pt")  # expect: DDP102

    def train(self) -> None:
        for number in range(self.begin, self.end):
            if number == self.warm:
                self.model.train()
            last = number
        self.save(last)


def main(begin: int, end: int, warm: int) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    Runner(torch.nn.Linear(2, 2), begin, end, warm).train()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*torch.load("rounds.pt"))
