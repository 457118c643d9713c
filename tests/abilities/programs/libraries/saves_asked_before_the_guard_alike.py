"""What one rank prints stands behind what all ranks ask."""

import torch.distributed as dist
from megatron.training.async_utils import maybe_finalize_async_save


def main() -> None:
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    for step in range(100):
        maybe_finalize_async_save()
        if rank != 0:
            continue
        print(step)
    maybe_finalize_async_save(blocking=True, terminate=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
