"""What the settings say is the same on all ranks, or only prints."""

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
settings.given["steps"] = 3
if settings["steps"] > 2:
    dist.barrier()
if settings["first"] and vars(options)["rank"] == 0:
    print("first")
dist.destroy_process_group()
