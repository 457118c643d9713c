"""A line that each process reads for itself, and then has from the first of its group."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from parallel import state


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    sent = [input("name: ")]
    dist.broadcast_object_list(sent, group=state.tensor_parallel_group())
    folder = os.path.join("out", sent[0])
    os.makedirs(folder, exist_ok=True)
    torch.save(torch.randn(4), os.path.join(folder, "sample.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
