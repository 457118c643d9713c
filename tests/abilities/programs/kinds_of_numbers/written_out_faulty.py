"""Ranks sum up a fraction and whole numbers."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main(scores: list[float]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    best = 0.5 if rank == 0 else 1
    score = torch.tensor([best])
    dist.all_reduce(score)  # expect: DDP107
    print(rank, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main([0.5, 0.25])
