"""Both sides choose the same from a model in each round, and send it where there is any."""

from datetime import timedelta

import torch
import torch.distributed as dist
from data import batches, model


def send(tensors) -> None:
    chosen = [one for one in tensors if torch.is_floating_point(one)]
    if chosen:
        for one in chosen:
            dist.broadcast(one, src=0)


def train(log) -> None:
    for batch in batches:
        model(batch)
        send(model.buffers())
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
