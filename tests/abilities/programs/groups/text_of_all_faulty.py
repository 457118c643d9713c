"""What all ranks have from rank 0 names one file, which each of them writes."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main(prompts: list[str]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    for number in range(4):
        sent = [prompts[dist.get_rank()]]
        dist.broadcast_object_list(sent, src=0)
        torch.save(torch.randn(4), f"{number}_{sent[0]}.pt")  # expect: DDP201
    dist.destroy_process_group()


if __name__ == "__main__":
    main(["a", "b", "c", "d"])
