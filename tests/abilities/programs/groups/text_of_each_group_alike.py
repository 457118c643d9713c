"""What the ranks of a group have from the first of them is no other group's: each writes a file of its own."""

from datetime import timedelta

import torch
import torch.distributed as dist
from parallel import state


def main(prompts: list[str]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    size = state.tensor_parallel_size()
    for number in range(4):
        sent = [prompts[dist.get_rank() // size + number]]
        dist.broadcast_object_list(sent, src=dist.get_rank() // size * size, group=state.tensor_parallel_group())
        if state.tensor_parallel_rank() == 0:
            torch.save(torch.randn(4), f"{number}_{sent[0]}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(["a", "b"])
