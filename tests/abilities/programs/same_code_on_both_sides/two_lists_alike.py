"""Two questions about what both sides have chosen, one after the other."""

from datetime import timedelta

import torch
import torch.distributed as dist
from data import batches, model


def train(log) -> None:
    for batch in batches:
        model(batch)
        named = {name: one for name, one in model.named_buffers() if one.is_cuda}
        if named:
            dist.barrier()
        more = list(filter(torch.is_complex, model.buffers()))
        if more:
            dist.all_reduce(torch.tensor(1.0))
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
