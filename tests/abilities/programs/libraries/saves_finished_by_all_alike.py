"""All ranks ask whether the save of all is done."""

import torch.distributed as dist
from megatron.training.async_utils import maybe_finalize_async_save


def main() -> None:
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    for step in range(100):
        if step % 10 == 0:
            maybe_finalize_async_save(blocking=True)
        if rank == 0:
            print(step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
