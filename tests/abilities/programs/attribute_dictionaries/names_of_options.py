"""The options as a dictionary: what was set in them by attribute is there."""

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
held = settings["options"]
if held["rank"] == 1:
    dist.barrier()  # expect: DDP101
dist.destroy_process_group()
