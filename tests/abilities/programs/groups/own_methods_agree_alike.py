"""What a method of the group has summed up is the same on all ranks, and decides alike."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main(losses: list) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    everyone = dist.group.WORLD
    loss = torch.tensor(sum(losses) / len(losses))
    everyone.allreduce(loss).wait()
    if loss.item() > 3.0:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("losses.pt", map_location="cpu"))
