"""Started once: the first of the trainers. The other machines run other programs, which say which trainer they are."""

import argparse
import os
from dataclasses import dataclass
from urllib.request import urlretrieve

import torch
import torch.distributed as dist

FIRST = 0


@dataclass
class Numbers:
    world_size: int
    trainers: list[int]

    @classmethod
    def of(cls, machines, servers):
        world, trainers = 0, []
        for _ in range(machines):
            trainers.append(world)
            world += 1
        return cls(world + servers, trainers)


def train(machines, servers, rank=FIRST):
    if machines > 1:
        numbers = Numbers.of(machines, servers)
        dist.init_process_group("gloo", rank=numbers.trainers[rank], world_size=numbers.world_size)
        dist.barrier()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--servers", type=int, default=0)
    args = parser.parse_args()
    if not os.path.exists("words.zip"):
        urlretrieve("https://example.org/words.zip", "words.zip")
    torch.save(torch.zeros(4), "start.pt")
    train(args.machines, args.servers)


main()
