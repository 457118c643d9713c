"""Both sides fill a list from a model in each round, and wait where it is long."""

from datetime import timedelta

import torch
import torch.distributed as dist
from data import batches, model


def train(log) -> None:
    for batch in batches:
        model(batch)
        chosen = []
        for one in model.children():
            if one.training:
                chosen.append(one)
        if len(chosen) > 3:
            dist.barrier()
        if log is not None:
            log(batch)


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    if dist.get_rank() == 0:
        train(print)
    else:
        train(None)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
