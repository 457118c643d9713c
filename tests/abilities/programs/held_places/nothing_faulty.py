"""Nothing holds the place of what rank 0 reads, and rank 0 alone waits."""

import json
from datetime import timedelta

import torch.distributed as dist


def settings():
    found = None
    if dist.get_rank() == 0:
        with open("settings.json") as file:
            found = json.load(file)
    return found


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    found = settings()
    if isinstance(found, dict):
        dist.barrier()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
