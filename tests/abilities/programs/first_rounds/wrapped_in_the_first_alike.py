"""The first number of a range is the one that it begins with, so the model is wrapped on all ranks before one saves."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Runner:
    def __init__(self, model, begin, end) -> None:
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
            torch.save(self.model.module.state_dict(), f"{number}.pt")

    def train(self) -> None:
        for number in range(self.begin, self.end):
            if number == self.begin:
                self.model.train()
            last = number
        self.save(last)


def main(begin: int, end: int) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    Runner(torch.nn.Linear(2, 2), begin, end).train()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*torch.load("rounds.pt"))
