import torch.distributed as dist

import stock


def main():
    dist.init_process_group("gloo")
    small = stock.make(size=1)
    large = stock.make(size=2)
    if small:
        if not large:
            if dist.get_rank() == 0:
                dist.barrier()  # expect: DDP101


main()
