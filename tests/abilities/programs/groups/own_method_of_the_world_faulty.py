"""The first rank of the group of all waits in it for the others."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    everyone = dist.group.WORLD
    if everyone.rank() == 0:
        torch.save(torch.ones(4), "ones.pt")
        everyone.barrier().wait()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
