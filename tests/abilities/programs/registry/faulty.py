"""Which class writes is said by a configuration; one of the registered ones gathers from all ranks first."""

import json
import os

import torch
import torch.distributed as dist

WRITERS = {}


def register(name):
    def add(cls):
        WRITERS[name] = cls
        return cls

    return add


@register("plain")
class Plain:
    def __init__(self, folder):
        self.folder = folder

    def write(self, step):
        print(os.path.join(self.folder, str(step)))


@register("gathering")
class Gathering:
    def __init__(self, folder):
        self.folder = folder

    def write(self, step):
        total = torch.tensor(float(step))
        dist.all_reduce(total)
        print(os.path.join(self.folder, str(total.item())))


class Loop:
    def __init__(self, config):
        self.writer = WRITERS[config["writer"]](config["folder"])

    def run(self, step):
        if dist.get_rank() == 0:
            self.writer.write(step)  # expect: DDP101


def main():
    dist.init_process_group("gloo")
    with open("config.json") as file:
        config = json.load(file)
    loop = Loop(config)
    for step in range(config["steps"]):
        loop.run(step)


main()
