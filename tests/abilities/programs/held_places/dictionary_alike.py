"""A dictionary holds the place of what rank 0 reads."""

import json
from datetime import timedelta

import torch
import torch.distributed as dist


def settings():
    found = {"steps": 0}
    if dist.get_rank() == 0:
        with open("settings.json") as file:
            found = json.load(file)
    return found


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    found = settings()
    if isinstance(found, dict):
        dist.barrier()
    else:
        print("a list", torch.__version__)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
