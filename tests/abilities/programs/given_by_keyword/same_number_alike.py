import torch.distributed as dist

import stock


def main():
    dist.init_process_group("gloo")
    small = stock.make(size=1)
    again = stock.make(size=1)
    if small:
        if not again:
            if dist.get_rank() == 0:
                dist.barrier()


main()
