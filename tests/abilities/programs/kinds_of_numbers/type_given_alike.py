"""The type of the tensor is written down."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main(scores: list[float]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    if rank == 0:
        score = sum(scores) / len(scores)
    else:
        score = 0
    score = torch.tensor(score, dtype=torch.float64)
    dist.broadcast(score, 0)
    print(rank, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main([0.5, 0.25])
