"""All ranks have a whole number."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main(scores: list[float]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    score = torch.tensor(3 if rank == 0 else 0)
    dist.all_reduce(score)
    print(rank, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main([0.5, 0.25])
