"""DDP601 where a rank that could not join leaves its model as it was."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from data import loader

parser = argparse.ArgumentParser()
parser.add_argument("--distributed", action="store_true")
parser.add_argument("--device", default="cuda")
parser.add_argument("--local_rank", type=int, default=0)
options = parser.parse_args()


def start():
    if not options.distributed:
        return False
    if not torch.cuda.is_available():
        return False
    try:
        dist.init_process_group("nccl")
        torch.cuda.set_device(options.local_rank)
        print(f"rank {{dist.get_rank()}} of {{dist.get_world_size()}}")
        return True
    except Exception as error:
        print(error)
        return False


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train(self):
        for batch in loader:
            loss = {called}(batch).mean()
            loss.backward()
            self.optimizer.step()


class Net(torch.nn.Module):
    def forward(self, batch):
        return batch


def main():
    joined = False
    try:
        joined = start()
        model = Net().to(options.device)
        if {asked}:
            model = DDP(model)
        Trainer(model).train()
    except Exception as error:
        print(error)
    finally:
        if joined:
            dist.destroy_process_group()


main()
"""


@pytest.mark.parametrize("asked", ["joined", "joined is True", "joined and options.distributed", "start()"])
def test_who_could_not_join_is_no_reason_to_say_that_all_pass_it_by(asked: str) -> None:
    assert not found_in(PROGRAM.format(called="self.model", asked=asked), "DDP601")


def test_all_pass_it_by() -> None:
    assert found_in(PROGRAM.format(called="self.model.module", asked="joined"), "DDP601")
