"""Only rank 0 asks whether there is anything to wait for."""

from datetime import timedelta

import torch
import torch.distributed as dist
from data import batches, model


def train(log) -> None:
    for batch in batches:
        model(batch)
        if log is not None:
            chosen = [one for one in model.buffers() if torch.is_floating_point(one)]
            if chosen:
                dist.barrier()


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    if dist.get_rank() == 0:
        train(print)  # expect: DDP101
    else:
        train(None)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
