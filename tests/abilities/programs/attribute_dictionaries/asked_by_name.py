"""A class of the project gives its settings under their names."""

import argparse

import torch.distributed as dist


class Settings:
    """Settings that are asked for by their names."""

    def __init__(self, **given):
        self.given = given

    def __getitem__(self, name):
        return self.given[name]


options = argparse.ArgumentParser().parse_args()
dist.init_process_group("gloo")
options.rank = dist.get_rank()
settings = Settings(first=options.rank == 0, options=vars(options))
if settings["first"]:
    dist.barrier()  # expect: DDP101
dist.destroy_process_group()
