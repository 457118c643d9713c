import enum

import torch.distributed as dist
import torch.multiprocessing as mp


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


def work(rank, count, size):
    dist.init_process_group("gloo", rank=rank, world_size=count)
    dist.barrier()
    print(size)
    dist.destroy_process_group()


def main(name="small"):
    try:
        size = Size(name.lower())
    except ValueError:
        print("no such size:", name)
        return
    mp.spawn(work, args=(2, size), nprocs=2)


if __name__ == "__main__":
    main()
