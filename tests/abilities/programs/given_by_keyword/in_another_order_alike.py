import torch.distributed as dist

import stock


def main(size, kind):
    dist.init_process_group("gloo")
    if stock.make(size=size, kind=kind):
        if not stock.make(kind=kind, size=size):
            if dist.get_rank() == 0:
                dist.barrier()


main(3, "red")
